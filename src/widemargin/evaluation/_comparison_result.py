"""Several methods on one data set, side by side: which features, how many, how sure."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from widemargin.base import MarginSelector
from widemargin.data.dataset import Dataset
from widemargin.data.frames import data_frame
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation import _html
from widemargin.evaluation._curves import Baseline, Line, SelectionCurve
from widemargin.evaluation._hard_rows import HardRows
from widemargin.evaluation._interactions import Interactions
from widemargin.evaluation._profile import Profile
from widemargin.evaluation._redundancy import Redundancy
from widemargin.evaluation._signal import Signal
from widemargin.evaluation._significance import Significance
from widemargin.evaluation._stability import Agreement
from widemargin.evaluation._verdicts import LEVEL, features_frame
from widemargin.judging.recommend import Recommendation
from widemargin.judging.scores import error_text, measure, texts_apart

if TYPE_CHECKING:
    import pandas as pd

N_NAMED = 5  # features that the answer names
CHOICE = ("n_features", "score", "stderr", "score_all", "stability")
SUMMARY = ("method", *CHOICE[:4], "area", "stability", "fit_time")


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Results of several methods on one data set; returned by `compare`.

    A part is None if the comparison was interrupted before it (``complete`` is then
    False), or if it was left out (see ``notes``).

    Attributes
    ----------
    data : Dataset
        The table, read once; `X` and `y` are as given.
    feature_names : array of str of shape (n_features,)
    profile : Profile
        Description of the data, and data-quality warnings.
    selectors : dict of str → selector
        By label, fitted on all rows.
    times : dict of str → float
        Median time of a fit in the folds, in seconds.
    directions : tuple of two arrays of shape (n_features,)
        Which way each feature goes with the target, and its AUC; see ``features``.
    candidates : list of str
        Methods that were chosen from; the others are shown for comparison.
    recommendation : Recommendation or None
        The features to keep, and what is known about the choice.
    alone : dict of str → Recommendation
        What would be recommended by each method alone.
    relevance : Significance or None
        The test of relevance; None with groups, whose rows are not independent.
    interactions : Interactions or None
        Which pairs of features work together; None without signal.
    without_leaks : Recommendation or None
        The choice without features that may be copies of the target; None if there are
        none of these.
    names_without_leaks : array of str or None
        Names of the features to keep then.
    curve : SelectionCurve or None
    agreement : Agreement or None
        Also None for a single method.
    redundancy : Redundancy or None
    hard_rows : HardRows or None
        Rows by their margin on the features chosen for each fold, hardest first; None
        for a numeric target.
    signal_test : Signal or None
        Test of whether the features carry any information about the target.
    chance : float or None
        Score of a constant prediction in the same folds.
    classifier : str
        Estimator that evaluated the features, such as "1-NN".
    settings : dict
        Plain values that reproduce the call, and the ``rate`` at which work is counted.
    notes : list of str
        Decisions, omissions and other remarks.
    complete : bool
        False if interrupted.
    image_shape : (height, width) or None
    image_order : {"C", "F"}
        Whether images were flattened row by row or column by column.
    ordered : bool
        Whether there are three or more classes that are treated as ordered.
    """

    data: Dataset
    feature_names: NDArray[Any]
    profile: Profile
    selectors: dict[str, MarginSelector]
    times: dict[str, float]
    directions: tuple[Ints, Floats]
    candidates: list[str] = field(default_factory=list)
    recommendation: Recommendation | None = None
    alone: dict[str, Recommendation] = field(default_factory=dict)
    relevance: Significance | None = None
    interactions: Interactions | None = None
    without_leaks: Recommendation | None = None
    names_without_leaks: NDArray[Any] | None = None
    curve: SelectionCurve | None = None
    agreement: Agreement | None = None
    redundancy: Redundancy | None = None
    hard_rows: HardRows | None = None
    signal_test: Signal | None = None
    chance: float | None = None
    classifier: str = "1-NN"
    settings: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    complete: bool = True
    image_shape: tuple[int, int] | None = None
    image_order: Literal["C", "F"] = "C"
    ordered: bool = False

    @property
    def X(self) -> Any:
        """The features, as given."""
        return self.data.table

    @property
    def y(self) -> Any:
        """The target, as given."""
        return self.data.y_given

    @cached_property
    def lines(self) -> dict[str, Line]:
        """Curves by label; methods without a finished fold are left out."""
        return {} if self.curve is None else self.curve.lines

    @property
    def best(self) -> str | None:
        """Label of the recommended method; None before there is one."""
        return self.recommendation.method if self.recommendation else None

    @property
    def n_features(self) -> int | None:
        """How many features to keep; None before that is known."""
        return self.recommendation.n_features if self.recommendation else None

    @property
    def selected(self) -> Ints | None:
        """Columns to keep, best first; none without signal, None before a choice."""
        if self.recommendation is None:
            return None
        if self.signal is False:
            return np.empty(0, np.int64)
        return self.recommendation.columns

    @property
    def score_all(self) -> float | None:
        """Mean score with all features; None without a curve."""
        return None if self.curve is None else float(np.nanmean(self.curve.baseline))

    @property
    def baseline(self) -> Baseline | None:
        """Score of the features given as ``baseline``; None if there are none."""
        return None if self.curve is None else self.curve._reference_score()

    @property
    def signal(self) -> bool | None:
        """Whether there is anything in the table at all, by ``signal_test``.

        None if it was not tested, or if there are too few groups to tell.
        """
        test = self.signal_test
        return test.found if test is not None and test.conclusive else None

    @property
    def beats_chance(self) -> bool | None:
        """Whether the recommended features score clearly above guessing.

        That is by more than one standard error; None if nothing is recommended.
        """
        found = self.recommendation
        return None if found is None else self._above_chance(found.score)

    @cached_property
    def answer(self) -> str:
        """The result in a sentence or two, ready for print."""
        found, curve, d = self.recommendation, self.curve, self.profile.n_features
        if found is None or curve is None:
            return "There is no answer yet: the comparison was interrupted before it."
        if self.signal is False:
            return self._no_signal()
        if not self.beats_chance:
            return self._no_use(found)
        if self.without_leaks is None:
            more = self.interactions and self.interactions._headline(self.works_with)
            return f"{self._sentence(found, d)} {more or ''}".rstrip()
        leaks = self.profile.target_copies
        names = ", ".join(str(self.feature_names[f]) for f in leaks)
        copy, it = ("a copy", "it") if len(leaks) == 1 else ("copies", "them")
        scores = texts_apart(curve.scoring, found.score, self.without_leaks.score)
        with_them, without = (
            f"{score} ± {error_text(curve.scoring, choice.stderr)} with "
            f"{choice.n_features} of {n} features"
            for choice, n, score in zip(
                (found, self.without_leaks), (d, d - len(leaks)), scores, strict=True
            )
        )
        return (
            f"{names} may be {copy} of the target. If {it} may be used, "
            f"{self._measure()} is {with_them}; if not, {without}."
        )

    def _sentence(self, found: Recommendation, d: int) -> str:
        """What a choice among d features is worth."""
        assert self.curve is not None
        k, scoring = found.n_features, self.curve.scoring
        best, of_all = texts_apart(scoring, found.score, found.score_all)
        best = f"{best} ± {error_text(scoring, found.stderr)}"
        if k == d:
            return (
                f"All {d} features are needed: {self._measure()} is {best} with them."
            )
        be, it, carry = ("is", "it", "carries") if k == 1 else ("are", "them", "carry")
        subject = f"{k} of {d} features, {self._ranked(found)},"
        gain = found.score - found.score_all
        carries = found.better_than_all and gain > 0
        if carries or gain < -found.stderr:
            does = f"{carry} the signal" if carries else f"{be} kept"
            moves = "falls" if (gain < 0) != measure(scoring).is_loss else "rises"
            return (
                f"{subject} {does}; {self._measure(short=True)} {moves} from {of_all} "
                f"with all to {best}."
            )
        return (
            f"{subject} {be} enough; {self._measure()} is {best} with {it} and "
            f"{of_all} with all."
        )

    @cached_property
    def features(self) -> pd.DataFrame:
        """One row per feature, best first, with what is known about it and a verdict.

        Columns: feature, rank and score (of the consensus of the folds and all rows),
        verdict, why, copy_of, relevant, p_value, q_value, frequency (share of the folds
        that choose it or a near copy of it), direction, auc and works_with (features
        that it interacts with, "several others" for a relevant feature that has neither
        an effect of its own nor a partner, or empty); NaN where a part is
        missing. The verdict is *kept*; *copy* (a near copy of the better feature in
        ``copy_of``); *relevant, not needed* (q < 0.05 by `relevance`, but adds nothing
        to those that are kept); *not relevant*; or *not tested*. Without signal, none
        is kept and none is relevant. For ordered classes, ``direction`` is 1 if values
        rise with the class, −1 if they fall and 0 if a test at level 0.05 cannot tell;
        ``auc`` is the probability that of two rows of different classes the higher
        class has the higher value. Of two classes, ``profile.positive`` is the higher
        one. For a numeric target both are as for ordered classes, with the target in
        place of the class.
        """
        if self.recommendation is None:
            raise AttributeError(
                "The comparison was interrupted before there was a choice: there are "
                "no verdicts."
            )
        frame = features_frame(
            self.feature_names,
            self.recommendation,
            self.relevance,
            self.signal,
            self.directions,
            self.profile.constants,
            self.selected if self.selected is not None else np.empty(0, np.int64),
        )
        order = np.argsort(self.recommendation.ranking, kind="stable")
        return frame.assign(works_with=[self.works_with.get(f, "") for f in order])

    @cached_property
    def works_with(self) -> dict[int, str]:
        """With what features work, by column, for those that need others."""
        pairs, test = self.interactions, self.relevance
        relevant = () if test is None else np.flatnonzero(test.significant())
        return {} if pairs is None else pairs.works_with(relevant)

    @property
    def relevant(self) -> pd.DataFrame:
        """All relevant features, the lowest q-value first; columns as ``features``."""
        frame = self.features
        found = frame[frame["relevant"].fillna(value=False)]
        return found.sort_values(["q_value", "rank"], ignore_index=True)

    def _no_signal(self) -> str:
        assert self.curve is not None
        assert self.signal_test is not None
        top = max(float(line.mean.max()) for line in self.lines.values())
        chance, found = texts_apart(self.curve.scoring, self.chance or 0.0, top)
        at_best = "at least" if measure(self.curve.scoring).is_loss else "at most"
        return (
            f"No signal found (p = {self.signal_test.p_value:.3f}, level "
            f"{self.signal_test.level:g}): whichever of the {self.profile.n_features} "
            f"features are kept, {self._measure()} is {at_best} {found}, and "
            f"{chance} by {self._guessing}"
            + ("; that much may be chance." if top > (self.chance or 0.0) else ".")
        )

    def _above_chance(self, score: float) -> bool:
        """Whether a score is more than a standard error above that of guessing."""
        assert self.recommendation is not None
        return self.chance is None or score > self.chance + self.recommendation.stderr

    def _no_use(self, found: Recommendation) -> str:
        """There may be signal, but the selection does no better than guessing."""
        assert self.curve is not None
        assert self.chance is not None
        best, of_all, chance = texts_apart(
            self.curve.scoring, found.score, found.score_all, self.chance
        )
        d, k = self.profile.n_features, found.n_features
        those = f"with {k} of {d} features, {self._ranked(found)}, {of_all} with all"
        if k == d:
            those = f"with all {d} features"
        kind = "regressor" if self.profile.numeric_target else "classifier"
        lead = f"{self.classifier} does not clearly beat {self._guessing}"
        if self._above_chance(found.score_all):
            lead += " with fewer than all features"
        if self.signal and self.signal_test is not None:
            lead = f"There is signal (p = {self.signal_test.p_value:.3f}), but {lead}"
        hint = ", such as balanced_accuracy," * (self.curve.scoring == "accuracy")
        return (
            f"{lead}: {self._measure()} is {best} {those}, and {chance} by "
            f"{self._guessing}. Another {kind} or score{hint} may show more."
            + self._named()
        )

    def _named(self) -> str:
        """Name the relevant features, if there are any."""
        sure = self.relevant["feature"].tolist()
        if not sure:
            return ""
        more = f" and {len(sure) - N_NAMED} more" if len(sure) > N_NAMED else ""
        names = ", ".join(map(str, sure[:N_NAMED]))
        return f" Relevant features (q < {LEVEL:g}): {names}{more}."

    def _ranked(self, found: Recommendation) -> str:
        without = " without near copies" if (found.redundant_with >= 0).any() else ""
        return f"as {found.method} ranks them{without}"

    @property
    def _guessing(self) -> str:
        numbers = self.profile and self.profile.task == "regression"
        return "predicting the mean" if numbers else "guessing"

    def _measure(self, short: bool = False) -> str:
        assert self.curve is not None
        scoring = self.curve.scoring
        if short and scoring == "accuracy":
            return self.classifier
        return f"the {measure(scoring).name} of {self.classifier}"

    def summary(self) -> pd.DataFrame:
        """Put the methods into a table, one row each.

        Returns
        -------
        table : DataFrame
            Columns: method, n_features (what would be recommended by the method
            alone), score (of that, nested), stderr, score_all (with all features),
            area, stability (agreement of the folds), fit_time (seconds, in a fold).
            NaN where a part is missing. A baseline has the last row. Scores are those
            of the scorer, so higher is better; a loss (``neg_…``) is negative.
        """
        area = {} if self.curve is None else self.curve.summary()["area"].to_dict()
        rows: list[dict[str, Any]] = [
            {name: getattr(self.alone.get(label), name, None) for name in CHOICE}
            | {"area": area.get(label), "fit_time": self.times.get(label)}
            | {"method": label}
            for label in self.selectors
        ]
        if (today := self.baseline) is not None:
            rows.append({name: getattr(today, name) for name in ("score", "stderr")})
            rows[-1] |= {"method": Baseline.LABEL, "score_all": self.score_all}
            rows[-1]["n_features"] = len(today.features)
        frame = data_frame({name: [row.get(name) for row in rows] for name in SUMMARY})
        numbers = dict.fromkeys(SUMMARY[1:], "float64") | {"n_features": "Int64"}
        return frame.astype(numbers)

    @property
    def by_class(self) -> MarginSelector | None:
        """The method with scores by class: the recommended one, or else the first."""
        order = sorted(self.selectors, key=lambda label: label != self.best)
        found = (self.selectors[label] for label in order)
        return next((s for s in found if hasattr(s, "scores_by_class_")), None)

    def _repr_html_(self) -> str:
        return _html.comparison(self)

    def __repr__(self) -> str:
        n, d = self.profile.n_samples, self.profile.n_features
        state = "" if self.complete else ", interrupted"
        return f"Comparison({', '.join(self.selectors)} on {n} × {d}{state})"
