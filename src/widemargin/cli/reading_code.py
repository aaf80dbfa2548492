"""The lines of Python that read a file as the command did."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from widemargin.cli.problem import listed
from widemargin.cli.reading.unpacking import PACKED

if TYPE_CHECKING:
    from widemargin.cli.dataset import DataOptions, Dataset

READERS = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".feather": "read_feather",
    ".arrow": "read_feather",
    ".xlsx": "read_excel",
    ".xlsm": "read_excel",
}


def reading_code(dataset: Dataset, options: DataOptions) -> list[str]:
    """Lines that make X and y, and perhaps groups, with pandas."""
    target, raw = dataset.target, dataset.raw
    lines = [_read(dataset, options), *_shape(dataset, options)]
    if raw[target].isna().any():
        lines.append(f"data = data.dropna(subset=[{target!r}])")
    if options.sample is not None:
        lines.append(f"# Of these rows, {dataset.n_rows} were drawn at random.")
    if options.time is not None:
        column = _column(options.time, dataset)
        lines.append(f"data = data.sort_values({column!r}, kind='stable')")
    if dataset.groups is not None:
        lines.append(f"groups = data[{_column(options.groups, dataset)!r}]")
    features = set(dataset.features)
    key = None if dataset.source is None else dataset.source.key  # the index
    aside = [n for n in map(str, raw.columns) if n not in features and n != key]
    lines.append(f"X = data.drop(columns={aside!r})")
    lines += _types(dataset, measured=dataset.numeric or options.bins is not None)
    lines.append(_target(dataset, options))
    return lines


def _column(wanted: str | None, dataset: Dataset) -> str:
    from widemargin.cli.columns import find_column

    return find_column(str(wanted), dataset.raw.columns, "")


def _read(dataset: Dataset, options: DataOptions) -> str:
    """The call that reads the table."""
    name = PurePath(dataset.name)
    endings = [e.lower() for e in name.suffixes]
    while endings and endings[-1] in PACKED:
        endings.pop()
    reader = READERS.get(endings[-1] if endings else "")
    source = dataset.source
    if source is not None and source.dialect is not None:
        dialect = source.dialect
        told: dict[str, Any] = {"na_values": ["?", *options.missing]}
        given = {
            "sep": (dialect.separator, ","),
            "decimal": (dialect.decimal, "."),
            "encoding": (dialect.encoding, "utf-8"),
            "skiprows": (dialect.skipped, 0),
        }
        told |= {k: v for k, (v, default) in given.items() if v != default}
        if not dialect.header:
            told |= {"header": None, "names": [str(c) for c in dataset.raw.columns]}
        arguments = "".join(f", {k}={v!r}" for k, v in told.items())
        return f"data = pd.read_csv({str(name)!r}{arguments})"
    if endings[-1:] == [".h5ad"]:
        return (
            f"import anndata\n\ncells = anndata.read_h5ad({str(name)!r})\n"
            "data = cells.to_df().join(cells.obs)"
        )
    if reader is not None:
        return f"data = pd.{reader}({str(name)!r})"
    return f"data = ...  # {dataset.name} as a pandas frame"


def _shape(dataset: Dataset, options: DataOptions) -> list[str]:
    """What makes rows of samples, and joins their labels."""
    lines = []
    if options.transpose:
        lines.append("data = data.set_index(data.columns[0]).T")
    if options.labels is not None:
        if not options.transpose and not dataset.name.endswith(".h5ad"):
            lines.append("data = data.set_index(data.columns[0])")
        reader = READERS.get(PurePath(options.labels).suffix.lower())
        read = reader or "read_csv"
        guess = "" if reader else ", sep=None, engine='python'"
        lines += [
            f"labels = pd.{read}({options.labels!r}{guess})",
            "data = data.join(labels.set_index(labels.columns[0]))",
        ]
    return lines


def _types(dataset: Dataset, *, measured: bool) -> list[str]:
    """What was done to columns that pandas reads as something else."""
    raw, X = dataset.raw, dataset.X
    codes = [n for n in dataset.nominal if raw[n].dtype.kind in "biuf"]
    lines = []
    if codes:
        lines.append(f"X = X.astype(dict.fromkeys({codes!r}, 'category'))")
    spelled = [
        str(n)
        for n in X.columns
        if X[n].dtype.kind in "biuf" and raw[n].dtype.kind not in "biuf"
    ]
    if measured and raw[dataset.target].dtype.kind not in "biuf":
        spelled.append(dataset.target)
    if spelled:
        lines.append(
            f"# Not plain numbers in the file, to be converted: {listed(spelled)}"
        )
    return lines


def _target(dataset: Dataset, options: DataOptions) -> str:
    column = f"data[{dataset.target!r}]"
    if options.bins is not None:
        return f"y = pd.qcut({column}, {options.bins}, duplicates='drop')"
    if options.ordinal:
        labels = [str(label) for label in dataset.y.cat.categories]
        return f"y = pd.Categorical({column}.astype(str), {labels!r}, ordered=True)"
    return f"y = {column}"
