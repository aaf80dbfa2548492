"""Checksums of the values of a table, whatever its copy looks like.

Copies of a public data set differ in the order of their rows and columns, in the names
of columns and classes, and in the type their numbers are stored as. The checksum is the
same for all of these, and another one if a value, or the class of a row, differs.

A cell is hashed by its value, rounded to single precision, and by its column. A column
is known by the values in it and, if there is another one with the same values, by the
rows these are in; a class is known by its rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.judging.folds import mix

Keys = NDArray[np.uint64]

BLOCK = 2**22  # cells hashed at a time
LENGTH = 16  # hexadecimal digits
ONE = np.uint64(1)  # `mix` leaves 0 alone


class TableKeys(NamedTuple):
    """Hashes of the rows of a table."""

    rows: Keys  # of values, whatever the order of the columns
    places: Keys  # of values in their places


def table_keys(X: Any, y: NDArray[Any], *, classes: bool) -> TableKeys:
    """Hash the rows of an array or frame."""
    n, d = X.shape
    rows, places = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    columns = np.empty(d, np.uint64)
    for part, cells in _cells(X, np.arange(d)):
        columns[part] = mix(cells.sum(axis=0, dtype=np.uint64))
        rows += mix(cells ^ columns[part]).sum(axis=1, dtype=np.uint64)
        places += mix(cells + mix(part.astype(np.uint64) + ONE)).sum(
            axis=1, dtype=np.uint64
        )
    # Columns that hold the same values, in other rows, are told apart by these rows.
    _, which, counts = np.unique(columns, return_inverse=True, return_counts=True)
    context = mix(rows + _outcomes(rows, y, classes))[:, None]
    for part, cells in _cells(X, np.flatnonzero(counts[which] > 1)):
        again = mix(mix(cells ^ context).sum(axis=0, dtype=np.uint64))
        rows += mix(cells ^ again).sum(axis=1, dtype=np.uint64)
        rows -= mix(cells ^ columns[part]).sum(axis=1, dtype=np.uint64)
    return TableKeys(rows, places)


def _cells(X: Any, columns: NDArray[np.int64]) -> Iterator[tuple[Any, Keys]]:
    """Hashes of the cells of some columns, a few columns at a time."""
    n = len(X)
    frame = hasattr(X, "iloc")
    step = 1 if frame else max(1, BLOCK // n)
    for start in range(0, len(columns), step):
        part = columns[start : start + step]
        values = X.iloc[:, part[0]] if frame else X[:, part]
        yield part, mix(cell_keys(np.asarray(values)).reshape(n, -1) + ONE)


def _outcomes(rows: Keys, y: NDArray[Any], classes: bool) -> Keys:
    """A hash of the target of each row: of a class by its rows, not by its name."""
    cells = cell_keys(y)
    if not classes:
        return mix(cells + ONE)
    _, codes = np.unique(cells, return_inverse=True)
    members = np.zeros(codes.max() + 1, np.uint64)
    np.add.at(members, codes, mix(rows))
    return mix(members + ONE)[codes]


def cell_keys(values: NDArray[Any]) -> Keys:
    """A number for each value: text that reads as a number counts as that."""
    if values.dtype.kind in "biuf":
        return _number_keys(values)
    missing = np.array([value is None or value != value for value in values], bool)
    texts = np.where(missing, "", values.astype(str)).astype(str)
    different, place = np.unique(texts, return_inverse=True)
    keys = np.array([_text_key(text) for text in different], np.uint64)[place]
    return np.where(missing, _number_keys(np.array([np.nan])), keys)


def _number_keys(values: NDArray[Any]) -> Keys:
    """Bits of the numbers in single precision; one pattern for 0, and one for NaN."""
    single = values.astype(np.float32) + np.float32(0)
    single[np.isnan(single)] = np.nan
    return single.view(np.uint32).astype(np.uint64)


def _text_key(text: str) -> int:
    text = text.strip().strip("'\"")
    try:
        return int(_number_keys(np.array([float(text)]))[0])
    except ValueError:
        digest = hashlib.sha256(text.encode()).digest()
        return int.from_bytes(digest[:8], "little")


def checksum(rows: Keys, y: NDArray[Any], *, classes: bool) -> str:
    """The checksum of a table, by the keys of its rows, and a target."""
    keys = mix(rows + _outcomes(rows, y, classes))
    return _digest(np.sort(keys).tobytes())


def order_checksum(rows: Keys) -> str:
    """A checksum that depends on the order of the rows."""
    return _digest(rows.tobytes())


def repeats(places: Keys, y: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows have the same values and target as a row before them."""
    _, first = np.unique(mix(places + mix(cell_keys(y))), return_index=True)
    repeated = np.ones(len(y), np.bool_)
    repeated[first] = False
    return repeated


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:LENGTH]
