"""What ordered classes ask of features: to rise with them, or fall (direction −1)."""

from __future__ import annotations

from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.utils import Tags

from widemargin import kernels
from widemargin._sklearn import StrOptions
from widemargin.base import MarginSelector
from widemargin.base.estimator import AUTO
from widemargin.data.kinds import listed, nominal_columns
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.table import Table
from widemargin.threads import Workers, spans

CONSTRAINTS: dict[str, Any] = {
    "difference": [StrOptions({"directed", "absolute"})],
    "hits": [StrOptions({"nearest", "dominating"})],
    "directions": [None, AUTO, "array-like"],
}


class ForOrderedClasses(MarginSelector):
    """What the methods for ordered classes ask of nominal features."""

    _ordered_classes = True
    _mixed = True

    def _nominal(self, X: Any, kinds: Ints | None = None) -> Ints:
        """Nominal columns of X; refused where a direction is asked of them.

        False comes before True, so that booleans are numbers here.
        """
        name, asked = type(self).__name__, self._directed()
        nominal = nominal_columns(
            X, self.categorical_features, name, kinds, booleans=False
        )
        if len(nominal) and asked:
            columns = getattr(X, "columns", range(np.shape(X)[1]))
            shown = listed([columns[f] for f in nominal])
            raise ValueError(
                f"{name} with {' and '.join(asked)} needs features that have an order, "
                f"but these are nominal: {shown}. Make them ordered categories or "
                'numbers, drop them, or use difference="absolute" and hits="nearest".'
            )
        return nominal

    def _directed(self) -> list[str]:
        """Parameters under which features need an order."""
        return [
            f'{parameter}="{value}"'
            for parameter in ("difference", "hits")
            if (value := getattr(self, parameter)) not in {"absolute", "nearest"}
        ]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = not self._directed()
        return tags


def resolve_directions(estimator: Any, table: AnyTable, workers: Workers) -> Ints:
    """1 or −1 per feature."""
    given, d = estimator.directions, table.n_features
    if not isinstance(table, Table):
        _refuse_what_needs_all_rows(estimator, "run on Dask collections")
    elif table.weights is not None:
        _refuse_what_needs_all_rows(estimator, "take sample_weight")
    if given is None:
        return np.ones(d, np.int64)
    if isinstance(given, str):
        assert isinstance(table, Table)  # refused above
        return _correlation_signs(table, workers)
    directions = np.asarray(given)
    if directions.shape != (d,) or not np.isin(directions, (1, -1)).all():
        strange = directions[~np.isin(directions, (1, -1))].tolist()
        raise ValueError(
            f"{type(estimator).__name__}: directions must be one number per feature, 1 "
            f"(more is better) or -1 (less is better), so shape ({d},); got shape "
            f"{directions.shape}" + (f" with {strange[0]!r}." if strange else ".")
        )
    return directions.astype(np.int64)


def _refuse_what_needs_all_rows(estimator: Any, cannot: str) -> None:
    name = type(estimator).__name__
    if estimator.hits == "dominating":
        raise ValueError(
            f'{name}: hits="dominating" does not {cannot}; use hits="nearest".'
        )
    if isinstance(estimator.directions, str):
        raise ValueError(
            f'{name}: directions="auto" ranks all values of a feature, which does not '
            f"{cannot}. Give directions as an array of 1 and -1."
        )


def _correlation_signs(table: Table, workers: Workers) -> Ints:
    """Sign of Spearman's correlation of each feature with y; 1 if there is none.

    Twice a rank is a whole number, so the sign can be exact.
    """
    n, d = table.X.shape
    signs = np.ones(d, np.int64)
    starts = table.starts
    # Twice the centred mean rank of each class.
    of_class = (starts[:-1] + starts[1:] - n).tolist()

    def correlate(part: slice) -> None:
        ranks = (2 * rankdata(table.X[:, part], axis=0)).astype(np.int64) - (n + 1)
        sums = np.add.reduceat(ranks, starts[:-1], axis=0).T.tolist()
        for f, row in enumerate(sums, part.start):
            # Python's integers do not overflow.
            if sum(a * b for a, b in zip(row, of_class, strict=True)) < 0:
                signs[f] = -1

    workers.run(correlate, spans(d, max(1, 2**20 // n)))
    if table.mixed is not None:
        for f in np.unique(table.mixed.features):
            signs[f] = _sign_of_observed(table.X[:, f], table, table.mixed.absent[:, f])
    return signs


def _sign_of_observed(x: Floats, table: Table, absent: NDArray[np.bool_]) -> int:
    """The same from the rows that have a value."""
    ranks, of_y = (
        (2 * rankdata(v[~absent])).astype(np.int64) - (np.count_nonzero(~absent) + 1)
        for v in (x, table.y)
    )
    return -1 if sum(map(mul, ranks.tolist(), of_y.tolist())) < 0 else 1


def dominating_hit_sums(
    table: Table, k: int, rows: Ints | None, workers: Workers
) -> Floats:
    """Σ over rows and sides of mean |x − hit| over the k nearest dominating hits."""
    if rows is not None:
        w = np.zeros(table.X.shape[1])
        for part in spans(len(rows), 1024):
            w += dominating_hits(table, k, rows[part], workers).sum(axis=0)
        return w
    layout, blocks = table.layout, spans(len(table.X), 64)
    sums = np.zeros((len(blocks), table.X.shape[1]))
    workers.run(
        lambda b: kernels.ascent.add_dominating_hit_sums(
            table.data, layout, k, blocks[b].start, blocks[b].stop, sums[b]
        ),
        range(len(blocks)),
    )
    return sums.sum(axis=0)


def dominating_hits(table: Table, k: int, rows: Ints, workers: Workers) -> Floats:
    """The same for each of some rows, (m, d)."""
    layout, sums = table.layout, np.zeros((len(rows), table.X.shape[1]))
    workers.run(
        lambda q: kernels.ascent.add_dominating_hit_sums(
            table.data, layout, k, rows[q], rows[q] + 1, sums[q]
        ),
        range(len(rows)),
    )
    return sums


def dominating_hit_distances(table: Table, w: Floats, workers: Workers) -> Floats:
    """Distance under w of each row to its nearest hit above and below; 0 if none."""
    layout, near = table.layout, np.empty((len(table.X), 2))
    workers.run(
        lambda part: kernels.ascent.measure_dominating_hits(
            table.data, layout, w**2, part.start, part.stop, near
        ),
        spans(len(table.X), 64),
    )
    return near
