"""Plain values, as JSON has them, and whole files of them."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


def plain_numbers(values: Any) -> list[Any] | None:
    """Plain numbers, None for what is not finite."""
    if values is None:
        return None
    return [
        None if v is None or not math.isfinite(v) else v
        for v in np.asarray(values).tolist()
    ]


def plain(value: Any) -> Any:
    """The value as JSON has it; what it does not have, as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple | range):
        return [plain(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    return " ".join(repr(value).split())


def write_whole(path: Path, text: str) -> Path:
    """Write a whole file or none; a file that is replaced leaves its permissions."""
    if path.exists():
        mode = path.stat().st_mode & 0o777
    else:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(draft, mode)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
    return path
