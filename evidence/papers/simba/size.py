"""Footnote 4: G-flip at the size that the authors could not run it at."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import zoom
from sklearn.neighbors import KNeighborsClassifier

from evidence.data import Sets
from evidence.framework.results import Results
from evidence.framework.store import Case, Result
from evidence.framework.verdicts import Verdict, untested
from evidence.papers.frame import Claim, Experiment, Table
from evidence.papers.simba.faces import N_TEST, N_TRAIN, labels_of
from evidence.papers.splits import classifier
from widemargin import GFlip, Simba

SHAPE = 85, 60  # of the paper's images: 5100 pixels
STARTS = {"empty": 2, "full": 1}  # splits for each; the claims are about the first
TASKS = {"group": "two groups of people", "person": "38 people"}

Array = NDArray[Any]


class Size(Experiment):
    """G-flip on 1000 images of 5100 pixels."""

    key = "size"
    covers = ("Footnote 4",)
    title = "G-flip at the authors' size"
    how = (
        f"YaleB's faces, enlarged to {SHAPE[0]} × {SHAPE[1]} pixels by bilinear "
        f"interpolation: {N_TRAIN} × 5100 for training, {N_TEST} rows for testing. Two "
        "tasks: two random groups of people, which stand in for the sexes, and people. "
        "G-flip starts from the empty set, as printed, in two splits, and from all "
        "pixels in one. Simba, and as many pixels at random, are there to compare "
        "with. Times are processor times, the first with compilation."
    )

    def cases(self, quick: bool) -> Sequence[Case]:
        """Task, start and split."""
        if quick:
            return [{"task": "group", "start": "empty", "seed": 0, "quick": True}]
        return [
            {"task": task, "start": start, "seed": seed, "quick": False}
            for start, splits in STARTS.items()
            for seed in range(splits)
            for task in TASKS
        ]

    def measure(self, case: Case, data: Sets) -> Result:
        """Select pixels and classify with them."""
        bunch, quick = data("yaleb_32x32"), case["quick"]
        y = labels_of(bunch, case["task"])
        n, m = (100, 50) if quick else (N_TRAIN, N_TEST)
        drawn = np.random.default_rng(case["seed"]).permutation(len(y))[: n + m]
        X, y = _enlarged(bunch, drawn, (17, 12) if quick else SHAPE), y[drawn]
        train, test = np.arange(n), np.arange(n, n + m)
        begin = process_time()
        gflip = GFlip(start=case["start"], scale=None, random_state=case["seed"])
        kept = gflip.fit(X[train], y[train]).get_support(indices=True)
        k = len(kept)
        found: Result = {
            "n_features": k,
            "epochs": gflip.n_epochs_,
            "margin": gflip.margin_,
            "gflip_seconds": process_time() - begin,
        }
        chosen = {"all": np.arange(X.shape[1])}
        if k:
            begin = process_time()
            simba = Simba(scale=None, random_state=case["seed"])
            order = np.argsort(simba.fit(X[train], y[train]).ranking_)
            found["simba_seconds"] = process_time() - begin
            control = np.random.default_rng(case["seed"]).permutation(X.shape[1])
            chosen |= {"G-flip": kept, "Simba": order[:k], "random": control[:k]}
        judge = classifier(KNeighborsClassifier(1))  # one size: no sweep over all
        for name, columns in chosen.items():
            size = np.array([len(columns)])
            found[name] = float(judge(X, y, train, test, columns, size)[0])
        return found

    def claims(self) -> Sequence[Claim]:
        """What the footnote says."""
        return [
            Claim(
                "Footnote 4",
                "G-flip cannot be applied to 1000 × 5100 due to computational "
                "constraints.",
                "not applied",
                _runs,
                "a computer of 2004 could not run it, which nobody can try now",
                changed="2026-11-18: until then it did not hold, by the hour that a "
                "run would have to take today",
            ),
        ]

    def tables(self, results: Results) -> Sequence[Table]:
        """Each run."""
        rows = [
            [
                TASKS[row["task"]],
                row["start"],
                row["seed"],
                row["n_features"],
                row["epochs"],
                *(
                    f"{row[what]:.0f} s" if what in row else "–"
                    for what in ("gflip_seconds", "simba_seconds")
                ),
                *(
                    f"{100 * row[name]:.1f}" if name in row else "–"
                    for name in ("G-flip", "Simba", "random", "all")
                ),
            ]
            for row in results
        ]
        header = ["task", "start", "split", "pixels kept", "epochs", "G-flip", "Simba"]
        header += ["G-flip (%)", "Simba (%)", "random (%)", "all pixels (%)"]
        note = "Accuracy of 1-NN on the test rows with as many pixels as G-flip keeps."
        return [Table("Runs", header, rows, note)]


def _enlarged(bunch: Any, rows: Array, shape: tuple[int, int]) -> Array:
    """Images at another size, one per row."""
    height, width = bunch.image_shape
    images = np.asarray(bunch.data, float)[rows].reshape(
        len(rows), height, width, order="C"
    )
    if bunch.image_order == "F":
        images = images.transpose(0, 2, 1)
    factors = 1, shape[0] / height, shape[1] / width
    return zoom(images, factors, order=1).reshape(len(rows), -1)


def _runs(results: Results) -> Verdict:
    part = results.where(task="group")
    seconds = part.values("gflip_seconds")
    epochs, sizes = part.values("epochs"), part.values("n_features")
    ours = (
        f"{min(seconds):.0f} to {max(seconds):.0f} s of processor time, {min(epochs)} "
        f"to {max(epochs)} epochs, {min(sizes)} to {max(sizes)} pixels kept "
        f"({len(part)} runs for two groups)"
    )
    why = (
        "What computers and programs of 2004 could do cannot be run now. It is "
        "practical today: a flip that is not made costs little"
    )
    return untested(why, ours)
