"""Formats that keep features and classes apart: MATLAB, NumPy, LIBSVM, AnnData."""

from __future__ import annotations

import io
import math
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.io import loadmat
from scipy.sparse import issparse
from sklearn.datasets import load_svmlight_file

from widemargin.cli.problem import Problem, did_you_mean, listed, require
from widemargin.cli.reading.files import ARRAY, CHUNK, File
from widemargin.cli.reading.guards import (
    check_room,
    memory_limit,
    probe,
    problem_if_unreadable,
    too_large,
)
from widemargin.cli.reading.source import Request, Source, distinct

# Names that published data sets use, the most common first.
FEATURES = ("X", "x", "fea", "features", "data", "ins", "inputs")
CLASSES = ("Y", "y", "gnd", "labels", "label", "target", "class", "lab", "outs")
NAMES = ("feature_names", "names", "columns")

FIRST_PART, COMPRESSED = 128, 15  # of a MATLAB file: a place, and a kind of part
# SciPy trusts what a file says of its arrays, and may end the process.
LOAD = """
import io, sys, scipy.io
scipy.io.loadmat(io.BytesIO(sys.stdin.buffer.read()))
"""

# The HDF5 library may end the process, or never end, at damaged texts.
TEXTS = """
import io, sys, h5py
from contextlib import suppress

def look(name, item):
    with suppress(Exception):
        dict(item.attrs)
        if item.dtype.kind == "O" and item.size < len(data):
            item[()]

data = sys.stdin.buffer.read()
with h5py.File(io.BytesIO(data)) as file:
    look("", file)
    file.visititems(look)
"""


SPARSE_BYTES = 2**26  # of a dense table, above which a sparse one stays so
SPARSE_COLUMN = (
    1200  # bytes that each column of a sparse frame takes, besides its cells
)

Array = NDArray[Any]


def read_matlab(file: File, request: Request) -> Source:
    """Read X and Y of a .mat file, as feature-selection repositories publish them."""
    with problem_if_unreadable(f"{file.name} is not a readable MATLAB file"):
        _check_unpacked(file)
        probe("SciPy", LOAD, file.data)
        try:
            contents = loadmat(io.BytesIO(file.data))
        except NotImplementedError:
            raise Problem(
                f"{file.name} is in MATLAB's v7.3 format, which is not supported; save "
                "it in MATLAB with the option '-v7'."
            ) from None
    arrays = {
        name: _dense(file, value) if issparse(value) else np.asarray(value)
        for name, value in contents.items()
        if not name.startswith("__")
    }
    return _from_arrays(file, arrays, request)


def _check_unpacked(file: File) -> None:
    """Refuse compressed parts that are too large: a few megabytes may be gigabytes.

    In versions 5 to 7, a part is a tag, its kind and its length, and a content.
    """
    place, left, packed = FIRST_PART, memory_limit(), file.data
    if packed[126:128] not in (b"IM", b"MI"):
        return  # of version 4, or not a MATLAB file: SciPy reports it
    while place + 8 <= len(packed):
        order = "<" if packed[126:127] == b"I" else ">"
        kind, length = struct.unpack_from(f"{order}II", packed, place)
        place += 8 + length
        part = packed[place - length : place] if kind == COMPRESSED else b""
        unpack = zlib.decompressobj()
        while part and left >= 0:
            left -= len(unpack.decompress(part, CHUNK))
            part = unpack.unconsumed_tail
        if left < 0:
            raise too_large(file.name, "unpacks to more than")


