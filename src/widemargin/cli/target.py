"""The target as classes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from widemargin.cli.problem import Problem, listed

if TYPE_CHECKING:
    import pandas as pd

    from widemargin.cli.dataset import DataOptions

FEW = 20  # distinct numbers that may be grades; more look like a measurement


def to_classes(
    y: pd.Series[Any],
    options: DataOptions,
    notes: list[str],
    n_rows: int | None = None,
) -> pd.Series[Any]:
    """Classes of the rows: text, whole numbers, or ordered categories.

    Of ``n_rows``, y may have each different value once; --bins needs all of them.
    """
    n_rows = len(y) if n_rows is None else n_rows
    if not len(y):
        raise Problem(f"the target, {str(y.name)!r}, is missing in every row.")
    y = _plain(y)
    if options.bins is not None:
        return _binned(y, options.bins, notes)
    if options.ordinal:
        return _ordered(y, options.ordinal)
    _refuse_identifier(y, n_rows)
    if y.dtype.kind in "iuf":
        _refuse_continuous(y, n_rows)
        if (y % 1 == 0).all():
            return y.astype("int64")
        return y.astype("category").cat.as_ordered()
    return y


def _plain(y: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers as NumPy has them, text as objects, categories as they are."""
    if str(y.dtype) == "category":
        y = y.cat.remove_unused_categories()
        return y if y.cat.ordered else y.astype(object)
    if y.dtype.kind in "iuf":
        return y.astype("float64") if y.dtype.kind == "f" else y.astype("int64")
    if y.dtype.kind == "b":
        return y.astype(bool).astype(object).astype(str)
    return y.astype(str).str.strip()


def _binned(y: pd.Series[Any], bins: int, notes: list[str]) -> pd.Series[Any]:
    import pandas as pd

    if y.dtype.kind not in "iuf":
        raise Problem(f"--bins needs a target of numbers; {str(y.name)!r} is text.")
    cut, edges = pd.qcut(y, bins, duplicates="drop", retbins=True)
    if len(edges) < bins + 1:
        notes.append(f"{str(y.name)!r} has ties: {len(edges) - 1} classes, not {bins}.")
    names = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
    return cut.cat.rename_categories(names)


def _ordered(y: pd.Series[Any], ordinal: tuple[str, ...]) -> pd.Series[Any]:
    import pandas as pd

    if y.dtype.kind == "f" and (y % 1 == 0).all():
        y = y.astype("int64")
    labels = y.astype(str)
    found = set(labels)
    unknown = sorted(found.difference(ordinal))
    if unknown:
        raise Problem(
            f"--ordinal {','.join(ordinal)} leaves out {listed(unknown)}, which "
            f"{str(y.name)!r} has."
        )
    kept = [label for label in ordinal if label in found]
    return pd.Series(pd.Categorical(labels, kept, ordered=True), name=y.name)


def _refuse_identifier(y: pd.Series[Any], n_rows: int) -> None:
    if y.dtype.kind in "iuf" or y.nunique() < n_rows or n_rows < 3:
        return
    raise Problem(
        f"the target, {str(y.name)!r}, has a value of its own in each of {n_rows} "
        "rows; it should name classes (--target names another column)."
    )


def _refuse_continuous(y: pd.Series[Any], n_rows: int) -> None:
    distinct, whole = y.nunique(), bool((y % 1 == 0).all())
    if distinct > (max(FEW, n_rows / 3) if whole else FEW):
        raise Problem(
            f"the target, {str(y.name)!r}, has {distinct} different numbers in "
            f"{n_rows} rows; classes are needed (--bins 3 makes three of equal size, "
            "--target names another column)."
        )
