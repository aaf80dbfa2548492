"""Pairs by `interactions`, by interpret's FAST and by Friedman's H, side by side."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.optimize import fsolve
from scipy.special import expit
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from evidence.data import Sets
from evidence.framework.pages import table
from evidence.framework.results import Rows, grouped
from evidence.framework.running import PROCESSOR, Missing
from evidence.framework.verdicts import Verdict, promise
from evidence.truth.h_statistic import h_statistics
from evidence.truth.parts import interactions as ours
from evidence.truth.parts.interactions import Made, Rng
from widemargin.evaluation import interactions
from widemargin.evaluation._interactions import OWN_EFFECT
from widemargin.evaluation._pair_search import log_weights

TITLE = "Pairs, side by side with FAST and Friedman's H"
TABLES, ADDITIVE_TABLES = 20, 40
LEVEL, RATE = 0.05, 0.05
OURS, SURE = "interactions", "1 - q"
FAST, H, UNDIVIDED = "FAST", "H", "H, not divided"
BAGS = 4  # of the additive model behind FAST
BOOSTING = {"n_estimators": 300, "learning_rate": 0.05, "subsample": 0.5}  # depth 3


def _coin(rng: Rng) -> Made:
    return rng.standard_normal((300, 60)), rng.integers(0, 2, 300)


def _same_shares(
    rng: Rng, a: Any, b: Any, share: float, low: float, high: float
) -> Any:
    """Classes by conditions a and b, each met by this share, of additive log-odds.

    The rare class is as frequent given a, and given b, as if it had the probability
    ``high`` where both are met, and ``low`` elsewhere.
    """

    def error(x: np.ndarray) -> np.ndarray:
        p = expit(x[0] + x[1] * np.arange(3))
        without, beside = (1 - share) * p[:2] + share * p[1:]
        return np.array([without - low, beside - (1 - share) * low - share * high])

    start, step = fsolve(error, [-2.0, 1.0])
    return ours._drawn(rng, start + step * (1.0 * a + b))


def _conditions(rng: Rng, n: int) -> Made:
    X, a, b = ours._two(rng, n)
    return X, _same_shares(rng, a > 0, b > 0, 0.5, 0.1, 0.9)


def _markers(rng: Rng) -> Made:
    X = rng.binomial(2, 0.3, (600, 60))
    return X * 1.0, _same_shares(rng, X[:, 0] > 0, X[:, 1] > 0, 0.51, 0.2, 0.75)


def _number(rng: Rng, effects: float = 0.0) -> Made:
    X, a, _ = ours._two(rng)
    return X, effects * (2 * X[:, 2] + a) + np.sqrt(2) * rng.standard_normal(300)


def _effects(rng: Rng, product: float) -> Made:
    X, a, b = ours._two(rng, 600)
    return X, ours._drawn(rng, 2 * X[:, 2] - 1.5 * X[:, 3] + a + product * a * b)


# Tables with a pair, and those without that say how high scores are by chance.
DESIGNS: dict[str, tuple[Callable[[Rng], Made], str]] = {
    "xor": (ours._xor, "coin"),
    "product": (ours._product, "coin"),
    "AND, 10 % exceptions, 600 rows": (ours._and, "conditions, 600 rows"),
    "AND, 10 % exceptions, 300 rows": (
        lambda rng: ours._and(rng, 300),
        "conditions, 300 rows",
    ),
    "threshold, genotypes": (ours._threshold, "markers"),
    "product beside strong effects": (lambda rng: _effects(rng, 1.2), "effects"),
    "numeric target, product": (ours._numeric, "number"),
    "numeric target, beside effects": (ours._beside_effects, "number, effects"),
}
ADDITIVE: dict[str, Callable[[Rng], Made]] = {
    "coin": _coin,
    "conditions, 600 rows": lambda rng: _conditions(rng, 600),
    "conditions, 300 rows": lambda rng: _conditions(rng, 300),
    "markers": _markers,
    "effects": lambda rng: _effects(rng, 0.0),
    "number": _number,
    "number, effects": lambda rng: _number(rng, 1.0),
}


def cases(quick: bool) -> Iterator[dict[str, Any]]:
    for seed in range(3 if quick else ADDITIVE_TABLES):
        for what, designs in (("additive", ADDITIVE), ("a pair", DESIGNS)):
            if what == "a pair" and seed >= TABLES:
                continue
            for design in list(designs)[:1] if quick else designs:
                for method in (OURS, H) if quick else (OURS, FAST, H):
                    yield {
                        "what": what,
                        "design": design,
                        "method": method,
                        "seed": seed,
                    }


def measure(case: dict[str, Any], data: Sets) -> dict[str, Any]:
    """Of each score: the largest of all pairs, and whether the right pair has it."""
    design, random = case["design"], np.random.default_rng([case["seed"], 53])
    made = ADDITIVE[design] if case["what"] == "additive" else DESIGNS[design][0]
    X, y = made(random)
    with warnings.catch_warnings(action="ignore"):
        found = METHODS[case["method"]](X, y, len(np.unique(y)) == 2)
    return {
        name: {"largest": scores.max(), "right": bool(scores.argmax() == 1)}
        for name, scores in found.items()
    }


def _ours(X: np.ndarray, y: np.ndarray, classes: bool) -> dict[str, np.ndarray]:
    found, scores = interactions(X, y, n_jobs=1), np.zeros((2, *2 * X.shape[1:]))
    weights = log_weights(found.pairs, found.alone <= OWN_EFFECT / X.shape[1])
    scores[:, *found.pairs.T] = weights - found.log_p_values, 1 - found.q_values
    return {OURS: scores[0], SURE: scores[1]}


def _fast(X: np.ndarray, y: np.ndarray, classes: bool) -> dict[str, np.ndarray]:
    """Ranks pairs as an explainable boosting machine does, by what is left of y."""
    try:
        from interpret import glassbox
        from interpret.utils import measure_interactions
    except ImportError as error:
        raise Missing("interpret-core is not installed") from error
    kind = "Classifier" if classes else "Regressor"
    machine = getattr(glassbox, f"ExplainableBoosting{kind}")
    alone = machine(interactions=0, outer_bags=BAGS, n_jobs=1, random_state=0).fit(X, y)
    scores = np.zeros(2 * X.shape[1:])
    for pair, strength in measure_interactions(X, y, init_score=alone):
        scores[tuple(sorted(pair))] = strength
    return {FAST: scores}


def _h(X: np.ndarray, y: np.ndarray, classes: bool) -> dict[str, np.ndarray]:
    boosting = GradientBoostingClassifier if classes else GradientBoostingRegressor
    divided, undivided = h_statistics(boosting(**BOOSTING, random_state=0).fit(X, y), X)
    return {H: divided, UNDIVIDED: undivided}


METHODS = {OURS: _ours, FAST: _fast, H: _h}
SCORES = {OURS: OURS, FAST: FAST, H: H, UNDIVIDED: H}  # and the method of each


def figures(rows: Rows) -> dict[tuple[str, str], dict[str, float]]:
    """By design and score: the right pair first, and first and found; of ours, at q."""
    by, found = grouped(rows, "what", "design", "method"), {}
    for design, (_, additive) in DESIGNS.items():
        for score, method in SCORES.items():
            paired = by.get(("a pair", design, method))
            none = by.get(("additive", additive, method))
            if paired is None or none is None:
                continue
            chance = sorted((row[score]["largest"] for row in none), reverse=True)
            level = chance[int(RATE * len(chance))]
            right = [row[score]["right"] for row in paired]
            above = [row[score]["largest"] > level for row in paired]
            found[design, score] = {
                "first": np.mean(right),
                "found": np.mean(np.logical_and(right, above)),
            }
            if score == OURS:
                sure = [row[SURE]["largest"] > 1 - LEVEL for row in paired]
                found[design, SURE] = {
                    "found": np.mean(np.logical_and(right, sure)),
                    "false": np.mean(
                        [row[SURE]["largest"] > 1 - LEVEL for row in none]
                    ),
                }
    return found


def verdicts(rows: Rows) -> list[Verdict]:
    """Whether ours finds the right pair as often as each of the others."""
    of, told = figures(rows), []
    for score in list(SCORES)[1:]:
        power = {
            d: (of[d, OURS]["found"], of[d, score]["found"])
            for d, s in of
            if s == score
        }
        if not power:
            continue
        behind = [design for design, (mine, other) in power.items() if mine < other]
        mine, other = np.mean([*power.values()], axis=0)
        told.append(
            promise(
                f"finds the right pair at least as often as {score} at the same rate "
                "of false ones, in each design",
                f"{mine:.2f} against {other:.2f} on average"
                + (f"; not in {', '.join(behind)}" if behind else ""),
                not behind,
            )
        )
    return told


def tables(rows: Rows) -> str:
    of, lines = figures(rows), []
    for design in dict.fromkeys(design for design, _ in of):
        cells = []
        for score in SCORES:
            some = of.get((design, score))
            cells.append(f"{some['found']:.2f} ({some['first']:.2f})" if some else "–")
        sure = of[design, SURE]
        cells += [f"{sure['found']:.2f}", f"{sure['false']:.3f}"]
        lines.append([design, *cells])
    by = grouped(rows, "what", "design")
    count = [
        min(
            len({row["seed"] for row in by[what, d]})
            for d in designs
            if (what, d) in by
        )
        for what, designs in (("a pair", DESIGNS), ("additive", ADDITIVE))
    ]
    seconds = ", ".join(
        f"{method} {np.median([row[PROCESSOR] for row in some]):.1f}"
        for (method,), some in grouped(rows, "method").items()
    )
    head = ["pair", *SCORES, "interactions, q < .05", "without a pair"]
    return (
        f"{count[0]} tables of each pair, among 60 columns. Share in which it is first "
        "and above the level that is exceeded in 5 % of "
        f"{count[1]} tables with the same effects and no interaction; in brackets, in "
        "which it is first. FAST and H have no p-value, so this level is known in "
        "simulations only; *q < .05* needs none, and found some pair in a share of the "
        "tables *without a pair*. FAST is interpret's, after an additive machine of "
        f"{BAGS} bags; H is that of {BOOSTING['n_estimators']} trees of depth 3. "
        f"Seconds of the processor (median): {seconds}.\n\n" + table(head, lines)
    )
