"""`MarginSelector`: validate, score, rank, select, the same way for every method."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_array, check_random_state
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from widemargin import crossfit, kernels, leaving, sampling
from widemargin._sklearn import (
    Interval,
    InvalidParameterError,
    StrOptions,
    _fit_context,
    _get_output_config,
)
from widemargin.about import About as About
from widemargin.columns import nominal_columns, unwrapped
from widemargin.engine import Edges, Neighbors, edge_sums, group_sums, on_dask
from widemargin.folding import Fold
from widemargin.notices import muted, warn
from widemargin.pickles import Versioned
from widemargin.prefixes import constant_in_training
from widemargin.progress import progress
from widemargin.protocol import AnyTable
from widemargin.settings import current
from widemargin.table import (
    Floats,
    Ints,
    Table,
    build,
    encode,
    numeric_target,
    refuse_constant_target,
    refuse_single_class,
    validate,
    visiting_order,
    warn_single_members,
)
from widemargin.thinning import similarity_of, thin
from widemargin.threads import Workers, spans, thread_count


class Rows(NamedTuple):
    """A table as it was read: not scaled, rows in the caller's order."""

    X: Floats  # numbers, or codes of nominal values; NaN: missing
    y: Ints  # class codes, as the method gets them
    classes: NDArray[Any]
    nominal: Ints | None
    judged: Ints  # class codes by which 1-NN judges
    labelled: bool = True  # False if the method does without y: all is one class
    names: NDArray[Any] | None = None  # of the columns, if they have names
    target: Floats | None = None  # numeric y, if that is what the method predicts

    def take(self, rows: Ints, labels: Ints | None = None) -> Rows:
        """Some rows, with their own labels or with those of other rows."""
        whose = rows if labels is None else labels
        y, classes = _recoded(self.y[whose], self.classes)
        judged, _ = _recoded(self.judged[whose], None)
        target = None if self.target is None else self.target[whose]
        return Rows(
            self.X[rows],
            y,
            classes,
            self.nominal,
            judged,
            self.labelled,
            self.names,
            target,
        )

    def columns(self, features: Ints) -> Rows:
        """Some features."""
        nominal = self.nominal
        if nominal is not None:
            nominal = np.flatnonzero(np.isin(features, nominal))
        return self._replace(X=self.X[:, features], nominal=nominal, names=None)

    def beside(self, rows: Ints) -> Rows:
        """The features and, to their right, copies of them with other rows in place."""
        nominal, d = self.nominal, self.X.shape[1]
        if nominal is not None:
            nominal = np.concatenate([nominal, nominal + d])
        X = np.hstack([self.X, self.X[rows]])
        return self._replace(X=X, nominal=nominal, names=None)


def _recoded(codes: Ints, classes: Any) -> tuple[Ints, Any]:
    """Codes from 0 without gaps, and the classes that are left."""
    used, codes = np.unique(codes, return_inverse=True)
    return codes.astype(np.int64), None if classes is None else classes[used]


