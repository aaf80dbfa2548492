"""Results on disk: one JSON file per part, one line per case.

Written after each case, by replacing the file, so that a run may be stopped at any time
and goes on where it was.
"""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("widemargin", "numpy", "scipy", "scikit-learn", "numba")
Row = dict[str, Any]


class Store:
    """The results of one part, by case."""

    def __init__(self, part: str, folder: Path = RESULTS) -> None:
        self.path = folder / f"{part}.json"
        self._rows: dict[str, Row] = {}
        if self.path.exists():
            with self.path.open(encoding="utf-8") as file:
                for row in json.load(file)["rows"]:
                    self._rows[_key(row["case"])] = row

    def __contains__(self, case: Row) -> bool:
        """Whether there is a result that need not be measured again."""
        row = self._rows.get(_key(case))
        return row is not None and not row["result"].get("older")

    def mark_as_older(self) -> None:
        """Say of all results that the code has changed since: they are to be redone."""
        for row in self._rows.values():
            row["result"]["older"] = True
        self._write()

    def add(self, case: Row, result: Row) -> None:
        """Keep the result of a case, on disk as well."""
        self._rows[_key(case)] = {"case": case, "result": result}
        self._write()

    def _write(self) -> None:
        lines = ",\n".join(json.dumps(_short(row)) for row in self._rows.values())
        text = f'{{"made_with": {json.dumps(environment())},\n"rows": [\n{lines}\n]}}\n'
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(f".{os.getpid()}.tmp")
        beside.write_text(text, encoding="utf-8")
        beside.replace(self.path)

    def rows(self) -> list[Row]:
        """Case and result in one dictionary each."""
        return [{**row["case"], **row["result"]} for row in self._rows.values()]


def environment() -> dict[str, str]:
    """The versions that results depend on."""
    found = {name: version(name) for name in PACKAGES}
    return {"python": platform.python_version(), **found}


def _key(case: Row) -> str:
    return json.dumps(case, sort_keys=True)


def _short(value: Any) -> Any:
    """The same, with numbers of five significant digits."""
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_short(item) for item in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
