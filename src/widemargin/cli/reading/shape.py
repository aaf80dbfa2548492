"""Tables made of several files, with rows as features, or with labels in another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pandas as pd

from widemargin.cli.numerals import numbers_in
from widemargin.cli.problem import Problem, listed, plural
from widemargin.cli.reading.source import Source, distinct, without_points


def joined(pattern: str, names: list[str], sources: Iterable[Source]) -> Source:
    """The rows of all files, one after the other; their columns have to agree."""
    parts = zip(names, sources, strict=True)
    _, first = next(parts)
    columns, frames = list(first.frame.columns), [first.frame]
    notes = [f"{pattern} is {len(names)} files, read as one table."]
    notes += [text.replace(names[0], pattern) for text in first.notes]
    for name, source in parts:
        _check_columns(names[0], columns, name, list(source.frame.columns))
        frames.append(source.frame[columns])
        more = [text.replace(name, pattern) for text in source.notes]
        notes += [text for text in more if text not in notes]
    numeric = [{c for c in columns if f.dtypes[c].kind in "iuf"} for f in frames]
    mixed = set.union(*numeric) - set.intersection(*numeric)
    for i, frame in enumerate(frames):
        numbers = [c for c in mixed if frame.dtypes[c].kind != "O"]
        frames[i] = frame.assign(**{c: _texts(frame[c]) for c in numbers})
    whole = pd.concat(frames, ignore_index=True)
    return replace(first, frame=whole, notes=notes, hint="", cells=None)


def _check_columns(first: str, columns: list[str], name: str, own: list[str]) -> None:
    lacking = [column for column in columns if column not in set(own)]
    extra = [column for column in own if column not in set(columns)]
    if lacking:
        raise Problem(
            f"{name} does not match {first}: it lacks the columns {listed(lacking)}."
        )
    if extra:
        raise Problem(
            f"{name} does not match {first}, which lacks the columns {listed(extra)}."
        )


def transposed(name: str, source: Source) -> Source:
    """Exchange rows and columns; the first column has the names of the features.

    The first column of the result has the names of the rows.
    """
    if source.about is not None or source.target is not None:
        raise Problem(
            f"--transpose is for one table; {name} has features and classes apart."
        )
    frame, notes = source.frame, list(source.notes)
    first, rows = _texts(frame.iloc[:, 0]), frame.iloc[:, 1:]
    titles = [t if t == t else f"row {i + 1}" for i, t in enumerate(first)]
    names = distinct(name, titles, notes)
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
    """Columns of cells: as numbers if all cells are numbers, else unchanged."""
    frame = pd.DataFrame(cells, columns=names, dtype=object)
    there = numbers_in(pd.Series(cells.ravel())).notna().to_numpy()
    whole = (there.reshape(cells.shape) | frame.isna()).all()
    numbers = frame.loc[:, whole].astype("float64")  # to the last digit
    return pd.concat([numbers, frame.loc[:, ~whole]], axis=1)[names]


def labelled(name: str, source: Source, labels: str, second: Source) -> Source:
    """The same rows with the columns of a second table, joined by the names of rows.

    Rows are named by the key of a table, or by its first column.
    """
    frame, added = source.frame, second.frame
    key = source.key or str(frame.columns[0])
    other = second.key or str(added.columns[0])
    rows, entries = _texts(frame[key]), _texts(added[other])
    columns = [str(column) for column in added.columns if column != other]
    _check_labels(name, frame, rows, labels, entries, columns)
    matched = rows.isin(entries.dropna())
    notes = [*source.notes, *(n for n in second.notes if n not in source.notes)]
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
    about = [*(source.about or ()), *filter(None, [source.target]), key, *columns]
    dialect = source.dialect and replace(source.dialect, encoding="utf-8")
    return replace(
        source,
        frame=pd.concat([frame, joined], axis=1),
        target=None,
        about=tuple(dict.fromkeys(about)),
        key=key,
        notes=notes,
        dialect=dialect,
        cells=None,
    )


def _check_labels(
    name: str,
    frame: pd.DataFrame,
    rows: pd.Series[Any],
    labels: str,
    entries: pd.Series[Any],
    columns: list[str],
) -> None:
    """Refuse a second table that has no row, or several rows, for those of the first.

    ``rows`` and ``entries`` are the names of rows, and named after their columns.
    """
    twice = entries[entries.notna() & entries.duplicated()].unique()
    if len(twice):
        raise Problem(
            f"--labels: {labels} has more than one row for {listed(twice)} in its "
            f"column {entries.name!r}; one for each is needed."
        )
    both = [column for column in columns if column in frame.columns]
    if both:
        raise Problem(
            f"--labels: {name} and {labels} both have {listed(both)}; rename such "
            "columns in one of them."
        )
    if not rows.isin(entries.dropna()).any():
        turned = entries.isin([str(column) for column in frame.columns]).any()
        hint = " It names columns, though: --transpose makes rows of them."
        raise Problem(
            f"--labels: {labels} has no row of {name}, where {rows.name!r} is "
            f"{listed(rows.dropna(), 3)}; its own {entries.name!r} is "
            f"{listed(entries.dropna(), 3)}.{hint if turned else ''}"
        )


def _texts(column: pd.Series[Any]) -> pd.Series[Any]:
    """Names as text, whole numbers without a decimal point."""
    text = without_points(column).astype("string").str.strip().astype(object)
    return text.where(text.notna())
