"""From whatever the caller has to one `Table`: scaled rows sorted by class.

A Table is what every algorithm sees. Its rows are sorted by class (stably), so that a
class is a contiguous range; ``rows`` leads back to the caller's row numbers. Nominal
features and missing values are set apart in ``mixed``.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from widemargin import kernels
from widemargin.columns import (
    as_numbers,
    is_missing,
    is_sparse,
    refuse_columns,
    refuse_sparse,
    refuse_text,
    unwrapped,
)
from widemargin.mixed import separate
from widemargin.notices import warn
from widemargin.protocol import AnyTable, Derived
from widemargin.protocol import Floats as Floats
from widemargin.protocol import Ints as Ints
from widemargin.settings import Settings, current
from widemargin.targets import check_numbers
from widemargin.threads import Workers

SCALES = ("minmax", "standard", None)
FAR = 2**10  # ranges of a feature that lie between its values and 0, if they are far
SMALLEST, LARGEST = 1e-150, 1e150  # differences beyond have squares of 0 or infinity


@dataclass(frozen=True)
class Table(Derived):
    """A `widemargin.protocol.AnyTable` in memory, rows sorted by class."""

    X: Floats  # (n, d), C-contiguous; never NaN
    y: Ints  # (n,) class codes, ascending
    classes: NDArray[Any]  # labels as the caller wrote them
    rows: Ints  # (n,) the caller's row number of each row
    low: Floats  # (d,) smallest value of each feature
    high: Floats  # (d,) largest
    mean: Floats  # (d,) mean, not to the last digit
    mixed: kernels.Mixed | None = None  # nominal features and missing values, if any
    settings: Settings = field(default_factory=current)
    target: Floats | None = None  # (n,) numeric y; all rows are of one class then

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.X.shape[1]

    @property
    def data(self) -> Floats | kernels.MixedRows:
        """What kernels measure differences of rows by."""
        if self.mixed is None:
            return self.X
        return kernels.MixedRows(self.X, self.mixed)

    @property
    def numeric(self) -> NDArray[np.bool_]:
        """Features that X tells all about, but for missing values."""
        numeric = np.ones(self.X.shape[1], np.bool_)
        if self.mixed is not None:
            numeric[self.mixed.nominal] = False
        return numeric

    @property
    def ranges(self) -> Floats:
        """Largest difference that each feature can show."""
        ranges = self.high - self.low
        if self.mixed is not None:  # two names differ or not, however many there are
            nominal = self.mixed.nominal
            ranges[nominal] = self.mixed.weights[nominal]
        return ranges

    @property
    def starts(self) -> Ints:
        """First row of each class, and n."""
        return np.searchsorted(self.y, np.arange(len(self.classes) + 1))

    @property
    def layout(self) -> kernels.Layout:
        """Where the classes lie, for searches without slots."""
        return kernels.Layout(self.y, self.starts, np.empty((0, 0), np.int64))

    def positions(self, rows: NDArray[np.integer]) -> Ints:
        """Where the caller's rows are in this table."""
        where = np.empty(len(self.rows), np.int64)
        where[self.rows] = np.arange(len(self.rows))
        return where[rows]

    def unit_range(self, features: slice = slice(None)) -> Floats:
        """Features moved to [0, 1] whatever the scale, constant ones to 0; a copy."""
        return (self.X[:, features] - self.low[features]) / self.span[features]

    def reweighted(self, w: Floats) -> Table:
        """The same table with feature f multiplied by |w_f|, from its lowest value.

        Products of values far from 0 would be rounded by more than what tells them
        apart.
        """
        w = np.abs(w)
        X = self.X - self.low
        X *= w
        low, high, mean = ((a - self.low) * w for a in (self.low, self.high, self.mean))
        mixed = self.mixed and self.mixed._replace(weights=self.mixed.weights * w)
        return replace(self, X=X, low=low, high=high, mean=mean, mixed=mixed)

    def oriented(self, directions: Ints) -> Table:
        """The same table with features negated where the direction is −1."""
        ends = self.low * directions, self.high * directions
        low, high = np.minimum(*ends), np.maximum(*ends)
        mean = self.mean * directions
        return replace(self, X=self.X * directions, low=low, high=high, mean=mean)


