"""Formats that other libraries read: Parquet, Feather, AnnData."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from widemargin.cli.problem import Problem, needs
from widemargin.cli.reading.arrays import dense
from widemargin.cli.reading.faults import probe, problem_if_unreadable
from widemargin.cli.reading.files import BY_PARTS, File
from widemargin.cli.reading.memory import check_room
from widemargin.cli.reading.source import Request, Source, distinct

# The HDF5 library may end the process, or never end, at damaged texts.
TEXTS = """
import io, sys, h5py
from contextlib import suppress

def look(name, item):
    with suppress(Exception):
        dict(item.attrs)
        if item.dtype.kind == "O" and item.size < len(data):
            item[()]

data = sys.stdin.buffer.read()
with h5py.File(io.BytesIO(data)) as file:
    look("", file)
    file.visititems(look)
"""

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
        return _from_arrow(file, opened.read(), request)


def read_feather(file: File, request: Request) -> Source:
    """Read a Feather file, which is an Arrow file or its predecessor."""
    try:
        from pyarrow import feather, ipc
    except ImportError:
        raise needs("pyarrow", "Feather", INSTALL) from None
    with problem_if_unreadable(f"{file.name} is not a readable Feather file"):
        if not file.data.startswith(b"ARROW1"):
            table = feather.read_table(io.BytesIO(file.data))
            return _from_arrow(file, table, request)
        with ipc.open_file(io.BytesIO(file.data)) as opened:
            _check_rows(file, opened.schema)
            return _from_arrow(file, opened.read_all(), request)


def _check_rows(file: File, schema: Any) -> None:
    """Refuse an Arrow file with too many rows, going by what its blocks claim."""
    from pyarrow import BufferReader, dataset

    if len(set(schema.names)) < len(schema.names):
        return  # a data set has no two columns of one name
    part = dataset.IpcFileFormat().make_fragment(BufferReader(file.data))
    check_room(file.name, 8 * part.count_rows() * len(schema))


def _from_arrow(file: File, table: Any, request: Request) -> Source:
    table.validate(full=True)  # offsets that lead out of the file would end the process
    notes: list[str] = []
    # Frames cannot tell columns of one name apart.
    names = [str(name) for name in table.column_names]
    if len(set(names)) < len(names):
        table = table.rename_columns(distinct(file.name, names, notes))
    frame = table.to_pandas()
    # An index that pandas stored is no feature, but may name the rows.
    named = request.row_names and frame.index.dtype.kind not in "biuf"
    return Source(frame.reset_index(drop=not named), notes=notes)


def read_anndata(file: File, request: Request) -> Source:
    """Read genes as features, and all columns of the observations."""
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
        if b"\x89HDF" in file.data:
            probe("the HDF5 library", TEXTS, file.data)
        _check_datasets(file, path)
        data = read_h5ad(path)
        if data.X is None:
            raise Problem(f"{file.name} has no matrix X.")
        X = dense(file, data.X) if hasattr(data.X, "toarray") else data.X
        about = [str(name) for name in data.obs.columns]
        key = str(data.obs.index.name or "obs_names")
        while key in about:
            key += "_"
        obs = data.obs.set_axis(about, axis=1).rename_axis(key).reset_index()
    notes: list[str] = []
    taken = {key, *about}
    names = [f"{n} (feature)" if n in taken else n for n in map(str, data.var_names)]
    frame = pd.DataFrame(X, columns=distinct(file.name, names, notes))
    frame = pd.concat([frame, obs], axis=1)
    return Source(frame, about=(key, *about), key=key, notes=notes)


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
