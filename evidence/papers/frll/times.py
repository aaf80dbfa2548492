"""Figure 2: processor time against the number of samples."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from evidence.data import Sets
from evidence.framework.results import Results
from evidence.framework.store import Case, Result
from evidence.framework.verdicts import Verdict, judged, untested
from evidence.papers.drawing import Figure, Lines, Series
from evidence.papers.frame import Claim, Experiment, Table
from widemargin import FRLL, ReliefF
from widemargin.baselines import FCBF, MRMR

CLASSES = (2, 7, 15)
PER_CLASS = (3, 4, 5, 6, 7)
ROUNDS = 9
ALIKE = 0.1  # times that differ by less than this share are not told apart
FLAT = 0.2  # slope below which time does not grow with the samples, as far as one sees


def methods() -> dict[str, Any]:
    """What is timed."""
    return {
        "FRLL-Q": FRLL(n_jobs=1, scale=None),
        "ReliefF": ReliefF(n_neighbors=5, n_jobs=1, scale=None),
        "FCBF": FCBF(n_jobs=1),
        "mRMR-MID": MRMR(n_jobs=1),
    }


class Times(Experiment):
    """Time of one fit."""

    key = "times"
    covers = ("Figure 2",)
    title = "Time against the number of samples"
    how = (
        "2, 7 and 15 people of Yale with 3 to 7 images each, 1024 pixels. Processor "
        f"time of one fit in one thread, the median of {ROUNDS} interleaved rounds "
        "after a first fit that is not counted. The paper timed MATLAB programs in "
        "which FRLL's matrices are dense; ours never builds them, and all our methods "
        "share one compiled search. So absolute times say nothing; orders may."
    )

    def cases(self, quick: bool) -> Sequence[Case]:
        """Each number of classes, with all numbers of images at once."""
        return [{"classes": c} for c in (CLASSES[:1] if quick else CLASSES)]

    def measure(self, case: Case, data: Sets) -> Result:
        """Time all methods side by side."""
        bunch = data("yale_32x32")
        X, y = np.asarray(bunch.data, float), np.asarray(bunch.target)
        people = np.unique(y)[: case["classes"]]
        found: dict[str, list[float]] = {name: [] for name in methods()}
        for count in PER_CLASS:
            rows = np.concatenate([np.flatnonzero(y == p)[:count] for p in people])
            for name, seconds in _timed(X[rows], y[rows]).items():
                found[name].append(seconds)
        return {"times": found}

    def claims(self) -> Sequence[Claim]:
        """What the text says of figure 2."""
        return [
            Claim(
                "Figure 2",
                "With 2 classes FRLL-Q takes longer than ReliefF.",
                "curves only",
                partial(_against, classes=2, slower=True),
                "the median ratio of their times is above 1; within a tenth of 1 it "
                "cannot be tested",
            ),
            *(
                Claim(
                    "Figure 2",
                    f"With {c} classes FRLL-Q is the fastest.",
                    "curves only",
                    partial(_against, classes=c, slower=False),
                    "each median ratio of its time to another's is below 1; it cannot "
                    "be tested if the largest is within a tenth of 1",
                )
                for c in CLASSES[1:]
            ),
            Claim(
                "Figure 2",
                "FCBF's time is nearly linear in the number of samples, that of "
                "ReliefF and FRLL-Q grows faster.",
                "curves only",
                _growth,
                "with 15 classes FCBF's time grows like n to a power between 0.7 and "
                "1.3, and the others' powers are higher; it cannot be tested if a "
                f"power is below {FLAT}",
            ),
        ]

    def tables(self, results: Results) -> Sequence[Table]:
        """Milliseconds."""
        rows = [
            [row["classes"], name, *(f"{1000 * t:.2f}" for t in times)]
            for row in results
            for name, times in row["times"].items()
        ]
        header = ["classes", "method", *(f"{c} per class" for c in PER_CLASS)]
        return [Table("Milliseconds of processor time", header, rows)]

    def figures(self, results: Results) -> Sequence[Figure]:
        """Figure 2, a panel for each number of classes."""
        panels = [
            Lines(
                [
                    Series(name, PER_CLASS, [1000 * t for t in times])
                    for name, times in row["times"].items()
                ],
                "images per class",
                "milliseconds",
                f"{row['classes']} classes",
            )
            for row in results
        ]
        caption = "Figure 2: processor time of one fit against the number of samples."
        return [Figure("figure-2", caption, panels)]


def _timed(X: Any, y: Any) -> dict[str, float]:
    """Median seconds of each method."""
    seconds: dict[str, list[float]] = {name: [] for name in methods()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of small classes
        for selector in methods().values():
            selector.fit(X, y)
        for _ in range(ROUNDS):
            for name, selector in methods().items():
                start = time.process_time()
                selector.fit(X, y)
                seconds[name].append(time.process_time() - start)
    return {name: float(np.median(taken)) for name, taken in seconds.items()}


def _times(results: Results, classes: int) -> dict[str, Any]:
    times: dict[str, Any] = results.where(classes=classes).rows[0]["times"]
    return times


def _against(results: Results, classes: int, slower: bool) -> Verdict:
    times = _times(results, classes)
    mine = np.array(times["FRLL-Q"])
    ratios = {
        name: float(np.median(mine / np.array(other)))
        for name, other in times.items()
        if name != "FRLL-Q"
    }
    ours = "FRLL-Q takes " + ", ".join(
        f"{ratio:.2f} of {name}'s time" for name, ratio in ratios.items()
    )
    decisive = ratios["ReliefF"] if slower else max(ratios.values())
    why = "Median ratios over 3 to 7 images per class, our programs"
    if abs(decisive - 1) < ALIKE:
        return untested(f"{why}. {decisive:.2f} is too near to 1 to tell", ours)
    return judged(decisive > 1 if slower else decisive < 1, ours, why)


def _growth(results: Results) -> Verdict:
    times = _times(results, CLASSES[-1])
    slopes = {
        name: float(np.polyfit(np.log(PER_CLASS), np.log(taken), 1)[0])
        for name, taken in times.items()
    }
    ours = "Time grows like n to the power of " + ", ".join(
        f"{slope:.2f} ({name})" for name, slope in slopes.items()
    )
    if min(slopes[name] for name in ("FRLL-Q", "ReliefF", "FCBF")) < FLAT:
        return untested(
            "At 45 to 105 samples the fixed costs of a fit, a few milliseconds, and "
            "the noise of the clock hide what grows with the samples",
            ours,
        )
    linear = 0.7 <= slopes["FCBF"] <= 1.3
    faster = min(slopes["FRLL-Q"], slopes["ReliefF"]) > slopes["FCBF"]
    return judged(linear and faster, ours, "45 to 105 samples")
