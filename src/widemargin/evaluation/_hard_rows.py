"""Rows that lie among rows of another class, and what that says about their labels.

References
----------
C. Brodley, M. Friedl, *Identifying mislabeled training data*, Journal of Artificial
Intelligence Research 11, 1999 (rows judged by models that have not seen them).
C. Scott, G. Blanchard, G. Handy, *Classification with asymmetric label noise:
consistency and maximal denoising*, COLT 2013 (the share of wrong labels as a mixture).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from widemargin.data.blocks import columns_of as block_columns
from widemargin.data.dataset import Dataset
from widemargin.data.frames import data_frame
from widemargin.data.protocol import Floats, Ints
from widemargin.data.read import read_dataset
from widemargin.evaluation import _html
from widemargin.evaluation._selection_curve import columns_of
from widemargin.evaluation._selectors import preset, resolve_selectors, task_of
from widemargin.judging.folds import Fold, group_codes, split
from widemargin.judging.nearest import NearestNeighbor
from widemargin.judging.trials import own_size
from widemargin.progress import progress
from widemargin.threads import spans

if TYPE_CHECKING:
    import pandas as pd

CALLER = "hard_rows"
NEIGHBORS = 5  # of each class, whose mean distance counts
SHARE = 0.05  # of the rows that are listed by default
TAIL = 0.1  # least share of wrong labels that their number is estimated from
PAIRS = 2**22  # distances held at once


@dataclass(frozen=True, eq=False, repr=False)
class HardRows:
    """Rows by their margin, hardest first; returned by `hard_rows`.

    Attributes
    ----------
    rows : array of int of shape (n_samples,)
        Numbers of the rows, from 0. Rows that were in no test part, or have no other
        row of their class, are left out.
    margins : array of shape (n_samples,)
        From −1 to 1, ascending; negative for a row that is nearer to another class.
    labels : array of shape (n_samples,)
        Class of each row.
    suggested : array of shape (n_samples,)
        The other class that is nearest.
    n_rows : int
        How many rows are listed.
    exchanged : array
        Margins that the rows have with other labels than their own, ascending.
    """

    rows: Ints
    margins: Floats
    labels: NDArray[Any]
    suggested: NDArray[Any]
    n_rows: int
    exchanged: Floats

    @property
    def expected(self) -> float:
        """Estimated number of wrong labels in the table."""
        return self._estimates[0] * len(self.rows)

    @property
    def precision(self) -> float:
        """Estimated share of wrong labels among the rows that are listed."""
        return self._estimates[1]

    @cached_property
    def _estimates(self) -> tuple[float, float]:
        return wrong_labels(self.margins, self.exchanged, self.n_rows)

    @property
    def suspects(self) -> NDArray[np.bool_]:
        """Rows that are probably mislabelled: as many as expected, margin below 0."""
        first = np.arange(len(self.rows)) < round(self.expected)
        return first & (self.margins < 0)

    @property
    def sentence(self) -> str:
        """The estimates in words, ready for print."""
        n, expected, listed = len(self.rows), round(self.expected), self.n_rows
        if not self.suspects.any():
            return f"No sign of wrong labels among {n} rows."
        return (
            f"About {expected} of {n} labels may be wrong; of the {listed} hardest "
            f"rows, about {self.precision:.0%}."
        ).replace("%", " %")

    def to_frame(self, n_rows: int | None = None) -> pd.DataFrame:
        """The hardest rows, hardest first.

        Parameters
        ----------
        n_rows : int or None, default=None
            How many; None lists ``self.n_rows``.

        Returns
        -------
        frame : DataFrame
            One row each: ``row`` (its number, from 0), ``label``, ``suggested`` (the
            class of its neighbours), ``margin``, and ``suspect`` (whether it is
            probably mislabelled).
        """
        part = slice(self.n_rows if n_rows is None else n_rows)
        columns = {
            "row": self.rows,
            "label": self.labels,
            "suggested": self.suggested,
            "margin": self.margins,
            "suspect": self.suspects,
        }
        return data_frame({name: values[part] for name, values in columns.items()})

    def _repr_html_(self) -> str:
        return _html.hard_rows(self)

    def __repr__(self) -> str:
        return (
            f"HardRows({self.n_rows} of {len(self.rows)} rows, "
            f"{int(self.suspects.sum())} probably mislabelled)"
        )


def hard_rows(
    X: Any,
    y: Any,
    features: Any = None,
    *,
    cv: Any = None,
    groups: Any = None,
    n_rows: int | None = None,
    categorical_features: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> HardRows:
    """Rank the rows by their margin: which are hard, and which probably mislabelled.

    In each fold, features are selected by the training rows. The distance of a test row
    to a class is the mean distance to its five nearest training rows of that class, on
    the selected features. With d to its own class and d' to the nearest other class,
    the margin is (d' − d) / (d' + d): the hypothesis margin, averaged over five
    neighbours and divided by the distances, so that dense and sparse regions compare.

    A wrong label turns the margin round. So the margins that the rows have with other
    labels than theirs show what those of wrong labels look like, and the number of
    these is estimated as the largest that the observed margins allow. That assumes that
    labels are wrong at random, and that some rows of each class have neighbours of this
    class only. Where classes overlap so much that a label is often surprising without
    being wrong, the estimate is too high.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        Numbers, nominal features, missing values.
    y : array-like of shape (n_samples,)
        Class labels.
    features : selector, array-like of str, int or bool, or None, default=None
        A selector, whose ``support_`` is found in each fold; or the columns to use, by
        name, place or mask, which should not have been chosen by these rows. None takes
        `KernelRFE` with the number of features that its leave-one-out error suggests.
    cv : int, "time", splitter, iterable or None, default=None
        Folds, as for `selection_curve`; None makes five.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are never in both the training and the test part of a fold.
    n_rows : int or None, default=None
        Number of rows to list; None lists 5 % of them.
    categorical_features : array-like of bool, int or str, optional
        Nominal columns besides those that the types of a frame declare.
    random_state : int, RandomState or None, default=None
        Random seed of the folds, and of a selector that has one.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores.
    verbose : int, default=0
        Show progress if positive.

    Returns
    -------
    found : HardRows
        All rows by their margin, and how many labels may be wrong.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from widemargin.evaluation import hard_rows
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> y[[3, 80, 150]] = [1, 2, 0]  # mistakes
    >>> found = hard_rows(X, y, random_state=0)
    >>> found.to_frame(3)["row"].sort_values().tolist()
    [3, 80, 150]
    """
    data_frame({})  # to learn that pandas is missing before the work, not after it
    method = features if _is_selector(features) else None
    if task_of(method, y, None, CALLER, several=False) != "classification":
        raise ValueError(
            f"{CALLER} needs classes, but y is numeric: rank rows by the residuals of "
            "scikit-learn's cross_val_predict instead."
        )
    if n_rows is not None and not n_rows >= 1:
        raise ValueError(f"{CALLER} needs n_rows to be at least 1, got {n_rows!r}.")
    data, random = read_dataset(X, y, CALLER), check_random_state(random_state)
    codes, seed = group_codes(groups, data.shape[0], CALLER), random.randint(2**31 - 1)
    selector = None
    if features is None or method is not None:
        (named,) = resolve_selectors(method or "KernelRFE").values()
        selector = preset(named, seed, categorical_features)
        sized = named.get_params().get("n_features_to_select")
        if method is not None and sized == "auto":
            selector.set_params(n_features_to_select="auto")
        if selector.n_jobs is None:
            selector.set_params(n_jobs=n_jobs)
    table = data.numbers([selector] if selector else [])
    folds = split(cv, data, codes, random, CALLER, table)
    supports = np.zeros((len(folds), data.shape[1]), np.bool_)
    if selector is None:
        supports[:, _places(features, data)] = True
        return rank_rows(table, folds, supports, n_rows)
    with progress(CALLER, len(folds), verbose) as advance:
        for (train, _), support in zip(folds, supports, strict=True):
            fitted = data.take(np.sort(train)).fit(clone(selector))
            size = own_size(fitted) if method is None else None
            support[:] = fitted.support_ if size is None else fitted.ranking_ <= size
            advance()
    return rank_rows(table, folds, supports, n_rows)


def _is_selector(features: Any) -> bool:
    return hasattr(features, "fit") or isinstance(features, str | type)


def _places(features: Any, data: Dataset) -> Ints:
    """Columns by name, place or mask."""
    given = np.asarray(features)
    if given.dtype == bool and given.shape == (data.shape[1],):
        given = np.flatnonzero(given)
    return columns_of(given, data.names, CALLER, "features")


def rank_rows(
    table: Dataset,
    folds: list[Fold],
    supports: NDArray[np.bool_],
    n_rows: int | None = None,
) -> HardRows:
    """Rank rows by the features that were selected for each fold, hardest first.

    ``table`` holds numbers; ``supports`` is (n_folds, n_features).
    """
    n, C = table.shape[0], len(table.classes)
    sums, times = np.zeros((n, C)), np.zeros(n)
    for (train, test), support in zip(folds, supports, strict=True):
        if support.any():
            sums[test] += _class_distances(table, train, test, np.flatnonzero(support))
            times[test] += 1
    codes, near = table.codes, sums / np.maximum(times, 1)[:, None]
    margins, others = _margins(near, codes)
    there = np.flatnonzero((times > 0) & np.isfinite(near[np.arange(n), codes]))
    order = there[np.argsort(margins[there], kind="stable")]
    m = len(order)
    listed = min(m, max(1, round(SHARE * m)) if n_rows is None else int(n_rows))
    others_of = [_margins(near[order], (codes[order] + s) % C)[0] for s in range(1, C)]
    rows = np.arange(n) if table.rows is None else table.rows
    return HardRows(
        rows[order],
        margins[order],
        table.classes[codes[order]],
        table.classes[others[order]],
        listed,
        np.sort(np.concatenate(others_of)),
    )


def _class_distances(table: Dataset, train: Ints, test: Ints, features: Ints) -> Floats:
    """Mean distance of test rows to their nearest training rows of each class.

    Infinite for a class that has no training row.
    """
    columns = block_columns(table.feature_of, features)
    X, codes = table.X[:, columns], table.codes
    found = np.full((len(test), len(table.classes)), np.inf)
    whole = NearestNeighbor(table.nominal, feature_of=table.feature_of)
    judge = whole.for_columns(columns)
    judge.fit(X[train], codes[train])
    for part in spans(len(test), max(1, PAIRS // len(train))):
        near = judge.class_distances(X[test[part]], NEIGHBORS)
        found[part, judge.classes_] = near
    return found


def _margins(near: Floats, codes: Ints) -> tuple[Floats, Ints]:
    """Margins of rows with these classes, and the nearest other class.

    0 where both distances are 0 or infinite.
    """
    places = np.arange(len(codes))
    own, rest = near[places, codes], near.copy()
    rest[places, codes] = np.inf
    others = rest.argmin(axis=1)
    other = rest[places, others]
    margins = np.zeros(len(codes))
    known = np.isfinite(own) & np.isfinite(other) & (own + other > 0)
    np.divide(other - own, own + other, out=margins, where=known)
    return margins, others


def wrong_labels(
    margins: Floats, exchanged: Floats, n_rows: int
) -> tuple[float, float]:
    """Share of wrong labels, in all and among the rows with the lowest margins.

    Observed margins are a mixture G = (1 − ε) F + ε W of those of right and of wrong
    labels; with labels exchanged they are H = (1 − ε) W + ε F. Where F is 0, G/H is
    ε/(1 − ε), and nowhere is it less.

    Parameters
    ----------
    margins : array of shape (n,)
        Of the rows, ascending.
    exchanged : array
        What they are with other labels, ascending.
    n_rows : int
        How many of the lowest are meant.
    """
    n, tail = len(margins), np.quantile(exchanged, TAIL)
    limits = exchanged[(exchanged >= tail) & (exchanged <= max(0.0, tail))]
    G = (np.searchsorted(margins, limits, "right") + 1) / n
    H = np.searchsorted(exchanged, limits, "right") / len(exchanged)
    ratio = min(1.0, float(np.min(G / H)))
    share = ratio / (1 + ratio)
    below = np.searchsorted(exchanged, margins[n_rows - 1], "right") / len(exchanged)
    W = ((1 - share) * below - share * n_rows / n) / max(1 - 2 * share, SHARE)
    return share, float(np.clip(share * W * n / n_rows, 0.0, 1.0))
