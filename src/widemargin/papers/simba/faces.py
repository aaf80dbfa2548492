"""Figures 4 to 7: pixels that tell faces apart, on public faces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.algorithms.relief import Relief
from widemargin.algorithms.simba import Simba
from widemargin.baselines.information import InformationGain
from widemargin.papers.drawing import Figure, Lines, Pixels, Series
from widemargin.papers.frame import (
    Case,
    Claim,
    Data,
    Experiment,
    Finding,
    NoResults,
    Result,
    Results,
    Table,
    judged,
    never,
)
from widemargin.papers.splits import (
    RANDOM,
    Paired,
    compare_rankings,
    curves_of,
    mean_sd,
    nearest_neighbor,
    of_method,
    ranked,
)

SIZES = (5, 10, 20, 30, 50, 70, 100, 150, 200, 300, 400, 500, 700, 850, 1024)
# The paper's 100, 500 and 1000 of 5100 pixels, as shares of 1024.
SHARES = (20, 100, 200)
N_TRAIN, N_TEST, N_GROUPS = 1000, 456, 2
SETS = {"yaleb_32x32": "YaleB", "pie_32x32_10p": "PIE"}
OTHERS = ("Relief", "Infogain")
INSTEAD = (
    "The AR faces are not public; YaleB and PIE take their place, and people, or two "
    "random groups of people, that of the sexes."
)
STAND_IN = "YaleB and PIE stand in for AR."

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
        """Data, task and split."""
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

    def run(self, case: Case, data: Data) -> Result:
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
        claims = [
            Claim(
                "Figure 4",
                "Excerpts of the AR faces.",
                "",
                never("Pictures of a data set that is not public; it claims nothing."),
            )
        ]
        for other in OTHERS:
            claims += [
                Claim(
                    "Figure 5",
                    f"Simba beats {other}, above all with few features.",
                    "curves only",
                    _beats(other),
                ),
                Claim(
                    "Figure 6",
                    "With less than 1000 of 5100 features Simba beats "
                    f"{other} in more than 90 % of the splits.",
                    "> 90 % of 20 splits",
                    _wins(other),
                ),
            ]
        return [
            *claims,
            Claim(
                "Section 5.2",
                "A fifth of the features, chosen by Simba, beats all features.",
                "92.8 % against 91.5 %",
                _beats_all,
            ),
            Claim(
                "Figure 7",
                "Relief chooses pixels in a left-right symmetric fashion, Simba mostly "
                "on one side.",
                "maps only",
                _sides,
            ),
            Claim(
                "Figure 7",
                "Relief's pixels are highly correlated with each other, more than "
                "Simba's.",
                "maps only",
                _correlated,
            ),
        ]

    def tables(self, results: Results) -> Sequence[Table]:
        """Differences by size, and the best k."""
        return [table for part in _parts(results) for table in _tables(*part)]

    def figures(self, results: Results) -> Sequence[Figure]:
        """Curves, splits and maps."""
        parts = _parts(results)
        curves = [_curves(label, part) for label, part in parts]
        scatter = [_scatter(label, part) for label, part in parts]
        label, first = parts[0]
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


def _parts(results: Results) -> list[tuple[str, Results]]:
    """The readings there are, with their names."""
    found = [
        (f"{label}, {task}", results.where(data=name, task=task))
        for name, label in SETS.items()
        for task in ("person", "group")
        if results.has(data=name, task=task)
    ]
    if not found:
        raise NoResults("data yaleb_32x32")
    return found


def _at(results: Results, name: str, k: int) -> Array:
    return curves_of(results, name)[:, SIZES.index(k)]


def _tables(label: str, part: Results) -> list[Table]:
    rows = [
        [
            k,
            *(mean_sd(_at(part, name, k)) for name in ("Simba", *OTHERS, RANDOM)),
            *(
                str(Paired.of(_at(part, "Simba", k), _at(part, other, k)))
                for other in (*OTHERS, RANDOM)
            ),
        ]
        for k in SIZES
    ]
    header = ["k", "Simba", *OTHERS, RANDOM]
    header += [f"Simba − {other}" for other in (*OTHERS, RANDOM)]
    title = f"{label}: accuracy (%) with the best k pixels, {len(part)} splits"
    tables = [Table(title, header, rows)]
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
    simba = np.concatenate([100 * _at(part, "Simba", k) for k in sizes])
    series = [
        Series(
            o, np.concatenate([100 * _at(part, o, k) for k in sizes]), simba, None, True
        )
        for o in OTHERS
    ]
    return Lines(series, "the other (%)", "Simba (%)", label, diagonal=True)


def _beats(other: str) -> Callable[[Results], Finding]:
    def judge(results: Results) -> Finding:
        texts, holds = [], []
        for label, part in _parts(results):
            won: list[int] = []
            lost: list[int] = []
            for k in SIZES[1:-1]:
                paired = Paired.of(_at(part, "Simba", k), _at(part, other, k))
                if paired.better and paired.mean > 2 * paired.sd / np.sqrt(paired.n):
                    won.append(k)
                elif paired.mean < -2 * paired.sd / np.sqrt(paired.n):
                    lost.append(k)
            holds.append(len(won) > len(lost) and bool(won) and min(won) <= 50)
            texts.append(
                f"{label}: clearly better for k = {_listed(won)}, clearly worse for "
                f"{_listed(lost)} ({len(part)} splits)"
            )
        why = "Clearly: mean difference above two standard errors. " + STAND_IN
        return judged(all(holds), "; ".join(texts), why)

    return judge


def _wins(other: str) -> Callable[[Results], Finding]:
    def judge(results: Results) -> Finding:
        texts, holds = [], []
        for label, part in _parts(results):
            cells = []
            for k in (20, 50, 100, 150, 200):
                p = Paired.of(_at(part, "Simba", k), _at(part, other, k))
                holds.append(p.wins > 0.9 * p.n)
                cells.append(f"{k}: {p.wins}/{p.losses}")
            texts.append(f"{label}: {', '.join(cells)}")
        ours = "won/lost by k. " + "; ".join(texts)
        why = f"1000 of 5100 pixels are {SHARES[-1]} of 1024. {STAND_IN}"
        return judged(all(holds), ours, why)

    return judge


def _beats_all(results: Results) -> Finding:
    texts, holds = [], []
    for label, part in _parts(results):
        k = SHARES[-1]
        p = Paired.of(_at(part, "Simba", k), _at(part, "Simba", 1024))
        r = Paired.of(_at(part, RANDOM, k), _at(part, RANDOM, 1024))
        holds.append(p.better)
        texts.append(
            f"{label}: {mean_sd(_at(part, 'Simba', k))} % with {k}, "
            f"{mean_sd(_at(part, 'Simba', 1024))} % with all ({p}; a random fifth {r})"
        )
    return judged(all(holds), "; ".join(texts), STAND_IN)


def _sides(results: Results) -> Finding:
    texts, holds = [], []
    for label, part in _parts(results):
        m = {
            n: np.mean(of_method(part, n, "mirrored"))
            for n in ("Simba", "Relief", RANDOM)
        }
        s = {n: np.mean(of_method(part, n, "one_side")) for n in m}
        holds.append(m["Relief"] > m["Simba"] and s["Simba"] > s["Relief"])
        shares = ", ".join(f"{n} {100 * m[n]:.0f} %/{100 * s[n]:.0f} %" for n in m)
        texts.append(f"{label}: {shares}")
    ours = "mirror pixel chosen too/share on one side. " + "; ".join(texts)
    return judged(all(holds), ours, f"Of the best {SHARES[1]} pixels. {STAND_IN}")


def _correlated(results: Results) -> Finding:
    texts, holds = [], []
    for label, part in _parts(results):
        r = {n: of_method(part, n, "correlation") for n in ("Simba", "Relief", RANDOM)}
        holds.append(bool(np.mean(r["Relief"]) > np.mean(r["Simba"])))
        means = ", ".join(f"{n} {np.mean(v):.2f}" for n, v in r.items())
        texts.append(f"{label}: {means}")
    ours = "mean |r| of two chosen pixels. " + "; ".join(texts)
    return judged(all(holds), ours, f"Of the best {SHARES[1]} pixels. {STAND_IN}")


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes)) if sizes else "none"
