"""Many fits of one selector side by side, with progress and a clean way to stop."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import isclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from widemargin.base import MarginSelector
from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Floats
from widemargin.data.targets import looks_numeric
from widemargin.evaluation._selectors import is_regression, resolve_selectors
from widemargin.progress import progress
from widemargin.threads import Workers, single_threaded_blas, thread_count


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
    threads = min(thread_count(call.n_jobs), total)
    with (
        interruptible(call, total) as advance,
        warnings.catch_warnings(action="ignore"),
        Workers(threads) as workers,
        single_threaded_blas(),  # the cores are busy with fits
    ):

        def fit(t: int) -> None:
            keep(t, data(t).fit(clone(selector).set_params(**settings)))
            advance()

        workers.run(fit, range(total))


def seeded(
    selector: Any, random: np.random.RandomState, *, numeric: bool = False
) -> Any:
    """A clone, or the method of that name, that draws the same numbers in every fit."""
    if isinstance(selector, str):
        (selector,) = resolve_selectors(selector, numeric=numeric).values()
    if isclass(selector):
        name = selector.__name__
        raise TypeError(
            f"selector must be a selector, got the class {name}: write {name}()."
        )
    fixed = clone(selector)
    if fixed.get_params().get("random_state", "") is None:
        fixed.set_params(random_state=random.randint(2**31 - 1))
    return fixed


def is_numeric(selector: Any, y: Any, caller: str) -> bool:
    """Whether y is a number to predict for a selector, of ours or another's."""
    if isinstance(selector, str | MarginSelector):
        return is_regression(selector, y, None, caller)
    return looks_numeric(y)


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
