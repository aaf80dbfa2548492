"""Figures 4 to 7: pixels that tell faces apart, on public faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evidence.data import Sets
from evidence.framework.results import Results
from evidence.framework.store import Case, Result
from evidence.papers.drawing import Figure, Lines, Pixels, Series
from evidence.papers.frame import Claim, Experiment, Table
from evidence.papers.simba.face_verdicts import (
    OTHERS,
    SHARES,
    SIZES,
    at,
    claims,
    parts,
)
from evidence.papers.splits import (
    RANDOM,
    SHORT,
    Paired,
    compare_rankings,
    curves_of,
    mean_sd,
    nearest_neighbor,
    of_method,
    ranked,
)
from widemargin import Relief, Simba
from widemargin.baselines import InformationGain

N_TRAIN, N_TEST, N_GROUPS = 1000, 456, 2
INSTEAD = (
    "The AR faces are not public; YaleB and PIE take their place, and people, or two "
    "random groups of people, that of the sexes."
)

Array = NDArray[Any]


class Faces(Experiment):
    """Simba, Relief and information gain on images of faces."""

    key = "faces"
    covers = ("Figure 4", "Figure 5", "Figure 6", "Figure 7")
    title = "Face images"
    how = (
        f"{INSTEAD} Images are 32 × 32 pixels, not scaled. As in the paper, {N_TRAIN} "
        f"rows are drawn for training and {N_TEST} for testing, independently for each "
        "split, and 1-NN judges the best k pixels. Simba has 10 starts; Relief the "
        "printed squared update. Two tasks: who it is, and which of two random groups "
        "of people (the groups stay the same for all splits). The control is a random "
        "ranking. The paper's choice of k on test rows is given beside one made on a "
        "third of the training rows that the ranking does not see."
    )

    def cases(self, quick: bool) -> Sequence[Case]:
        """Sets, task and split."""
        if quick:
            one = {"data": "yaleb_32x32", "task": "person", "seed": 0, "quick": True}
            return [one, {**one, "seed": 1}]
        splits = {
            ("yaleb_32x32", "person"): 20,
            ("yaleb_32x32", "group"): 10,
            ("pie_32x32_10p", "person"): 10,
        }
        return [
            {"data": name, "task": task, "seed": seed, "quick": False}
            for seed in range(20)
            for (name, task), count in splits.items()
            if seed < count
        ]

    def measure(self, case: Case, data: Sets) -> Result:
        """One split."""
        bunch, quick = data(case["data"]), case["quick"]
        X, y = np.asarray(bunch.data, float), labels_of(bunch, case["task"])
        random = np.random.default_rng(case["seed"])
        n, m = (150, 100) if quick else (N_TRAIN, N_TEST)
        drawn = random.permutation(len(y))[: n + m]
        split = np.sort(drawn[:n]), np.sort(drawn[n:])
        rankers = {
            "Simba": ranked(Simba, n_starts=1 if quick else 10, scale=None),
            "Relief": ranked(Relief, squared=True, scale=None),
            "Infogain": ranked(InformationGain),
        }
        found = compare_rankings(
            X,
            y,
            rankers,
            split,
            case["seed"],
            judge=nearest_neighbor(scale=None),
            sizes=SIZES,
            inner=0 if quick else 1,
            first=SHARES[-1],
        )
        for name, one in found.items():
            order = np.array(one.pop("order"))
            found[name] = {**one, **_map(order, X[split[0]], bunch)}
            if case["seed"]:
                del found[name]["order"]  # drawn for the first split only
        return found

    def claims(self) -> Sequence[Claim]:
        """What figures 4 to 7 are said to show."""
        return claims()

    def tables(self, results: Results) -> Sequence[Table]:
        """Differences by size, and the best k."""
        return [table for part in parts(results) for table in _tables(*part)]

    def figures(self, results: Results) -> Sequence[Figure]:
        """Curves, splits and maps."""
        known = parts(results)
        curves = [_curves(label, part) for label, part in known]
        scatter = [_scatter(label, part) for label, part in known]
        label, first = known[0]
        maps = [
            Pixels(_pixels(first.rows[0][name]["order"][:k]), f"{name}, {k} pixels")
            for name in ("Simba", "Relief")
            for k in SHARES
        ]
        return [
            Figure("figure-5", "Figure 5: accuracy of 1-NN, mean ± sd.", curves),
            Figure(
                "figure-6",
                "Figure 6: accuracy of Simba against the others, a point for each "
                f"split and each number of pixels up to {SHARES[-1]}.",
                scatter,
            ),
            Figure("figure-7", f"Figure 7: pixels chosen, {label}, first split.", maps),
        ]


def labels_of(bunch: Any, task: str) -> Array:
    """Who it is, or which of two random groups, the same for all splits; as text."""
    people, person = np.unique(bunch.target, return_inverse=True)
    if task == "person":
        return person.astype(str)
    side = np.random.default_rng(0).permutation(np.arange(len(people)) % N_GROUPS)
    return side[person].astype(str)


def _map(order: Array, X: Array, bunch: Any) -> Result:
    """How the first pixels lie: mirrored, on one side, correlated."""
    place = np.arange(X.shape[1]).reshape(bunch.image_shape, order=bunch.image_order)
    row, column = np.empty((2, X.shape[1]), int)
    for (r, c), f in np.ndenumerate(place):
        row[f], column[f] = r, c
    width = bunch.image_shape[1]
    k = SHARES[1]
    chosen = order[:k]
    mirrored = np.isin(place[row[chosen], width - 1 - column[chosen]], chosen).mean()
    left = float(np.mean(column[chosen] < width / 2))
    r = np.abs(np.corrcoef(X[:, chosen].T))
    return {
        "order": (row[order] * width + column[order]).tolist(),
        "mirrored": float(mirrored),
        "one_side": max(left, 1 - left),
        "correlation": float((r.sum() - k) / (k * (k - 1))),
    }


def _pixels(order: Sequence[int]) -> Array:
    image = np.zeros((32, 32))
    image.flat[np.asarray(order, int)] = 1.0
    return image


def _tables(label: str, part: Results) -> list[Table]:
    rows = [
        [
            k,
            *(mean_sd(at(part, name, k)) for name in ("Simba", *OTHERS, RANDOM)),
            *(
                Paired.of(at(part, "Simba", k), at(part, other, k)).short
                for other in (*OTHERS, RANDOM)
            ),
        ]
        for k in SIZES
    ]
    header = ["k", "Simba", *OTHERS, RANDOM]
    header += [f"Simba − {other}" for other in (*OTHERS, RANDOM)]
    title = f"{label}: accuracy (%) with the best k pixels, {len(part)} splits"
    note = f"Mean ± sd over the splits; differences: {SHORT}."
    tables = [Table(title, header, rows, note)]
    if "honest" in part.rows[0]["Simba"]:
        best = [
            [
                name,
                mean_sd(of_method(part, name, "best")),
                f"{np.median(of_method(part, name, 'best_k')):.0f}",
                mean_sd(of_method(part, name, "honest")),
                f"{np.median(of_method(part, name, 'honest_k')):.0f}",
            ]
            for name in ("Simba", *OTHERS, RANDOM)
        ]
        header = ["method", "best on test rows", "k (median)"]
        header += ["chosen on training rows", "k (median)"]
        tables.append(Table(f"{label}: with the best k", header, best))
    return tables


def _curves(label: str, part: Results) -> Lines:
    series = []
    for name in ("Simba", *OTHERS, RANDOM):
        curve = 100 * curves_of(part, name)
        mean, sd = curve.mean(axis=0), curve.std(axis=0)
        series.append(Series(name, SIZES, mean, sd, control=name == RANDOM))
    return Lines(series, "pixels", "accuracy (%)", label, log_x=True)


def _scatter(label: str, part: Results) -> Lines:
    sizes = [k for k in SIZES if k <= SHARES[-1]]
    simba = np.concatenate([100 * at(part, "Simba", k) for k in sizes])
    series = [
        Series(
            o, np.concatenate([100 * at(part, o, k) for k in sizes]), simba, None, True
        )
        for o in OTHERS
    ]
    return Lines(series, "the other (%)", "Simba (%)", label, diagonal=True)
