"""Bytes of a file or of stdin, decompressed."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath

from widemargin.cli.problem import Problem, listed, needs

ARRAY = b"\x93NUMPY"
PACKED = (".gz", ".bz2", ".xz", ".zip", ".zst")


@dataclass(frozen=True)
class File:
    """A file that has been read, or that can be mapped into memory."""

    name: str  # as the user calls it
    data: bytes  # the beginning, if it is mapped
    ending: str = ""  # of its format, in lower case
    mapped: bool = False

    @property
    def stem(self) -> str:
        """The name without folder and endings, to name other files after it."""
        name = PurePath(self.name).name
        return name.split(".")[0] or name


def load(path: str, *, mapped: bool = False) -> File:
    """Read and decompress a file; "-" is stdin.

    With ``mapped``, an array in NumPy's format is left where it is.
    """
    if path == "-":
        name, data = "stdin", sys.stdin.buffer.read()
    else:
        name = path
        try:
            with Path(path).open("rb") as file:
                if mapped and Path(path).is_file() and file.peek(6)[:6] == ARRAY:
                    return File(name, ARRAY, ".npy", mapped=True)
                data = file.read()
        except FileNotFoundError:
            raise Problem(f"there is no file {path!r}.") from None
        except IsADirectoryError:
            raise Problem(f"{path!r} is a folder; a file is needed.") from None
        except OSError as error:
            raise Problem(f"{path!r} cannot be read: {error.strerror}.") from None
    data, inner = _unpack(name, data)
    if not data.strip():
        raise Problem(f"{name} is empty.")
    endings = [e.lower() for e in PurePath(inner).suffixes]
    while endings and endings[-1] in PACKED:
        endings.pop()
    return File(name, data, endings[-1] if endings else "")


def _unpack(name: str, data: bytes) -> tuple[bytes, str]:
    """Decompressed data, and the name that tells their format."""
    import bz2
    import gzip
    import lzma
    import zlib

    unpack: Callable[[bytes], bytes]
    if data[:2] == b"\x1f\x8b":
        unpack = gzip.decompress
    elif data[:3] == b"BZh":
        unpack = bz2.decompress
    elif data[:6] == b"\xfd7zXZ\x00":
        unpack = lzma.decompress
    elif data[:4] == b"\x28\xb5\x2f\xfd":
        unpack = _unpack_zstandard
    elif data[:4] == b"PK\x03\x04" and magic(data) is None:
        return _unpack_zip(name, data)
    else:
        return data, name
    try:
        return unpack(data), name
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise Problem(f"{name} is damaged, it cannot be unpacked: {error}.") from None


def _unpack_zstandard(data: bytes) -> bytes:
    try:
        import pyarrow
    except ImportError:
        raise needs("pyarrow", "A .zst file", '"widemargin[files]"') from None
    with pyarrow.input_stream(io.BytesIO(data), compression="zstd") as stream:
        unpacked: bytes = stream.read()
    return unpacked


def _unpack_zip(name: str, data: bytes) -> tuple[bytes, str]:
    import zipfile
    import zlib

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [m for m in archive.namelist() if not m.endswith("/")]
            if len(members) != 1:
                raise Problem(
                    f"{name} holds {len(members)} files; one is needed: "
                    f"{listed(members)}."
                )
            return archive.read(members[0]), members[0]
    except (zipfile.BadZipFile, zlib.error, RuntimeError) as error:
        raise Problem(f"{name} is damaged, it cannot be unpacked: {error}.") from None


def magic(data: bytes) -> str | None:
    """The format that the first bytes give away, if any."""
    signs = {
        b"PAR1": "parquet",
        b"ARROW1": "feather",
        b"FEA1": "feather",
        ARRAY: "numpy",
        b"MATLAB 5.0": "matlab",
        b"\x89HDF": "anndata",
    }
    for sign, format in signs.items():
        if data.startswith(sign):
            return format
    if data.startswith(b"PK\x03\x04"):
        return _kind_of_zip(data)
    return magic_of_text(data)


def magic_of_text(data: bytes) -> str | None:
    """The format that the first line of a text gives away, if any."""
    head = data[:4096].lstrip().lower()
    lines = [line for line in head.splitlines() if line and not line.startswith(b"%")]
    if lines and lines[0].startswith((b"@relation", b"@attribute")):
        return "arff"
    words = lines[0].split() if lines else []
    if len(words) > 1 and all(_is_pair(word) for word in words[1:]):
        return "libsvm"
    return None


def _is_pair(word: bytes) -> bool:
    index, colon, _ = word.partition(b":")
    return bool(colon) and index.isdigit()


def _kind_of_zip(data: bytes) -> str | None:
    import zipfile

    try:
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except zipfile.BadZipFile:
        return None
    if any(name.startswith("xl/") for name in names):
        return "excel"
    return "numpy" if names and all(n.endswith(".npy") for n in names) else None
