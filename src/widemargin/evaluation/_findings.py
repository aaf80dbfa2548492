"""Findings in the columns and rows of a table, for `profile`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import replace
from hashlib import blake2b
from math import lgamma, log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from widemargin.data.blocks import by_feature
from widemargin.data.dataset import DENSE_CELLS, Dataset
from widemargin.data.frames import is_sparse
from widemargin.data.kinds import BOOLEAN, ORDERED, nominal_columns
from widemargin.data.labels import category_order
from widemargin.data.outcomes import target_columns
from widemargin.data.protocol import Floats, Ints
from widemargin.data.quality import (
    NEARLY_EMPTY,
    alike,
    codes_for_missing,
    names_groups,
    names_rows,
)
from widemargin.data.refuse import refuse_columns
from widemargin.data.sparse import ordered_cells
from widemargin.threads import spans

if TYPE_CHECKING:
    from widemargin.evaluation._profile import Profile

BY_CHANCE = 0.001  # that a column of noise tells the classes apart, at most
FEWEST_STEPS = 10  # that noise does not put in the right order
FAR_APART = 20  # interquartile ranges, which make a column extremely skewed
FEW_VALUES = 10  # of a column that is not called skewed
MOST_CATEGORIES = 1000  # of a column whose spellings are compared
PLAIN, GROUP = ("numeric", "boolean"), "group"  # kinds; the latter of plain columns

Kinds = NDArray[np.object_]


def findings(
    data: Dataset, categorical_features: Any = None, positive: Any = None
) -> dict[str, Any]:
    """All fields of a `Profile`; ``positive`` is a class, or None."""
    if is_sparse(data.X):
        return _of_sparse(data, positive)
    values, kinds = _columns(data, categorical_features)
    codes, classes, target = data.codes, data.classes, data.target
    n, d = values.shape
    distinct, low, high, middle = find_ranges(values, kinds)
    missing_codes = find_missing_codes(values, kinds)
    counts, group_names = dict[Hashable, int](), list[int]()
    if target is None:
        counts = dict(zip(classes.tolist(), np.bincount(codes).tolist(), strict=True))
        target_copies = find_target_copies(values, kinds, distinct, codes)
        group_names = find_group_names(values, kinds, codes)
    else:
        copies = [find_same_order(values, kinds, y) for y in target.reshape(n, -1).T]
        target_copies = sorted({f for found in copies for f in found})
        target = target_columns(target, data.task)
        target = target[:, 0] if target.shape[1] == 1 else target
    ordered = category_order(data.y_given) is not None
    return {
        "n_samples": n,
        "n_features": d,
        "names": data.names,
        "kinds": kinds,
        "missing": np.isnan(values).sum(axis=0),
        "distinct": distinct,
        "low": low,
        "high": high,
        "duplicated_columns": find_equal_columns(values, kinds, distinct > 1),
        "target_copies": target_copies,
        "identifiers": find_identifiers(values, kinds, distinct, high - low, codes),
        "group_names": group_names,
        **find_twins(values, codes),
        "class_counts": counts,
        "ordered": ordered,
        "positive": _positive(counts, ordered, positive),
        "target": target,
        "task": data.task,
        "missing_codes": missing_codes,
        "spellings": find_spellings(data.categories, kinds, distinct),
        "skewed": [
            int(f)
            for f in np.flatnonzero((middle > 0) & (distinct > FEW_VALUES))
            if high[f] - low[f] > FAR_APART * middle[f] and f not in missing_codes
        ],
    }


def _of_sparse(data: Dataset, positive: Any) -> dict[str, Any]:
    """All fields for a sparse table, with findings in columns that may be a leak.

    These have a cell in each row, or in all but those of one class or target.
    """
    (n, d), X = data.shape, csc_array(data.X)
    _, _, column, run, _, zeros = ordered_cells(X)
    distinct = np.bincount(column[np.diff(run, prepend=-1) > 0], minlength=d)
    _, counts = np.unique(data.labels_given, return_counts=True)
    full = np.flatnonzero(zeros <= counts.max())[: max(1, DENSE_CELLS // n)]
    full = full if len(full) else np.zeros(1, np.int64)
    found = findings(data.with_values(X[:, full].toarray()), None, positive)
    columns = ("target_copies", "identifiers", "skewed")
    return found | {
        "n_features": d,
        "names": data.names,
        "kinds": np.full(d, "numeric", dtype=object),
        "missing": np.zeros(d, np.int64),
        "distinct": distinct + (zeros > 0),
        "low": np.ravel(X.min(axis=0).toarray()),
        "high": np.ravel(X.max(axis=0).toarray()),
        **{name: full[found[name]].tolist() for name in columns},
        "duplicated_columns": [
            full[same].tolist() for same in found["duplicated_columns"]
        ],
        "missing_codes": {int(full[f]): v for f, v in found["missing_codes"].items()},
        "duplicated_rows": 0,
        "contradictory_rows": 0,
        "sparse": True,
    }


def _columns(data: Dataset, categorical_features: Any) -> tuple[Floats, Kinds]:
    """Numbers, with codes of nominal values by first appearance; the kinds."""
    nominal = nominal_columns(data.table, categorical_features, "profile", data.kinds)
    refuse_columns(data.table, data.kinds, "profile", nominal)
    data.warn_of_columns("profile", categorical_features)
    # Equal numbers shall be equal bytes: no negative zeros, one kind of NaN.
    values = data.with_codes(nominal).X + 0.0
    values[np.isnan(values)] = np.nan
    kinds = np.full(values.shape[1], "numeric", dtype=object)
    kinds[nominal] = "nominal"
    kinds[data.kinds == ORDERED] = "ordered"
    kinds[data.kinds == BOOLEAN] = "boolean"
    return values, kinds


def _positive(counts: dict[Hashable, int], ordered: bool, wanted: Any) -> Hashable:
    """Of two classes, the one to which directions refer."""
    if wanted is not None and (len(counts) != 2 or wanted not in counts):
        got = f"and y has {len(counts) or 'no'} classes"
        raise ValueError(
            "compare needs positive to be one of two classes of y, "
            f"{f'got {wanted!r}' if len(counts) == 2 else got}."
        )
    if len(counts) != 2:
        return None
    first, second = counts
    if wanted is not None:
        return first if wanted == first else second
    return first if counts[first] < counts[second] and not ordered else second


def find_same_order(values: Floats, kinds: Kinds, target: Floats) -> list[int]:
    """Columns that put the rows in the order of the target, or in its reverse.

    Rows of the same target have the same value, and the other way round.
    """
    order = np.argsort(target, kind="stable")
    steps = np.diff(target[order]) > 0
    found = []
    for f in np.flatnonzero(kinds != "nominal"):
        moves = np.diff(values[order, f])
        rises, falls = moves[steps] > 0, moves[steps] < 0
        if (rises.all() or falls.all()) and not moves[~steps].any():
            found.append(int(f))
    return found if np.count_nonzero(steps) >= FEWEST_STEPS else []


def find_ranges(values: Floats, kinds: Kinds) -> tuple[Ints, Floats, Floats, Floats]:
    """Number of different values, smallest, largest, interquartile range of each."""
    n, d = values.shape
    distinct = np.zeros(d, np.int64)
    low, high, middle = np.full((3, d), np.nan)
    for part in spans(d, max(1, 2**22 // n)):
        ascending = np.sort(values[:, part], axis=0)  # NaN come last
        there = n - np.isnan(ascending).sum(axis=0)
        steps = (ascending[1:] > ascending[:-1]).sum(axis=0)
        distinct[part] = np.where(there > 0, steps + 1, 0)
        last = np.maximum(there - 1, 0)
        columns, quarter = np.arange(len(last)), last // 4
        low[part] = ascending[0]
        high[part] = ascending[last, columns]
        middle[part] = ascending[last - quarter, columns] - ascending[quarter, columns]
    low[kinds != "numeric"] = high[kinds != "numeric"] = np.nan
    return distinct, low, high, middle


def find_equal_columns(
    values: Floats, kinds: Kinds, varying: NDArray[np.bool_]
) -> list[list[int]]:
    """Groups of columns with the same values, nominal ones up to renaming."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    n, d = values.shape
    for part in spans(d, max(1, 2**22 // n)):
        rows = np.ascontiguousarray(values[:, part].T)
        for f, digest in enumerate(_digests(rows), part.start):
            if varying[f]:
                groups[kinds[f], digest].append(f)
    return [group for group in groups.values() if len(group) > 1]


def find_twins(values: Floats, y: Ints) -> dict[str, int]:
    """How many rows repeat an earlier one, and how many have one of another class."""
    digests = _digests(values)
    seen = Counter(digests)
    alike = Counter(zip(digests, y.tolist(), strict=True))
    return {
        "duplicated_rows": len(values) - len(seen),
        "contradictory_rows": sum(
            count for (digest, _), count in alike.items() if count < seen[digest]
        ),
    }


def _digests(rows: Floats) -> list[bytes]:
    """A short key for each row; equal rows have equal keys."""
    return [blake2b(row.tobytes(), digest_size=16).digest() for row in rows]


def find_target_copies(
    values: Floats, kinds: Kinds, distinct: Ints, y: Ints
) -> list[int]:
    """Columns that tell all classes apart.

    Either each class has one value of its own, or each has a range of its own, in more
    rows than would fall so by chance in any of the columns.
    """
    sizes, d = np.bincount(y), values.shape[1]
    if len(sizes) < 2:
        return []
    arrangements = lgamma(len(y) + 1) - sum(lgamma(size + 1) for size in sizes)
    by_chance = log(d) + lgamma(len(sizes) + 1) - arrangements > log(BY_CHANCE)
    order, starts = np.argsort(y, kind="stable"), np.cumsum(sizes) - sizes
    apart = np.zeros(d, bool)
    for part in spans(d, max(1, 2**22 // len(y))):
        rows = values[order, part]
        low, high = (f.reduceat(rows, starts) for f in (np.minimum, np.maximum))
        ascending = np.argsort(low, axis=0)
        low, high = (np.take_along_axis(v, ascending, axis=0) for v in (low, high))
        apart[part] = (high[:-1] < low[1:]).all(axis=0)  # not where values are missing
    ranges = (kinds != "nominal") & (not by_chance)
    return np.flatnonzero(apart & ((distinct == len(sizes)) | ranges)).tolist()


def find_identifiers(
    values: Floats, kinds: Kinds, distinct: Ints, spread: Floats, y: Ints
) -> list[int]:
    """Columns that count the rows, or text that is different in nearly every row.

    ``spread`` is the difference between the largest and the smallest value.
    """
    sparse = np.isnan(values).sum(axis=0) > NEARLY_EMPTY * len(values)
    counts = (kinds == "numeric") & (spread == distinct - 1)
    found = []
    for f in np.flatnonzero(((kinds == "nominal") | counts) & ~sparse):
        codes, numbers = _by_appearance(values[:, f])
        if kinds[f] == "nominal" or (np.abs(np.diff(numbers)) == 1).all():
            others = (_by_appearance(column)[0] for column in (y, *values.T))
            if names_rows(codes, others):
                found.append(int(f))
    return found


def _by_appearance(column: NDArray[Any]) -> tuple[Ints, NDArray[Any]]:
    """Codes of the values in order of first appearance, −1 for NaN; the values."""
    found, first, places = np.unique(column, return_index=True, return_inverse=True)
    order = np.argsort(first)
    codes = np.where(np.isnan(column), -1, np.argsort(order)[places]).astype(np.int64)
    numbers = found[order]
    return codes, numbers[~np.isnan(numbers)]


def find_missing_codes(values: Floats, kinds: Kinds) -> dict[int, list[float]]:
    numeric = np.flatnonzero(kinds == "numeric")
    found = codes_for_missing(
        values[:, numeric] if len(numeric) < len(kinds) else values
    )
    return {int(numeric[f]): codes for f, codes in found.items()}


def find_spellings(
    categories: dict[int, list[Any]], kinds: Kinds, distinct: Ints
) -> dict[int, list[list[str]]]:
    """Categories of text columns that are nearly spelled alike."""
    found = {}
    for f, values in categories.items():
        same = alike(value for value in values if isinstance(value, str))
        if same and kinds[f] == "nominal" and distinct[f] <= MOST_CATEGORIES:
            found[f] = same
    return found


def find_group_names(values: Floats, kinds: Kinds, y: Ints) -> list[int]:
    """Nominal columns that seem to name groups of rows."""
    nominal = np.flatnonzero(kinds == "nominal")
    codes = np.nan_to_num(values[:, nominal], nan=-1).astype(np.int64)
    found = [names_groups(column, y) for column in codes.T]
    return nominal[found].tolist() if found else []


def of_groups(about: Profile, data: Dataset) -> Profile:
    """What is known of groups of columns, from what is known of the columns."""
    of, names = data.feature_of, data.names
    assert of is not None

    def features(columns: Any) -> list[int]:
        return np.unique(of[np.asarray(columns, np.int64)]).tolist()

    several = np.bincount(of) > 1
    plain = by_feature(of, np.isin(about.kinds, PLAIN), np.logical_and)
    kinds = about.kinds[np.unique(of, return_index=True)[1]].copy()
    kinds[several] = np.where(plain, GROUP, "nominal")[several]
    alike = [features(group) for group in about.duplicated_columns]
    alone = [[f for f in group if not several[f]] for group in alike]
    return replace(
        about,
        n_features=len(names),
        names=names,
        kinds=kinds,
        missing=by_feature(of, about.missing, np.add),
        distinct=by_feature(of, about.distinct, np.maximum),
        low=by_feature(of, about.low, np.fmin),
        high=by_feature(of, about.high, np.fmax),
        duplicated_columns=[group for group in alone if len(group) > 1],
        target_copies=features(about.target_copies),
        identifiers=features(about.identifiers),
        group_names=features(about.group_names),
        missing_codes={int(of[f]): codes for f, codes in about.missing_codes.items()},
        spellings={int(of[f]): same for f, same in about.spellings.items()},
        skewed=features(about.skewed),
    )
