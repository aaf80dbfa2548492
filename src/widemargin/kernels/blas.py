"""The matrix product, by the BLAS that SciPy brings."""

import numpy as np
from numba import types

from widemargin.kernels._jit import inner

_number = types.CPointer(types.float32)
_size = types.intp
# Numba's own entry to BLAS, which its `np.dot` calls: kind, whether A and B are
# transposed, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc.
_gemm = types.ExternalFunction(
    "numba_xxgemm",
    types.intc(
        types.char,
        types.char,
        types.char,
        _size,
        _size,
        _size,
        _number,
        _number,
        _size,
        _number,
        _size,
        _number,
        _number,
        _size,
    ),
)
_FLOAT, _TRANSPOSED, _STRAIGHT = ord("s"), ord("t"), ord("n")
_FACTORS = np.array([0.0, 1.0], np.float32)


@inner
def multiply(A, B, added, product):
    """Product = A Bᵀ, or that is added to it; all in float32, row by row.

    `np.dot` cannot add, and checks shapes at every call.
    """
    height, length = A.shape
    width = B.shape[0]
    # BLAS counts columns first: what it makes of Bᵀ and A is the transpose.
    failed = _gemm(
        _FLOAT,
        _TRANSPOSED,
        _STRAIGHT,
        width,
        height,
        length,
        _FACTORS[1:].ctypes,
        B.ctypes,
        length,
        A.ctypes,
        length,
        _FACTORS[added:].ctypes,
        product.ctypes,
        width,
    )
    if failed:
        raise RuntimeError("SciPy has no BLAS with a matrix product; reinstall it")
