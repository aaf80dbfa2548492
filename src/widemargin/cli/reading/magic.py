"""Formats that the first bytes of a file give away."""

from __future__ import annotations

import io

ARRAY = b"\x93NUMPY"


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
    except Exception:  # damaged, which it is for others to say
        return None
    if any(name.startswith("xl/") for name in names):
        return "excel"
    return "numpy" if names and all(n.endswith(".npy") for n in names) else None
