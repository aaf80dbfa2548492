"""Bytes of a file or of stdin, decompressed, and the format they are in."""

from __future__ import annotations

import io
import os
import sys
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from widemargin.cli.problem import Problem, listed, require
from widemargin.cli.reading.guards import (
    BY_PARTS,
    check_room,
    memory_limit,
    problem_if_unreadable,
    too_large,
)


class Format(NamedTuple):
    """Extensions of a format, its reader, and the first bytes of such files."""

    endings: tuple[str, ...]
    reader: str
    signs: tuple[bytes, ...] = ()


ARRAY = b"\x93NUMPY"
FORMATS = {
    "csv": Format(
        (".csv", ".tsv", ".tab", ".psv", ".txt", ".data", ".dat"), "text.read_text"
    ),
    "parquet": Format((".parquet", ".pq"), "tables.read_parquet", (b"PAR1",)),
    "feather": Format(
        (".feather", ".arrow", ".ipc"), "tables.read_feather", (b"ARROW1", b"FEA1")
    ),
    "excel": Format((".xlsx", ".xlsm"), "tables.read_excel"),
    "arff": Format((".arff",), "arff.read_arff"),
    "matlab": Format((".mat",), "arrays.read_matlab", (b"MATLAB 5.0",)),
    "numpy": Format((".npz", ".npy"), "arrays.read_numpy", (ARRAY,)),
    "libsvm": Format((".libsvm", ".svmlight", ".svm"), "arrays.read_libsvm"),
    "anndata": Format((".h5ad",), "arrays.read_anndata", (b"\x89HDF",)),
}
# Extensions of formats that are not supported, and what these are called.
UNREAD = {
    ".json": "JSON",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".xls": "the Excel format before 2007",
    ".ods": "the OpenDocument format",
    ".sas7bdat": "SAS",
    ".dta": "Stata",
    ".sav": "SPSS",
    ".rds": "R's own format",
    ".rdata": "R's own format",
    ".pkl": "pickle",
    ".pickle": "pickle",
}
PACKED = (".gz", ".bz2", ".xz", ".zip", ".zst")
CHUNK = 2**20  # bytes to unpack at a time


@dataclass(frozen=True)
class File:
    """A file that has been read, or that can be mapped into memory."""

    name: str  # as the user calls it
    data: bytes  # the beginning, if it is mapped
    ending: str = ""  # the extension that says the format, in lower case
    mapped: bool = False

    @property
    def format(self) -> str:
        """The format by the extension, else by the first bytes."""
        for name, format in FORMATS.items():
            if self.ending in format.endings:
                # Extensions of text say little about what is in it.
                return (_magic_of_text(self.data) or name) if name == "csv" else name
        if self.ending in UNREAD:
            raise Problem(
                f"{self.name}: {UNREAD[self.ending]} is not supported; save the table "
                "as CSV, Parquet or .xlsx."
            )
        return magic(self.data) or "csv"


def magic(data: bytes) -> str | None:
    """The format that the first bytes of a file indicate, if any."""
    for name, format in FORMATS.items():
        if data.startswith(format.signs):
            return name
    if not data.startswith(b"PK\x03\x04"):
        return _magic_of_text(data)
    try:
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except Exception:  # damaged, which `unpack` reports
        return None
    if any(name.startswith("xl/") for name in names):
        return "excel"
    return "numpy" if names and all(n.endswith(".npy") for n in names) else None


def _magic_of_text(data: bytes) -> str | None:
    """The format that the first line of a text indicates, if any."""
    head = data[:4096].lstrip().lower()
    lines = [line for line in head.splitlines() if line and not line.startswith(b"%")]
    if lines and lines[0].startswith((b"@relation", b"@attribute")):
        return "arff"
    pairs = [word.partition(b":") for word in lines[0].split()[1:]] if lines else []
    if pairs and all(colon and index.isdigit() for index, colon, _ in pairs):
        return "libsvm"
    return None


