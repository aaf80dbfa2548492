"""`warm`: compile ahead what the first fits on a machine need."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from widemargin.base import MarginSelector
from widemargin.data.protocol import Floats
from widemargin.evaluation import RankingTree, compare
from widemargin.evaluation._selectors import known_methods, resolve_selectors
from widemargin.kernels._jit import cache_counts, cache_place
from widemargin.notices import muted
from widemargin.progress import progress
from widemargin.settings import current, using

N_ROWS, N_FEATURES = 120, 6
MISSING = 0.05  # share of the cells

# Parameters with which a method runs other compiled code. Those that only some methods
# have are left out for the others.
KINDS: tuple[dict[str, Any], ...] = (
    {},
    {"metric": "manhattan"},
    {"n_features_to_select": "auto"},
    {"n_samples": "auto"},
    {"task": "regression"},
    {"task": "regression", "n_features_to_select": "auto"},
)
MIXED_KINDS: tuple[dict[str, Any], ...] = (
    *KINDS,
    {"n_features_to_select": "auto", "redundancy": "auto"},
)


@dataclass(frozen=True)
class Warmed:
    """What `warm` has done.

    Attributes
    ----------
    n_compiled : int
        Functions that were compiled, each type of its arguments counted.
    n_found : int
        Functions that had been compiled before and were loaded.
    seconds, processor_seconds : float
        Time by the clock and on the processor.
    folder : str or None
        Where the code is kept; None if it cannot be.
    problem : str or None
        Why not all of it could be kept.
    """

    n_compiled: int
    n_found: int
    seconds: float
    processor_seconds: float
    folder: str | None
    problem: str | None

    def __str__(self) -> str:
        """Say it in a sentence or two."""
        done = (
            f"Compiled {self.n_compiled} functions in {self.seconds:.0f} s "
            f"({self.processor_seconds:.0f} s of processor time)."
        )
        if not self.n_compiled:
            done = "Nothing was left to compile."
        if self.problem is not None:
            return f"{done} They are not kept: {self.problem}."
        return done if self.folder is None else f"{done} The code is in {self.folder}."


def warm(methods: Any = None, *, verbose: int = 0) -> Warmed:
    """Compile ahead of time what first fits need, and cache it on disk.

    A method is compiled when it is first used on a machine, which takes some seconds.
    This function compiles it ahead of time, for example while a container image is
    built. The compiled code is stored in the first writable place of: the folder
    `NUMBA_CACHE_DIR`, next to the package, a folder of the user. Other users can read
    code stored next to the package. It is specific to the processor it was compiled on.

    Parameters
    ----------
    methods : str, selector, list of these, or None, default=None
        What will be used, by name or with its parameters. Each is compiled for plain
        numbers, for ``"auto"``, and for missing values and the other metric or task if
        it takes them. None is every method, `widemargin.evaluation.compare` and
        `widemargin.evaluation.RankingTree`.
    verbose : int, default=0
        Show progress if positive.

    Returns
    -------
    warmed : Warmed
        How much was compiled, how long it took, and where it is.

    See Also
    --------
    widemargin.methods : What there is to choose from.

    Examples
    --------
    >>> import widemargin
    >>> warmed = widemargin.warm("FisherScore")
    >>> warmed.problem is None
    True
    """
    steps = list(_steps(methods))
    clock, processor = time.perf_counter(), time.process_time()
    before = cache_counts()
    # Small tables are not searched by compiled code otherwise.
    settings = replace(current(), small_table_rows=0)
    labels = [f"now {label}" for label, _ in steps]
    with using(settings), progress("compiling", len(steps), verbose) as advance:
        advance(0, labels[0])
        for (_, step), following in zip(steps, [*labels[1:], ""], strict=True):
            with muted():  # what there is to say about the table is of no interest
                step()
            advance(1, following)
    after = cache_counts()
    return Warmed(
        after.compiled - before.compiled,
        after.loaded - before.loaded,
        time.perf_counter() - clock,
        time.process_time() - processor,
        *cache_place(),
    )


def _steps(methods: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Fits that need all that is to be compiled, with the name of the method."""
    chosen = list(known_methods()) if methods is None else methods
    for name, selector in resolve_selectors(chosen).items():
        yield name, partial(_fit_all_kinds, selector)
    if methods is None:
        for missing in (False, True):
            for target in _targets(_table()):
                X = _table(missing)
                yield "compare", partial(compare, X, target, random_state=0)
        yield "RankingTree", _fit_tree


def _fit_tree() -> None:
    X = _table()
    RankingTree().fit(X, _targets(X)[0]).predict(X)


def _fit_all_kinds(selector: MarginSelector) -> None:
    """Fit a selector to a table in each way that needs code of its own."""
    own = selector.get_params(deep=False)
    for missing in (False, True)[: 1 + selector._mixed]:
        X = _table(missing)
        for kind in MIXED_KINDS if missing else KINDS:
            if kind.keys() <= own.keys():
                fitted = clone(selector).set_params(**kind)
                labels, numbers = _targets(_table())
                fitted.fit(X, numbers if fitted._numeric_target else labels)


def _table(missing: bool = False) -> Floats:
    """Numbers, some of them missing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    if missing:
        X[rng.random(X.shape) < MISSING] = np.nan
    return X


def _targets(X: Floats) -> tuple[NDArray[Any], Floats]:
    """Classes, and a number to predict."""
    number = X[:, 0] + X[:, 1]
    return np.digitize(number, [0.0]), number
