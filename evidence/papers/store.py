"""Results on disk: one JSON file per experiment, one line per case.

The file is written anew after each case and put in the place of the old one when it is
complete, so that a run may be stopped at any time and goes on where it was.
"""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evidence.papers.frame import Case, Result, Results
from widemargin._version import __version__

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


class NoStore(ValueError):
    """A file that should hold results holds something else."""


class Store:
    """The results of one experiment, by case.

    Parameters
    ----------
    folder : Path
        Of the paper.
    key : str
        Of the experiment.
    quick : bool
        Quick results are kept apart: ``KEY.quick.json``.
    """

    def __init__(self, folder: Path, key: str, quick: bool) -> None:
        self.path = folder / f"{key}{'.quick' if quick else ''}.json"
        self._rows: dict[str, tuple[Case, Result]] = {}
        self.made_with: dict[str, str] = {}  # versions, of the last run
        self._look()

    def _look(self) -> None:
        """Take over what another run may have put on disk."""
        if self.path.exists():
            found = _read(self.path)
            self.made_with = found.get("made_with", {})
            for row in found["rows"]:
                self._rows.setdefault(_name(row["case"]), (row["case"], row["result"]))

    def __contains__(self, case: Case) -> bool:
        return _name(case) in self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, case: Case, result: Result) -> None:
        """Keep the result of a case, on disk as well."""
        self._look()
        # As it will be read: what is shown does not depend on whether it was resumed.
        self._rows[_name(case)] = case, json.loads(json.dumps(short(result)))
        self._write()

    def forget(self) -> None:
        """Drop all results."""
        self._rows.clear()
        self.path.unlink(missing_ok=True)

    def results(self, cases: Any = None) -> Results:
        """Case and result in one dictionary each.

        Parameters
        ----------
        cases : sequence of dict, optional
            Only these, in their order.
        """
        names = [*self._rows] if cases is None else [_name(case) for case in cases]
        found = [self._rows[name] for name in names if name in self._rows]
        return Results([{**case, **result} for case, result in found])

    def _write(self) -> None:
        lines = ",\n".join(
            json.dumps({"case": case, "result": result})
            for case, result in self._rows.values()
        )
        self.made_with = versions()
        text = (
            f'{{"made_with": {json.dumps(self.made_with)},\n"rows": [\n{lines}\n]}}\n'
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(self.path)
        finally:
            draft.unlink(missing_ok=True)


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict) or "rows" not in found:
            raise ValueError("it has no rows")
    except ValueError as error:
        raise NoStore(
            f"{path} is not a file of results ({error}). Move it away, and it will be "
            "measured again."
        ) from error
    return found


def versions() -> dict[str, str]:
    """The versions that results depend on."""
    found = {"widemargin": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a checkout that is not installed
            found[name] = "unknown"
    return found


def _name(case: Case) -> str:
    return json.dumps(case, sort_keys=True)


def short(value: Any) -> Any:
    """The same as JSON can hold it, with numbers of five significant digits."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): short(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [short(item) for item in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
