"""Whatever names the selectors of a comparison, as labelled selectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import import_module
from inspect import isclass
from typing import Any

from sklearn.base import clone

from widemargin.base import MarginSelector
from widemargin.data.targets import looks_numeric


def resolve_selectors(
    selectors: Any, *, numeric: bool = False
) -> dict[str, MarginSelector]:
    """Label the selectors of a comparison.

    Parameters
    ----------
    selectors : selector, str, list of these, or dict of label → selector or str
        A name is that of a class in `widemargin` or `widemargin.baselines`, in upper
        or lower case, and stands for its defaults.
    numeric : bool, default=False
        Whether y holds numbers: a name then stands for ``task="regression"`` of a
        method that has both tasks.

    Returns
    -------
    selectors : dict of str → MarginSelector
        In the caller's order. Without a label of its own, a selector is called after
        its class; where that is not enough to tell two apart, with its parameters.

    Examples
    --------
    >>> from widemargin import ReliefF
    >>> from widemargin.evaluation._selectors import resolve_selectors
    >>> list(resolve_selectors(["Simba", ReliefF(), ReliefF(n_neighbors=1)]))
    ['Simba', 'ReliefF()', 'ReliefF(n_neighbors=1)']
    """
    if isinstance(selectors, Mapping):
        resolved = {str(label): _resolve(s, numeric) for label, s in selectors.items()}
    else:
        single = isinstance(selectors, str | MarginSelector) or isclass(selectors)
        if not single and not isinstance(selectors, Iterable):
            raise TypeError(_expected(selectors))
        found = [_resolve(s, numeric) for s in ([selectors] if single else selectors)]
        resolved = dict(zip(_labels(found), found, strict=True))
    if not resolved:
        raise ValueError("selectors must name at least one method, got none.")
    return resolved


def preset(
    selector: MarginSelector, random_state: int, categorical_features: Any
) -> MarginSelector:
    """A clone with these parameters, if it has them and leaves them to the caller.

    It ranks only: how many features to keep, and near copies, are not its business.
    """
    given = {"random_state": random_state, "categorical_features": categorical_features}
    own = selector.get_params()
    changed = {p: v for p, v in given.items() if p in own and own[p] is None}
    if own.get("n_features_to_select") == "auto":
        changed["n_features_to_select"] = None
    if "redundancy" in own:
        changed["redundancy"] = None
    return clone(selector).set_params(**changed)


def is_regression(selectors: Any, y: Any, task: str | None, caller: str) -> bool:
    """Whether y is a number to predict: as the caller, the selectors or y itself say.

    A selector for numbers, or for classes, decides. If all can do with both, or do not
    use labels, y does: decimals and numbers that hardly repeat are measurements.
    """
    if task not in (None, *TASKS):
        raise ValueError(
            f'{caller} needs task="classification", "regression" or None, which goes '
            f"by y and the methods, got {task!r}."
        )
    if task is not None:
        return task == "regression"
    if selectors is None:
        return looks_numeric(y)
    methods = resolve_selectors(selectors, numeric=True)
    given = resolve_selectors(selectors).values()
    if any(m._numeric_target for m in given):
        return True
    both = all(m._numeric_target or not m._uses_labels(y) for m in methods.values())
    return both and looks_numeric(y)


TASKS = ("classification", "regression")


def _resolve(selector: Any, numeric: bool) -> MarginSelector:
    if isinstance(selector, MarginSelector):
        return selector
    if isinstance(selector, str):
        found = _by_name(selector)
        if numeric and "task" in found.get_params():
            found.set_params(task="regression")
        return found
    raise TypeError(_expected(selector))


def _expected(came: Any) -> str:
    if isclass(came) and issubclass(came, MarginSelector):
        return (
            f"selectors must be selectors or their names, got the class "
            f"{came.__name__}: write {came.__name__}()."
        )
    return (
        f"selectors must be selectors of widemargin or their names, got {came!r} of "
        f"type {type(came).__name__}."
    )


def _by_name(name: str) -> MarginSelector:
    known = known_methods()
    for spelling, selector in known.items():
        if spelling.lower() == name.lower():
            return selector()
    raise ValueError(f"There is no method {name!r}; there are {', '.join(known)}.")


def known_methods() -> dict[str, type[MarginSelector]]:
    """Every public selector by its name."""
    # By name, since the package itself names what is in here.
    packages = [import_module(p) for p in ("widemargin", "widemargin.baselines")]
    members = {name: getattr(p, name) for p in packages for name in p.__all__}
    return {
        name: member
        for name, member in members.items()
        if isclass(member) and issubclass(member, MarginSelector)
    }


def _labels(selectors: list[MarginSelector]) -> list[str]:
    """Different labels, as short as can be."""
    labels = [type(s).__name__ for s in selectors]
    same = Counter(labels)
    for i, selector in enumerate(selectors):
        if same[labels[i]] > 1:
            labels[i] = " ".join(repr(selector).split())
    same, seen = Counter(labels), Counter[str]()
    for i, label in enumerate(labels):
        if same[label] > 1:
            seen[label] += 1
            labels[i] = f"{label} #{seen[label]}"
    return labels
