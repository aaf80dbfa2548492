"""What the four methods share: rows nearer than a radius, and how they count."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from widemargin._sklearn import StrOptions
from widemargin.base import MarginSelector
from widemargin.engine import edge_sums
from widemargin.engine.pairs import (
    blocks_of_pairs,
    edges_around,
    mean_distance,
    surroundings,
)
from widemargin.engine.relations import class_coefficients
from widemargin.numeric import ReliefSums
from widemargin.table import Floats, Table, warn_single_members
from widemargin.threads import Workers


class RadiusSelector(MarginSelector):
    """Base class of the methods that take all rows within a radius for neighbours."""

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "task": [StrOptions({"classification", "regression"})],
        "metric": [StrOptions({"euclidean", "manhattan"})],
        "categorical_features": ["array-like", None],
    }
    _mixed = True
    _own_radius = False  # a radius for each sample, or one for all
    _far = False  # whether far rows count, too

    def __init__(
        self,
        n_features_to_select: int | float | Literal["auto"] | None = None,
        *,
        task: Literal["classification", "regression"] = "classification",
        metric: Literal["manhattan", "euclidean"] = "manhattan",
        redundancy: float | Literal["auto"] | None = None,
        scale: Literal["minmax", "standard"] | None = "minmax",
        categorical_features: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.task = task
        self.metric = metric
        self.redundancy = redundancy
        self.scale = scale
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _numeric_target(self) -> bool:
        return self.task == "regression"

    def _score(self, table: Table, workers: Workers) -> Floats:
        if self._numeric_target:
            return self._score_target(table, workers)
        name = type(self).__name__
        warn_single_members(table, name, "its sample counts misses only")
        counts_for = class_coefficients(table.counts / len(table.X))
        w = np.zeros(table.X.shape[1])
        T = self._radius(table, workers)
        far = -1.0 if self._far else 0.0
        with blocks_of_pairs(table, self.metric, workers, name) as blocks:
            for block in blocks:
                around = surroundings(table, block, T, workers)
                means = counts_for[table.y[block.queries]]
                weights = np.stack([means, far * means], axis=1)
                edges = edges_around(table, around, weights, workers)
                w += edge_sums(table, edges, workers=workers)
        return w / len(table.X)

    def _score_target(self, table: Table, workers: Workers) -> Floats:
        """RReliefF's estimate from near rows, less that from far ones."""
        sums = [ReliefSums(table) for _ in range(1 + self._far)]
        name, T = type(self).__name__, self._radius(table, workers)
        with blocks_of_pairs(table, self.metric, workers, name) as blocks:
            for block in blocks:
                around = surroundings(table, block, T, workers)
                for side, part in enumerate(sums):
                    weights = np.zeros((len(block.queries), 2, 1))
                    weights[:, side] = 1.0
                    part.add(edges_around(table, around, weights, workers), workers)
        return sums[0].scores() - (sums[1].scores() if self._far else 0.0)

    def _radius(self, table: Table, workers: Workers) -> float | None:
        """T, the mean distance of all pairs; None if each row has its own radius."""
        if self._own_radius:
            return None
        title = f"{type(self).__name__} (radius)"
        return mean_distance(table, self.metric, workers, title)
