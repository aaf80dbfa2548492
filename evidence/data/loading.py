"""`load` a public data set by name, `list` those there are."""

from __future__ import annotations

import builtins
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from evidence.data import checksums, sources
from evidence.data.entries import Entry, entries, find
from evidence.data.sources import Raw

WIDE = 1000  # features from which an array is handed out rather than a frame


def list() -> builtins.list[Entry]:
    """List the public data sets that `load` knows.

    Returns
    -------
    entries : list of Entry
        With name, title, target, shape, origin, licence, papers, notes.

    Examples
    --------
    >>> from evidence import data
    >>> [entry.name for entry in data.list() if entry.loader]
    ['iris', 'wdbc', 'wine', 'digits', 'diabetes']
    """
    return [*entries().values()]


def load(
    name: str,
    *,
    data_home: Any = None,
    raw: bool = False,
    as_frame: bool | str = "auto",
    return_X_y: bool = False,
    verify: bool = True,
    download_if_missing: bool = True,
    verbose: int = 0,
) -> Any:
    """Load a public data set.

    It is taken from scikit-learn if bundled there, otherwise from a file in the data
    folder, otherwise from OpenML by `sklearn.datasets.fetch_openml`, which caches its
    downloads.

    Parameters
    ----------
    name : str
        As `list` gives it, in upper or lower case.
    data_home : path-like, default=None
        Folder with files: ``NAME.csv.gz``, a gzipped CSV with a header, whose last
        column is ``target`` and whose empty cells are missing values, or ``NAME.npz``,
        with arrays X, y and, for some, split. None takes the folder that the
        environment variable ``WIDEMARGIN_DATA`` names, if any.
    raw : bool, default=False
        Whether to hand out the values as published. Otherwise codes for missing values
        become NaN (pima), and columns that leak the target are left out
        (cpu_performance_full).
    as_frame : bool or "auto", default="auto"
        Whether X is a pandas frame, in which nominal columns are categories. "auto" is
        False for images and for more than 1000 features, and without pandas.
    return_X_y : bool, default=False
        Whether to return ``(data, target)`` only.
    verify : bool, default=True
        Whether to compare shape and checksum with those of the copy that the package
        was tested with. The checksum does not depend on the order of rows and columns,
        nor on the names of columns and classes.
    download_if_missing : bool, default=True
        Whether to ask OpenML for what is not there.
    verbose : int, default=0
        Shows the progress of a download if positive.

    Returns
    -------
    data : Bunch
        With these fields:

        - ``data``: array or frame of shape (n_samples, n_features). In an array, text
          is coded by its place in the sorted categories, or in their own order if they
          have one; NaN is missing.
        - ``target``: class labels or numbers as published. Ordered classes that are
          text become an ordered categorical beside a frame, and their place in
          ``target_names`` beside an array.
        - ``target_kind``: "nominal", "ordinal" or "continuous".
        - ``target_names``: classes, in their order; empty for numbers.
        - ``feature_names``, ``categorical_features``: lists of str.
        - ``groups``: array of str or None. Rows of a group are not independent (musk1).
        - ``split``: the official one, 0 for training rows, 1 for the others (adult,
          arcene, madelon, mnist). None for a copy with its rows in another order.
        - ``duplicates``: array of bool, True for rows with the values and the target of
          a row before them.
        - ``image_shape``, ``image_order``: ``row.reshape(image_shape,
          order=image_order)`` is an image.
        - ``name``, ``source``, ``licence``, ``origin``, ``papers``, ``notes``,
          ``DESCR``.

    Raises
    ------
    FileNotFoundError
        If it is nowhere to be had. The message says how to supply the file.
    ValueError
        If there is no data set of that name, or the copy is not the known one.

    Examples
    --------
    >>> from evidence import data
    >>> wdbc = data.load("wdbc", as_frame=False)
    >>> wdbc.data.shape, wdbc.target_names
    ((569, 30), ['benign', 'malignant'])
    """
    entry = find(name)
    frame = _wants_frame(entry, as_frame)
    found = _read(entry, data_home, frame, download_if_missing, verbose)
    keys = checksums.table_keys(found.X, found.y, classes=entry.target != "continuous")
    if verify:
        _verify(entry, found, keys.rows)
    split = found.split
    if entry.order and checksums.order_checksum(keys.rows) != entry.order:
        split = None
    bunch = Bunch(
        name=entry.name,
        **_target(entry, found.y, frame),
        **_features(entry, found.X, frame, raw),
        groups=found.groups,
        split=split,
        duplicates=checksums.repeats(keys.places, found.y),
        image_shape=entry.image_shape,
        image_order=entry.image_order,
        source=found.source,
        origin=entry.origin,
        licence=entry.licence,
        papers=[*entry.papers],
        notes=[*entry.notes],
    )
    bunch.DESCR = describe(entry, bunch)
    return (bunch.data, bunch.target) if return_X_y else bunch


