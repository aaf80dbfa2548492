"""Folds of a cross-validation: by class, by group, or in the order of time.

Folds without groups depend on what the rows hold, not on their order. Each row gets a
key, a hash of its values; rows of a class are put in the order of their keys, which is
as good as a random one, and dealt out to the folds. Rows with the same values and the
same class may change places: that makes no difference to any fold.

Numbers are hashed by their place among the different values of their column, so that
the unit of measurement does not matter. Nominal values are hashed by the rows that have
them: what they are called, and which of them was seen first, plays no part.
"""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, hstack
from scipy.stats import rankdata
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    check_cv,
)

from widemargin.data.dataset import Dataset
from widemargin.data.frames import is_sparse
from widemargin.data.kinds import missing_cells
from widemargin.data.protocol import Floats, Ints
from widemargin.data.sparse import ordered_cells

Keys = NDArray[np.uint64]

FOLDS = 5  # of a cross-validation, by default
CELLS = 2**20  # hashed at a time
FIRST_COLUMNS = 16  # hashed first; mostly they tell all rows apart
ROUNDS = 3  # in which nominal values and rows are told apart by each other

Fold = tuple[Ints, Ints]  # training rows, test rows

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio


def split(
    cv: Any,
    data: Dataset,
    groups: Ints | None,
    random: np.random.RandomState,
    caller: str,
    table: Dataset,
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
    table : Dataset
        The rows as numbers. A number of folds without groups makes folds that do not
        depend on their order.
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
    n_folds: int, data: Dataset, groups: Ints | None, table: Dataset, seed: int
) -> Any:
    """Stratified folds, or plain ones for a numeric target."""
    if groups is None:
        options: dict[str, Any] = {"nominal": table.nominal, "seed": seed}
        if data.target is not None:
            return plain_folds(table.X, data.target, n_folds, **options)
        return stratified_folds(table.X, data.codes, n_folds, **options)
    kind = GroupKFold if data.numeric else StratifiedGroupKFold
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


def renumbered(cv: Any, given: Ints | None) -> Any:
    """Folds of the caller's row numbers as folds of the rows that are there."""
    if given is None or isinstance(cv, str) or not hasattr(cv, "__iter__"):
        return cv
    folds = [tuple(map(np.asarray, fold)) for fold in cv]
    return [
        tuple(
            np.flatnonzero(np.isin(given, np.flatnonzero(p) if p.dtype == bool else p))
            for p in fold
        )
        for fold in folds
    ]


def group_codes(
    groups: Any, n: int, caller: str, given: Ints | None = None
) -> Ints | None:
    """Codes from 0 of the groups that rows belong to; None stays None.

    ``given`` are the numbers of the n rows among those that have a group.
    """
    if groups is None:
        return None
    values = np.asarray(groups)
    if given is not None and values.ndim == 1 and len(values) > given[-1]:
        values = values[given]
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


def stratified_folds(
    X: Floats,
    codes: Ints,
    n_folds: int,
    *,
    nominal: Ints | None = None,
    seed: int = 0,
    keep_single: bool = False,
) -> list[Fold]:
    """Deal the rows out to folds, each class evenly.

    Parameters
    ----------
    X : array of shape (n, d)
        Numbers, or codes in nominal columns; NaN marks a missing value.
    codes : array of shape (n,)
        Classes.
    n_folds : int
    nominal : array of int, optional
        Columns that hold codes.
    seed : int
        Another seed makes other folds.
    keep_single : bool
        Whether a row that is alone in its class is in every training part. It would be
        the only one of its class in a test part.

    Returns
    -------
    folds : list of (train, test)
        Row numbers, by class and then in the order of the keys. Fold sizes differ by 1
        at most.
    """
    order = np.lexsort((row_keys(X, codes, nominal=nominal, seed=seed), codes))
    single = np.bincount(codes)[codes[order]] == 1
    dealt = ~single if keep_single else np.ones(len(order), np.bool_)
    fold = np.where(dealt, (np.cumsum(dealt) - 1) % n_folds, -1)
    return [(order[fold != v], order[fold == v]) for v in range(n_folds)]


