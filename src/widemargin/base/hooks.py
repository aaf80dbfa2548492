"""What the rest of the package asks of a method, with the answer of most methods.

A method overrides what is different for it. Nobody asks which method it is.
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