def all_or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Let a fit that fails, or is interrupted, leave the estimator as it was."""

    @wraps(fit)
    def whole_fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = vars(self).copy()
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            self.__dict__ = before  # a single step, which Ctrl-C cannot divide
            raise

    return whole_fit


N_JOBS = [
    None,
    Interval(numbers.Integral, None, -1, closed="right"),
    Interval(numbers.Integral, 1, None, closed="left"),
]


class TableSelector(Versioned, SelectorMixin, BaseEstimator):
    """What a fitted selector does with tables, whichever way it selects."""

    # Whether it takes nominal features and missing values.
    _mixed = False

    scores_: Floats
    support_: NDArray[np.bool_]

    @property
    def feature_importances_(self) -> Floats:
        """The scores, under the name that scikit-learn's meta-selectors look for."""
        check_is_fitted(self)
        return self.scores_

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        X_r : array or frame of shape (n_samples, n_selected_features)
            The selected columns in their order, a frame if `set_output` asks for one,
            a Dask collection if X is one.
        """
        check_is_fitted(self)  # first: names of features can only be compared then
        X = unwrapped(X, type(self).__name__, missing=self._mixed)
        if on_dask(X):
            kept = self.get_support(indices=True)
            if not hasattr(X, "columns"):
                return X[:, kept]
            return X[list(getattr(self, "feature_names_in_", X.columns)[kept])]
        config = _get_output_config("transform", estimator=self)["dense"]
        if config == "default" or not type(X).__module__.startswith("polars"):
            return super().transform(X)
        # As scikit-learn does for pandas: columns keep their types.
        validate_data(self, X, reset=False, skip_check_array=True)
        return X[:, self.get_support(indices=True).tolist()]

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Put zeros where `transform` has removed features.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_selected_features)

        Returns
        -------
        X_original : array of shape (n_samples, n_features)
        """
        if not self._mixed:
            return super().inverse_transform(X)
        support = self.get_support()
        X = check_array(X, dtype=None, ensure_all_finite=False)
        if X.shape[1] != support.sum():
            raise ValueError("X has a different shape than during fitting.")
        whole = np.zeros((len(X), len(support)), X.dtype)
        whole[:, support] = X
        return whole

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = self._mixed
        tags.input_tags.categorical = self._mixed
        return tags