def validate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    name: str | None = None,
    labels: bool = True,
    ordered: bool = False,
    nominal: Ints | None = None,
    finite: bool = True,
) -> tuple[Floats, Ints, NDArray[Any]]:
    """Check what the caller passed; return X, class codes and class labels.

    With an estimator, its ``n_features_in_`` and ``feature_names_in_`` are set. Without
    ``labels``, y is not looked at and all rows are of one class, 0. If ``ordered``,
    labels whose order means nothing are refused. If the ``nominal`` features are named,
    of which there may be none, values may be missing, and come back as NaN. Unless
    ``finite``, what is not a number is left to `build` to find, on its way.
    """
    name = name or type(estimator).__name__
    X = unwrapped(X, name, missing=nominal is not None)
    refuse_sparse(X, name)
    refuse_columns(X, name, mixed=nominal is not None)
    refuse_text(X, name, nominal)
    options = {"dtype": np.float64, "order": "C", "ensure_min_samples": 2}
    if estimator is not None and isinstance(X, np.ndarray):
        # Scaling makes a copy in double precision anyway, and one is enough: X may be
        # mapped from a file and larger than memory in that type.
        options["dtype"] = [np.float64, np.float32]
    if nominal is not None:
        options["ensure_all_finite"] = "allow-nan"
    if not finite:
        options["ensure_all_finite"] = False
    if estimator is None:
        X = check_array(X, estimator=name, input_name="X", **options)
    else:
        # y is checked below: scikit-learn would turn a pandas categorical or a mixed
        # column into something else before we see it.
        if y is None and labels:
            validate_data(estimator, X, y, **options)
        values = as_numbers(X, np.empty(0, int) if nominal is None else nominal, name)
        if values is X:
            X = validate_data(estimator, X, skip_check_array=False, **options)
        else:  # only the frame itself knows the names of its columns
            validate_data(estimator, X, skip_check_array=True)
            X = check_array(values, estimator=estimator, input_name="X", **options)
    if not labels:
        return np.asarray(X), np.zeros(len(X), np.int64), np.zeros(1, np.int64)
    if not isinstance(y, str):  # which has a length, but is no list of labels
        check_consistent_length(X, y)
    y, classes = encode(y, name, ordered=ordered)
    return np.asarray(X), y, classes


def encode(
    y: Any, name: str, *, ordered: bool = False, repeats: Ints | None = None
) -> tuple[Ints, NDArray[Any]]:
    """Class codes and class labels of y, whatever its type and index.

    Classes come in the order that the type of y declares, else sorted. If ``ordered``,
    that order has to mean something. With ``repeats``, each entry of y stands for as
    many rows.
    """
    refuse_several_labels(y, name)
    y = _plain_labels(y)
    missing = missing_labels(y)
    if missing:
        refuse_missing_labels(missing, name)
    declared = _declared_order(y)
    if declared is not None:
        places, categories = declared
        used, codes = np.unique(places, return_inverse=True)
        classes = categories[used]
        in_order = True
    else:
        nominal = hasattr(y, "dtype") and str(y.dtype) == "category"
        y = _uniform(column_or_1d(np.asarray(y) if nominal else y, warn=True))
        if y.dtype.kind == "O" and not all(isinstance(v, str) for v in y):
            classes, codes = _distinct_objects(y, name)
        else:
            if not nominal:  # categories are classes, whatever they look like
                assert_all_finite(y, estimator_name=name, input_name="y")
            classes, codes = np.unique(y, return_inverse=True)
            if not nominal and y.dtype.kind in "iuf":
                sizes = np.bincount(codes, weights=repeats).astype(np.int64)
                check_numbers(classes, sizes, name, ordered=ordered)
            elif not nominal:
                # Three times each: scikit-learn takes labels that hardly repeat for a
                # mistake, and these stand for more rows.
                check_classification_targets(y if repeats is None else y.repeat(3))
        in_order = not nominal and classes.dtype.kind in "biuf"
    if len(classes) < 2:
        refuse_single_class(classes, name)
    if ordered and not in_order:
        _refuse_unordered(classes, name)
    return codes.astype(np.int64), classes


