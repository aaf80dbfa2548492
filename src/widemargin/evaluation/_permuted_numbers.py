"""Scores of RReliefF under many targets, from one search.

Neighbours, and what they count, do not depend on the target. Of the sums of RReliefF,
N_A does not either; N_C and N_AC are products of the differences of the target with
those of the features.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from widemargin.base.numeric_relief import score_of
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.evaluation._encoded import Encoded
from widemargin.selectors.rrelieff import RReliefF
from widemargin.threads import Workers, spans

CELLS = 2**22  # of products at a time


def one_search(selector: Any, data: Encoded) -> bool:
    """Whether one search serves all permutations, and differences are of numbers."""
    if type(selector) is not RReliefF or selector.n_samples == "auto":
        return False
    rows = data.read(selector)
    nominal = rows.nominal is not None and len(rows.nominal) > 0
    return not nominal and bool(np.isfinite(rows.X).all())


def permuted_numbers(
    selector: RReliefF,
    table: Table,
    targets: Floats,
    workers: Workers,
    features: Ints,
) -> Floats:
    """Scores of some features for each of several targets of the rows of the table.

    Parameters
    ----------
    selector : RReliefF
    table : Table
        Of numbers alone.
    targets : array of shape (B, n)
    workers : Workers
    features : array of int

    Returns
    -------
    scores : array of shape (B, len(features))
    """
    B, d = len(targets), len(features)
    y = targets / np.ptp(targets, axis=1, keepdims=True)
    N_C, m = np.zeros(B), 0
    N_A, N_AC = np.zeros(d), np.zeros((B, d))
    X = table.X[:, features]
    rows = clone(selector)._drawn(table)  # a refit is to a clone, and draws the same
    for _, (heads, tails, p) in selector._edges(table, rows, workers):
        m += len(np.unique(heads))
        for part in spans(len(heads), max(1, CELLS // max(B, d))):
            i, j = heads[part], tails[part]
            diff = np.abs(X[i] - X[j])
            dy = np.abs(y[:, i] - y[:, j]) * p[part]
            N_C += dy.sum(axis=1)
            N_A += p[part] @ diff
            N_AC += dy @ diff
    return np.array(
        [score_of(c, N_A, both, m) for c, both in zip(N_C, N_AC, strict=True)]
    )
