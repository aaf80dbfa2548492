"""What the four methods share: rows nearer than a radius, and how they count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from widemargin._sklearn import StrOptions
from widemargin.base import MarginSelector
from widemargin.base.scores import score_of
from widemargin.base.selector import BY_CLASS
from widemargin.data.outcomes import Differences
from widemargin.data.protocol import Floats
from widemargin.data.table import Table, warn_single_members
from widemargin.engine.neighbors import class_coefficients
from widemargin.engine.pairs import mean_distance
from widemargin.engine.radius import Around, RadiusSearch, as_numbers
from widemargin.threads import Workers


@dataclass(kw_only=True, eq=False, repr=False)
class RadiusSelector(MarginSelector):
    """Base class of the methods that take all rows within a radius for neighbours."""

    task: Literal["classification", "regression", "multilabel"] = "classification"
    metric: Literal["manhattan", "euclidean"] = "manhattan"
    categorical_features: Any = None

    _sparse = True
    _mixed = True
    _several_targets = True
    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "task": [StrOptions({"classification", "regression", "multilabel"})],
    }
    _score_of_group = "differences"
    _beyond = "strata"
    _own_radius = False  # a radius for each sample, or one for all
    _far = False  # whether far rows count, too

    def _score(self, table: Table, workers: Workers) -> Floats:
        self._forget(*BY_CLASS)
        found, features = table, np.arange(table.n_features)
        if self.metric == "manhattan":
            found, features = as_numbers(table)
        score = self._score_target if self._numeric_target else self._score_classes
        columns = np.atleast_2d(score(found, workers))
        scores = np.zeros((len(columns), table.n_features))
        # They are linear in the differences, so those of a feature's columns add up.
        np.add.at(scores.T, features, columns.T)
        scores = table.pooled(scores)
        if not self._numeric_target:
            self._keep_by_class(table, scores[1:])
        return scores[0]

    def _score_classes(self, table: Table, workers: Workers) -> Floats:
        """Mean differences from misses, less those from hits: (1 + C, d).

        Of all samples, then of those of each class.
        """
        name = type(self).__name__
        warn_single_members(table, name, "its sample counts misses only")
        counts_for = class_coefficients(table.sizes / table.n_rows)

        def contribution(around: Around) -> Floats:
            means = counts_for[table.y[around.queries]]
            weights = np.stack([means, -means], axis=1) / np.where(
                around.counts, around.sizes, 1
            )
            return around.sums(weights)[0]

        w: Floats = self._search(table, workers).add_up(contribution, name)
        return w / table.n_rows

    def _score_target(self, table: Table, workers: Workers) -> Floats:
        """RReliefF's estimate from near rows, less that from far ones."""
        assert table.target is not None
        y, d = Differences(table.target, self.task).rows, table.n_features
        sides = 1 + self._far

        def contribution(around: Around) -> Floats:
            """N_C, the number of samples, N_A and N_AC from each side."""
            found = np.empty((sides, 2 + 2 * d))
            w = table.row_weights[around.queries]
            for side in range(sides):
                some = around.counts[:, side] > 0
                weights = np.zeros(around.counts.shape)
                weights[:, side] = some / np.where(some, around.sizes[:, side], 1)
                (N_A, *_), _ = around.sums(weights)
                (N_AC, *_), N_C = around.sums(weights, y)
                found[side] = np.concatenate(
                    [[N_C, np.sum(w * some.any(axis=1))], N_A, N_AC]
                )
            return found

        name = type(self).__name__
        found = self._search(table, workers).add_up(contribution, name)
        scores = [
            score_of(row[0], row[2 : 2 + d], row[2 + d :], row[1]) for row in found
        ]
        return scores[0] - (scores[1] if self._far else 0.0)

    def _search(self, table: Table, workers: Workers) -> RadiusSearch:
        T = None  # each row has its own radius
        if not self._own_radius:
            title = f"{type(self).__name__} (radius)"
            T = mean_distance(table, self.metric, workers, title)
        return RadiusSearch(table, self.metric, T, self._far, workers)
