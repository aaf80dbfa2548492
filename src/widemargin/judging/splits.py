"""Folds of a cross-validation: by class, by group, or in the order of time."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    check_cv,
)

from widemargin.data.dataset import Dataset
from widemargin.data.kinds import missing_cells
from widemargin.data.protocol import Ints
from widemargin.judging.folds import Fold, plain_folds, stratified_folds

FOLDS = 5


def split(
    cv: Any,
    data: Dataset,
    groups: Ints | None,
    random: np.random.RandomState,
    caller: str,
    table: Dataset | None = None,
) -> list[Fold]:
    """Row numbers for training and test, one pair for each fold.

    Parameters
    ----------
    cv : int, "time", splitter, iterable of (train, test) or None
        A number of shuffled folds, stratified by class unless the target is numeric;
        with groups, whole groups go into one fold. "time" tests on later rows only.
        None makes five folds, fewer if no class has five rows, or if there are fewer
        groups.
    data : Dataset
    groups : array of shape (n_samples,) or None
        Codes of the groups, see `group_codes`.
    random : RandomState
        Shuffles.
    caller : str
        For errors.
    table : Dataset, default=None
        The rows as numbers. With it, a number of folds without groups makes folds that
        do not depend on the order of the rows.
    """
    if isinstance(cv, str):
        if cv != "time":
            raise ValueError(
                f"{caller} needs cv to be a number of folds, 'time', a splitter or an "
                f"iterable of (train, test), got {cv!r}."
            )
        cv = TimeSeriesSplit()
    codes = data.codes
    if cv is None:
        cv = _affordable(codes, groups, caller)
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        _check_count(int(cv), data, groups, caller)
        cv = _deal(int(cv), data, groups, table, random.randint(2**31 - 1))
    splitter = check_cv(cv, codes, classifier=not data.numeric)
    nothing = np.zeros((len(codes), 1))
    with warnings.catch_warnings():
        # Whether it matters is seen below.
        warnings.filterwarnings("ignore", "The groups parameter is ignored")
        folds = [
            (np.asarray(train), np.asarray(test))
            for train, test in splitter.split(nothing, codes, groups)
        ]
    values = data.labels_given if data.numeric else codes
    for place, fold in enumerate(folds):
        _check(place, fold, values, groups, caller)
    return folds


def _deal(
    n_folds: int, data: Dataset, groups: Ints | None, table: Dataset | None, seed: int
) -> Any:
    """Stratified folds, or plain ones for a numeric target."""
    if groups is None and table is not None:
        options: dict[str, Any] = {"nominal": table.nominal, "seed": seed}
        if data.numeric:
            return plain_folds(table.X, data.labels_given, n_folds, **options)
        return stratified_folds(table.X, data.codes, n_folds, **options)
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    if data.numeric:
        kind = KFold if groups is None else GroupKFold
    splitter = kind(n_folds, shuffle=True, random_state=seed)
    return splitter.split(np.zeros((len(data.codes), 1)), data.codes, groups)


def _check_count(n_folds: int, data: Dataset, groups: Ints | None, caller: str) -> None:
    """Refuse more folds than groups, than rows of a class, or than rows."""
    if groups is not None:
        count = len(np.unique(groups))
        if count < n_folds:
            raise ValueError(
                f"{caller} cannot make {n_folds} folds of {count} groups: a group is "
                f"in one fold only. Pass cv={count} or less."
            )
        return
    codes = data.codes
    rows = len(codes) if data.numeric else int(np.bincount(codes).max())
    if n_folds > rows:
        which = "rows" if data.numeric else "rows of the largest class"
        raise ValueError(
            f"{caller} needs at most as many folds as {which}, which are {rows}; got "
            f"cv={n_folds}."
        )
    # scikit-learn refuses, or warns of, folds that cannot be made.
    kind = KFold if data.numeric else StratifiedKFold
    next(kind(n_folds).split(np.zeros((len(codes), 1)), codes))


def _affordable(codes: Ints, groups: Ints | None, caller: str) -> int:
    """Five folds, fewer if no class has five rows, or if there are fewer groups."""
    largest = int(np.bincount(codes).max())
    if largest < 2:
        raise ValueError(
            f"{caller} cross-validates, and needs a class with at least 2 rows; all "
            f"{len(codes)} classes have one."
        )
    n_groups = FOLDS if groups is None else len(np.unique(groups))
    return min(FOLDS, largest, n_groups)


def group_codes(groups: Any, n: int, caller: str) -> Ints | None:
    """Codes from 0 of the groups that rows belong to; None stays None."""
    if groups is None:
        return None
    values = np.asarray(groups)
    if values.shape != (n,):
        raise ValueError(
            f"{caller} needs one group for each of the {n} rows, got groups of shape "
            f"{values.shape}."
        )
    if values.dtype.kind in "Of" and (gone := int(missing_cells(values).sum())):
        raise ValueError(
            f"{caller} needs a group for every row, got none for {gone} of {n} rows. "
            "Drop these rows, or make each its own group."
        )
    if values.dtype.kind == "O":
        values = values.astype(str)
    found, codes = np.unique(values, return_inverse=True)
    if len(found) < 2:
        raise ValueError(f"{caller} needs at least 2 groups, got {len(found)}.")
    return codes.astype(np.int64)


def _check(
    place: int,
    fold: Fold,
    values: NDArray[Any],
    groups: Ints | None,
    caller: str,
) -> None:
    """Refuse folds in which there is nothing to learn, or the answer is known."""
    train, test = values[fold[0]], values[fold[1]]
    if not len(test) or len(np.unique(train)) < 2:
        one = "of one class" if values.dtype.kind in "iu" else "with one value"
        what = "no test rows" if not len(test) else f"training rows {one} only"
        raise ValueError(
            f"{caller}: fold {place} has {what}. Try fewer folds, or another cv."
        )
    if groups is None:
        return
    both = np.intersect1d(groups[fold[0]], groups[fold[1]])
    if len(both):
        raise ValueError(
            f"{caller}: cv does not keep groups together: in fold {place}, "
            f"{len(both)} of {len(np.unique(groups))} groups have rows in both the "
            "training and the test part. Pass a number of folds, StratifiedGroupKFold "
            "or GroupKFold as cv, or leave groups out."
        )


def some_of_each(codes: Ints, share: float, random: Any) -> Ints:
    """Numbers of a random share of the rows of each class, at least two of them."""
    parts = []
    for label in np.unique(codes):
        rows = np.flatnonzero(codes == label)
        size = max(round(share * len(rows)), min(2, len(rows)))
        parts.append(random.permutation(rows)[:size])
    return np.sort(np.concatenate(parts))


def repeats_of(tests: list[NDArray[np.integer]], n: int) -> Ints:
    """Number of the repeat of each fold: the first that has tested none of its rows."""
    used: list[NDArray[np.bool_]] = []
    numbers = []
    for test in tests:
        r = next((r for r, rows in enumerate(used) if not rows[test].any()), len(used))
        if r == len(used):
            used.append(np.zeros(n, np.bool_))
        used[r][test] = True
        numbers.append(r)
    return np.array(numbers)