def _wants_frame(entry: Entry, as_frame: bool | str) -> bool:
    if as_frame != "auto":
        return bool(as_frame)
    small = entry.image_shape is None and not entry.npz and entry.shape[1] <= WIDE
    return small and find_spec("pandas") is not None


def _read(
    entry: Entry, data_home: Any, frame: bool, download: bool, verbose: int
) -> Raw:
    """The data set from the first source that has it."""
    folder = sources.folder_of(data_home)
    if entry.loader is not None:
        return sources.from_scikit_learn(entry, frame)
    found = None if folder is None else sources.from_folder(entry, folder)
    if found is not None:
        return found
    if entry.base is not None:
        base = _read(find(entry.base), data_home, frame, download, verbose)
        y = 1 + np.searchsorted(np.array(entry.cuts), base.y)
        return Raw(base.X, y, f"{base.source}, target cut at {entry.cuts}")
    tried = (
        "no data folder is named" if folder is None else f"{folder} has no {entry.file}"
    )
    if not entry.openml:
        raise sources.NotAvailable(entry, f"{tried}; OpenML does not have it")
    if not download:
        raise sources.NotAvailable(entry, f"{tried}; no download was allowed")
    try:
        return sources.from_openml(entry, verbose)
    except sources.NotAvailable as error:
        both = f"{tried}; {error.tried}"
        raise sources.NotAvailable(entry, both) from error.__cause__


def _verify(entry: Entry, found: Raw, keys: checksums.Keys) -> None:
    """Refuse a copy that is not the known one."""
    remedy = "Pass verify=False to take it as it is."
    if found.X.shape != entry.shape:
        n, d = found.X.shape
        raise ValueError(
            f"{entry.name} from {found.source} has {n} rows and {d} features; "
            f"{entry.shape[0]} and {entry.shape[1]} were expected. {remedy}"
        )
    seen = checksums.checksum(keys, found.y, classes=entry.target != "continuous")
    if seen != entry.checksum:
        raise ValueError(
            f"{entry.name} from {found.source} has the checksum {seen}, not "
            f"{entry.checksum}: some values or labels differ from the copy that "
            f"widemargin was tested with. {remedy}"
        )


def _target(entry: Entry, y: NDArray[Any], frame: bool) -> dict[str, Any]:
    """Target, its kind and its classes."""
    names: builtins.list[Any] = []
    if entry.target != "continuous":
        names = np.unique(y).tolist()
        if {*names} == {*entry.classes}:
            names = [*entry.classes]
    target: Any = y
    ordered = entry.target == "ordinal" and y.dtype.kind not in "biuf"
    if ordered and not frame:
        place = {label: code for code, label in enumerate(names)}
        target = np.array([place[label] for label in y])
    elif frame:
        pd = sources.import_pandas(entry)
        if ordered:
            target = pd.Categorical(y, categories=names, ordered=True)
        target = pd.Series(target, name="target")
    elif y.dtype.kind == "O":
        target = y.astype(str)
    return {"target": target, "target_kind": entry.target, "target_names": names}