def read_numpy(file: File, request: Request) -> Source:
    """Read X and y of an .npz file, or one .npy table, which stays on disk."""
    with problem_if_unreadable(f"{file.name} is not a readable NumPy file"):
        if file.mapped:
            loaded: Any = np.load(file.name, mmap_mode="r", allow_pickle=False)
        else:
            _check_claims(file)
            loaded = np.load(io.BytesIO(file.data), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            _check_text(loaded)
            return _from_table(file, loaded)
        with loaded:
            arrays = {name: loaded[name] for name in loaded.files}
        for array in arrays.values():
            _check_text(array)
    return _from_arrays(file, arrays, request)


def _check_text(array: Array) -> None:
    """Refuse text with invalid code points, which NumPy does not check.

    Such a string is an error, or undefined, wherever it is used.
    """
    for name in array.dtype.names or ():
        _check_text(array[name])
    if array.dtype.kind == "U" and array.dtype.itemsize:
        native = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        codes = native.view(np.uint32)
        if ((codes > sys.maxunicode) | ((codes >= 0xD800) & (codes < 0xE000))).any():
            raise ValueError("its text has code points that do not exist")


def _check_claims(file: File) -> None:
    """Refuse arrays whose headers claim more than they hold, or more than fits."""
    if file.data.startswith(ARRAY):
        check_room(file.name, _claim(io.BytesIO(file.data), len(file.data)))
        return
    total = 0
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        for member in archive.infolist():
            with archive.open(member) as stream:
                total += _claim(stream, member.file_size)
            check_room(file.name, total)


def _claim(stream: Any, size: int) -> int:
    """Bytes that the header of an array claims; refuse more than the stream has."""
    npy = np.lib.format
    major, _ = npy.read_magic(stream)
    # Versions 2 and 3 differ in the encoding of names only.
    header = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
    shape, _, dtype = header(stream)
    claim = math.prod(shape) * dtype.itemsize
    if claim > size:
        raise ValueError(f"it claims {claim} bytes and has {size}")
    return claim


def read_libsvm(file: File, request: Request) -> Source:
    """Read lines of ``label index:value …``."""
    with problem_if_unreadable(f"{file.name} is not a readable LIBSVM file"):
        X, y = load_svmlight_file(io.BytesIO(file.data))
    return _source(_or_dense(file, X), y, None, "target")


def read_anndata(file: File, request: Request) -> Source:
    """Read genes as features, and all columns of the observations."""
    anndata = require("anndata", "AnnData", "anndata")
    with (
        tempfile.TemporaryDirectory() as folder,
        problem_if_unreadable(f"{file.name} is not a readable AnnData file"),
    ):
        path = Path(folder) / "data.h5ad"
        path.write_bytes(file.data)
        if b"\x89HDF" in file.data:
            probe("the HDF5 library", TEXTS, file.data)
        _check_datasets(file, path)
        data = anndata.read_h5ad(path)
        if data.X is None:
            raise Problem(f"{file.name} has no matrix X.")
        X = _or_dense(file, data.X) if hasattr(data.X, "toarray") else data.X
        about = [str(name) for name in data.obs.columns]
        key = str(data.obs.index.name or "obs_names")
        while key in about:
            key += "_"
        obs = data.obs.set_axis(about, axis=1).rename_axis(key).reset_index()
    notes: list[str] = []
    taken = {key, *about}
    names = [f"{n} (feature)" if n in taken else n for n in map(str, data.var_names)]
    frame = _frame(X, distinct(file.name, names, notes))
    frame = pd.concat([frame, obs], axis=1)
    return Source(frame, about=(key, *about), key=key, notes=notes)


def _check_datasets(file: File, path: Path) -> None:
    """Refuse arrays that are too large, whether they are stored or only claimed."""
    import h5py

    sizes: list[int] = []

    def add(_: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            sizes.append(item.size * item.dtype.itemsize)

    with h5py.File(path) as opened:
        opened.visititems(add)
    check_room(file.name, sum(sizes))


def _or_dense(file: File, X: Any) -> Any:
    """A sparse matrix as it is if it is large and has finite numbers, else dense."""
    cells = math.prod(X.shape)
    large = 8 * cells > SPARSE_BYTES and X.nnz < cells / 4
    if not large or not np.isfinite(X.data).all():
        return _dense(file, X)
    size = X.shape[1] * SPARSE_COLUMN + 16 * X.nnz
    check_room(f"{file.name}, {X.shape[1]} sparse columns,", size)
    return X


def _frame(X: Any, names: list[str]) -> pd.DataFrame:
    """A frame, of sparse columns if X is sparse."""
    if hasattr(X, "toarray"):
        return pd.DataFrame.sparse.from_spmatrix(X, columns=names)
    return pd.DataFrame(X, columns=names)


def _dense(file: File, X: Any) -> Array:
    """A sparse matrix with its zeros, if there is room for them."""
    n, d = X.shape
    check_room(f"{file.name}, {n} × {d} cells without gaps,", n * d * 8)
    array: Array = X.toarray()
    return array


def _from_table(file: File, table: Array) -> Source:
    if table.ndim == 1 and table.dtype.names is not None:
        return Source(pd.DataFrame.from_records(table))
    if table.ndim != 2:
        raise Problem(
            f"{file.name} has an array of shape {table.shape}; a table of rows and "
            "columns is needed, the last column being the target."
        )
    names = [f"x{j}" for j in range(table.shape[1])]
    return Source(pd.DataFrame(table, columns=names, copy=False))


def _from_arrays(file: File, arrays: Mapping[str, Array], request: Request) -> Source:
    """Find features, classes and, if there are any, names among named arrays."""
    notes: list[str] = []
    arrays = _flat(_training_part(arrays, notes), notes)
    tables = {k: a for k, a in arrays.items() if a.ndim == 2 and a.dtype.kind in "biuf"}
    x_name = next((name for name in FEATURES if name in tables), None)
    if x_name is None:
        wide = [k for k, a in tables.items() if min(a.shape) > 1]
        if len(wide) != 1:
            raise _lacks(file, arrays, "a matrix of features called X")
        x_name = wide[0]
    X = tables[x_name]
    columns = {
        name: array.ravel()
        for name, array in arrays.items()
        if name != x_name and array.size == len(X) == max(array.shape, default=0)
    }
    y_name = _class_array(file, columns, request.target)
    if y_name is None:
        raise _lacks(file, arrays, f"a class for each of the {len(X)} rows, called Y")
    named = next((arrays[n].ravel() for n in NAMES if n in arrays), None)
    names = None
    if named is not None and named.size == X.shape[1] and y_name not in NAMES:
        names = [_text(value) for value in named]
    labels = columns[y_name]
    if labels.dtype.kind == "O":  # cells of MATLAB
        labels = np.array([_text(value) for value in labels])
    source = _source(X, labels, names, y_name)
    source.notes += notes
    return source


def _training_part(arrays: Mapping[str, Array], notes: list[str]) -> dict[str, Array]:
    """The arrays whose names end in _train, without that, if there are any."""
    part = {k[:-6]: a for k, a in arrays.items() if k.lower().endswith("_train")}
    if len(part) < 2:
        return dict(arrays)
    notes.append(f"the training part is read: {listed(f'{k}_train' for k in part)}.")
    return part


def _flat(arrays: Mapping[str, Array], notes: list[str]) -> dict[str, Array]:
    """Images as rows of pixels."""
    flat = dict(arrays)
    for name, array in arrays.items():
        if array.ndim in (3, 4) and array.dtype.kind in "biuf":
            flat[name] = array.reshape(len(array), -1)
            sides = "×".join(map(str, array.shape[1:]))
            shape = f" (--image-shape {'x'.join(map(str, array.shape[1:]))} draws them)"
            notes.append(
                f"{name} holds images of {sides} pixels, one feature each"
                f"{shape if array.ndim == 3 else ''}."
            )
    return flat


def _class_array(
    file: File, columns: Mapping[str, Array], wanted: str | None
) -> str | None:
    if wanted is not None:
        if wanted not in columns:
            raise Problem(
                f"{file.name} has no array {wanted!r} with a class for each row."
                f"{did_you_mean(wanted, columns)} There is: {listed(columns)}."
            )
        return wanted
    usual = next((name for name in CLASSES if name in columns), None)
    return usual or (next(iter(columns)) if len(columns) == 1 else None)


def _lacks(file: File, arrays: Mapping[str, Array], what: str) -> Problem:
    there = ", ".join(f"{k} {'×'.join(map(str, a.shape))}" for k, a in arrays.items())
    return Problem(f"{file.name} lacks {what}; it has {there or 'nothing'}.")


def _text(value: Any) -> str:
    """The text in a MATLAB cell, however deep it is wrapped."""
    while isinstance(value, np.ndarray) and value.size == 1:
        value = value.ravel()[0]
    return str(value).strip()


def _source(X: Array, y: Array, names: list[str] | None, target: str) -> Source:
    names = names or [f"x{j}" for j in range(X.shape[1])]
    while target in names:
        target += "_"
    frame = _frame(X, names)
    # Joined to a frame of one block; inserting would warn about fragments.
    frame = pd.concat([frame, pd.Series(y, name=target)], axis=1)
    return Source(frame, target=target)
