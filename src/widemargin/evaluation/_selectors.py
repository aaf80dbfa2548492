"""Selectors by whatever names them, and many fits of one side by side."""

from __future__ import annotations

import numbers
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from inspect import isclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from widemargin.base import MarginSelector
from widemargin.data.dataset import Dataset
from widemargin.data.outcomes import TASKS
from widemargin.data.protocol import Floats
from widemargin.data.targets import looks_numeric
from widemargin.progress import progress
from widemargin.threads import Workers, single_threaded_blas, thread_count


def resolve_selectors(
    selectors: Any, *, task: str = "classification"
) -> dict[str, MarginSelector]:
    """Label the selectors of a comparison.

    Parameters
    ----------
    selectors : selector, str, list of these, or dict of label → selector or str
        A name is that of a class in `widemargin` or `widemargin.baselines`, in upper
        or lower case, and stands for its defaults.
    task : str, default="classification"
        What y holds. A name stands for a method with that task, if it has it.

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
        resolved = {str(label): _resolve(s, task) for label, s in selectors.items()}
    else:
        single = isinstance(selectors, str | MarginSelector) or isclass(selectors)
        if not single and not isinstance(selectors, Iterable):
            raise TypeError(_expected(selectors))
        found = [_resolve(s, task) for s in ([selectors] if single else selectors)]
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


def grouped_as(data: Dataset, selectors: Iterable[Any], caller: str) -> Dataset:
    """The table with the ``feature_groups`` of the selectors, which have to agree."""
    given = [getattr(s, "feature_groups", None) for s in selectors]
    if data.blocks is None and len({repr(groups) for groups in given}) > 1:
        raise ValueError(
            f"{caller} needs selectors with the same feature_groups, since it counts "
            "features. Pass feature_groups to all of them."
        )
    return data.grouped(given[0], caller)


def task_of(
    selectors: Any, y: Any, task: str | None, caller: str, *, several: bool = True
) -> str:
    """What y holds: as the caller, the selectors or y itself say.

    A selector for numbers, or for classes, decides. If all can do with both, or do not
    use labels, y does: decimals and numbers that hardly repeat are measurements. Unless
    ``several``, y has to hold classes, or one number for each row.
    """
    if task not in (None, *TASKS):
        raise ValueError(
            f"{caller} needs task to be one of {', '.join(map(repr, TASKS))}, or None, "
            f"which goes by y and the methods, got {task!r}."
        )
    found = task or _guessed_task(selectors, y)
    shape: tuple[int, ...] = getattr(y, "shape", ())
    wide = found == "regression" and len(shape) == 2 and shape[1] > 1
    if not several and (wide or found in ("multilabel", "survival")):
        what = "several targets" if wide else TASKS[found]
        raise ValueError(
            f"{caller} is for classes, or for one number in each row, and y has {what}."
            " AutoSelector, selection_curve and relevance take them."
        )
    return found


def _guessed_task(selectors: Any, y: Any) -> str:
    by_target = "regression" if looks_numeric(y) else "classification"
    if selectors is None:
        return by_target
    methods = resolve_selectors(selectors, task="regression")
    told = [m._task for m in resolve_selectors(selectors).values() if m._numeric_target]
    if told:
        return told[0]
    both = all(m._numeric_target or not m._uses_labels(y) for m in methods.values())
    return by_target if both else "classification"


def _resolve(selector: Any, task: str) -> MarginSelector:
    if isinstance(selector, MarginSelector):
        return selector
    if isinstance(selector, str):
        found = _by_name(selector)
        if "task" in found.get_params() and task in found._tasks:
            found.set_params(task=task)
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


class Call(NamedTuple):
    """What the caller asked for, as far as it concerns running it."""

    name: str
    unit: str  # of progress, in the plural
    n_jobs: int | None
    verbose: int


@contextmanager
def stoppable(name: str) -> Iterator[None]:
    """Let Ctrl-C end the call with a sentence, if only its traceback's last line."""
    try:
        yield
    except KeyboardInterrupt as stop:
        message = str(stop) or f"{name}: interrupted at the start; there is no result."
        raise KeyboardInterrupt(message) from None


@contextmanager
def interruptible(call: Call, total: int) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each of ``total`` steps; Ctrl-C says how many."""
    done = count()
    with progress(call.name, total, call.verbose) as advance:

        def step() -> None:
            next(done)
            advance()

        try:
            yield step
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"{call.name}: interrupted after {next(done)} of {total} {call.unit}; "
                "there is no result."
            ) from None


def refit(
    selector: Any,
    data: Callable[[int], Dataset],
    keep: Callable[[int, Any], None],
    total: int,
    call: Call,
) -> None:
    """Fit a clone to ``data(t)`` and hand it to ``keep(t, fitted)``, for t < total.

    Fits run side by side with one thread each. What they warn of, the same thing many
    times over, is not shown.
    """
    quiet = {"n_jobs": 1, "verbose": 0}
    settings = {p: v for p, v in quiet.items() if p in selector.get_params()}

    def fit(t: int) -> None:
        keep(t, data(t).fit(clone(selector).set_params(**settings)))

    with warnings.catch_warnings(action="ignore"):
        repeat(fit, total, call)


def repeat(step: Callable[[int], None], total: int, call: Call) -> None:
    """Do ``step(t)`` for t < total, side by side."""
    with (
        interruptible(call, total) as advance,
        Workers(min(thread_count(call.n_jobs), total)) as workers,
        single_threaded_blas(),  # the cores are busy with steps
    ):

        def done(t: int) -> None:
            step(t)
            advance()

        workers.run(done, range(total))


def seeded(
    selector: Any, random: np.random.RandomState, *, task: str = "classification"
) -> Any:
    """A clone, or the method of that name, that draws the same numbers in every fit."""
    if isinstance(selector, str):
        (selector,) = resolve_selectors(selector, task=task).values()
    if isclass(selector):
        name = selector.__name__
        raise TypeError(
            f"selector must be a selector, got the class {name}: write {name}()."
        )
    fixed = clone(selector)
    if fixed.get_params().get("random_state", "") is None:
        fixed.set_params(random_state=random.randint(2**31 - 1))
    return fixed


def task_for(selector: Any, y: Any, caller: str, *, several: bool = True) -> str:
    """What y holds for a selector, of ours or another's; see `task_of`."""
    ours = isinstance(selector, str | MarginSelector)
    return task_of(selector if ours else None, y, None, caller, several=several)


def scores_of(fitted: Any, caller: str) -> Floats:
    """One number per feature, higher for better ones."""
    for name in ("scores_", "feature_importances_"):
        scores = getattr(fitted, name, None)
        if scores is not None:
            return np.asarray(scores, dtype=np.float64)
    raise TypeError(
        f"{caller} needs a selector that scores features in scores_ or "
        f"feature_importances_, which {type(fitted).__name__} does not."
    )


def count_of(caller: str, name: str, value: Any, least: int) -> int:
    """A whole number from ``least``, or an error that says so."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if whole and value >= least:
        return int(value)
    raise ValueError(
        f"{caller} needs {name} to be an integer of at least {least}, got {value!r}."
    )
