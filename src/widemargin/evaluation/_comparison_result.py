"""Several methods on one data set, side by side: which features, how many, how sure."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from widemargin.base import MarginSelector
from widemargin.data.dataset import read_dataset
from widemargin.data.frames import data_frame
from widemargin.data.labels import encode
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation import _html
from widemargin.evaluation._curves import Baseline, Choice, Line, SelectionCurve
from widemargin.evaluation._profile import Profile
from widemargin.evaluation._redundancy import Redundancy
from widemargin.evaluation._resampling import Resampling
from widemargin.evaluation._signal import Signal
from widemargin.evaluation._significance import Significance
from widemargin.evaluation._stability import Agreement
from widemargin.evaluation._verdicts import LEVEL, Known, directions_of, features_frame
from widemargin.judging.measures import measure

if TYPE_CHECKING:
    import pandas as pd

N_NAMED = 5  # features that the answer names


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Results of several methods on one data set; returned by `compare`.

    A part is None, or lacks methods, if it was skipped because of its cost (see
    ``notes``) or if the comparison was interrupted (``complete`` is then False).

    Attributes
    ----------
    X, y
        As given.
    feature_names : array of str of shape (n_features,)
    profile : Profile
        Description of the data, and data-quality warnings.
    selectors : dict of str → selector
        By label, fitted on all rows.
    times : dict of str → float
        Time of that fit in seconds.
    curve : SelectionCurve or None
    agreement : Agreement or None
        Also None for a single method.
    resampling : dict of str → Resampling
        For the recommended method, and for others if they are cheap.
    significance : dict of str → Significance
        Likewise.
    redundancy : Redundancy or None
    signal_test : Signal or None
        Test of whether the features carry any information about the target.
    chance : float or None
        Score of a constant prediction in the same folds.
    recommended : selector or None
        The recommended method with ``redundancy``, fitted on all rows; None if
        near copies are not skipped.
    classifier : str
        Estimator that evaluated the features, such as "1-NN".
    settings : dict
        Plain values that reproduce the call.
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

    X: Any
    y: Any
    feature_names: NDArray[Any]
    profile: Profile
    selectors: dict[str, MarginSelector]
    times: dict[str, float]
    curve: SelectionCurve | None = None
    agreement: Agreement | None = None
    resampling: dict[str, Resampling] = field(default_factory=dict)
    significance: dict[str, Significance] = field(default_factory=dict)
    redundancy: Redundancy | None = None
    signal_test: Signal | None = None
    chance: float | None = None
    recommended: MarginSelector | None = None
    classifier: str = "1-NN"
    settings: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    complete: bool = True
    image_shape: tuple[int, int] | None = None
    image_order: Literal["C", "F"] = "C"
    ordered: bool = False

    @cached_property
    def lines(self) -> dict[str, Line]:
        """Curves by label; methods without a finished fold are left out."""
        return {} if self.curve is None else self.curve.lines

    @cached_property
    def choice(self) -> Choice | None:
        """Recommended method and size, and their score; None without a curve."""
        return None if self.curve is None else self.curve._choice()

    @property
    def best(self) -> str | None:
        """Label of the recommended method; None without a curve.

        Of all methods, redundancy thresholds and sizes that score within one standard
        error of the best, it has the most stable selection, then the fewest features.
        All features are recommended if they clearly score higher; see `AutoSelector`.
        """
        return self.choice.method if self.choice else None

    @property
    def n_features(self) -> int | None:
        """How many features the recommended method needs; None without a curve."""
        return self.choice.n_features if self.choice else None

    @property
    def selected(self) -> Ints | None:
        """Columns to keep, best first; none without signal, None without a curve."""
        if self.choice is None:
            return None
        if self.signal is False:
            return np.empty(0, np.int64)
        fitted = self.recommended or self.selectors[self.choice.method]
        ranking = fitted.ranking_
        return np.argsort(ranking, kind="stable")[: self.choice.n_features]

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
        return None if self.choice is None else self._above_chance(self.choice.score)

    @cached_property
    def answer(self) -> str:
        """The result in a sentence, ready for print."""
        if self.choice is None or self.curve is None or self.score_all is None:
            return "There is no answer yet: the comparison was interrupted before it."
        answer = self._answered(self.choice, self.curve, self.score_all)
        if self.curve.complete:
            return answer
        return f"{answer} That is by the folds that were finished before the interrupt."

    def _answered(self, choice: Choice, curve: SelectionCurve, score_all: float) -> str:
        d, k = self.profile.n_features, choice.n_features
        best, of_all = _together(curve.scoring, choice.score, score_all)
        if self.signal is False:
            return self._no_signal()
        if not self.beats_chance:
            return self._no_use(choice, score_all)
        if k == d:
            return (
                f"All {d} features are needed: {self._measure()} is {best} with them."
            )
        subject = f"{k} of {d} features, {self._ranked(choice)},"
        carry = "carries" if k == 1 else "carry"
        better = choice.better_than_all
        if better is None:
            better = choice.score > score_all + choice.stderr
        if better and choice.score > score_all:
            moves = "falls" if measure(curve.scoring).is_loss else "rises"
            return (
                f"{subject} {carry} the signal; {self._measure(short=True)} {moves} "
                f"from {of_all} with all to {best}."
            )
        return (
            f"{subject} {'is' if k == 1 else 'are'} enough; {self._measure()} is "
            f"{best} with {'it' if k == 1 else 'them'} and {of_all} with all."
        )

    @cached_property
    def features(self) -> pd.DataFrame:
        """One row per feature, best first, with what is known about it and a verdict.

        Columns: feature, rank and score (by the recommended method), p_value, q_value,
        frequency (fraction of subsamples that select it), verdict, why, direction and
        auc; NaN where a part is missing. A feature is *confirmed* if q < 0.05 and at
        least 60 % of the subsamples select it, *tentative* if one of the two holds or
        is all that is known, else *rejected*; if neither is known, kept features are
        tentative; without signal, all are rejected. ``why`` gives the reasons against
        it: below the cut (it ranks below the kept ones), near copy of another one,
        unstable, not significant, constant, no signal. For ordered classes,
        ``direction`` is 1 if values rise with the class, −1 if they fall and 0 if a
        test at level 0.05 cannot tell; ``auc`` is the probability that of two rows of
        different classes the higher class has the higher value. Of two classes,
        ``profile.positive`` is the higher one. For a numeric target both are as for
        ordered classes, with the target in place of the class.
        """
        label = self.best or next(iter(self.selectors))
        fitted = self.recommended or self.selectors[label]
        tested, again = self.significance.get(label), self.resampling.get(label)
        known = Known(
            self.feature_names,
            fitted.ranking_,
            fitted.scores_,
            again.frequency if again else None,
            tested.p_values if tested else None,
            tested.q_values if tested else None,
            self._near_copies(fitted),
            self.n_features or 0,
            self.signal,
            self.profile.constants,
        )
        return features_frame(known, self._directions())

    def _near_copies(self, fitted: MarginSelector) -> Ints | None:
        """The better feature of which each is a near copy, −1 for none."""
        if fitted.redundant_with_ is not None:
            return fitted.redundant_with_
        if self.redundancy is None:
            return None
        instead = np.full(len(self.feature_names), -1)
        for first, *others in self.redundancy.groups:
            instead[others] = first
        return instead

    def _directions(self) -> tuple[Ints, Floats]:
        """Sign and AUC of each feature; 0 and NaN where they mean nothing."""
        about, codes = self.profile, np.empty(0, np.int64)
        values = read_dataset(self.X, None, "compare", labels=False).apart().numbers
        # Numbers may be names, too.
        values = np.where(about.kinds == "nominal", np.nan, values)
        if about.target is None:
            codes, _ = encode(self.y, "compare", look=False)
        return directions_of(values, codes, about, self.ordered)

    def _tops(self) -> list[float]:
        return [float(line.mean.max()) for line in self.lines.values()]

    def _no_signal(self) -> str:
        assert self.curve is not None
        assert self.signal_test is not None
        top = max(self._tops())
        chance, found = _together(self.curve.scoring, self.chance or 0.0, top)
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
        assert self.choice is not None
        return self.chance is None or score > self.chance + self.choice.stderr

    def _no_use(self, choice: Choice, score_all: float) -> str:
        """There may be signal, but the selection does no better than guessing."""
        assert self.curve is not None
        assert self.chance is not None
        best, of_all, chance = _together(
            self.curve.scoring, choice.score, score_all, self.chance
        )
        d, k = self.profile.n_features, choice.n_features
        those = f"with {k} of {d} features, {self._ranked(choice)}, {of_all} with all"
        if k == d:
            those = f"with all {d} features"
        kind = "regressor" if self.profile.numeric_target else "classifier"
        lead = f"{self.classifier} does not clearly beat {self._guessing}"
        if self._above_chance(score_all):
            lead += " with fewer than all features"
        if self.signal and self.signal_test is not None:
            lead = f"There is signal (p = {self.signal_test.p_value:.3f}), but {lead}"
        hint = (
            ", such as balanced_accuracy," if self.curve.scoring == "accuracy" else ""
        )
        return (
            f"{lead}: {self._measure()} is {best} {those}, and {chance} by "
            f"{self._guessing}. Another {kind} or score{hint} may show more."
            + self._significant()
        )

    def _significant(self) -> str:
        """Name the features whose scores are significant, if there are any."""
        sure = self.features.loc[self.features["q_value"] < LEVEL, "feature"].tolist()
        if not sure:
            return ""
        more = f" and {len(sure) - N_NAMED} more" if len(sure) > N_NAMED else ""
        names = ", ".join(map(str, sure[:N_NAMED]))
        return f" Features with significant scores (q < {LEVEL:g}): {names}{more}."

    def _ranked(self, choice: Choice) -> str:
        without = "" if choice.redundancy is None else " without near copies"
        return f"as {choice.method} ranks them{without}"

    @property
    def _guessing(self) -> str:
        return "predicting the mean" if self.profile.numeric_target else "guessing"

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
            Columns: method, n_features (what would be recommended if there were no
            other method), score (there, corrected for the choice), score_all (with all
            features), area, fold_stability (of the selections in the folds, by which
            the rule decides among equal scores; NaN for all features), stability (of
            those on subsamples), fit_time (seconds, on all rows). NaN where a part is
            missing. A baseline has the last row. Scores are those of the
            scorer, so higher is better; a loss (``neg_…``) is negative.
        """
        area = {} if self.curve is None else self.curve.summary()["area"].to_dict()
        rows = []
        for label in self.selectors:
            own = self.curve._choice(label) if self.curve is not None else None
            again = self.resampling.get(label)
            rows.append(
                {
                    "method": label,
                    "n_features": own.n_features if own else None,
                    "score": own.score if own else np.nan,
                    "score_all": self.score_all if own else np.nan,
                    "area": area.get(label, np.nan),
                    "fold_stability": own.stability if own else np.nan,
                    "stability": again.stability.value if again else np.nan,
                    "fit_time": self.times[label],
                }
            )
        if self.baseline is not None:
            rows.append(
                dict.fromkeys(rows[0], np.nan)
                | {
                    "method": Baseline.LABEL,
                    "n_features": len(self.baseline.features),
                    "score": self.baseline.score,
                    "score_all": self.score_all,
                }
            )
        frame = data_frame({name: [row[name] for row in rows] for name in rows[0]})
        return frame.astype({"n_features": "Int64"})

    def _repr_html_(self) -> str:
        return _html.comparison(self)

    def __repr__(self) -> str:
        n, d = self.profile.n_samples, self.profile.n_features
        state = "" if self.complete else ", interrupted"
        return f"Comparison({', '.join(self.selectors)} on {n} × {d}{state})"


def _together(scoring: str, *values: float) -> list[str]:
    """Scores, or losses, with as many digits as it takes to tell them apart."""
    _, sign, percent = measure(scoring)
    for digits in (0, 1, 2) if percent else (2, 3, 4):
        texts = [
            f"{100 * v:.{digits}f} %" if percent else f"{sign * v:.{digits}f}"
            for v in values
        ]
        if len(set(texts)) == len(set(values)):
            break
    return texts
