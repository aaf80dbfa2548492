"""All methods in one list, made from the classes themselves.

Importing the classes takes seconds, so what they say is read from their source.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import widemargin
from widemargin import baselines
from widemargin.about import About


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
    found = []
    for package in (widemargin, baselines):
        homes = [
            (package._HOME[n], n)
            for n in package.__all__
            if n in package._HOME and n != "report"
        ]
        for module, name in sorted(homes, key=lambda home: home[0]):
            if name not in _selectors(module):
                continue
            text, about = _selectors(module)[name]
            _, _, summary = text.rstrip(".").partition(": ")
            found.append(
                Method(
                    name,
                    package.__name__,
                    summary or text.rstrip("."),
                    about.paper,
                    about.needs,
                    about.gives,
                    about.cost,
                )
            )
    return found


@cache
def _selectors(module: str) -> dict[str, tuple[str, About]]:
    """First line and ``_about`` of each class of a module that has one."""
    package, *path = module.split(".")
    # Asking the import system for a module would import the packages that it is in.
    file = files(package).joinpath(*path[:-1], f"{path[-1]}.py")
    if not file.is_file():
        raise RuntimeError(
            f"widemargin: the source of {module} is missing; reinstall widemargin."
        )
    source = file.read_text(encoding="utf-8")
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and (about := _about(node)):
            text = ast.get_docstring(node) or ""
            found[node.name] = (text.splitlines() or [""])[0], about
    return found


def _about(node: ast.ClassDef) -> About | None:
    """What ``_about = About(...)`` in the body of a class says."""
    for line in node.body:
        match line:
            case ast.Assign([ast.Name("_about")], ast.Call(_, values, named)):
                given = {k.arg or "": ast.literal_eval(k.value) for k in named}
                return About(*map(ast.literal_eval, values), **given)
    return None


def markdown() -> str:
    """Write the list as a table, as docs/methods.md has it."""
    rows = [["method", "what it looks for", "needs", "gives", "cost", "from"]]
    rows.append(["---"] * len(rows[0]))
    for m in methods():
        name = f"`{m.home}.{m.name}`".replace("widemargin.", "")
        rows.append([name, m.summary, m.needs, m.gives, m.cost, m.paper])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
