"""Results on disk: JSON files with one line per case.

A file is written anew after each case and put in the place of the old one when it is
complete, so that a run may be stopped at any time.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from widemargin import __version__

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
OLDER = "older"  # of a result: the code has changed since

Case = dict[str, Any]  # the settings of one run; JSON can hold it
Result = dict[str, Any]  # what came out; JSON can hold it
Row = dict[str, Any]  # case and result in one


class NoStore(ValueError):
    """A file that should hold results holds something else."""


def versions() -> dict[str, Any]:
    """The versions that results depend on."""
    found = {"widemargin": __version__, "python": platform.python_version()}
    return found | {name: version_of(name) or "unknown" for name in PACKAGES}


def version_of(package: str) -> str | None:
    """The version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


class Store:
    """The results in one file, by case.

    Parameters
    ----------
    path : Path
    describe : callable, default=versions
        What to write into the file about machine and packages.
    """

    def __init__(
        self, path: Path, describe: Callable[[], dict[str, Any]] = versions
    ) -> None:
        self.path, self._describe = path, describe
        self._rows: dict[str, tuple[Case, Result]] = {}
        self.made_with: dict[str, Any] = {}  # of the last run
        self._read()

    def _read(self) -> None:
        """Take over what another run may have put on disk."""
        if not self.path.exists():
            return
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            if not isinstance(found, dict) or "rows" not in found:
                raise ValueError("it has no rows")
        except ValueError as error:
            raise NoStore(
                f"{self.path} is not a file of results ({error}). Move it away, and it "
                "will be measured again."
            ) from error
        self.made_with = found.get("made_with", {})
        for row in found["rows"]:
            self._rows.setdefault(_key(row["case"]), (row["case"], row["result"]))

    def __contains__(self, case: Case) -> bool:
        """Whether there is a result that need not be measured again."""
        found = self._rows.get(_key(case))
        return found is not None and not found[1].get(OLDER)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, case: Case, result: Result) -> None:
        """Keep the result of a case, on disk as well."""
        self._read()
        # As it will be read: what is shown does not depend on whether it was resumed.
        self._rows[_key(case)] = case, json.loads(json.dumps(_short(result)))
        self._write()

    def mark_as_older(self) -> None:
        """Say of all results that the code has changed since: they are to be redone."""
        if self._rows:
            for _, result in self._rows.values():
                result[OLDER] = True
            self._write()

    def rows(self, cases: Iterable[Case] | None = None) -> list[Row]:
        """Case and result in one dictionary each; of some cases, in their order."""
        keys = [*self._rows] if cases is None else [_key(case) for case in cases]
        found = [self._rows[key] for key in keys if key in self._rows]
        return [{**case, **result} for case, result in found]

    def cases(self) -> list[Case]:
        """The cases that have a result."""
        return [case for case, _ in self._rows.values()]

    def _write(self) -> None:
        lines = ",\n".join(
            json.dumps({"case": case, "result": result})
            for case, result in self._rows.values()
        )
        self.made_with = self._describe()
        made_with = json.dumps(self.made_with)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            draft.write_text(
                f'{{"made_with": {made_with},\n"rows": [\n{lines}\n]}}\n',
                encoding="utf-8",
            )
            draft.replace(self.path)
        finally:
            draft.unlink(missing_ok=True)


class Stores:
    """The stores in a folder by name, each read once; quick results are kept apart."""

    def __init__(
        self,
        folder: Path,
        quick: bool = False,
        describe: Callable[[], dict[str, Any]] = versions,
    ) -> None:
        self.folder, self.ending = folder, ".quick.json" if quick else ".json"
        self.describe = describe
        self._read: dict[str, Store] = {}

    def __getitem__(self, name: str) -> Store:
        if name not in self._read:
            path = self.folder / f"{name}{self.ending}"
            self._read[name] = Store(path, self.describe)
        return self._read[name]


def _key(case: Case) -> str:
    return json.dumps(case, sort_keys=True)


def _short(value: Any) -> Any:
    """The same as JSON can hold it, with numbers of five significant digits."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _short(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_short(item) for item in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