def plain_folds(
    X: Floats,
    target: Floats,
    n_folds: int,
    *,
    nominal: Ints | None = None,
    seed: int = 0,
) -> list[Fold]:
    """Deal the rows out to folds, whatever their target.

    The target has a part in the keys: only rows that agree in it, too, may change
    places. Parameters and result are as for `stratified_folds`, with a number in the
    place of the class.
    """
    Y = target.reshape(len(target), -1)
    rows = side_by_side(Y, X)
    shifted = None if nominal is None else nominal + Y.shape[1]
    codes = np.zeros(len(target), np.int64)
    return stratified_folds(rows, codes, n_folds, nominal=shifted, seed=seed)


def side_by_side(*parts: Any) -> Any:
    """The columns of several tables, sparse if one of them is."""
    if any(map(is_sparse, parts)):
        return hstack([csr_array(part) for part in parts])
    return np.hstack(parts)


def row_keys(
    X: Floats, codes: Ints, *, nominal: Ints | None = None, seed: int = 0
) -> Keys:
    """A hash of each row's values and its class."""
    n, d = X.shape
    X = csc_array(X) if is_sparse(X) else X
    names = np.empty(0, np.int64) if nominal is None else nominal
    numeric = np.setdiff1d(np.arange(d), names)
    keys = mix(np.asarray(codes, np.uint64) + _constant(seed))
    done = 0
    while done < len(numeric):
        # Once all rows are told apart, more columns would only change their order.
        if done and len(np.unique(keys)) == n:
            break
        part = numeric[done : done + max(FIRST_COLUMNS, min(done, CELLS // n))]
        if is_sparse(X):
            keys += _hashed_cells(X[:, part], part)
        else:
            places = _places(np.asarray(X[:, part], np.float64))
            keys += mix(places + _constant(part)).sum(axis=1, dtype=np.uint64)
        done += len(part)
    if not len(names):
        return keys
    of_numbers = keys
    values = [np.unique(X[:, f], return_inverse=True)[1] for f in names]
    for _ in range(ROUNDS):
        mixed, more = mix(keys), np.zeros(n, np.uint64)
        for f, place in zip(names.tolist(), values, strict=True):
            whose = np.zeros(place.max() + 1, np.uint64)
            np.add.at(whose, place, mixed)
            more += mix(whose + _constant(f))[place]
        keys = mix(of_numbers + more)
    return keys


def _hashed_cells(X: Any, columns: Ints) -> Keys:
    """The same hashes of the columns of a CSC array, added up: zeros at first."""
    _, order, column, run, above, zeros = ordered_cells(X)
    place = run - run[X.indptr[column]]
    below = np.zeros(len(columns), np.int64)  # different values of a column below 0
    np.maximum.at(below, column[~above], place[~above] + 1)
    place += above & (zeros[column] > 0)
    of_zero = mix(below.astype(np.uint64) + _constant(columns))
    hashed = mix(place.astype(np.uint64) + _constant(columns[column]))
    keys = np.full(X.shape[0], of_zero.sum(dtype=np.uint64))
    np.add.at(keys, X.indices[order], hashed - of_zero[column])
    return keys


def _places(X: Floats) -> Keys:
    """Place of each value among the different ones of its column; NaN is the last."""
    ranks = rankdata(X, "dense", axis=0, nan_policy="omit")
    missing = np.isnan(ranks)
    distinct = np.max(ranks, axis=0, where=~missing, initial=0.0)
    return np.where(missing, distinct, ranks - 1).astype(np.uint64)


def _constant(number: int | Ints) -> Keys:
    """Something that tells columns, and seeds, apart."""
    # Not a scalar: NumPy warns of scalars that overflow, as these may.
    return mix(np.atleast_1d(number).astype(np.uint64) + _GOLDEN)


def mix(keys: Keys) -> Keys:
    """The finalizer of SplitMix64: every bit depends on every other one."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
