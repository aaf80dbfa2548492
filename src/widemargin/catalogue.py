"""All methods in one list, made from the classes themselves."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import isclass

import widemargin
from widemargin import baselines
from widemargin.base import MarginSelector


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


def methods() -> list[Method]:
    """List every selector: what it does, where it comes from, what it needs and costs.

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
    found = []
    for package in (widemargin, baselines):
        members = [getattr(package, name) for name in package.__all__]
        selectors = [c for c in members if isclass(c) and issubclass(c, MarginSelector)]
        for selector in sorted(selectors, key=lambda c: c.__module__):
            about = selector._about
            text = (selector.__doc__ or "").splitlines()[0]
            _, _, summary = text.rstrip(".").partition(": ")
            found.append(
                Method(
                    selector.__name__,
                    package.__name__,
                    summary or text.rstrip("."),
                    about.paper,
                    about.needs,
                    about.gives,
                    about.cost,
                )
            )
    return found


def markdown() -> str:
    """Write the list as a table, as the README has it."""
    rows = [["method", "what it looks for", "needs", "gives", "cost", "from"]]
    rows.append(["---"] * len(rows[0]))
    for m in methods():
        name = f"`{m.home}.{m.name}`".replace("widemargin.", "")
        rows.append([name, m.summary, m.needs, m.gives, m.cost, m.paper])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
