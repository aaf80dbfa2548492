"""What a data set is, and data-quality warnings, before any method looks at it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin.data.dataset import Dataset, Names
from widemargin.data.frames import data_frame
from widemargin.data.outcomes import TASKS
from widemargin.data.protocol import Floats, Ints
from widemargin.data.quality import NEARLY_EMPTY
from widemargin.data.read import read_dataset
from widemargin.evaluation._findings import GROUP, PLAIN, Kinds, findings, of_groups
from widemargin.evaluation._selectors import task_of
from widemargin.judging.scores import lopsided

if TYPE_CHECKING:
    import pandas as pd

FEW = 5  # members, below which a class cannot be in every fold of a cross-validation
FAR_OUT = 10  # interquartile ranges from the median
SHOWN = 4  # names in a sentence; the rest is counted


@dataclass(frozen=True, eq=False, repr=False)
class Profile:
    """Size, column types and data-quality warnings of a data set; see `profile`.

    Columns are numbered from 0 in the order of X.

    Attributes
    ----------
    n_samples, n_features : int
        Rows and columns of X.
    names : array of str of shape (n_features,)
        Names of the columns; x0, x1 and so on if X has none.
    kinds : array of str of shape (n_features,)
        "numeric", "boolean", "ordered" or "nominal"; "group" for several columns of
        numbers or booleans that are one feature.
    missing : array of int of shape (n_features,)
        Number of missing values.
    distinct : array of int of shape (n_features,)
        Number of distinct values, not counting missing ones.
    low, high : array of shape (n_features,)
        Smallest and largest value; NaN where values are not numbers.
    duplicated_columns : list of list of int
        Groups of varying columns that are equal.
    target_copies : list of int
        Columns that determine the class.
    identifiers : list of int
        Columns that number or name the rows: of the distinct rows, at least 90 % have a
        value of their own.
    group_names : list of int
        Nominal columns that seem to name groups of rows, such as patients: values
        repeat, and all rows of a value have one class.
    duplicated_rows : int
        Rows whose features repeat an earlier row's.
    contradictory_rows : int
        Rows with the same features as a row of another class.
    class_counts : dict
        Rows of each class, in the order of the classes; empty for a numeric target.
    ordered : bool
        Whether the type of y orders its classes.
    positive : label or None
        Of two classes, the one to which directions and AUCs refer: the rarer one; the
        later one if they are equally frequent or if y orders them. None if there are
        not two.
    target : array of shape (n_samples,) or (n_samples, n_targets), or None
        The numeric target, if y is numeric; of survival times, the risk of each row
        (probability-scale residuals of the null model).
    task : str
        What y holds: "classification", "regression", "multilabel" or "survival".
    sparse : bool
        Whether X is sparse.
    missing_codes : dict of int → list of float
        For columns of numbers, those that may stand for a missing value, such as −999:
        they repeat, at an end of the range, and are farther from the next value than
        all others (at least 5 distinct ones) are from each other.
    spellings : dict of int → list of list of str
        For columns of text, categories that differ in upper and lower case or in white
        space only.
    skewed : list of int
        Columns of more than 10 different numbers whose range exceeds 20 interquartile
        ranges, and not by a code for missing values.
    """

    n_samples: int
    n_features: int
    names: Names
    kinds: Kinds
    missing: Ints
    distinct: Ints
    low: Floats
    high: Floats
    duplicated_columns: list[list[int]]
    target_copies: list[int]
    identifiers: list[int]
    group_names: list[int]
    duplicated_rows: int
    contradictory_rows: int
    class_counts: dict[Hashable, int]
    ordered: bool
    positive: Hashable = None
    target: Floats | None = None
    missing_codes: dict[int, list[float]] = field(default_factory=dict)
    spellings: dict[int, list[list[str]]] = field(default_factory=dict)
    skewed: list[int] = field(default_factory=list)
    task: str = "classification"
    sparse: bool = False

    @property
    def numeric_target(self) -> bool:
        """Whether y is a number to predict, and not a class."""
        return self.target is not None

    @property
    def n_classes(self) -> int:
        """How many classes y has."""
        return len(self.class_counts)

    @property
    def pair(self) -> tuple[Hashable, Hashable] | None:
        """Of two classes, the other one and the positive one; None for more."""
        if self.n_classes != 2:
            return None
        (other,) = set(self.class_counts) - {self.positive}
        return other, self.positive

    def _oriented(self, codes: Ints) -> Ints:
        """Codes of the classes; of two, the positive one is the higher."""
        turned = self.pair is not None and self.pair != tuple(self.class_counts)
        return 1 - codes if turned else codes

    @property
    def constants(self) -> Ints:
        """Columns with at most one value."""
        return np.flatnonzero(self.distinct < 2)

    @property
    def nearly_empty(self) -> Ints:
        """Columns with some values, of which more than 95 % are missing."""
        sparse = self.missing > NEARLY_EMPTY * self.n_samples
        return np.flatnonzero(sparse & (self.distinct > 0))

    @property
    def majority(self) -> float:
        """Share of the largest class: what always answering it would score."""
        if self.numeric_target:
            return float("nan")
        return max(self.class_counts.values()) / self.n_samples

    @property
    def lopsided(self) -> bool:
        """Whether the largest class has more than 4 times the smallest one's rows."""
        if self.numeric_target:
            return False
        return lopsided(self.class_counts.values())

    @property
    def plain(self) -> bool:
        """Whether all cells are there and are numbers, as most methods need it."""
        numbers = np.isin(self.kinds, (*PLAIN, GROUP))
        return not self.missing.any() and bool(numbers.all())

    @cached_property
    def warnings(self) -> list[str]:
        """What to know before believing a result, in short sentences."""
        return [
            *self._feature_warnings(),
            *self._row_warnings(),
            *self._class_warnings(),
        ]

    @property
    def leaks(self) -> list[str]:
        """A sentence for each feature that may give the target away."""
        tells = "separates the classes perfectly"
        if self.numeric_target:
            tells = "puts the rows in the order of the target"
        copies = [
            f"{self._name(f)} {tells}, as a copy of the target would: make sure that "
            "it is known before the target is."
            for f in self.target_copies
        ]
        return copies + self.group_leaks

    @property
    def group_leaks(self) -> list[str]:
        """A sentence for each feature that seems to name groups of rows."""
        return [
            f"Each of the {self.distinct[f]} values of {self._name(f)} occurs in one "
            "class only, as names of patients or sites do. If that is what they are, "
            "leave the column out and pass it as groups, or scores will be too high."
            for f in self.group_names
        ]

    def _feature_warnings(self) -> list[str]:
        said = []
        if self.n_features > self.n_samples:
            said.append(
                f"There are more features ({self.n_features}) than rows "
                f"({self.n_samples}): some will look good by chance."
            )
        if len(self.constants):
            said.append(f"{self._these(self.constants, 'constant')}.")
        if missing := int(self.missing.sum()):
            where, most = np.flatnonzero(self.missing), int(np.argmax(self.missing))
            place = self._name(most)
            if len(where) > 1:
                place = f"{len(where)} features, most in {place} ({self.missing[most]})"
            said.append(
                f"{missing} of {self.n_samples * self.n_features} cells are missing, "
                f"in {place}."
            )
        said.extend(
            f"{self._name(f)} is nearly empty: {self.missing[f]} of {self.n_samples} "
            "values are missing."
            for f in self.nearly_empty
        )
        said.extend(
            f"{self._name(f)} has {_some([f'{code:.15g}' for code in codes])} in "
            "several rows, far from all other values, like a code for missing values. "
            "If it is one, replace it by NaN."
            for f, codes in self.missing_codes.items()
        )
        said.extend(
            f"{_some([repr(text) for text in same])} are different categories of "
            f"{self._name(f)}, which differ in case or white space only."
            for f, spellings in self.spellings.items()
            for same in spellings
        )
        if self.skewed:
            said.append(
                f"{self._these(self.skewed, 'extremely skewed')}. Few values span most "
                'of the range; scale="rank", or the logarithm, spreads the others.'
            )
        if self.duplicated_columns:
            pairs = [
                f"{self._name(again)} repeats {self._name(group[0])}"
                for group in self.duplicated_columns
                for again in group[1:]
            ]
            said.append(f"{_some(pairs)}.")
        said.extend(self.leaks)
        said.extend(
            f"{self._name(f)} is different in {self._nearly(f)}every row, like an "
            "identifier."
            for f in self.identifiers
        )
        return said

    def _row_warnings(self) -> list[str]:
        said = []
        if n := self.duplicated_rows:
            verb = "repeats an earlier one" if n == 1 else "repeat earlier ones"
            said.append(f"{_count(n, 'row')} {verb}.")
        if (n := self.contradictory_rows) and not self.numeric_target:
            said.append(
                f"{n} rows have the same features as a row of another class: no "
                "classifier can separate them."
            )
        return said

    def _class_warnings(self) -> list[str]:
        if self.numeric_target:
            return self._odd_numbers()
        said, counts = [], self.class_counts
        if self.lopsided:
            by_size = sorted(counts, key=counts.__getitem__)
            small, large = by_size[0], by_size[-1]
            said.append(
                f"Classes are unbalanced: {counts[large]} rows of {large!r}, "
                f"{counts[small]} of {small!r}."
            )
        few = [f"{label!r} ({n})" for label, n in counts.items() if n < FEW]
        if few:
            said.append(f"Classes with fewer than {FEW} rows: {_some(few)}.")
        return said

    def _odd_numbers(self) -> list[str]:
        assert self.target is not None
        y = self.target
        if self.task != "regression" or y.ndim == 2:
            return []
        low, middle, high = np.quantile(y, [0.25, 0.5, 0.75])
        far = max(y.max() - middle, middle - y.min())
        if high > low and far > FAR_OUT * (high - low):
            return [
                f"The target has outliers ({y.min():g} to {y.max():g}, half of the "
                f"values from {low:g} to {high:g}), which dominate R². The logarithm, "
                "or the mean absolute error, may be better."
            ]
        return []

    def _nearly(self, feature: int) -> str:
        return "" if self.distinct[feature] == self.n_samples else "nearly "

    def _these(self, features: Sequence[int] | Ints, what: str) -> str:
        """Say "2 features are constant: 'a', 'b'" of the features."""
        verb = "is" if len(features) == 1 else "are"
        names = _some([self._name(f) for f in features])
        return f"{_count(len(features), 'feature')} {verb} {what}: {names}"

    def _name(self, feature: int | np.integer[Any]) -> str:
        return repr(str(self.names[feature]))

    @property
    def frame(self) -> pd.DataFrame:
        """One row per feature, with all that is known about each."""
        duplicate_of: list[str | None] = [None] * self.n_features
        for first, *others in self.duplicated_columns:
            for f in others:
                duplicate_of[f] = str(self.names[first])
        return data_frame(
            {
                "feature": self.names,
                "kind": self.kinds,
                "missing": self.missing,
                "distinct": self.distinct,
                "constant": self.distinct < 2,
                "low": self.low,
                "high": self.high,
                "duplicate_of": duplicate_of,
            }
        )

    def __repr__(self) -> str:
        n_warnings = len(self.warnings)
        kind = f"{self.n_classes} classes"
        if self.numeric_target:
            kind = TASKS[self.task].removeprefix("a ")
        return (
            f"Profile({self.n_samples} × {self.n_features}, {kind}, "
            f"{n_warnings} {'warning' if n_warnings == 1 else 'warnings'})"
        )


