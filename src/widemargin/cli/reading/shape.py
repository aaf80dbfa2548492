"""Tables whose rows are features, and tables whose labels are in a second file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from widemargin.cli.numerals import numbers_in
from widemargin.cli.problem import Problem, listed, plural
from widemargin.cli.reading.source import Source, distinct

if TYPE_CHECKING:
    import pandas as pd


def transposed(name: str, source: Source) -> Source:
    """Rows become features, named by the first column, and columns become rows.

    The first column of the result has the names of the rows.
    """
    import pandas as pd

    if source.about is not None or source.target is not None:
        raise Problem(
            f"--transpose is for one table; {name} has features and classes apart."
        )
    frame, notes = source.frame, list(source.notes)
    titles, rows = _texts(frame.iloc[:, 0]), frame.iloc[:, 1:]
    named = [t if t == t else f"row {i + 1}" for i, t in enumerate(titles)]
    names = distinct(name, named, notes)
    if all(dtype.kind in "iuf" for dtype in rows.dtypes):
        turned = pd.DataFrame(rows.to_numpy().T, columns=names)
    else:
        turned = _columns(rows.to_numpy(object).T, names)
    key = "sample"
    while key in names:
        key += "_"
    turned.insert(0, key, pd.Series([str(n) for n in rows.columns], dtype=object))
    notes.append(
        f"rows and columns of {name} are exchanged: {plural(len(turned), 'row')} and "
        f"{plural(len(names), 'column')}, named by {str(frame.columns[0])!r}."
    )
    return replace(source, frame=turned, notes=notes, about=(key,), key=key, cells=None)


def _columns(cells: Any, names: list[str]) -> pd.DataFrame:
    """Columns as numbers where all of their cells are, else as they are."""
    import pandas as pd

    frame = pd.DataFrame(cells, columns=names, dtype=object)
    there = numbers_in(pd.Series(cells.ravel())).notna().to_numpy()
    whole = (there.reshape(cells.shape) | frame.isna()).all()
    numbers = frame.loc[:, whole].astype("float64")  # to the last digit
    return pd.concat([numbers, frame.loc[:, ~whole]], axis=1)[names]


def labelled(name: str, source: Source, labels: str, found: Source) -> Source:
    """The same rows with the columns of a second table, found by the names of the rows.

    The first column of a table, if nothing else, names its rows.
    """
    import pandas as pd

    frame, added = source.frame, found.frame
    key = source.key or str(frame.columns[0])
    other = found.key or str(added.columns[0])
    rows, entries = _texts(frame[key]), _texts(added[other])
    twice = entries[entries.notna() & entries.duplicated()].unique()
    if len(twice):
        raise Problem(
            f"--labels: {labels} has more than one row for {listed(twice)} in its "
            f"column {other!r}; one for each is needed."
        )
    columns = [str(column) for column in added.columns if column != other]
    both = [column for column in columns if column in frame.columns]
    if both:
        raise Problem(
            f"--labels: {name} and {labels} both have {listed(both)}; rename such "
            "columns in one of them."
        )
    matched = rows.isin(entries.dropna())
    if not matched.any():
        turned = entries.isin([str(column) for column in frame.columns]).any()
        hint = " It names columns, though: --transpose makes rows of them."
        raise Problem(
            f"--labels: {labels} has no row of {name}, where {key!r} is "
            f"{listed(rows.dropna(), 3)}; its own {other!r} is "
            f"{listed(entries.dropna(), 3)}.{hint if turned else ''}"
        )
    notes = [*source.notes, *(n for n in found.notes if n not in source.notes)]
    lacking, unused = rows[~matched], entries[~entries.isin(rows)]
    if len(lacking):
        share = f"{len(lacking)} of {plural(len(rows), 'row')}"
        notes.append(f"{labels} has no entry for {share}: {listed(lacking)}.")
    if len(unused):
        share = f"{len(unused)} of {plural(len(entries), 'row')}"
        notes.append(f"{share} of {labels} are not in {name}: {listed(unused)}.")
    there = entries.notna().to_numpy()
    joined = added.loc[there, columns].set_axis(entries[there]).reindex(rows)
    joined.index = frame.index
    known = (*(source.about or ()), *filter(None, [source.target]))
    about = tuple(dict.fromkeys([*known, key, *columns]))
    dialect = source.dialect and replace(source.dialect, encoding="utf-8")
    return replace(
        source,
        frame=pd.concat([frame, joined], axis=1),
        target=None,
        about=about,
        key=key,
        notes=notes,
        dialect=dialect,
        cells=None,
    )


def _texts(column: pd.Series[Any]) -> pd.Series[Any]:
    """Names as text, whole numbers without a decimal point."""
    if column.dtype.kind == "f" and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")
    text = column.astype("string").str.strip().astype(object)
    return text.where(text.notna())
