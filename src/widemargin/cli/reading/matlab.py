"""The parts of a MATLAB file, checked before SciPy trusts them."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator

from widemargin.cli.reading.files import CHUNK
from widemargin.cli.reading.guards import memory_limit, too_large

HEADER = 128  # bytes before the first part
MATRIX, COMPRESSED = 14, 15
KINDS = {1, 2, 3, 4, 5, 6, 7, 9, 12, 13, MATRIX, COMPRESSED, 16, 17, 18}


def check_parts(name: str, data: bytes) -> None:
    """Refuse a file of version 5 to 7 with parts that are damaged or too large.

    A part is a tag, its kind and its length, and a content: numbers, a matrix, which
    consists of parts again, or another part, compressed. SciPy trusts the tags: an
    unknown kind ends the process, and a few compressed megabytes may take many
    gigabytes.

    Raises
    ------
    ValueError
        If a part is of an unknown kind or extends beyond the end of the file.
    Problem
        If the parts unpack to more than memory may take.
    """
    marks = data[124:128]
    if 0 in data[:4] or len(marks) < 4 or marks[marks[2:3] == b"I"] != 1:
        return  # of version 4, or 7.3, or not a MATLAB file: SciPy reports it
    order = "<" if marks[2:3] == b"I" else ">"
    left = memory_limit()
    for kind, part in _parts(memoryview(data)[HEADER:], order, padded=False):
        if kind == COMPRESSED:
            unpacked = _unpacked(part, left)
            left -= len(unpacked)
            if left < 0:
                raise too_large(name, "unpacks to more than")
            _check_matrix(memoryview(unpacked), order)
        elif kind == MATRIX:
            _check_matrix(part, order)


def _check_matrix(data: memoryview, order: str) -> None:
    """Go through all parts of a matrix, and of the matrices in it."""
    left = [data]
    while left:
        for kind, part in _parts(left.pop(), order):
            if kind == MATRIX:
                left.append(part)


def _parts(
    data: memoryview, order: str, padded: bool = True
) -> Iterator[tuple[int, memoryview]]:
    """Kind and content of each part."""
    place = 0
    while place + 8 <= len(data):
        kind, length = struct.unpack_from(f"{order}II", data, place)
        start = place + 8
        if kind >> 16:  # a short one: its length and content are in the tag
            kind, length, start = kind & 0xFFFF, kind >> 16, place + 4
        if kind not in KINDS:
            raise ValueError(f"a part is of the unknown kind {kind}")
        if start + length > len(data) or (start < place + 8 and length > 4):
            raise ValueError("a part extends beyond the end of the file")
        yield kind, data[start : start + length]
        place = max(start + length, place + 8)
        place += -place % 8 if padded else 0


def _unpacked(data: memoryview, most: int) -> bytes:
    """A compressed part, unpacked to a little above ``most`` bytes."""
    unpack, whole, packed = zlib.decompressobj(), io.BytesIO(), bytes(data)
    while packed and whole.tell() <= most:
        whole.write(unpack.decompress(packed, CHUNK))
        packed = unpack.unconsumed_tail
    return whole.getvalue()