class MarginSelector(TableSelector):
    """Base class of all methods.

    A method implements ``_score(table, workers)``, which returns one number per
    feature, higher for better ones. It may override ``_natural_support`` if it has a
    subset of its own.
    """

    _parameter_constraints: dict[str, Any] = {
        "n_features_to_select": [
            None,
            StrOptions({"auto"}),
            Interval(numbers.Integral, 1, None, closed="left"),
            Interval(numbers.Real, 0, 1, closed="neither"),
        ],
        "redundancy": [
            None,
            StrOptions({"auto"}),
            Interval(numbers.Real, 0, 1, closed="right"),
        ],
        "scale": [StrOptions({"minmax", "standard"}), None],
        "n_jobs": N_JOBS,
        "verbose": ["verbose"],
    }

    # Whether the method makes use of an order of the classes.
    _ordered_classes = False

    # Methods that are _mixed have a parameter ``categorical_features``.
    # Whether a feature has the same score, or statistic, without the other features.
    _separable = False

    # What to use instead on a Dask collection; None if the method itself runs there.
    _instead_on_dask: str | None = "FisherScore, FRLL or ReliefF"

    _about: About

    n_features_to_select: int | float | str | None
    # Methods that arrive at a subset of their own have no such parameter.
    redundancy: float | str | None = None
    scale: str | None
    n_jobs: int | None
    verbose: int
    categorical_features: Any

    @_fit_context(prefer_skip_nested_validation=True)
    @all_or_nothing
    def fit(self, X: Any, y: Any, **unknown: Any) -> Self:
        """Score and rank the features of X.

        If the fit fails or is interrupted, the selector is left as it was before.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers; methods with a parameter ``categorical_features`` also take nominal
            features and missing values. Columns of objects in a frame go by their
            values: numbers, or text, which is nominal. Masked cells are missing. It is
            not changed. A Dask array or frame is worked on where its partitions are: on
            the cluster of the active client, or by the configured scheduler. There, a
            feature with missing values takes 8 bytes for each different value, and each
            class in which some are missing, of the memory of one worker.
        y : array-like of shape (n_samples,)
            Class labels: numbers, strings, booleans or categories. Numbers that look
            like a measurement (more than 20 different ones, a tenth of them in one row
            only) are refused; text and categories never are. Methods for ordered
            classes take numbers or ordered categories. If X is a Dask frame, y may be
            the name of one of its columns.

        Returns
        -------
        self
        """
        refuse_keywords(type(self).__name__, unknown)
        if on_dask(X):
            return self._fit_on_dask(X, y)
        return self._fit_rows(self._read(X, y))

    @_fit_context(prefer_skip_nested_validation=True)
    @all_or_nothing
    def _fit_encoded(self, rows: Rows) -> Self:
        """Fit to a table that was read before, or to a part of it."""
        name = type(self).__name__
        if len(rows.X) < 2:
            raise ValueError(f"{name} needs at least 2 rows, got {len(rows.X)}.")
        if rows.labelled and len(rows.classes) < 2:
            refuse_single_class(rows.classes, name)
        if rows.target is not None and np.ptp(rows.target) == 0:
            refuse_constant_target(rows.target, name)
        self.n_features_in_ = rows.X.shape[1]
        if rows.names is not None:
            self.feature_names_in_ = rows.names
        return self._fit_rows(rows)

    def _read(self, X: Any, y: Any) -> Rows:
        """Check the caller's table, and turn it into numbers and codes."""
        name = type(self).__name__
        X = unwrapped(X, name, missing=self._mixed)
        target = self._target(y)
        labels = target is None and self._uses_labels(y)
        nominal = self._nominal(X)
        self._check_auto(labels or y is not None)
        Z, codes, classes = validate(
            self,
            X,
            y,
            labels=labels,
            ordered=self._ordered_classes,
            nominal=nominal,
            finite=False,
        )
        judged = codes
        if target is not None:
            check_consistent_length(Z, target)
        elif self._asks_the_rows() and not labels and y is not None:
            judged, _ = encode(y, name)
            check_consistent_length(Z, judged)
        names = getattr(self, "feature_names_in_", None)
        return Rows(Z, codes, classes, nominal, judged, labels, names, target)

    def _fit_rows(self, rows: Rows | None) -> Self:
        """Score, rank and select."""
        assert rows is not None
        n, d = rows.X.shape
        small = n**2 * d < current().single_thread_work
        n_threads = 1 if small else thread_count(self.n_jobs)
        with Workers(n_threads, self.verbose) as workers:
            table = self._table(rows, workers)
            if not self._asks_the_rows():
                rows = None  # as large as the table
            self.scores_ = self._score(table, workers)
            self.ranking_ = self._rank(table)
            self._forget_answers()
            size = None if rows is None else self._answer(rows, table, workers)
        self.support_ = self._select(size)
        self.n_features_ = int(self.support_.sum())
        return self

    def _table(self, rows: Rows, workers: Workers) -> Table:
        """The rows, scaled and sorted by class."""
        table = build(
            rows.X,
            rows.y,
            rows.classes,
            scale=self.scale,
            workers=workers,
            name=type(self).__name__,
            nominal=rows.nominal,
        )
        if rows.target is None:
            return table
        return replace(table, target=rows.target[table.rows])

    def _check_auto(self, has_labels: bool) -> None:
        """Refuse to judge features without labels to judge them by."""
        if has_labels or self._about.gives == "subset":
            return
        for name in ("n_features_to_select", "redundancy"):
            if getattr(self, name) == "auto":
                raise ValueError(
                    f"{type(self).__name__} requires y to be passed, but the target y "
                    f'is None: {name}="auto" judges features by the classes of nearest '
                    "rows. Pass y, or a number."
                )

    def _fit_on_dask(self, X: Any, y: Any) -> Self:
        name = type(self).__name__
        if self._numeric_target:
            raise ValueError(
                f"{name} does not run on Dask collections, nor does any method for a "
                f"numeric target. Use {name} on X.compute() if that fits into memory, "
                "or on a sample of the rows."
            )
        if self._instead_on_dask is not None:
            raise ValueError(
                f"{name} does not run on Dask collections. Use "
                f"{self._instead_on_dask}, or {name} on X.compute() if that fits into "
                "memory."
            )
        if y is None:
            raise ValueError(
                f"{name} requires y to be passed, but the target y is None."
            )
        from widemargin.engine.distributed.build import distribute

        if self.redundancy is not None:
            raise ValueError(
                f"{name}: redundancy={self.redundancy!r} compares all features with "
                "each other and does not run on Dask collections. Leave it out."
            )
        with (
            distribute(
                self,
                X,
                y,
                scale=self.scale,
                ordered=self._ordered_classes,
                nominal=self._nominal,
            ) as table,
            Workers(1, self.verbose) as workers,
        ):
            self._forget_answers()
            self.scores_ = self._score(table, workers)
        if self.n_features_to_select == "auto" and self._natural_support() is None:
            raise ValueError(
                f'{name}: n_features_to_select="auto" compares all rows with all '
                "features and does not run on Dask collections. Pass a number of "
                "features."
            )
        self.ranking_ = self._rank(table)
        self.support_ = self._select(None)
        self.n_features_ = int(self.support_.sum())
        return self

    def _score(self, table: Any, workers: Workers) -> Floats:
        """Scores of the features, higher is better.

        ``table`` is a `Table`; on a Dask collection, another `AnyTable`.
        """
        raise NotImplementedError

    def _validate_params(self) -> None:
        super()._validate_params()
        refuse_booleans(self)

    def _nominal(self, X: Any) -> Ints | None:
        """Columns that hold nominal features; None if the method takes numbers only."""
        if not self._mixed:
            return None
        return nominal_columns(X, self.categorical_features, type(self).__name__)

    @property
    def _statistic(self) -> Floats:
        """What tests of significance compare between permutations of the labels.

        The scores, unless these are relative to other features: the best one's share
        of the best is 1 for whatever labels.
        """
        return self.scores_

    @property
    def _numeric_target(self) -> bool:
        """Whether y is a number to predict, and not a class."""
        return False

    def _target(self, y: Any) -> Floats | None:
        """The numbers in y, if they are not classes."""
        if not self._numeric_target:
            return None
        return numeric_target(y, type(self).__name__)

    def _uses_labels(self, y: Any) -> bool:
        """Whether y counts; an unsupervised method ignores it, or does without."""
        return True

    def _natural_support(self) -> NDArray[np.bool_] | None:
        """The subset that the method itself arrives at, if any."""
        return None

    def _rank(self, table: AnyTable) -> NDArray[np.int64]:
        """1 for the best; equal scores by column order, constant features last."""
        natural = self._natural_support()
        outside = np.zeros(len(self.scores_)) if natural is None else ~natural
        order = np.lexsort((-self.scores_, outside, table.constant))
        ranking = np.empty(len(order), np.int64)
        ranking[order] = np.arange(1, len(order) + 1)
        return ranking

    def _asks_the_rows(self) -> bool:
        """Whether the answer takes more than scores: how many, or which are alike."""
        auto = self.n_features_to_select == "auto" and self._about.gives != "subset"
        return auto or self.redundancy is not None

    def _forget_answers(self) -> None:
        """Set what `_answer` finds to nothing."""
        self.prefix_scores_: Floats | None = None
        self.optimism_: float | None = None
        self.redundancy_: float | None = None
        self.redundant_with_: Ints | None = None

    def _answer(self, rows: Rows, table: Table, workers: Workers) -> int | None:
        """Judge sizes and thresholds in folds, then skip redundant features.

        Returns the number of features to keep, if that is what was asked for.
        """
        natural, d = self._natural_support(), table.n_features
        subset = natural is not None and self.n_features_to_select in (None, "auto")
        any_size = self.n_features_to_select == "auto" and not subset
        wanted = d if any_size else min(self._wanted(), d)
        if natural is not None and subset:
            wanted = max(1, int(natural.sum()))
        threshold: Any = self.redundancy
        size = None
        data = crossfit.Data(rows.X, rows.judged, rows.nominal, self.scale, rows.target)
        if any_size or threshold == "auto":
            thresholds = crossfit.THRESHOLDS if threshold == "auto" else (threshold,)
            folds = crossfit.fold_rows(data)
            orders = self._fold_orders(rows, table, folds, workers)
            curves = crossfit.judge(data, folds, orders, thresholds, wanted, workers)
            which, size = crossfit.choose(curves, None if any_size else wanted)
            threshold = thresholds[which]
            if any_size:
                pairs = self._judged_pairs(rows, data, folds, thresholds, workers)
                self.optimism_ = crossfit.optimism(curves, pairs)
                scores = curves[which].scores - self.optimism_
                # R² may be below 0, an accuracy may not.
                lowest = 0.0 if rows.target is None else -np.inf
                self.prefix_scores_ = np.maximum(scores, lowest)
        if self.redundancy is not None:
            self._skip_redundant(data, threshold, wanted, workers)
        return size if any_size else None

    def _judged_pairs(
        self,
        rows: Rows,
        data: crossfit.Data,
        folds: list[Fold],
        thresholds: Sequence[float | None],
        workers: Workers,
    ) -> list[NDArray[Any]] | None:
        """Hits without two parts of the rows each, if there are few rows."""
        pairs = crossfit.pair_up(folds)
        if not pairs or len(rows.X) > crossfit.FEW_ROWS:
            return None
        quiet = workers.silent()
        with muted():
            orders = [self._rank_fold(rows, pair.train, quiet) for pair in pairs]
        d = rows.X.shape[1]
        return crossfit.judge_pairs(data, pairs, orders, thresholds, d, quiet)

    def _skip_redundant(
        self, data: crossfit.Data, threshold: Any, wanted: int, workers: Workers
    ) -> None:
        """Move features that are similar to better ones to the end of the ranking."""
        self.redundancy_ = threshold
        self.redundant_with_ = np.full(len(self.ranking_), -1)
        if threshold is None:
            return
        similarity = similarity_of(data.X, data.nominal, data.y, workers)
        order = np.argsort(self.ranking_)
        order, self.redundant_with_ = thin(order, similarity, threshold, wanted)
        self.ranking_[order] = np.arange(1, len(order) + 1)

    def _fold_orders(
        self, rows: Rows, table: Table, folds: list[Fold], workers: Workers
    ) -> list[Ints]:
        """Features, best first, as the training rows of each fold rank them."""
        quiet, trains = workers.silent(), [train for train, _ in folds]
        with muted():
            tests = [table.positions(test) for _, test in folds]
            scores = self._scores_without(table, tests, quiet)
            if scores is None:
                return [self._rank_fold(rows, train, quiet) for train in trains]
        constant = constant_in_training(rows.X, folds)
        return [np.lexsort((-s, c)) for s, c in zip(scores, constant, strict=True)]

    def _scores_without(
        self, table: Table, left_out: list[Ints], workers: Workers
    ) -> Floats | None:
        """Scores without each of some sets of rows, if one search serves them all."""
        return None

    def _rank_fold(self, rows: Rows, train: Ints, workers: Workers) -> Ints:
        """Features, best first, by a fit to some rows."""
        twin = clone(self)
        twin.n_features_in_ = rows.X.shape[1]
        if getattr(self, "order", None) is not None:
            place = np.full(len(rows.X), -1)
            place[train] = np.arange(len(train))
            visits = place[np.asarray(self.order)]
            twin.set_params(order=visits[visits >= 0])
        target = None if rows.target is None else rows.target[train]
        if target is not None and np.ptp(target) == 0:
            return np.arange(twin.n_features_in_)  # there is nothing to rank by
        part = rows._replace(X=rows.X[train], y=rows.y[train], target=target)
        table = self._table(part, workers)
        twin.scores_ = twin._score(table, workers)
        return np.argsort(twin._rank(table))

    def _select(self, size: int | None) -> NDArray[np.bool_]:
        natural = self._natural_support()
        if natural is not None and self.n_features_to_select in (None, "auto"):
            if self.redundant_with_ is not None:
                return natural & (self.redundant_with_ < 0)
            return natural
        if size is not None:
            return self.ranking_ <= size
        d, count = self.n_features_in_, self._wanted()
        if count > d:
            warn(
                f"{type(self).__name__}: n_features_to_select={count} but X has "
                f"{d} features; all are kept."
            )
        return self.ranking_ <= count

    def _wanted(self) -> int:
        """How many features the caller asks for; may be more than there are.

        With "auto", that is all: any number of them may turn out to be the best.
        """
        d, wanted = self.n_features_in_, self.n_features_to_select
        if wanted is None:
            return max(1, d // 2)
        if isinstance(wanted, str):
            return d
        if isinstance(wanted, numbers.Integral):
            return int(wanted)
        return max(1, int(wanted * d))


class AscentSelector(MarginSelector):
    """Base class of the selectors that ascend a margin from several random orders.

    A method calls ``_ascend`` with what it does in one pass and with its e(w).
    """

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "max_iter": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_starts": [Interval(numbers.Integral, 1, None, closed="left")],
        "batch_size": [Interval(numbers.Integral, 1, None, closed="left")],
        "order": ["array-like", None],
        "random_state": ["random_state"],
    }

    max_iter: int
    n_starts: int
    batch_size: int
    order: Any
    random_state: Any

    @property
    def _statistic(self) -> Floats:
        """The squared weights as they are, not as shares of the largest."""
        return np.square(self.weights_)

    def _ascend(
        self,
        table: AnyTable,
        seeds: Ints,
        visit: Callable[[Floats, Ints, Ints], None],
        e: Callable[[Floats], float],
        workers: Workers,
    ) -> Floats:
        """Scores of the start that reaches the highest e(w), all starts side by side.

        ``visit(w, visits, seeds)`` makes one pass, moving w; seeds, the neighbours
        where its search begins, are its own to change.
        """
        d, name = table.n_features, type(self).__name__
        orders = self._orders(table)
        paths = np.empty((len(orders), self.max_iter, d))
        with progress(name, paths[..., 0].size, self.verbose) as advance:

            def climb(start: int) -> None:
                w, mine = np.ones(d), seeds.copy()
                for t, visits in enumerate(orders[start]):
                    visit(w, visits, mine)
                    paths[start, t] = w
                    advance()

            workers.run(climb, range(len(orders)))

        largest = np.abs(paths).max(axis=2, keepdims=True)
        normal = paths / np.where(largest > 0, largest, 1.0)
        self.history_ = np.array([[e(w) for w in path] for path in normal])
        best = int(np.argmax(self.history_[:, -1]))
        self.weights_ = paths[best, -1]
        self.margin_ = float(self.history_[best, -1])
        self.n_iter_ = self.max_iter
        if not self.weights_.any():
            warn(
                f"{name}: all weights fell to 0, so that scores are equal and the "
                "ranking says nothing: most samples are nearer to another class than "
                "to their own. Try other orders (n_starts, random_state), or a method "
                "that does not multiply weights, such as ReliefF."
            )
        return squared_share(table, self.weights_)

    def _ascend_in_batches(
        self,
        table: AnyTable,
        step: Callable[[Floats, Ints], tuple[Floats, int]],
        e: Callable[[Floats], float],
        workers: Workers,
    ) -> Floats:
        """The same for rows on the workers.

        ``step(w, rows)`` is Σ Δ / w over rows that share one w, and how many of them
        make a step.
        """
        refuse_single_visits(self)

        def visit(w: Floats, visits: Ints, seeds: Ints) -> None:
            for part in spans(len(visits), self.batch_size):
                delta, count = step(w, visits[part])
                if count:
                    kernels.move(w, delta, count)

        return self._ascend(table, np.empty(0, np.int64), visit, e, workers)

    def _orders(self, table: AnyTable) -> list[list[Ints]]:
        """Rows of the table to visit, for each start and pass."""
        if self.order is not None:
            visits = visiting_order(table, self.order, type(self).__name__)
            return [[visits] * self.max_iter]
        n, random = table.n_rows, check_random_state(self.random_state)
        return [
            [table.positions(random.permutation(n)) for _ in range(self.max_iter)]
            for _ in range(self.n_starts)
        ]


