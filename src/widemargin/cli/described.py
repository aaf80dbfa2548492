"""Columns that describe the rows and are no features, as AnnData keeps them apart.

Also whether a table has features as rows, and so lacks such columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from widemargin.cli.columns import find_column
from widemargin.cli.numerals import are_dates
from widemargin.cli.problem import Problem, listed

if TYPE_CHECKING:
    import pandas as pd

TALL = 20  # times as many rows as columns, if rows are features


def find_described(
    wanted: str, columns: Iterable[str], about: tuple[str, ...] | None, option: str
) -> str:
    """The column of that name; else one by place or likeness, ``about`` rows if any."""
    names = [str(name) for name in columns]
    among = names if about is None or wanted in names else about
    return find_column(wanted, among, option)


def only_candidate(source: Any, taken: set[str], notes: list[str]) -> str:
    """The column about the rows that has classes; refuse none, or several."""
    left = [name for name in source.about if name not in taken and name != source.key]
    if not left:
        raise Problem(
            "no target: there is no column about the rows (--labels FILE joins a table "
            "with some, --target names a column)."
        )
    sizes = {name: source.frame[name].nunique() for name in left}
    classes = {n: s for n, s in sizes.items() if 1 < s < len(source.frame)}
    classes = {n: s for n, s in classes.items() if _may_name(source.frame[n])} or sizes
    if len(classes) == 1:
        (name,) = classes
        notes.append(f"the target is {name!r} (--target names another).")
        return name
    shown = ", ".join(f"{n!r} ({s} values)" for n, s in list(classes.items())[:8])
    more = f" and {len(classes) - 8} more" if len(classes) > 8 else ""
    raise Problem(f"--target has to name one of {shown}{more}.")


def _may_name(column: pd.Series[Any]) -> bool:
    """Whether a column may hold classes: text, categories, or whole numbers."""
    return column.dtype.kind != "f" or bool((column.dropna() % 1 == 0).all())


def say_unused(source: Any, used: set[str], notes: list[str]) -> None:
    """Say which columns about the rows have no part in anything."""
    unused = [n for n in source.about or () if n not in used and n != source.key]
    if unused:
        notes.append(
            f"columns about the rows that are not used as features: {listed(unused)} "
            "(--target and --keep use them, and --groups of `compare`)."
        )


def say_if_features_are_rows(source: Any, n_rows: int, notes: list[str]) -> None:
    """Note that a table may have features as rows, and samples as columns.

    It has many rows, named by text, and few columns of numbers with like names, of
    which one would be the target.
    """
    first, *others = map(str, source.frame.columns)
    if source.about is not None or source.target is not None or len(others) < 2:
        return
    from widemargin.data.kinds import NUMBER, kind

    kinds = [kind(dtype) for dtype in source.frame.dtypes]
    if kinds[0] == NUMBER or {*kinds[1:]} != {NUMBER}:
        return
    if n_rows < TALL * len(others) or not _are_alike(others):
        return
    names = source.frame[first].head(TALL * 2)
    if are_dates(names.astype(str)) or not names.is_unique:
        return
    notes.append(
        f"{n_rows} rows, named by {first!r}, and {len(others)} columns with like "
        f"names, {listed(others, 2)}: if the rows are features and the columns "
        "samples, --transpose exchanges them (--labels FILE joins a table with the "
        "target)."
    )


def _are_alike(names: list[str]) -> bool:
    """Whether names differ in their digits only, in a few ways, or begin alike."""
    patterns = {re.sub(r"\d+", "0", name) for name in names}
    return len(patterns) <= len(names) // 2 or len({name[:3] for name in names}) == 1
