"""The features that the user has today: from names, or from a file that has them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from widemargin.cli.columns import find_columns
from widemargin.cli.problem import Problem, listed

if TYPE_CHECKING:
    from widemargin.cli.prepare import Dataset
    from widemargin.cli.session import Session

SEPARATORS = ",;\t|"


def find_baseline(given: str, dataset: Dataset, notes: Session) -> list[str]:
    """Features named by ``--baseline``, which may be a file."""
    features = dataset.features
    if not Path(given).is_file():
        return _among(
            find_columns((given,), dataset.raw.columns, "--baseline"), features
        )
    names, aside = _in_file(Path(given), features), {dataset.target, *dataset.kept}
    found = [name for name in names if name in features]
    other = [name for name in names if name not in features and name not in aside]
    if not found:
        raise Problem(
            f"--baseline: {given} names none of the {len(features)} features."
        )
    if other:
        notes.note(
            f"--baseline: {given} also has {listed(other)}, which are "
            "not features here."
        )
    return found


def _among(names: list[str], features: list[str]) -> list[str]:
    for name in names:
        if name not in features:
            raise Problem(f"--baseline: {name!r} is not among the features.")
    if not names:
        raise Problem("--baseline names no features.")
    return names


def _in_file(path: Path, features: list[str]) -> list[str]:
    """Names in a saved selection, in the lines of a text, or above a table."""
    ending = path.suffix.lower()
    if ending == ".json":
        from widemargin.selection import Selection

        try:
            return [str(name) for name in Selection.load(path).kept]
        except (OSError, ValueError) as error:
            text = str(error).removeprefix("Selection.load: ")
            raise Problem(f"--baseline: {text}") from None
    if ending not in {".txt", ".csv", ".tsv", ""}:
        from widemargin.cli.reading import Request, read

        return [str(name) for name in read(str(path), Request(), least=1).frame.columns]
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise Problem(f"--baseline: {path} cannot be read: {error}.") from None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise Problem(f"--baseline: {path} is empty.")
    if set(lines) & set(features) and not _is_header(lines[0], features):
        return lines
    separator = max(SEPARATORS, key=lines[0].count)
    return [name.strip() for name in next(csv.reader(lines[:1], delimiter=separator))]


def _is_header(line: str, features: list[str]) -> bool:
    """Whether a line has several features in it."""
    return any(
        len(set(map(str.strip, line.split(separator))) & set(features)) > 1
        for separator in SEPARATORS
    )
