"""How far two sets of features agree if near copies count as the same feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

COPY = 0.9  # |r| from which on two features are copies of each other


def likeness(X: np.ndarray, nominal: Sequence[int] = ()) -> np.ndarray:
    """|r| of every two features; nominal ones are like themselves only."""
    with np.errstate(all="ignore"):
        R = np.abs(np.nan_to_num(np.corrcoef(X, rowvar=False)))
    R[[*nominal]], R[:, [*nominal]] = 0.0, 0.0
    np.fill_diagonal(R, 1.0)
    return R


def matched(a: Sequence[int], b: Sequence[int], R: np.ndarray) -> int:
    """How many features of one set can be matched with copies in the other."""
    alike = csr_array(R[np.ix_([*a], [*b])] >= COPY)
    return int(np.count_nonzero(maximum_bipartite_matching(alike) >= 0))


def apart(a: Sequence[int], b: Sequence[int], R: np.ndarray) -> int:
    """How many features of both sets have no match."""
    return len(a) + len(b) - 2 * matched(a, b, R)


def jaccard(a: Sequence[int], b: Sequence[int], R: np.ndarray) -> float:
    """Jaccard index with matched features in the place of common ones."""
    common = matched(a, b, R)
    return common / (len(a) + len(b) - common)


def copies_within(features: Sequence[int], R: np.ndarray) -> int:
    """How many pairs of a set are copies of each other."""
    mine = R[np.ix_([*features], [*features])] >= COPY
    return int(np.count_nonzero(np.triu(mine, 1)))
