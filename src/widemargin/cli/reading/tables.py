"""Formats that other libraries read: Parquet, Feather, AnnData."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from widemargin.cli.problem import Problem, did_you_mean, listed, needs
from widemargin.cli.reading.arrays import dense
from widemargin.cli.reading.faults import problem_if_unreadable
from widemargin.cli.reading.files import BY_PARTS, File
from widemargin.cli.reading.memory import check_room
from widemargin.cli.reading.source import Request, Source, distinct

INSTALL = '"widemargin[files]"'


def read_parquet(file: File, request: Request) -> Source:
    """Read a Parquet file."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise needs("pyarrow", "Parquet", INSTALL) from None
    with problem_if_unreadable(f"{file.name} is not a readable Parquet file"):
        opened = parquet.ParquetFile(io.BytesIO(file.data))
        groups = opened.metadata
        sizes = [
            groups.row_group(g).total_byte_size for g in range(groups.num_row_groups)
        ]
        # A page may say in a few bytes that a million rows are alike.
        cells = groups.num_rows * groups.num_columns
        check_room(file.name, max(sum(sizes), 8 * cells), BY_PARTS)
        return _from_arrow(file, opened.read())


def read_feather(file: File, request: Request) -> Source:
    """Read a Feather file, which is an Arrow file or its predecessor."""
    try:
        from pyarrow import feather, ipc
    except ImportError:
        raise needs("pyarrow", "Feather", INSTALL) from None
    with problem_if_unreadable(f"{file.name} is not a readable Feather file"):
        if not file.data.startswith(b"ARROW1"):
            return _from_arrow(file, feather.read_table(io.BytesIO(file.data)))
        with ipc.open_file(io.BytesIO(file.data)) as opened:
            _check_rows(file, opened.schema)
            return _from_arrow(file, opened.read_all())


def _check_rows(file: File, schema: Any) -> None:
    """Refuse an Arrow file with too many rows, going by what its blocks claim."""
    from pyarrow import BufferReader, dataset

    if len(set(schema.names)) < len(schema.names):
        return  # a data set has no two columns of one name
    part = dataset.IpcFileFormat().make_fragment(BufferReader(file.data))
    check_room(file.name, 8 * part.count_rows() * len(schema))


def _from_arrow(file: File, table: Any) -> Source:
    table.validate(full=True)  # offsets that lead out of the file would end the process
    notes: list[str] = []
    # Frames cannot tell columns of one name apart.
    names = [str(name) for name in table.column_names]
    if len(set(names)) < len(names):
        table = table.rename_columns(distinct(file.name, names, notes))
    frame = table.to_pandas()
    # An index that pandas stored is no feature.
    return Source(frame.reset_index(drop=True), notes=notes)


def read_anndata(file: File, request: Request) -> Source:
    """Read genes as features and one column of the observations as classes."""
    try:
        from anndata import read_h5ad
    except ImportError:
        raise needs("anndata", "AnnData", '"widemargin[anndata]"') from None
    import pandas as pd

    with (
        tempfile.TemporaryDirectory() as folder,
        problem_if_unreadable(f"{file.name} is not a readable AnnData file"),
    ):
        path = Path(folder) / "data.h5ad"
        path.write_bytes(file.data)
        _check_datasets(file, path)
        data = read_h5ad(path)
        if data.X is None:
            raise Problem(f"{file.name} has no matrix X.")
        X = dense(file, data.X) if hasattr(data.X, "toarray") else data.X
        described = [str(name) for name in data.obs.columns]
    if not described:
        raise Problem(f"{file.name} has no columns in obs, and so no target.")
    target = request.target or described[-1]
    if target not in described:
        raise Problem(
            f"{file.name} has no column {target!r} in obs."
            f"{did_you_mean(target, described)} There is: {listed(described)}."
        )
    notes = []
    if request.target is None:
        notes.append(
            f"the last column of obs, {target!r}, is the target (--target names "
            "another)."
        )
    names = distinct(file.name, [str(name) for name in data.var_names], notes)
    frame = pd.DataFrame(X, columns=names)
    while target in frame.columns:
        frame = frame.rename(columns={target: f"{target} (feature)"})
    classes = data.obs[target].reset_index(drop=True)
    return Source(pd.concat([frame, classes], axis=1), target=target, notes=notes)


def _check_datasets(file: File, path: Path) -> None:
    """Refuse arrays that are too large, whether they are stored or only claimed."""
    import h5py

    sizes: list[int] = []

    def add(_: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            sizes.append(item.size * item.dtype.itemsize)

    with h5py.File(path) as opened:
        opened.visititems(add)
    check_room(file.name, sum(sizes))
