"""`MarginSelector`: validate, score, rank, select, the same way for every method."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from widemargin._sklearn import StrOptions, _fit_context
from widemargin.base.estimator import (
    AUTO,
    COUNT,
    FRACTION,
    GROUPS,
    N_JOBS,
    POSITIVE,
    SHARE,
    TableSelector,
    all_or_nothing,
    refuse_booleans,
    refuse_keywords,
)
from widemargin.base.hooks import Hooks
from widemargin.data.blocks import by_feature, scaled_blocks
from widemargin.data.build import build
from widemargin.data.dataset import Dataset
from widemargin.data.kinds import nominal_columns
from widemargin.data.labels import refuse_single_class, refuse_unordered
from widemargin.data.outcomes import refuse_constant_target, refuse_other_task
from widemargin.data.protocol import AnyTable, Floats, Ints
from widemargin.data.read import beyond_covariates, read_dataset
from widemargin.data.refuse import refuse_columns, refuse_sparse
from widemargin.data.table import Table
from widemargin.data.weights import of_mean_one, weights_by_class
from widemargin.engine import on_dask
from widemargin.engine.neighbors import WEIGHTS
from widemargin.judging.auto import Answer, answer
from widemargin.notices import muted, warn
from widemargin.settings import current
from widemargin.threads import Workers, thread_count

BY_CLASS = ("scores_by_class_", "classes_")  # attributes of `_keep_by_class`


@dataclass(eq=False, repr=False)
class MarginSelector(Hooks, TableSelector):
    """Base class of all methods.

    A method implements ``_score(table, workers)``, which returns one number per
    feature, higher for better ones. It may override ``_natural_support`` if it has a
    subset of its own. Annotated names are parameters, as fields of a dataclass; other
    attributes of the class have no annotation, or `ClassVar`.
    """

    n_features_to_select: int | float | Literal["auto"] | None = None
    _: KW_ONLY
    redundancy: float | Literal["auto"] | None = None
    scale: Literal["minmax", "maxabs", "standard", "rank"] | None = "minmax"
    feature_groups: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_features_to_select": [None, AUTO, COUNT, FRACTION],
        "redundancy": [None, AUTO, SHARE],
        "scale": [StrOptions({"minmax", "maxabs", "standard", "rank"}), None],
        "n_jobs": N_JOBS,
        "verbose": ["verbose"],
        # Those of some methods; of the same name, they take the same everywhere.
        "batch_size": [COUNT],
        "beta": [AUTO, POSITIVE],
        "categorical_features": ["array-like", None],
        "delta": [AUTO, POSITIVE],
        "feature_groups": GROUPS,
        "history": [StrOptions({"step"}), None],
        "max_iter": [COUNT],
        "metric": [StrOptions({"euclidean", "manhattan"})],
        "n_neighbors": [COUNT],
        "n_starts": [COUNT],
        "order": ["array-like", None],
        "random_state": ["random_state"],
        "sigma": [POSITIVE],
        "task": [StrOptions({"classification", "regression"})],
        "weights": [StrOptions(WEIGHTS)],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    @all_or_nothing
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        covariates: Any = None,
        **unknown: Any,
    ) -> Self:
        """Score and rank the features of X.

        If the fit fails or is interrupted, the selector is left as it was before.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            Numbers; methods with a parameter ``categorical_features`` also take nominal
            features and missing values. Columns of objects in a frame go by their
            values: numbers, or text, which is nominal. Masked cells are missing. It is
            not changed, and sparse X stays sparse. A Dask array or frame is worked on
            by the cluster of the active client, or by the configured scheduler.
        y : array-like of shape (n_samples,), or what ``task`` says
            Class labels: numbers, strings, booleans or categories. Numbers that look
            like a measurement (more than 20 different ones, a tenth of them in one row
            only) are refused; text and categories never are. Methods for ordered
            classes take numbers or ordered categories. y may name a column of a Dask X.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts, relative to the others; rows of weight 0 are left
            out. None weighs all the same. See the guide to weights.
        covariates : array-like or frame of shape (n_samples, ...), default=None
            What the features are to tell something beyond, such as batch or age; see
            the guide to covariates. Text, categories and whole numbers of at most ten
            different values are nominal.
        **unknown : dict
            Nothing else is taken.

        Returns
        -------
        self : object
            The fitted selector.
        """
        refuse_keywords(type(self).__name__, unknown)
        self._refuse_weights(sample_weight)
        # Without a name here, the copy of X can go when it has been scaled.
        more = sample_weight, covariates
        if on_dask(X):
            return self._fit_on_dask(X, y, *more)
        return self._fit_view(self._view(self._read(X, y, *more)))._by_column()

    @_fit_context(prefer_skip_nested_validation=True)
    @all_or_nothing
    def _fit_dataset(self, data: Dataset) -> Self:
        """Fit to a table that was read before, or to a part of it."""
        name, data = type(self).__name__, self._view(data)
        self._refuse_weights(data.weights)
        if data.shape[0] < 2:
            raise ValueError(f"{name} needs at least 2 rows, got {data.shape[0]}.")
        _, classes = data.present_classes
        if data.labelled and len(classes) < 2:
            refuse_single_class(classes, name)
        if data.target is not None and self._numeric_target:
            refuse_constant_target(data.target, name)
        self.n_features_in_ = data.X.shape[1]
        if data.column_names is not None:
            self.feature_names_in_ = data.column_names
        return self._fit_view(data)

    def _read(
        self, X: Any, y: Any, w: Any = None, covariates: Any = None, look: bool = True
    ) -> Dataset:
        """Check the caller's table, and turn it into numbers and codes."""
        used, name = self._numeric_target or self._uses_labels(y), type(self).__name__
        self._refuse_auto_without_labels(used or y is not None)
        data = read_dataset(
            X,
            y,
            name,
            estimator=self,
            mixed=self._mixed,
            nominal=self._nominal,
            labels=used or (self._needs_rows() and y is not None),
            task=self._task,
            ordered=self._ordered_classes,
            look=look,
            single=isinstance(X, np.ndarray),
            sparse=self._sparse,
            sample_weight=w,
        )
        return beyond_covariates(data, covariates, name)

    def _view(self, data: Dataset) -> Dataset:
        """The dataset as this method sees it, after checks that it can be fitted."""
        name, y = type(self).__name__, data.y_given
        used = self._numeric_target or self._uses_labels(y)
        if used and y is None:
            raise ValueError(
                f"This {name} estimator requires y to be passed, but the target y is "
                "None."
            )
        if used:
            refuse_other_task(self, data.target, data.task, data.caller)
        if used and self._ordered_classes and not data.labels.in_order:
            refuse_unordered(data.classes, name)
        if not self._sparse:
            refuse_sparse(data.values, name)
        nominal = self._nominal(data.table, data.kinds)
        refuse_columns(data.table, data.kinds, name, nominal)
        data.warn_of_columns(name, getattr(self, "categorical_features", None))
        labelled = used and not self._numeric_target
        self._refuse_covariates(data)
        view = replace(data.with_codes(nominal), labelled=labelled)
        return view.grouped(self.feature_groups, name)

    def _fit_view(self, data: Dataset | None) -> Self:
        """Score, rank and select."""
        assert data is not None
        n, d = data.X.shape
        self._feature_of = data.feature_of
        self.groups_ = None if data.blocks is None else data.names
        small = n**2 * d < current().single_thread_work
        n_threads = 1 if small else thread_count(self.n_jobs)
        with Workers(n_threads, self.verbose) as workers:
            table = self._table(data, workers)
            strata = self._strata_of(data)
            if not self._needs_rows() and strata is None:
                data = None  # as large as the table
            self._rank_by(table, workers, data, strata)
            found = Answer(self.ranking_)
            if data is not None and self._needs_rows():
                found = answer(self, data, workers)
        return self._keep(found)

    def _rank_by(
        self, table: Any, workers: Workers, data: Any = None, strata: Any = None
    ) -> None:
        """Score and rank the features of a table; a group of columns is one feature.

        Scores are means over ``strata`` of the rows of ``data``, if there are any.
        """
        combine = np.add if self._score_of_group == "total" else np.maximum
        if strata is None:
            found = self._score(table, workers)
        else:
            found = self._mean_over(data, strata, workers)
        self.scores_ = self._of_features(found, combine)
        if self._feature_of is not None and hasattr(self, "scores_by_class_"):
            of_columns = self.scores_by_class_
            self.scores_by_class_ = by_feature(self._feature_of, of_columns, combine)
        self.ranking_ = self._rank(table)

    def _mean_over(self, data: Dataset, strata: list[Ints], workers: Workers) -> Floats:
        """Mean score, each stratum weighing as much as it has rows."""
        total = np.zeros(data.X.shape[1])
        with muted():
            for rows in strata:
                part = self._table(data, workers, rows)
                total += len(rows) * self._score(part, workers)
        for of_last_stratum in ("scores_by_class_", "scores_interval_"):
            self.__dict__.pop(of_last_stratum, None)
        return total / sum(map(len, strata))

    def _of_features(self, values: Any, combine: np.ufunc) -> Any:
        """What the columns of each feature have together."""
        of = self._feature_of
        if of is None or values is None or len(values) != len(of):
            return values
        return by_feature(of, values, combine)

    def _natural(self) -> NDArray[np.bool_] | None:
        """The subset that the method itself arrives at, with whole groups, if any."""
        natural: NDArray[np.bool_] | None
        natural = self._of_features(self._natural_support(), np.logical_or)
        return natural

    def _table(
        self, data: Dataset, workers: Workers, rows: Ints | slice = slice(None)
    ) -> Table:
        """Some rows, with the classes of all, scaled and sorted by class."""
        y, classes = data.present_classes
        w = self._row_weights(data)
        table = build(
            data.X if isinstance(rows, slice) else data.X[rows],  # not copied
            y[rows],
            classes,
            scale=self.scale,
            workers=workers,
            name=type(self).__name__,
            nominal=data.nominal,
            ranks=self._scale_of_ranks,
            weights=None if w is None else of_mean_one(w[rows]),
        )
        if data.feature_of is not None:
            metric = self._metric_of_group
            table = scaled_blocks(table, data.feature_of, self.scale, metric)
            if self._score_of_group != "differences":
                table = replace(table, pool=None)
        if data.design is not None and self._beyond == "target":
            table = replace(table, design=data.design[rows][table.rows])
        if data.target is None or not self._numeric_target:
            return table
        return replace(table, target=data.target[rows][table.rows])

    def _row_weights(self, data: Dataset) -> Floats | None:
        """Weights of the rows of a dataset; None if all count the same."""
        given = getattr(self, "class_weight", None)
        if given is None:
            return data.row_weights
        how = given, type(self).__name__, data.row_weights
        return weights_by_class(data.labels_given, *how, numeric=data.numeric)

    @_fit_context(prefer_skip_nested_validation=True)
    @all_or_nothing
    def _fit_on_dask(
        self, X: Any, y: Any, w: Any = None, covariates: Any = None, look: bool = True
    ) -> Self:
        """Fit to a Dask collection; see `read_labels` for ``look``."""
        from widemargin.engine.dask.build import distribute

        self._refuse_on_dask(y, covariates)
        self.groups_ = self._feature_of = None
        with (
            Workers(1, self.verbose) as workers,
            distribute(self, X, y, w, look=look) as table,
        ):
            self.scores_ = self._score(table, workers)
            self.ranking_ = self._rank(table)
            if not self._needs_rows():
                return self._keep(Answer(self.ranking_))
            X, y, w = table.drawn(getattr(self, "random_state", None) or 0)
        with muted():
            data = self._view(self._read(X, y, w, look=False))
        with Workers(thread_count(self.n_jobs), self.verbose) as workers:
            return self._keep(answer(self, data, workers))

    def _keep(self, found: Answer) -> Self:
        """Take over what was found, and select."""
        for name, value in found._asdict().items():
            if name != "size":
                setattr(self, f"{name}_", value)
        self.support_ = self._select(found.size)
        self.n_features_ = int(self.support_.sum())
        return self

    def _keep_by_class(self, table: AnyTable, by_class: Floats) -> None:
        """Keep what each class contributes to the scores, (n_classes, n_features)."""
        self.scores_by_class_, self.classes_ = by_class, table.classes

    def _score(self, table: Any, workers: Workers) -> Floats:
        """Scores of the features, higher is better.

        ``table`` is a `Table`; on a Dask collection, another `AnyTable`.
        """
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        several = self._several_targets and self._task in ("regression", "multilabel")
        tags.target_tags.multi_output = several
        return tags

    def _validate_params(self) -> None:
        super()._validate_params()
        refuse_booleans(self)

    def _nominal(self, X: Any, kinds: Ints | None = None) -> Ints | None:
        """Columns that hold nominal features; None if the method takes numbers only.

        ``kinds`` are those of the columns, if they are known.
        """
        if not self._mixed:
            return None
        return nominal_columns(X, self.categorical_features, type(self).__name__, kinds)

    def _rank(self, table: AnyTable) -> NDArray[np.int64]:
        """1 for the best; equal scores by column order, constant features last."""
        natural = self._natural()
        outside = np.zeros(len(self.scores_)) if natural is None else ~natural
        constant = self._of_features(table.constant, np.logical_and)
        order = np.lexsort((-self.scores_, outside, constant))
        ranking = np.empty(len(order), np.int64)
        ranking[order] = np.arange(1, len(order) + 1)
        return ranking

    def _needs_rows(self) -> bool:
        """Whether selection needs cross-validation or similarities."""
        auto = self.n_features_to_select == "auto" and not self._gives_subset
        return auto or self.redundancy is not None

    def _select(self, size: int | None) -> NDArray[np.bool_]:
        natural = self._natural()
        if natural is not None and self.n_features_to_select in (None, "auto"):
            if self.redundant_with_ is not None:
                return natural & (self.redundant_with_ < 0)
            return natural
        if size is not None:
            return self.ranking_ <= size
        d, count = self._n_scored, self._wanted()
        if count > d:
            warn(
                f"{type(self).__name__}: n_features_to_select={count} but X has "
                f"{d} features; all are kept."
            )
        return self.ranking_ <= count
