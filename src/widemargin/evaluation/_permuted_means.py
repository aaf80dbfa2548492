"""FisherScore under many permutations of the labels, by products of matrices.

The scatter T of a feature does not depend on labels, and with class sums S_c of its
centred values the scatter between classes is B = Σ_c S_c² / n_c. What is tested is
B / T, the share of the variance that the classes explain. It rises with the Fisher
score, B / (T − B), and is exact where that is nearly infinite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin.baselines.fisher import FisherScore
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.threads import Workers, single_threaded_blas, spans

TILE = 2048  # features at a time


def by_means(selector: Any) -> bool:
    """Whether products of matrices serve for a selector."""
    return type(selector) is FisherScore


def centred(table: Table) -> Floats:
    """Each feature less its mean, as a vector of length 1; zeros for a constant."""
    V = table.X - table.low  # first, so that values far from 0 keep their digits
    largest = V.max(axis=0)
    V /= np.where(largest > 0, largest, 1.0)
    V -= V.mean(axis=0)
    length = np.sqrt(np.einsum("if,if->f", V, V))
    V /= np.where(table.constant, 1.0, length)
    V[:, table.constant] = 0.0
    return V


def explained(
    V: Floats, labels: Ints, counts: Ints, features: Ints, workers: Workers
) -> Floats:
    """Share of the variance that classes explain, for each row of labels.

    Parameters
    ----------
    V : array of shape (n, d)
        What `centred` returns.
    labels : array of int of shape (B, n)
        Class codes of the rows of V.
    counts : array of shape (C,)
        Rows of each class.
    features : array of int
        Which columns.

    Returns
    -------
    shares : array of shape (B, len(features))
    """
    shares = np.zeros((len(labels), len(features)))
    members = [(labels == c).astype(np.float64) for c in range(len(counts))]

    def add(part: slice) -> None:
        columns = V[:, features[part]]
        for mine, n in zip(members, counts, strict=True):
            shares[:, part] += (mine @ columns) ** 2 / n

    with single_threaded_blas():  # the cores are busy with parts
        workers.run(add, spans(len(features), TILE))
    return shares