class SampledSelector(MarginSelector):
    """Base class of the selectors whose scores are means over the samples.

    A method yields from ``_edges(table, rows, workers, **options)`` the neighbours of
    blocks of rows, and edges whose sums make the contributions of these. Options go to
    `widemargin.engine.nearest`.
    """

    _parameter_constraints = {
        **MarginSelector._parameter_constraints,
        "n_samples": [
            None,
            Interval(numbers.Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "tol": [None, Interval(numbers.Real, 0, None, closed="neither")],
        "confidence": [Interval(numbers.Real, 0, 1, closed="neither")],
        "categorical_features": ["array-like", None],
        "random_state": ["random_state"],
    }

    _mixed = True

    # Whether ``_rule`` says all about the neighbours that make the score.
    _one_search = False

    n_samples: int | str | None
    n_neighbors: int | str
    tol: float | None
    confidence: float
    random_state: Any

    def _score(self, table: AnyTable, workers: Workers) -> Floats:
        n, wanted, name = table.n_rows, self.n_samples, type(self).__name__
        warn_single_members(table, name, "it contributes its misses only")
        for of_another_fit in ("scores_interval_", "converged_"):
            self.__dict__.pop(of_another_fit, None)
        if wanted == "auto":
            return self._sampled_score(table, workers)
        if isinstance(wanted, numbers.Integral) and wanted > n:
            warn(
                f"{name}: n_samples={wanted} but X has {n} rows; each row is visited "
                "once."
            )
            wanted = None
        if wanted is None:
            self.n_samples_ = n
            return self._mean(table, None, workers)
        self.n_samples_ = int(wanted)
        drawn = self._random_order(table)[: self.n_samples_]
        return self._mean(table, np.sort(drawn), workers)

    def _random_order(self, table: AnyTable) -> Ints:
        random = check_random_state(self.random_state)
        return table.positions(random.permutation(table.n_rows))

    def _sampled_score(self, table: AnyTable, workers: Workers) -> Floats:
        """Visit as many rows as it takes to be sure of what is selected."""
        n = table.n_rows
        ranges = table.ranges**self._power
        tol = sampling.TOL * ranges if self.tol is None else self.tol

        def enough(known: sampling.Estimate) -> bool:
            narrow = np.all(known.half_width <= tol)
            return bool(narrow or self._settled(table, known))

        size = sampling.batch_size(n)
        rows, quiet = self._random_order(table), workers.silent()
        with progress(type(self).__name__, n, self.verbose) as advance:
            known = sampling.estimate(
                self._contributions(table, rows, quiet, block_size=size),
                n,
                self._reach(table) * ranges,
                confidence=self.confidence,
                enough=enough,
                advance=advance,
            )
        self.n_samples_, self.scores_interval_ = known.n_samples, known.interval
        exact = known.n_samples == n
        self.converged_ = exact or self._settled(table, known) is not False
        return known.scores

    def _settled(self, table: AnyTable, known: sampling.Estimate) -> bool | None:
        """Whether the features to select are told from the rest, constant ones aside.

        None if there is nothing to tell apart: the scores themselves are wanted.
        """
        wanted, varying = self.n_features_to_select, ~table.constant
        if isinstance(wanted, str) or self._wanted() >= np.count_nonzero(varying):
            return None
        order = np.lexsort((-known.scores, table.constant))
        top = np.zeros(len(order), bool)
        top[order[: self._wanted()]] = True
        return known.separates(top, varying & ~top)

    def _scores_without(
        self, table: Table, left_out: list[Ints], workers: Workers
    ) -> Floats | None:
        # With few folds a fit to each is cheap. What is expected of a missing value
        # depends on the rows left out.
        few = len(left_out) < 5
        if not self._one_search or few or self.n_samples is not None:
            return None
        if table.mixed is not None:
            return None
        rule_of = partial(self._rule, classes=table.classes)
        return leaving.scores_without(table, left_out, rule_of, self._power, workers)

    def _k(self, n: int) -> int:
        """The number of neighbours in a table of n rows."""
        k = self.n_neighbors
        return max(1, round(np.log(n))) if k == "log" else int(k)

    def _rule(self, counts: Ints, classes: NDArray[Any]) -> leaving.Rule:
        """Neighbours and what they count, for so many rows of each class."""
        raise NotImplementedError

    @property
    def _power(self) -> int:
        """The power of differences in the score."""
        return 1

    def _reach(self, table: AnyTable) -> float:
        """Bound on a row's contribution for a feature with range 1."""
        return 1.0

    def _edges(
        self, table: AnyTable, rows: Ints | None, workers: Workers, **options: Any
    ) -> Iterator[tuple[Neighbors, Edges]]:
        raise NotImplementedError

    def _mean(self, table: AnyTable, rows: Ints | None, workers: Workers) -> Floats:
        """Mean contribution of the given rows; None for all."""
        w = np.zeros(table.n_features)
        for _, edges in self._edges(table, rows, workers):
            w += edge_sums(table, edges, power=self._power, workers=workers)
        return w / self.n_samples_

    def _contributions(
        self, table: AnyTable, rows: Ints, workers: Workers, **options: Any
    ) -> Iterator[Floats]:
        """Contributions of the given rows in that order, (m, d) for m of them."""
        for block, edges in self._edges(table, rows, workers, **options):
            for _, offsets in sampling.query_parts(table, block):
                yield group_sums(
                    table, edges, offsets, power=self._power, workers=workers
                )


def refuse_booleans(estimator: Any) -> None:
    """Refuse True where a number is wanted, though Python counts it as 1."""
    for name, value in estimator.get_params(deep=False).items():
        allowed = estimator._parameter_constraints.get(name, ["boolean"])
        flag = any(isinstance(c, str) and c in ("boolean", "verbose") for c in allowed)
        if isinstance(value, bool) and not flag:
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(estimator).__name__} must not be a "
                f"boolean. Got {value} instead."
            )


