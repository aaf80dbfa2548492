"""Compressed files, unpacked to no more than memory may take."""

from __future__ import annotations

import io
from contextlib import ExitStack
from typing import Any

from widemargin.cli.problem import Problem, listed, needs
from widemargin.cli.reading.faults import problem_if_unreadable
from widemargin.cli.reading.magic import magic
from widemargin.cli.reading.memory import memory_limit, too_large

PACKED = (".gz", ".bz2", ".xz", ".zip", ".zst")
PIECE = 2**20  # bytes to unpack at a time


def unpack(name: str, data: bytes) -> tuple[bytes, str]:
    """Decompressed data, and the name that tells their format."""
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
        return read_at_most(until_then.enter_context(stream), name, "unpacks to"), inner


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
        try:
            import pyarrow
        except ImportError:
            raise needs("pyarrow", "A .zst file", '"widemargin[files]"') from None
        return pyarrow.input_stream(packed, compression="zstd")
    return None


def _member(name: str, data: bytes) -> tuple[Any, str]:
    """The only file in a zip archive."""
    import zipfile

    archive = zipfile.ZipFile(io.BytesIO(data))
    members = [m for m in archive.namelist() if not m.endswith("/")]
    if len(members) != 1:
        raise Problem(
            f"{name} holds {len(members)} files; one is needed: {listed(members)}."
        )
    return archive.open(members[0]), members[0]


def read_at_most(stream: Any, name: str, what: str) -> bytes:
    """All of a stream, unless that is more than memory may take."""
    limit = memory_limit()
    whole = io.BytesIO()
    while piece := stream.read(PIECE):
        if whole.tell() + len(piece) > limit:
            raise too_large(name, f"{what} more than")
        whole.write(piece)
    return whole.getvalue()
