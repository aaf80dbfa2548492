"""Where data sets come from: scikit-learn, a folder of files, OpenML."""

from __future__ import annotations

import os
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import URLError

import numpy as np
from numpy.typing import NDArray

from evidence.data.entries import Entry
from widemargin.notices import warn
from widemargin.progress import progress

VARIABLE = "WIDEMARGIN_DATA"


class Raw(NamedTuple):
    """A data set as it is published."""

    X: Any  # array, or frame if a column has a name or holds text
    y: NDArray[Any]
    source: str
    groups: NDArray[Any] | None = None
    split: NDArray[np.int64] | None = None


def folder_of(data_home: Any) -> Path | None:
    """The data folder, if one is named; it has to be there."""
    named = os.environ.get(VARIABLE) or None if data_home is None else data_home
    if named is None:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        whose = VARIABLE if data_home is None else "data_home"
        raise NotADirectoryError(f"{whose}: there is no folder {folder}.")
    return folder


def from_scikit_learn(entry: Entry, frame: bool) -> Raw:
    """A data set that comes with scikit-learn."""
    from sklearn import datasets

    assert entry.loader is not None
    bunch = getattr(datasets, entry.loader)(as_frame=frame)
    y = np.asarray(bunch.target)
    if entry.target != "continuous":
        y = np.asarray(bunch.target_names)[y]
    return Raw(bunch.data, y, f"scikit-learn ({entry.loader})")


def from_folder(entry: Entry, folder: Path) -> Raw | None:
    """A data set from its file, if that is there."""
    assert entry.file is not None
    path = folder / entry.file
    if not path.exists():
        return None
    try:
        return _from_npz(path) if entry.npz else _from_csv(entry, path)
    except (OSError, EOFError, KeyError, ValueError) as error:
        raise ValueError(
            f"{path} cannot be read as {entry.name} ({error}). {_format(entry)}"
        ) from error


def _from_npz(path: Path) -> Raw:
    with np.load(path, allow_pickle=False) as file:
        split = file["split"].astype(np.int64) if "split" in file else None
        return Raw(file["X"], file["y"].astype(np.int64), str(path), split=split)


def _from_csv(entry: Entry, path: Path) -> Raw:
    pd = import_pandas(entry)
    table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    y = table.pop("target").to_numpy()
    groups = _groups(entry, path.parent, len(y))
    split = None
    if entry.train_rows is not None:
        split = (np.arange(len(y)) >= entry.train_rows).astype(np.int64)
    return Raw(table, y, str(path), groups, split)


def _groups(entry: Entry, folder: Path, n: int) -> NDArray[Any] | None:
    """Which rows belong together, from the file beside that of the data."""
    if entry.groups_file is None:
        return None
    path = folder / entry.groups_file
    if not path.exists():
        warn(
            f"{entry.name}: there is no {path}, so groups is None. Rows of a "
            "group are not independent: folds that mix them overrate every method."
        )
        return None
    aside = import_pandas(entry).read_csv(path, keep_default_na=False)
    groups = aside[entry.groups_column].to_numpy(str)
    if len(groups) != n:
        raise ValueError(f"{entry.groups_file} has {len(groups)} rows and not {n}")
    return groups


def from_openml(entry: Entry, verbose: int) -> Raw:
    """A data set from OpenML, or from scikit-learn's cache of it."""
    pd = import_pandas(entry)
    ids = ", ".join(map(str, entry.openml))
    parts = []
    label = f"{entry.name} from OpenML ({ids})"
    try:
        with progress(label, len(entry.openml), verbose) as advance:
            for data_id in entry.openml:
                parts.append(_fetch(data_id))
                advance()
    except (OSError, HTTPException) as error:
        raise NotAvailable(
            entry, f"OpenML (data id {ids}): {_reason(error)}"
        ) from error
    groups = None
    if entry.openml_groups in parts[0].data:
        groups = parts[0].data[entry.openml_groups].astype(str).to_numpy()
    frames = [_without(part.data, entry.openml_drop) for part in parts]
    if frames[1:]:  # the same names mean other features in each of them
        named = zip(entry.openml, frames, strict=True)
        frames = [X.add_prefix(f"{data_id}_") for data_id, X in named]
    X = pd.concat(frames, axis=1)
    X = X.apply(_as_numbers)
    return Raw(X, _labels(parts[0].target), f"OpenML, data id {ids}", groups)


def _fetch(data_id: int) -> Any:
    from sklearn.datasets import fetch_openml

    return fetch_openml(data_id=data_id, as_frame=True, parser="auto")


def _without(X: Any, columns: tuple[str, ...]) -> Any:
    return X.drop(columns=[name for name in columns if name in X])


def _as_numbers(column: Any) -> Any:
    """A column as numbers if it holds nothing else; OpenML may have it as text."""
    if column.dtype.kind in "biuf":
        return column
    texts = column.astype(object).map(lambda value: str(value).strip("'\""), "ignore")
    try:
        return texts.astype(np.float64)
    except ValueError:
        return texts


def _labels(y: Any) -> NDArray[Any]:
    """Labels as numbers if they are; OpenML has them as text."""
    labels = np.asarray(y, dtype=None)
    if labels.dtype.kind in "biuf":
        return labels
    texts = np.array([str(label).strip("'\"") for label in labels])
    try:
        numbers = texts.astype(np.float64)
    except ValueError:
        return texts
    return numbers.astype(np.int64) if (numbers % 1 == 0).all() else numbers


def _reason(error: BaseException) -> str:
    reason = error.reason if isinstance(error, URLError) else error
    return str(reason) or type(error).__name__


class NotAvailable(FileNotFoundError):
    """A data set is not there: what was tried, and what to do."""

    def __init__(self, entry: Entry, tried: str) -> None:
        self.entry, self.tried = entry, tried
        super().__init__(self.told("data_home="))

    def told(self, option: str) -> str:
        """The message; ``option`` is how the caller names a data folder."""
        return (
            f"{self.entry.name} was not found. Tried: {self.tried}. "
            f"{_format(self.entry)} Name the folder with {option} or the environment "
            f"variable {VARIABLE}."
        )


def _format(entry: Entry) -> str:
    """How to supply the file."""
    n, d = entry.shape
    if not entry.npz:
        what = (
            f"a gzipped CSV with a header: {d} features, then a column target, {n} "
            "rows; empty cells are missing values"
        )
    else:
        what = f"arrays X ({n} x {d}) and y"
        if entry.official_split:
            what += ", and split (0 for the official training rows, else 1)"
    return f"Put {entry.file} into a folder ({what})."


def import_pandas(entry: Entry) -> Any:
    """Import pandas, which tables with names and text need."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            f"{entry.name} is a table that pandas reads. Install it: pip install "
            "'widemargin[cli]'."
        ) from error
    return pandas