def refuse_single_class(classes: NDArray[Any], name: str) -> NoReturn:
    """Say that there is nothing to tell apart."""
    seen = f"1 ({classes.tolist()[0]!r})" if len(classes) else "none"
    raise ValueError(f"{name} needs at least 2 classes in y, got {seen}.")


def numeric_target(y: Any, name: str) -> Floats:
    """The numbers in y, whatever its type and index; at least two different ones."""
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    refuse_several_labels(y, name)
    y = _plain_labels(y)
    missing = missing_labels(y)
    if missing:
        raise ValueError(
            f"{name} needs a number for every row, but y has {missing} missing "
            f"value{'s' if missing > 1 else ''}. Drop those rows first."
        )
    y = column_or_1d(np.asarray(y), warn=True)
    try:
        target = y.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} needs numbers in y: {error}.") from error
    assert_all_finite(target, estimator_name=name, input_name="y")
    if target.size > 1 and np.ptp(target) == 0:
        refuse_constant_target(target, name)
    return target


def refuse_constant_target(target: Floats, name: str) -> NoReturn:
    """Say that there is nothing to predict."""
    raise ValueError(
        f"{name} needs a target that varies, but y is {target[0]:g} in every row."
    )


def _uniform(y: NDArray[Any]) -> NDArray[Any]:
    """Objects that are all numbers as an array of numbers, anything else as it is."""
    if y.dtype.kind == "O" and all(isinstance(v, numbers.Real | Decimal) for v in y):
        exact = [float(v) if isinstance(v, Decimal) else v for v in y]
        return np.array(exact)
    return y


def _plain_labels(y: Any) -> Any:
    """Labels in an array of pyarrow as a list, or as categories; others as they are."""
    if type(y).__module__.split(".")[0] != "pyarrow" or not hasattr(y, "to_pylist"):
        return y
    return y.to_pandas() if hasattr(y.type, "ordered") else y.to_pylist()


def refuse_several_labels(y: Any, name: str) -> None:
    """Say that a row has one label, if y has several of them."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if is_sparse(y):
        came = f"is sparse ({type(y).__name__} of shape {shape})"
    elif len(shape) == 2 and shape[1] > 1:
        came = f"has {shape[1]} columns"
    elif isinstance(y, list | tuple) and any(_is_several(v) for v in y):
        came = "has rows of several labels"
    else:
        return
    raise ValueError(
        f"{name} needs one label for each row, but y {came}. Of a one-hot array, take "
        "y.argmax(axis=1); with several labels per row, fit one selector for each "
        "label."
    )


def _is_several(label: Any) -> bool:
    return isinstance(label, list | tuple | set | np.ndarray) and len(label) != 1


def _distinct_objects(y: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Classes and codes of whatever can be told apart; sorted, if it can be."""
    try:
        seen = list(dict.fromkeys(y))
    except TypeError:
        raise ValueError(
            f"{name} needs labels that can be compared, but y has lists, dictionaries "
            "or the like. Use text or numbers."
        ) from None
    try:
        seen.sort()
    except TypeError:
        seen.sort(key=lambda label: (type(label).__name__, repr(label)))
    place = {label: code for code, label in enumerate(seen)}
    classes = np.empty(len(seen), object)
    classes[:] = seen
    return classes, np.array([place[label] for label in y], np.int64)