def refuse_keywords(name: str, unknown: dict[str, Any]) -> None:
    """Refuse what scikit-learn's `fit` may take besides X and y."""
    if "sample_weight" in unknown:
        raise TypeError(
            f"{name}.fit() does not take sample_weight: all rows count the same. Leave "
            "it out, or draw rows in proportion to their weights first."
        )
    if unknown:
        (first, *_) = unknown
        raise TypeError(f"{name}.fit() got an unexpected keyword argument {first!r}.")


def refuse_single_visits(estimator: Any) -> None:
    """Rows on the workers are visited in batches: each batch takes a few messages."""
    if estimator.batch_size == 1:
        raise ValueError(
            f"{type(estimator).__name__} on a Dask collection visits samples in "
            "batches, got batch_size=1. Set batch_size to some hundreds: samples of a "
            "batch share one w, and every batch is a trip around the cluster."
        )


def squared_share(table: AnyTable, w: Floats) -> Floats:
    """w² / max(w²), the score of a weight; 0 for a constant feature."""
    squares = np.where(table.constant, 0.0, w**2)
    return squares / max(squares.max(), np.finfo(float).tiny)


def separation_ratio(between: Floats, within: Floats) -> Floats:
    """Finite between/within for each feature, also where nothing varies within.

    With within = 0 < between a feature is perfect: it scores above all others, the
    more the larger its between is. Where both are 0 a feature says nothing: it scores
    just below 0, so that it ranks behind those that fail to separate.
    """
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        scores = between / within
    # Beyond this border a quotient of rounding errors may become infinite.
    perfect = (between > 0) & ~(scores < 1e300)
    scores[(between == 0) & (within == 0)] = -np.finfo(np.float64).tiny
    if perfect.any():
        best = scores[~perfect].max(initial=0.0) or 1.0
        top = between[perfect]
        scores[perfect] = best * (1 + top / top.max())
    return scores
