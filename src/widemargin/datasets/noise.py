"""Columns that know nothing of the class, to hold the features of a table against."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array, check_random_state

from widemargin.datasets.synthetic import RandomState, check_count


def append_noise(
    X: Any,
    n_columns: int = 50,
    *,
    kind: str = "permuted",
    random_state: RandomState = None,
) -> npt.NDArray[np.float64]:
    """Append columns that do not depend on the class.

    A permuted copy has the same values as the real feature, and so the same spread,
    granularity and outliers, but no information about the class. A method that ranks
    real features above uniform columns may merely prefer a certain spread; it should
    rank them above permuted copies, too.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers; NaN is missing. It is not changed.
    n_columns : int, default=50
        How many columns to append.
    kind : {"permuted", "uniform"}, default="permuted"
        Copies of the columns of X, each with its rows in a random order of its own:
        all of X in random order, then all again, as far as needed; or uniform numbers
        on [0, 1].
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draw.

    Returns
    -------
    X_noisy : ndarray of shape (n_samples, n_features + n_columns)
        X, and the new columns behind it.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.datasets import append_noise
    >>> X = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    >>> append_noise(X, 2, random_state=0)
    array([[ 1., 10., 30.,  1.],
           [ 2., 20., 10.,  3.],
           [ 3., 30., 20.,  2.]])
    """
    check_count("append_noise", "n_columns", n_columns, 0)
    if kind not in ("permuted", "uniform"):
        raise ValueError(
            f'append_noise needs kind to be "permuted" or "uniform", got {kind!r}.'
        )
    X = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
    rng = check_random_state(random_state)
    n, d = X.shape
    if kind == "uniform":
        return np.hstack([X, rng.uniform(size=(n, n_columns))])
    rounds = [rng.permutation(d) for _ in range(-(-n_columns // d))]
    sources = np.concatenate([*rounds, np.empty(0, np.int64)])[:n_columns]
    copies = [X[rng.permutation(n), f] for f in sources.astype(np.int64)]
    return np.column_stack([X, *copies])
