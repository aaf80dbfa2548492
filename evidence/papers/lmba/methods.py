"""The methods of the paper, in both readings where there are two."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evidence.papers.splits import Ranker, Sized, ranked
from widemargin import LMBA, Simba
from widemargin.baselines import FeatureSimilarity

OURS, PRINTED, SIMBA, MITRA = "LMBA", "LMBA, printed", "Simba", "Mitra"
NAMES = (OURS, PRINTED, SIMBA, MITRA)
READINGS = (
    f'"{OURS}" is our default, which tests activity with weighted distances and takes '
    f'steps of 1/√t; "{PRINTED}" is equation (17) with β = 1. k = 3 and c = 1, as in '
    "the paper. Simba has 5 starts."
)


# n_neighbors of Mitra's method that are tried: the larger, the fewer features are kept.
WIDTHS = (*range(1, 11), 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 400, 600)

Array = NDArray[Any]


class Mitra(Sized):
    """Mitra's method at each size: of the sets it makes, the smallest large enough."""

    def __init__(self, scale: Literal["minmax", "standard"] | None) -> None:
        self.scale = scale

    def orders(self, X: Array, y: Array, seed: int, sizes: Array) -> list[Array]:
        """The best features of these sets first."""
        sets = []
        for k in WIDTHS:
            if k < X.shape[1]:
                fitted = FeatureSimilarity(n_neighbors=k, scale=self.scale).fit(X)
                order = np.argsort(fitted.ranking_, kind="stable")
                sets.append((fitted.n_features_, order))
                if fitted.n_features_ < sizes[0]:
                    break  # larger k keep fewer still
        largest = max(sets, key=lambda one: one[0])
        return [
            min(
                (one for one in sets if one[0] >= k),
                key=lambda one: one[0],
                default=largest,
            )[1]
            for k in sizes
        ]


def rankers(
    scale: Literal["minmax", "standard"] | None = "minmax",
) -> dict[str, Ranker]:
    """A ranker for each method; Mitra's is fitted for each size."""
    return {
        OURS: ranked(LMBA, scale=scale),
        PRINTED: ranked(LMBA, active="original", step="constant", scale=scale),
        SIMBA: ranked(Simba, scale=scale),
        MITRA: Mitra(scale),
    }
