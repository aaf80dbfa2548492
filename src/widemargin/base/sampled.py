"""`SampledSelector`: scores that are means over samples, of all rows or of some."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from widemargin.base import sampling
from widemargin.base.estimator import AUTO, COUNT, FRACTION, POSITIVE
from widemargin.base.selector import BY_CLASS, MarginSelector
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import Table, warn_single_members, warn_small_classes
from widemargin.engine import (
    Edges,
    Neighbors,
    class_edge_sums,
    class_sums,
    group_sums,
    influences,
    nearest,
)
from widemargin.engine.neighbors import ReliefRule
from widemargin.engine.permuted import permuted_scores
from widemargin.notices import warn
from widemargin.progress import progress
from widemargin.threads import Workers


@dataclass(kw_only=True, eq=False, repr=False)
class SampledSelector(MarginSelector):
    """Base class of the selectors whose scores are means over the samples.

    A method yields from ``_edges(table, rows, workers, **options)`` the neighbours of
    blocks of rows, and edges whose sums make the contributions of these. Options go to
    `widemargin.engine.nearest`.
    """

    n_samples: int | Literal["auto"] | None = None
    tol: float | None = None
    confidence: float = 0.95
    categorical_features: Any = None
    random_state: Any = None

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "n_samples": [None, COUNT, AUTO],
        "tol": [None, POSITIVE],
        "confidence": [FRACTION],
    }

    _mixed = True
    _splits_by_class = True  # whether a class counts by the contributions of its rows
    _score_of_group = "differences"
    _beyond = "strata"

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        n, wanted, name = table.n_rows, self.n_samples, type(self).__name__
        warn_single_members(table, name, "it contributes its misses only")
        self._forget("scores_interval_", "converged_", *BY_CLASS)
        if wanted == "auto":
            return self._sampled_score(table, workers)
        if isinstance(wanted, numbers.Integral) and wanted > n:
            warn(
                f"{name}: n_samples={wanted} but X has {n} rows; each row is visited "
                "once."
            )
        rows = self._drawn(table)
        self.n_samples_ = n if rows is None else len(rows)
        return self._mean(table, rows, workers)

    def _drawn(self, table: AnyTable) -> Ints | None:
        """Rows that a number of ``n_samples`` visits; None for all."""
        wanted = self.n_samples
        if not isinstance(wanted, numbers.Integral) or wanted >= table.n_rows:
            return None
        return np.sort(self._random_order(table)[: int(wanted)])

    def _random_order(self, table: AnyTable) -> Ints:
        random = check_random_state(self.random_state)
        return table.positions(random.permutation(table.n_rows))

    def _sampled_score(self, table: AnyTable, workers: Workers) -> Floats:
        """Visit as many rows as it takes to be sure of what is selected."""
        n = table.n_rows
        narrow_enough = sampling.TOL * table.ranges**self._power
        tol = narrow_enough if self.tol is None else self.tol

        def enough(known: sampling.Estimate) -> bool:
            narrow = np.all(known.half_width <= tol)
            return bool(narrow or self._settled(table, known))

        size = sampling.batch_size(n)
        rows, quiet = self._random_order(table), workers.silent()
        contributions = self._contributions(table, rows, quiet, block_size=size)
        by_class = np.zeros((len(table.classes), table.n_features))
        if self._splits_by_class:
            contributions = self._tallied(table, rows, contributions, by_class)
        with progress(type(self).__name__, n, self.verbose) as advance:
            known = sampling.estimate(
                contributions,
                n,
                self._evidence(table),
                confidence=self.confidence,
                enough=enough,
                advance=advance,
            )
        self.n_samples_, self.scores_interval_ = known.n_samples, known.interval
        if self._splits_by_class:
            self._keep_by_class(table, by_class / known.n_samples)
        exact = known.n_samples == n
        self.converged_ = exact or self._settled(table, known) is not False
        return known.scores

    def _settled(self, table: AnyTable, known: sampling.Estimate) -> bool | None:
        """Whether the features to select are told from the rest, constant ones aside.

        None if there is nothing to tell apart: the scores themselves are wanted.
        """
        varying = ~table.constant
        order = np.lexsort((-known.scores, table.constant))
        of = order if self._feature_of is None else self._feature_of[order]
        # Where each feature begins, the best one first.
        starts = np.sort(np.unique(of[varying[order]], return_index=True)[1])
        if isinstance(self.n_features_to_select, str) or self._wanted() >= len(starts):
            return None
        top = np.zeros(len(order), bool)
        top[order[: starts[self._wanted()]]] = True
        return known.separates(top, varying & ~top)

    def _permuted_scores(
        self, table: Table, targets: NDArray[Any], features: Ints, workers: Workers
    ) -> Floats:
        rule = self._rule(table)
        rows = clone(self)._drawn(table)  # refits are of clones, and draw the same
        return permuted_scores(
            table, rule, targets, rows, features, workers, power=self._power
        )

    def _k(self, n: int) -> int:
        """The number of neighbours in a table of n rows."""
        k = self.n_neighbors
        return max(1, round(np.log(n))) if k == "log" else int(k)

    def _rule(self, table: AnyTable) -> ReliefRule:
        """Neighbours and what they count."""
        raise NotImplementedError

    @property
    def _power(self) -> int:
        """The power of differences in the score."""
        return 1

    def _reach(self, table: AnyTable) -> float:
        """Bound on a row's contribution for a feature with range 1."""
        return 1.0

    def _evidence(self, table: AnyTable) -> sampling.Means | sampling.Quotients:
        """What gathers ``_contributions``."""
        reach = table.row_weights.max() * self._reach(table)
        return sampling.Means(reach * table.ranges**self._power)

    @property
    def _weighs_each(self) -> bool:
        """Whether neighbours of a slot count by rank or distance, not all the same."""
        return False

    def _edges(
        self, table: AnyTable, rows: Ints | None, workers: Workers, **options: Any
    ) -> Iterator[tuple[Neighbors, Edges]]:
        """Neighbours of the given rows, some of these at a time, and their edges."""
        k, slots, coefficients, metric = self._rule(table)
        if not self._numeric_target:
            warn_small_classes(table, type(self).__name__, k)
        for block in nearest(
            table,
            k,
            slots,
            metric=metric,
            queries=rows,
            share_ties=True,
            distances=self._weighs_each,
            workers=workers,
            **options,
        ):
            if self._weighs_each:
                share = influences(block, k, self.weights, self.sigma)
                block = replace(block, share=share)
            of_row = coefficients[table.y[block.queries]]
            yield block, block.edges(of_row, table.weights)

    def _mean(self, table: AnyTable, rows: Ints | None, workers: Workers) -> Floats:
        """Mean contribution of the given rows; None for all."""
        C = len(table.classes)
        w = np.zeros((1 + C, table.n_features))
        for _, edges in self._edges(table, rows, workers):
            w += class_edge_sums(
                table,
                edges,
                table.y[edges.heads].astype(np.int64),
                n_classes=C,
                power=self._power,
                workers=workers,
            )
        w /= weight_of(table, rows)
        self._keep_by_class(table, w[1:])
        return w[0]

    def _tallied(
        self,
        table: AnyTable,
        rows: Ints,
        contributions: Iterator[Floats],
        by_class: Floats,
    ) -> Iterator[Floats]:
        """Contributions of rows, which are added up by class on the way."""
        done = 0
        for part in contributions:
            codes = table.y[rows[done : done + len(part)]].astype(np.int64)
            by_class += class_sums(part, codes, n_classes=len(by_class))
            done += len(part)
            yield part

    def _contributions(
        self, table: AnyTable, rows: Ints, workers: Workers, **options: Any
    ) -> Iterator[Floats]:
        """Contributions of the given rows in that order, (m, d) for m of them."""
        for block, edges in self._edges(table, rows, workers, **options):
            for _, offsets in sampling.query_parts(table, block):
                yield group_sums(
                    table, edges, offsets, power=self._power, workers=workers
                )


def weight_of(table: AnyTable, rows: Ints | None) -> float:
    """What some rows weigh together, or all: their number if all count the same."""
    return table.n_rows if rows is None else float(table.row_weights[rows].sum())
