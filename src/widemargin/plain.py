"""Plain values, as JSON has them, and whole files of them."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4


def plain_numbers(values: Any) -> list[Any] | None:
    """Plain numbers, None for what is not finite."""
    import numpy as np

    if values is None:
        return None
    return [
        None if v is None or not math.isfinite(v) else v
        for v in np.asarray(values).tolist()
    ]


def plain(value: Any) -> Any:
    """The value as JSON has it; what it does not have, as text."""
    import numpy as np

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
    with draft_of(path) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")
        if path.exists():
            shutil.copymode(path, draft)
    return path


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """Yield where to write a file, which is put in place once it is whole."""
    draft = path.with_name(f".{path.name}.{uuid4().hex[:8]}")
    try:
        yield draft
        os.replace(draft, path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
