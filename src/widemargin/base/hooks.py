"""What the rest of the package asks of a method, with the answer of most methods.

A method overrides what is different for it. Nobody asks which method it is. What a
method refuses, and what it says to use instead, follows from these answers.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from widemargin.data.covariates import of_use
from widemargin.data.dataset import Dataset
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.threads import Workers


class Hooks:
    """Answers of a method about itself."""

    scores_: Floats
    batch_size: int  # of some methods
    feature_groups: Any
    _parameter_constraints: ClassVar[dict[str, Any]]

    # Whether the method makes use of an order of the classes.
    _ordered_classes = False

    # Methods that are _mixed have a parameter ``categorical_features``.
    # Whether a feature has the same score, or statistic, without the other features.
    _separable = False

    # Features that it is worth taking one by one; None: any number.
    _most_taken: ClassVar[int | None] = None

    # How a group of columns is scored: by its "differences", as one block; by the
    # "best" of its columns; or by their "total".
    _score_of_group: ClassVar[str] = "best"

    # How a method takes covariates of classes: its scores are means over "strata", or
    # it predicts a "target" that has lost what they explain; None: it does not.
    _beyond: ClassVar[str | None] = None

    # What to use instead on a Dask collection; None if the method itself runs there.
    _instead_on_dask: ClassVar[str | None] = "FisherScore, FRLL or ReliefF"

    # What to use instead with weights of rows; None if the method itself takes them.
    _instead_with_weights: ClassVar[str | None] = None

    # How ranks are scaled with scale="rank".
    _scale_of_ranks = "minmax"

    # Whether the method arrives at a subset of its own, not at a ranking.
    _gives_subset = False

    @property
    def _statistic(self) -> Floats:
        """What tests of significance compare between fits, one number per feature.

        The scores, unless these are relative to other features: the best one's share
        of the best is 1 for whatever labels. A method with such scores overrides this
        with what they were before they were divided; nothing else is asked of it.
        """
        return self.scores_

    def _permuted_neighbors(self, n: int, n_classes: int) -> int | None:
        """Neighbours of each row that `_permuted_scores` sums over, 0 for no search.

        None if only refits give the scores under permuted labels. A method with such a
        shortcut overrides both in its own class; they are not asked of a subclass,
        whose scores may be others.
        """
        return None

    def _permuted_scores(
        self, table: Table, targets: NDArray[Any], features: Ints, workers: Workers
    ) -> Floats:
        """(B, len(features)): scores of some features under B labellings, no refits.

        ``targets`` is (B, n): for each row of the table, of numbers without gaps, a
        class code or a number to predict. The scores are those of fits to the table, or
        of separable methods a monotone function of these.
        """
        raise NotImplementedError

    # Whether y may have several numbers for each row.
    _several_targets = False

    @property
    def _task(self) -> str:
        """What y holds, see `widemargin.data.outcomes.TASKS`."""
        return getattr(self, "task", "classification")

    @property
    def _tasks(self) -> set[str]:
        """What y may hold."""
        if not hasattr(self, "task"):
            return {self._task}
        tasks: set[str] = self._parameter_constraints["task"][0].options
        return tasks

    @property
    def _numeric_target(self) -> bool:
        """Whether y is a target to predict, and not a class."""
        return self._task != "classification"

    @property
    def _metric_of_group(self) -> str:
        """By which distance the largest difference of a group of columns is 1."""
        return getattr(self, "metric", "euclidean")

    def _uses_labels(self, y: Any) -> bool:
        """Whether y counts; an unsupervised method ignores it, or does without."""
        return True

    def _natural_support(self) -> NDArray[np.bool_] | None:
        """The subset that the method itself arrives at, if any."""
        return None

    def _own_size(self) -> int | None:
        """How many features "auto" keeps, if the method itself can tell."""
        return None

    def _best_size(self, data: Dataset, order: Ints) -> int | None:
        """How many of the best of another ranking to keep, if the method can tell.

        ``order`` are features, best first, constant ones last.
        """
        return None

    def _strata_of(self, data: Dataset, rows: Any = slice(None)) -> list[Ints] | None:
        """Rows, some at a time, that are alike in their covariates; None: all at once.

        Only those with several rows of several classes: others tell nothing.
        """
        strata = data.strata
        if strata is None or not data.labelled or self._beyond != "strata":
            return None
        rows = np.arange(data.shape[0])[rows]
        parts = [rows[strata[rows] == s] for s in np.unique(strata[rows])]
        parts = [part for part in parts if of_use(data.codes[part])]
        if not parts:
            raise ValueError(
                f"{type(self).__name__}: in no stratum of the covariates are there "
                "several rows of several classes. Use fewer covariates."
            )
        return parts

    def _refuse_weights(self, weights: Any) -> None:
        """Say that there is no way to weigh rows, and what to use instead."""
        instead, name = self._instead_with_weights, type(self).__name__
        if weights is not None and instead is not None:
            raise ValueError(
                f"{name} does not take sample_weight. Use {instead}, or leave it out."
            )

    def _refuse_auto_without_labels(self, has_labels: bool) -> None:
        """Refuse to judge features without labels to judge them by."""
        if has_labels or self._gives_subset:
            return
        for name in ("n_features_to_select", "redundancy"):
            if getattr(self, name) == "auto":
                raise ValueError(
                    f"{type(self).__name__} requires y to be passed, but the target y "
                    f'is None: {name}="auto" judges features by the classes of nearest '
                    "rows. Pass y, or a number."
                )

    def _refuse_on_dask(self, y: Any, covariates: Any) -> None:
        """Say what does not run on Dask collections, and what to use instead."""
        name = type(self).__name__
        if covariates is not None:
            raise ValueError(
                f"{name}: covariates are for tables in memory. Fit to a sample, "
                "X.sample(...).compute()."
            )
        if self._task in ("multilabel", "survival"):
            raise ValueError(
                f'{name}: task="{self._task}" does not run on Dask collections. Use it '
                "on X.compute() and y.compute(), or on a sample of the rows."
            )
        if self._instead_on_dask is not None:
            instead = "RReliefF" if self._numeric_target else self._instead_on_dask
            raise ValueError(
                f"{name} does not run on Dask collections. Use {instead}, or {name} on "
                "X.compute() if that fits into memory."
            )
        if y is None:
            raise ValueError(
                f"{name} requires y to be passed, but the target y is None."
            )
        if self.feature_groups is not None:
            raise ValueError(
                f"{name}: feature_groups are for tables in memory and do not run on "
                "Dask collections. Use them on a sample, X.sample(...).compute()."
            )

    def _refuse_covariates(self, data: Dataset) -> None:
        """Refuse covariates where the method can do nothing about them."""
        if data.covariates is not None and not data.numeric and self._beyond is None:
            raise ValueError(
                f"{type(self).__name__} does not take covariates with classes. Use "
                "KernelRFE or ReliefF."
            )

    def _refuse_single_visits(self) -> None:
        """Rows on the workers are visited in batches, each of a few messages."""
        if self.batch_size == 1:
            raise ValueError(
                f"{type(self).__name__} on a Dask collection visits samples in "
                "batches, got batch_size=1. Set batch_size to several hundred: samples "
                "of a batch share one w, and every batch takes a round trip to the "
                "cluster."
            )
