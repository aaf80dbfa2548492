"""Folds of rows that depend on what the rows hold, not on their order.

Each row gets a key, a hash of its values; rows of a class are put in the order of their
keys, which is as good as a random one, and dealt out to the folds. Rows with the same
values and the same class may change places: that makes no difference to any fold.

Numbers are hashed by their place among the different values of their column, so that
the unit of measurement does not matter. Nominal values are hashed by the rows that have
them: what they are called, and which of them was seen first, plays no part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from widemargin.data.protocol import Floats, Ints

Keys = NDArray[np.uint64]

CELLS = 2**20  # hashed at a time
FIRST_COLUMNS = 16  # hashed first; mostly they tell all rows apart
ROUNDS = 3  # in which nominal values and rows are told apart by each other

Fold = tuple[Ints, Ints]  # training rows, test rows

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio


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
    rows = np.column_stack([target, X])
    shifted = None if nominal is None else nominal + 1
    codes = np.zeros(len(X), np.int64)
    return stratified_folds(rows, codes, n_folds, nominal=shifted, seed=seed)


def row_keys(
    X: Floats, codes: Ints, *, nominal: Ints | None = None, seed: int = 0
) -> Keys:
    """A hash of each row's values and its class."""
    n, d = X.shape
    names = np.empty(0, np.int64) if nominal is None else nominal
    numeric = np.setdiff1d(np.arange(d), names)
    keys = mix(np.asarray(codes, np.uint64) + _constant(seed))
    done = 0
    while done < len(numeric):
        # Once all rows are told apart, more columns would only change their order.
        if done and len(np.unique(keys)) == n:
            break
        part = numeric[done : done + max(FIRST_COLUMNS, min(done, CELLS // n))]
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


def _places(X: Floats) -> Keys:
    """Place of each value among the different ones of its column; NaN is the last."""
    order = np.argsort(X, axis=0, kind="stable")
    ordered = np.take_along_axis(X, order, axis=0)
    new = np.zeros(X.shape, np.uint64)
    missing = np.isnan(ordered)
    new[1:] = (ordered[1:] != ordered[:-1]) & ~(missing[1:] & missing[:-1])
    places = np.empty(X.shape, np.uint64)
    np.put_along_axis(places, order, np.cumsum(new, axis=0, dtype=np.uint64), axis=0)
    return places


def _constant(number: int | Ints) -> Keys:
    """Something that tells columns, and seeds, apart."""
    # Not a scalar: NumPy warns of scalars that overflow, as these may.
    return mix(np.atleast_1d(number).astype(np.uint64) + _GOLDEN)


def mix(keys: Keys) -> Keys:
    """The finalizer of SplitMix64: every bit depends on every other one."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
