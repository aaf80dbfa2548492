"""All methods in one list: `methods.toml`, as records."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Method:
    """One row of the list."""

    name: str
    home: str  # the package to import it from
    summary: str
    paper: str
    needs: str  # besides the features
    gives: str  # a ranking or a subset
    cost: str  # for n samples and d features


@cache
def _entries() -> dict[str, dict[str, str]]:
    text = Path(__file__).with_name("methods.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def homes(package: str) -> dict[str, str]:
    """Module of each method that a package offers, by name."""
    modules = {name: entry["module"] for name, entry in _entries().items()}
    return {name: m for name, m in modules.items() if _home(m) == package}


def _home(module: str) -> str:
    return "widemargin.baselines" if ".baselines." in module else "widemargin"


def methods() -> list[Method]:
    """List all selectors: what they do, their papers, requirements and cost.

    Returns
    -------
    methods : list of Method
        The papers' methods first, then the baselines they are compared with.

    Examples
    --------
    >>> import widemargin
    >>> [m.name for m in widemargin.methods() if m.gives == "subset"]
    ['GFlip', 'FCBF', 'FeatureSimilarity']
    """
    usual = {"needs": "classes", "gives": "ranking"}
    found = []
    for name, entry in _entries().items():
        about = usual | entry
        home = _home(about.pop("module"))
        found.append(Method(name=name, home=home, **about))
    return found
