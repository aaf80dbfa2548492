"""`build`: scale X, sort its rows by class, and set apart what is not a number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite

from widemargin.data.frames import is_sparse
from widemargin.data.mixed import separate
from widemargin.data.protocol import Floats, Ints
from widemargin.data.sparse import SparseTable, added_up, ranked_cells, row_of_cells
from widemargin.data.table import Table
from widemargin.threads import Workers

FAR = 2**10  # ranges of a feature that lie between its values and 0, if they are far
SMALLEST, LARGEST = 1e-150, 1e150  # differences beyond have squares of 0 or infinity


def build(
    X: Floats,
    y: Ints,
    classes: NDArray[Any],
    *,
    scale: str | None,
    workers: Workers,
    name: str = "X",
    nominal: Ints | None = None,
    ranks: str = "minmax",
    weights: Floats | None = None,
) -> Table:
    """Scale X, sort its rows by class and say what is constant.

    With scale="rank", numbers are replaced by their ranks, and these are scaled as
    ``ranks`` says. Weights of the rows, of mean 1, count in what rows have on average.
    """
    if is_sparse(X):
        refuse_other_than_numbers(X, name)
        if scale == "rank" and weights is not None:
            raise ValueError(
                f'{name}: scale="rank" does not take sample_weight with sparse X. Use '
                "another scale, or dense X."
            )
        if scale == "rank":
            X, scale = ranked_cells(X), ranks
        return _build_sparse(X, y, classes, scale, name, weights)
    d = X.shape[1]
    rows = np.argsort(y, kind="stable")
    (low, high, mean), gappy = _ranges(X, workers)
    if len(gappy) and nominal is None:
        refuse_other_than_numbers(X, name)
    if not np.isfinite([low, high]).all():
        refuse_other_than_numbers(X, name, may_miss=True)
    refuse_extreme_ranges(low, high, scale, name)
    if scale == "rank":
        X, scale = _ranked(X, nominal, workers, weights), ranks
        (low, high, mean), _ = _ranges(X, workers)
        refuse_extreme_ranges(low, high, scale, name)
    means, spreads = low, high
    if scale == "standard":
        means, spreads = X.mean(axis=0, dtype=float), X.std(axis=0, dtype=float)
        offsets = far_offsets(low, high)
        one_by_one = np.union1d(gappy, np.flatnonzero(offsets))
        for f in one_by_one if weights is None else range(d):
            values = X[:, f].astype(np.float64) - offsets[f]
            if low[f] < high[f]:
                means[f], spreads[f] = moments(values, weights)
                means[f] += offsets[f]
    coded = np.empty(0, np.int64) if nominal is None else nominal
    shift, span = shift_and_span(scale, (low, high), (means, spreads), gappy, coded)
    Z = _scaled(X, rows, shift, span, workers)
    low, high, mean = ((a - shift) / span for a in (low, high, mean))
    mixed = None
    if len(gappy) or len(coded):
        mixed = separate(Z, y[rows], coded, gappy, workers)
    w = None if weights is None else weights[rows]
    return Table(Z, y[rows], classes, rows, low, high, mean, mixed, weights=w)


def shift_and_span(
    scale: str | None,
    limits: tuple[Floats, Floats],
    moments: tuple[Floats, Floats],
    gappy: Any,
    nominal: Any,
) -> tuple[Floats, Floats]:
    """What to subtract from each feature, and to divide by.

    Given are the lowest and highest values, means and standard deviations, and which
    features have missing values or codes.
    """
    low, high = limits
    shift, span = np.zeros(len(low)), np.ones(len(low))
    if scale == "minmax":
        shift, span = low, high - low
    elif scale == "maxabs":
        shift, span = far_offsets(low, high), np.maximum(-low, high)
    elif scale == "standard":
        shift, span = moments
    else:
        shift[gappy] = far_offsets(low, high)[gappy]
    if scale is not None:
        # A constant feature becomes 0, also where rounding makes its mean or its
        # standard deviation differ from what they should be.
        constant = low == high
        shift, span = np.where(constant, low, shift), np.where(constant, 1.0, span)
    shift[nominal], span[nominal] = 0.0, 1.0
    return shift, span


def moments(values: Floats, weights: Floats | None) -> tuple[float, float]:
    """Mean and standard deviation of the numbers that are there."""
    if weights is None:
        return float(np.nanmean(values)), float(np.nanstd(values))
    there = ~np.isnan(values)
    values, weights = values[there], weights[there]
    mean = np.average(values, weights=weights)
    return mean, np.sqrt(np.average((values - mean) ** 2, weights=weights))


def _build_sparse(
    X: Any,
    y: Ints,
    classes: NDArray[Any],
    scale: str | None,
    name: str,
    weights: Floats | None,
) -> SparseTable:
    """Divide the cells of a CSR array, and sort its rows by class."""
    (n, d), rows = X.shape, np.argsort(y, kind="stable")
    X = X[rows]
    stored = np.bincount(X.indices, minlength=d)
    low, high = np.where(stored < n, 0.0, [[np.inf], [-np.inf]])
    np.minimum.at(low, X.indices, X.data)
    np.maximum.at(high, X.indices, X.data)
    refuse_extreme_ranges(low, high, scale, name)
    limits, shift = (low, high), np.where(stored < n, 0.0, low)
    X.data -= shift[X.indices]
    low, high = low - shift, high - shift
    w = None if weights is None else weights[rows]
    counts = np.ones(X.nnz) if w is None else w[row_of_cells(X)]
    mean = np.clip(added_up(X.indices, counts * X.data, d) / n, low, high)
    spread = mean
    if scale == "standard":
        squares = added_up(X.indices, counts * (X.data - mean[X.indices]) ** 2, d)
        zeros = n - added_up(X.indices, counts, d)
        spread = np.sqrt((squares + zeros * mean**2) / n)
    _, span = shift_and_span(scale, limits, (mean, spread), [], [])
    X.data /= span[X.indices]
    low, high, mean = low / span, high / span, mean / span
    return SparseTable(X, y[rows], classes, rows, low, high, mean, weights=w)


def refuse_other_than_numbers(
    X: NDArray[Any], name: str, *, may_miss: bool = False
) -> None:
    """Refuse infinity, and NaN unless values may be missing, as scikit-learn does."""
    with np.errstate(invalid="ignore"):  # its first guess is the sum of X
        assert_all_finite(X, allow_nan=may_miss, estimator_name=name, input_name="X")


def _ranges(X: NDArray[Any], workers: Workers) -> tuple[Floats, Ints]:
    """Smallest and largest value and mean of each feature; which have missing cells.

    A feature without any value is taken to be 0.
    """
    n, d = X.shape
    ranges, gappy = np.empty((3, d)), np.zeros(d, np.bool_)

    def measure(part: slice) -> None:
        columns, there = X[:, part], n
        low, high = columns.min(axis=0), columns.max(axis=0)
        absent = np.isnan(low)
        if absent.any():
            gappy[part] = absent
            known = ~np.isnan(columns)
            there = np.maximum(known.sum(axis=0), 1)
            empty = ~known.any(axis=0)
            low = np.where(empty, 0.0, np.fmin.reduce(columns))
            high = np.where(empty, 0.0, np.fmax.reduce(columns))
            columns = np.where(known, columns, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = columns.sum(axis=0, dtype=float) / there
            if not np.isfinite(mean).all():
                # Shares of large numbers have a sum where the numbers have none.
                mean = np.divide(columns, there, dtype=float).sum(axis=0)
        # Rounded, that of a constant could be another number.
        ranges[:, part] = low, high, np.clip(mean, low, high)

    workers.run(measure, workers.shares(d, 256))
    return ranges, np.flatnonzero(gappy)


def _scaled(
    X: NDArray[Any],
    rows: Ints,
    shift: Floats,
    span: Floats,
    workers: Workers,
) -> Floats:
    """Some rows of X, as (x − shift) / span."""
    Z = np.empty(X.shape)

    def scale(part: slice) -> None:
        np.subtract(X[rows[part]], shift, out=Z[part])
        np.divide(Z[part], span, out=Z[part])

    cells = 2**16  # which stay in cache from one step to the next
    workers.run(scale, workers.shares(len(rows), 1, max(1, cells // X.shape[1])))
    return Z


def ranks_among(
    values: NDArray[Any], others: NDArray[Any], weights: Floats | None = None
) -> Floats:
    """Ranks of the values among others; equal ones share the mean, NaN stay.

    A value between two others has the rank halfway between theirs. One of the others
    takes as many places as its weight says.
    """
    order = np.argsort(others, kind="stable")  # NaN come last
    others = others[order]
    below, up_to = (np.searchsorted(others, values, side) for side in ("left", "right"))
    if weights is not None:
        places = np.concatenate([[0.0], np.cumsum(weights[order])])
        below, up_to = places[below], places[up_to]
    return np.where(np.isnan(values), np.nan, (below + up_to + 1) / 2)


def _ranked(
    X: NDArray[Any], nominal: Ints | None, workers: Workers, weights: Floats | None
) -> Floats:
    """X with ranks for numbers, and codes of nominal values as they are."""
    ranked = X.astype(np.float64)

    def rank(f: int) -> None:
        ranked[:, f] = ranks_among(X[:, f], X[:, f], weights)

    numeric = np.setdiff1d(np.arange(X.shape[1]), [] if nominal is None else nominal)
    workers.run(rank, numeric)
    return ranked


def far_offsets(low: Floats, high: Floats) -> Floats:
    """The smallest value of features whose values are far from 0, else 0.

    What is left when it is subtracted has all digits of the differences between values
    (both are within a factor of 2, so no rounding takes place), and sums of it keep
    them, which sums of the values themselves would lose.
    """
    with np.errstate(over="ignore"):
        between = FAR * (high - low)
    nearest = np.minimum(np.abs(low), np.abs(high))
    far = (np.sign(low) == np.sign(high)) & (nearest > between)
    return np.where(far, low, 0.0)


def refuse_extreme_ranges(
    low: Floats, high: Floats, scale: str | None, name: str
) -> None:
    """Refuse features whose squared differences are no numbers, or all 0."""
    if scale == "rank":
        return
    with np.errstate(over="ignore"):
        ranges = np.nan_to_num(high - low, nan=0.0, posinf=np.inf)
    divided = scale in ("minmax", "maxabs")
    largest = np.finfo(np.float64).max if divided else LARGEST
    f = int(np.argmax(ranges))
    if scale == "standard" and ranges[f] <= largest:
        f = int(np.argmin(np.where(ranges > 0, ranges, np.inf)))
    vanishes = not divided and 0 < ranges[f] < SMALLEST
    if vanishes or ranges[f] > largest:
        raise ValueError(
            f"{name}: the values of feature {f} range over {ranges[f]:.3g}, the square "
            f"of which {'underflows' if vanishes else 'overflows'}. Use other units."
        )
