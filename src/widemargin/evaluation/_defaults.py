"""A good handful of methods for a given table."""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin.base import MarginSelector
from widemargin.baselines.fisher import FisherScore
from widemargin.baselines.forest import ForestImportance
from widemargin.baselines.mrmr import MRMR
from widemargin.baselines.univariate import FRegression, MutualInformation
from widemargin.evaluation._profile import Profile, profile
from widemargin.selectors.kernel_rfe import KernelRFE
from widemargin.selectors.multisurf import MultiSURF
from widemargin.selectors.orelieff import OReliefF
from widemargin.selectors.relief import Relief
from widemargin.selectors.relieff import ReliefF
from widemargin.selectors.rrelieff import RReliefF
from widemargin.settings import current

BUDGET = 40.0  # seconds of work that the limits of `EffortSettings` are meant for


def default_selectors(
    X: Any,
    y: Any,
    *,
    random_state: int | None = None,
    categorical_features: Any = None,
    task: str | None = None,
) -> dict[str, MarginSelector]:
    """Choose a handful of methods that suit a table, by its size and column types.

    `KernelRFE`, which did best in the study, and methods that represent other ideas,
    among them random forest importances, to show what people use. On a table with
    nominal columns or missing values, only methods that support them are used; with
    three or more ordered classes, the ordinal methods; with a numeric target, or
    several, or sparse X, the methods that take it. On a huge table, methods that visit
    row by row visit a sample, and methods that would take minutes are left out.

    Parameters
    ----------
    X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        Numbers, nominal features, missing values.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Class labels, or numbers to predict; see ``task``.
    random_state : int, optional
        For the methods that have one.
    categorical_features : array-like of bool, int or str, optional
        Which columns are nominal.
    task : str or None, default=None
        What y holds, as for `KernelRFE`; None goes by y.

    Returns
    -------
    selectors : dict of str → selector
        Not fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.evaluation import default_selectors
    >>> list(default_selectors(*load_iris(return_X_y=True)))
    ['KernelRFE', 'ReliefF', 'FisherScore', 'MRMR', 'ForestImportance']
    """
    about = profile(X, y, categorical_features=categorical_features, task=task)
    return choose(about, random_state, categorical_features)


def choose(
    about: Profile,
    random_state: int | None,
    categorical_features: Any,
    share: float = 1.0,
) -> dict[str, MarginSelector]:
    """Choose by the profile of a table, for a share of the usual budget."""
    n, d, effort = about.n_samples, about.n_features, current().effort
    seed: dict[str, Any] = {"random_state": random_state}
    suited = _for_numbers if about.numeric_target else _for_classes
    methods = suited(about, n * n * d / share, seed)
    if about.plain and n * np.log2(n) * np.sqrt(d) <= share * effort.forest_work:
        task: Any = about.task
        methods.append(ForestImportance(task=task, **seed))
    several = about.target is not None and about.target.ndim == 2
    methods = [
        m
        for m in methods
        if about.task in m._tasks
        and (m._several_targets or not several)
        and (m._sparse or not about.sparse)
    ]
    if categorical_features is not None:
        for selector in methods:
            selector.set_params(categorical_features=categorical_features)
    return {type(selector).__name__: selector for selector in methods}


def _for_numbers(
    about: Profile, work: float, seed: dict[str, Any]
) -> list[MarginSelector]:
    """Methods for numbers, sets of labels or survival times."""
    effort = current().effort
    task: Any = about.task
    chosen: list[MarginSelector] = [KernelRFE(task=task, **seed)]
    if work <= effort.all_rows_work:
        chosen.append(RReliefF(task=task))
    if work <= effort.one_start_work:
        chosen.append(MultiSURF(task=task))
    if about.plain:
        chosen += [FRegression(), MutualInformation(task=task, **seed)]
    return chosen


def _for_classes(
    about: Profile, work: float, seed: dict[str, Any]
) -> list[MarginSelector]:
    """Methods for classes."""
    n, d, effort = about.n_samples, about.n_features, current().effort
    every_row = work <= effort.all_rows_work
    once = work <= effort.one_start_work
    sample: dict[str, Any] = {}
    if not every_row:
        sample = {"n_samples": effort.all_rows_work // (10 * n * d), **seed}
    starts = seed if work <= effort.all_starts_work else {"n_starts": 1, **seed}
    ordered = about.ordered and about.n_classes > 2
    chosen: list[MarginSelector] = []
    if ordered:
        # A nominal feature has no direction in which it could rise with the classes.
        nominal = bool((about.kinds == "nominal").any())
        rise: dict[str, Any] = {"directions": "auto"}
        if nominal:
            rise = {"difference": "absolute"}
        if every_row:
            chosen.append(OReliefF(**rise))
        if once:
            from widemargin.selectors.osimba import OSimba  # with Numba

            chosen.append(OSimba(**rise, **starts))
    chosen += [KernelRFE(**seed), ReliefF(**sample)]
    if about.plain:
        chosen += [FisherScore(), MRMR(min(MRMR._most_taken, d))]
    elif not ordered:
        # Relief, like ReliefF, may rank nominal features of many values too high.
        chosen.append(MultiSURF() if once else Relief(**sample))
    return chosen