def profile(
    X: Any, y: Any, *, categorical_features: Any = None, task: str | None = None
) -> Profile:
    """Describe a data set, and give data-quality warnings.

    Parameters
    ----------
    X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        Columns of a frame are nominal or numbers by their types, as for the selectors.
    y : array-like of shape (n_samples,)
        Class labels, or numbers to predict.
    categorical_features : array-like of bool, int or str, optional
        Which columns are nominal besides: a mask, numbers or names.
    task : str or None, default=None
        Which of these y holds. None goes by y: decimals, and numbers that hardly
        repeat, are measurements.

    Returns
    -------
    profile : Profile
        Types, ranges and gaps of the columns, and what looks wrong with them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.evaluation import profile
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> p = profile(X.assign(unit="cm"), y)
    >>> p
    Profile(150 × 5, 3 classes, 2 warnings)
    >>> p.warnings
    ["1 feature is constant: 'unit'.", '1 row repeats an earlier one.']
    """
    task = task_of(None, y, task, "profile")
    data = read_dataset(X, y, "profile", task=task, sparse=True)
    return describe(data, categorical_features)


def describe(
    data: Dataset, categorical_features: Any = None, positive: Any = None
) -> Profile:
    """Describe a table that was read already; see `profile`.

    Where columns are one feature, it is of features.
    """
    about = Profile(**findings(data, categorical_features, positive))
    return about if data.feature_of is None else of_groups(about, data)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _some(items: Iterable[str]) -> str:
    """Join the first few; say how many more there are."""
    items = list(items)
    more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
    return ", ".join(items[:SHOWN]) + more