def matching(path: str) -> list[str]:
    """The file of that name, else the files that match it as a pattern.

    Looks at names only, so that a wrong one is reported before anything is imported.
    """
    if path == "-" or os.path.lexists(path):
        return [path]
    if not has_magic(path):
        raise Problem(f"there is no file {path!r}.")
    names = sorted(name for name in glob(path, recursive=True) if Path(name).is_file())
    if not names:
        raise Problem(f"there is no file that matches {path!r}.")
    return names


def look(path: str) -> None:
    """Refuse, before anything is imported, what does not exist or is a folder."""
    for name in matching(path):
        if Path(name).is_dir():
            raise _folder(name)


def _folder(path: str) -> Problem:
    pattern = str(Path(path) / "*.csv")
    return Problem(
        f"{path!r} is a folder; name a file, or the files in it as a pattern: "
        f"{pattern!r}."
    )


def load(path: str, *, mapped: bool = False) -> File:
    """Read and decompress a file; "-" is stdin.

    With ``mapped``, an array in NumPy's format stays on disk.
    """
    if path == "-":
        name = "stdin"
        try:
            data = _read_at_most(sys.stdin.buffer, name, "holds")
        except OSError as error:  # it is closed, or a folder
            raise Problem(f"stdin cannot be read: {error.strerror}.") from None
    else:
        name = path
        try:
            with Path(path).open("rb") as file:
                if mapped and Path(path).is_file() and file.peek(6)[:6] == ARRAY:
                    return File(name, ARRAY, ".npy", mapped=True)
                if Path(path).is_file():
                    check_room(name, os.fstat(file.fileno()).st_size, BY_PARTS)
                    data = file.read()
                else:  # a pipe, of unknown size
                    data = _read_at_most(file, name, "holds")
        except FileNotFoundError:
            raise Problem(f"there is no file {path!r}.") from None
        except IsADirectoryError:
            raise _folder(path) from None
        except OSError as error:
            raise Problem(f"{path!r} cannot be read: {error.strerror}.") from None
    data, inner = _unpack(name, data)
    if not data.strip():
        raise Problem(f"{name} is empty.")
    return File(name, data, extension_of(inner))


def extension_of(name: str) -> str:
    """Extension that says the format of a file, which may be compressed."""
    endings = [ending.lower() for ending in PurePath(name).suffixes]
    while endings and endings[-1] in PACKED:
        endings.pop()
    return endings[-1] if endings else ""


def _unpack(name: str, data: bytes) -> tuple[bytes, str]:
    """Decompressed data, and the name whose extension says their format."""
    with ExitStack() as until_then:
        until_then.enter_context(
            problem_if_unreadable(f"{name} is damaged, it cannot be unpacked")
        )
        if data[:4] == b"PK\x03\x04" and magic(data) is None:
            stream, inner = _member(name, data)
        else:
            stream, inner = _decompressor(data), name
        if stream is None:
            return data, name
        stream = until_then.enter_context(stream)
        return _read_at_most(stream, name, "unpacks to"), inner


def _decompressor(data: bytes) -> Any:
    """A stream of the decompressed data; None if they are not compressed."""
    import bz2
    import gzip
    import lzma

    packed = io.BytesIO(data)
    if data[:2] == b"\x1f\x8b":
        return gzip.GzipFile(fileobj=packed)
    if data[:3] == b"BZh":
        return bz2.BZ2File(packed)
    if data[:6] == b"\xfd7zXZ\x00":
        return lzma.LZMAFile(packed)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        pyarrow = require("pyarrow", "A .zst file", "files")
        return pyarrow.input_stream(packed, compression="zstd")
    return None


def _member(name: str, data: bytes) -> tuple[Any, str]:
    """The only file in a zip archive."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    members = [m for m in archive.namelist() if not m.endswith("/")]
    if len(members) != 1:
        raise Problem(
            f"{name} holds {len(members)} files; one is needed: {listed(members)}."
        )
    return archive.open(members[0]), members[0]


def _read_at_most(stream: Any, name: str, what: str) -> bytes:
    """All of a stream, unless that is more than memory may take."""
    limit = memory_limit()
    whole = io.BytesIO()
    while chunk := stream.read(CHUNK):
        if whole.tell() + len(chunk) > limit:
            raise too_large(name, f"{what} more than")
        whole.write(chunk)
    return whole.getvalue()