def _features(entry: Entry, X: Any, frame: bool, raw: bool) -> dict[str, Any]:
    """Features, their names, and which of them are nominal."""
    if not hasattr(X, "columns"):
        data, names = X, _made_up_names(entry)
        if frame:
            data = sources.import_pandas(entry).DataFrame(X, columns=names)
        return {"data": data, "feature_names": names, "categorical_features": []}
    X = X.copy()
    X.columns = [str(name) for name in X.columns]
    used = (*entry.categorical, *entry.ordered, *entry.zero_is_missing, *entry.leaks)
    absent = [name for name in used if name not in X]
    if absent:
        raise ValueError(
            f"{entry.name}: the copy has no column {absent[0]!r}; it has "
            f"{', '.join(X.columns)}."
        )
    if not raw:
        for name in entry.zero_is_missing:
            X[name] = X[name].where(X[name] != 0)
        X = X.drop(columns=[*entry.leaks])
    nominal = _as_categories(entry, X)
    return {
        "data": X if frame else _as_array(X, nominal),
        "feature_names": [*X.columns],
        "categorical_features": nominal,
    }


def _as_categories(entry: Entry, X: Any) -> builtins.list[str]:
    """Turn nominal columns of a frame into categories, in place; return their names."""
    pd = sources.import_pandas(entry)
    nominal = []
    for name in X:
        column = X[name]
        if name in entry.ordered:
            texts = column.astype(str)
            X[name] = pd.Categorical(texts, entry.ordered[name], ordered=True)
        elif column.dtype.kind not in "biuf" or name in entry.categorical:
            X[name] = column.astype("category")
        else:
            continue
        nominal.append(name)
    return nominal


def _as_array(X: Any, nominal: builtins.list[str]) -> NDArray[np.float64]:
    """A frame as numbers: codes of text, numbers that are codes as published."""
    Z = np.empty(X.shape)
    for f, name in enumerate(X.columns):
        column = X[name]
        if name in nominal and column.cat.categories.dtype.kind not in "biuf":
            codes = column.cat.codes.to_numpy(np.float64)
            Z[:, f] = np.where(codes < 0, np.nan, codes)
        else:
            Z[:, f] = column.to_numpy(np.float64)
    return Z


def _made_up_names(entry: Entry) -> builtins.list[str]:
    """Names of features that have none: pixels by row and column, others by number."""
    if entry.image_shape is None:
        return [f"f{f}" for f in range(1, entry.shape[1] + 1)]
    order: Any = entry.image_order
    rows, columns = np.unravel_index(
        np.arange(entry.shape[1]), entry.image_shape, order=order
    )
    return [f"row{r}_column{c}" for r, c in zip(rows, columns, strict=True)]


def describe(entry: Entry, bunch: Bunch) -> str:
    """What there is to know, as text."""
    n, d = bunch.data.shape
    lines = [f"{entry.name}: {entry.title}", "", f"{n} rows, {d} features"]
    if entry.target == "continuous":
        lines.append("target: a number")
    else:
        y = np.asarray(bunch.target).astype(str)
        names = [str(name) for name in bunch.target_names]
        if bunch.target_kind == "ordinal" and not set(y) <= set(names):
            y = np.array(names)[np.asarray(bunch.target)]
        counts = ", ".join(f"{label}: {np.sum(y == label)}" for label in names)
        lines.append(f"{len(names)} {entry.target} classes ({counts})")
    lines += [
        f"origin: {entry.origin}",
        f"source: {bunch.source}",
        f"licence: {entry.licence}",
    ]
    if entry.file_from:
        lines.append(f"checked against: {entry.file_from}")
    if entry.papers:
        lines.append(f"papers: {'; '.join(entry.papers)}")
    repeated = int(bunch.duplicates.sum())
    if repeated:
        lines.append(f"{repeated} rows repeat an earlier one, target and all")
    return "\n".join([*lines, *(f"- {note}" for note in entry.notes)]) + "\n"