def _declared_order(y: Any) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Places of y among its categories, and these, if its type puts them in order."""
    dtype: Any = getattr(y, "dtype", None)
    if getattr(dtype, "ordered", False):  # a pandas categorical
        return np.asarray(getattr(y, "cat", y).codes), np.asarray(dtype.categories)
    if type(dtype).__name__ == "Enum":  # polars; always in order
        return y.to_physical().to_numpy(), dtype.categories.to_numpy()
    return None


def _refuse_unordered(classes: NDArray[Any], name: str) -> None:
    shown = ", ".join(map(repr, classes[:5].tolist()))
    shown += ", …" if len(classes) > 5 else ""
    raise ValueError(
        f"{name} needs classes that have an order, but y has labels without one: "
        f"{shown}. Use numbers (higher is better), or an ordered categorical: "
        "pandas.Categorical(y, categories=[lowest, …, highest], ordered=True)."
    )


def refuse_missing_labels(missing: int, name: str) -> NoReturn:
    """Say how many labels are missing."""
    raise ValueError(
        f"{name} needs a label for every row, but y has {missing} missing "
        f"value{'s' if missing > 1 else ''}. Drop those rows first."
    )


def missing_labels(y: Any) -> int:
    """How many there are, in whatever y is."""
    if hasattr(y, "isna"):  # pandas
        return int(np.sum(np.asarray(y.isna())))
    if hasattr(y, "is_null"):  # polars
        return int(y.is_null().sum()) + (
            int(y.is_nan().sum()) if y.dtype.is_float() else 0
        )
    if np.ma.isMaskedArray(y) and np.ma.getmaskarray(y).any():
        return int(np.ma.getmaskarray(y).sum())
    # As text, a missing label in a list would be one like any other.
    values = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if values.dtype.kind in "fmM":
        return int(np.isnan(values).sum())
    if values.dtype.kind == "O":
        return sum(map(is_missing, values.ravel()))
    return 0


def build(
    X: Floats,
    y: Ints,
    classes: NDArray[Any],
    *,
    scale: str | None,
    workers: Workers,
    name: str = "X",
    nominal: Ints | None = None,
) -> Table:
    """Scale X, sort its rows by class and say what is constant."""
    d = X.shape[1]
    rows = np.argsort(y, kind="stable")
    low, high, mean = _ranges(X, workers)
    gappy = np.flatnonzero(np.isnan(mean))
    if len(gappy):
        if nominal is None:
            _refuse_other_than_numbers(X, name)
        workers.run(
            lambda part: kernels.observed_range(
                X, np.uint64(part.start), np.uint64(part.stop), low, high, mean
            ),
            workers.shares(d, 256),
        )
    if not np.isfinite([low, high]).all():
        _refuse_other_than_numbers(X, name, may_miss=True)
    constant = low == high
    refuse_extreme_ranges(low, high, scale, name)
    if scale == "minmax":
        shift, span = low, high - low
    elif scale == "standard":
        shift, span = X.mean(axis=0, dtype=float), X.std(axis=0, dtype=float)
        offsets = far_offsets(low, high)
        for f in np.union1d(gappy, np.flatnonzero(offsets)):
            values = X[:, f].astype(np.float64) - offsets[f]
            if not constant[f]:
                shift[f], span[f] = offsets[f] + np.nanmean(values), np.nanstd(values)
    else:
        shift, span = np.zeros(d), np.ones(d)
        shift[gappy] = far_offsets(low, high)[gappy]
    if scale is not None:
        # A constant feature becomes 0, also where rounding makes its mean or its
        # standard deviation differ from what they should be.
        shift, span = np.where(constant, low, shift), np.where(constant, 1.0, span)
    if nominal is not None:
        shift[nominal], span[nominal] = 0.0, 1.0
    Z = _scaled(X, rows, shift, span, workers)
    low, high, mean = ((a - shift) / span for a in (low, high, mean))
    mixed = None
    if len(gappy) or (nominal is not None and len(nominal)):
        nominal = np.empty(0, np.int64) if nominal is None else nominal
        mixed = separate(Z, y[rows], nominal, gappy, workers)
    return Table(Z, y[rows], classes, rows, low, high, mean, mixed)


def _refuse_other_than_numbers(
    X: NDArray[Any], name: str, *, may_miss: bool = False
) -> None:
    """Refuse infinity, and NaN unless values may be missing, as scikit-learn does."""
    with np.errstate(invalid="ignore"):  # its first guess is the sum of X
        assert_all_finite(X, allow_nan=may_miss, estimator_name=name, input_name="X")


def _ranges(X: NDArray[Any], workers: Workers) -> Floats:
    """Smallest and largest value and mean of each feature; NaN if a cell is missing."""
    n, d = X.shape
    ranges = np.empty((3, d))

    def measure(part: slice) -> None:
        columns = X[:, part]
        ranges[0, part], ranges[1, part] = columns.min(axis=0), columns.max(axis=0)
        with np.errstate(invalid="ignore"):  # infinite numbers are refused later
            # Shares of large numbers have a sum where the numbers have none.
            mean = np.divide(columns, n, dtype=float).sum(axis=0)
        # Rounded, that of a constant could be another number.
        ranges[2, part] = np.clip(mean, ranges[0, part], ranges[1, part])

    cells = 2**16  # which stay in cache from one step to the next
    workers.run(measure, workers.shares(d, 64, max(256, cells // n)))
    return ranges


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
    with np.errstate(over="ignore"):
        ranges = np.nan_to_num(high - low, nan=0.0, posinf=np.inf)
    largest = np.finfo(np.float64).max if scale == "minmax" else LARGEST
    f = int(np.argmax(ranges))
    if scale == "standard" and ranges[f] <= largest:
        f = int(np.argmin(np.where(ranges > 0, ranges, np.inf)))
    vanishes = scale != "minmax" and 0 < ranges[f] < SMALLEST
    if vanishes or ranges[f] > largest:
        raise ValueError(
            f"{name}: the values of feature {f} range over {ranges[f]:.3g}, the square "
            f"of which {'vanishes' if vanishes else 'is more than a float can hold'}. "
            "Measure it in other units."
        )


def visiting_order(table: AnyTable, order: Any, name: str) -> Ints:
    """Rows of the table for an ``order`` of the caller's row numbers."""
    n, order = table.n_rows, np.asarray(order)
    inside = order.size == 0 or bool(order.min() >= 0 and order.max() < n)
    if order.ndim != 1 or order.dtype.kind not in "iu" or not inside:
        came = f"{order.dtype} of shape {order.shape}"
        if order.size:
            came += f" from {order.min()} to {order.max()}"
        raise ValueError(
            f"{name}: order must be a list of row numbers from 0 to {n - 1}, "
            f"got {came}."
        )
    return table.positions(order)


def warn_single_members(table: AnyTable, name: str, consequence: str) -> None:
    """Name, once, the classes that have one member and what follows from it."""
    lonely = table.classes[table.counts == 1]
    if len(lonely):
        shown = ", ".join(repr(c) for c in lonely[:5].tolist())
        shown += ", …" if len(lonely) > 5 else ""
        warn(f"{name}: class {shown} has one member, which has no hit; {consequence}.")


def warn_small_classes(table: AnyTable, name: str, k: int) -> None:
    """Say, once, that k neighbours are more than some class has to give."""
    small = table.counts <= k
    # Single members have a warning of their own.
    if np.any(small & (table.counts > 1)):
        c = int(np.argmin(np.where(table.counts > 1, table.counts, table.n_rows)))
        warn(
            f"{name}: n_neighbors={k}, but class {table.classes.tolist()[c]!r} has "
            f"{table.counts[c]} members; classes with too few give all they have."
        )
