"""What a user may believe, in ten sentences made of the stored results."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from evidence.framework.results import Rows, grouped, mean_of
from evidence.truth.parts import PARTS, answer, auto_noise, genes, relevance, skew
from evidence.truth.parts import seeds as seeds_part

Found = Mapping[str, Rows]  # rows of each part


def _size(found: Found) -> str:
    of = answer.figures(found["answer"])
    return (
        f"On {of['tables']} public tables `AutoSelector` kept {of['kept']:g} features "
        f"(median); with them 1-NN was not worse than with all features, by more than "
        f"one standard error, on {of['tables'] - of['lost']} of them "
        f"({of['to_all']:+.1f} points on average)."
    )


def _forest(found: Found) -> str:
    gain = answer.figures(found["answer"])["to_forest"]
    return (
        "Against as many features of a forest's importances the difference was "
        f"{gain['1-NN']:+.1f} points for 1-NN and {gain['logistic']:+.1f} for logistic "
        "regression, on average over these tables."
    )


def _claim(found: Found) -> str:
    of, noise = answer.figures(found["answer"]), found["auto_noise"]
    mine = [row for row in noise if row["method"] == auto_noise.AUTO_SELECTOR]
    means = [mean_of(some, "claim") for some in grouped(mine, "features").values()]
    return (
        f"`score_` less the score on rows that it never saw was {of['gap']:+.3f} on "
        f"average, and within two standard errors in "
        f"{100 * of['within']:.0f} % of fits; for random labels, whose truth is "
        f".500, it was {min(means):.3f} to {max(means):.3f}."
    )


def _agreement(found: Found) -> str:
    index = answer.figures(found["answer"])["jaccard"]
    most, wine = seeds_part.figures(found["seeds"])["wine"]
    fits = [fit for row in found["answer"] for fit in row["fits"]]
    stability = np.nanmean([fit["stability"] for fit in fits])
    return (
        "The answers to two random parts of the rows, two thirds each, agreed with a "
        f"Jaccard index of {index:.2f}, near copies counting as one feature (mean "
        f"`stability_`: {stability:.2f}); other seeds on wine changed the set by at "
        f"most {most} feature{'s' * (most != 1)} (index {wine:.2f})."
    )


def _copies(found: Found) -> str:
    of = seeds_part.figures(found["seeds"])
    return (
        f"Of five quantities measured four times each, two measurements of one were "
        f"kept in {of['twice']} of {of['planted']} tables, and "
        f"{100 * of['relevant']:.0f} % of the quantities were called relevant."
    )


def _null(found: Found) -> str:
    of = relevance.figures(found["relevance"])
    low, rate, noise = of["low"].values(), of["fdr_beside"], of["noise"]
    return (
        f"Of features that have nothing to do with the target, {100 * min(low):.1f} to "
        f"{100 * max(low):.1f} % had p ≤ .05 in {len(low)} designs; of the features "
        f"called relevant (q < .05) {100 * min(rate):.1f} to {100 * max(rate):.1f} % "
        f"were false, and {sum(noise)} of {len(noise)} tables of pure noise had any."
    )


def _power(found: Found) -> str:
    power = relevance.figures(found["relevance"])["power"]
    together = [power.pop(name) for name in relevance.TOGETHER]
    alone = [*power.values()]
    return (
        f"The test finds {_range(alone, 0)} of features that tell something by "
        f"themselves (a rank test of each: {_range(alone, 1)}), and "
        f"{_range(together, 0)} in designs where some do so only together "
        f"(rank test: {_range(together, 1)})."
    )


def _range(powers: list[tuple[float, float]], which: int) -> str:
    mine = [100 * power[which] for power in powers]
    return f"{min(mine):.0f} to {max(mine):.0f} %"


def _from_to(counts: list[int]) -> str:
    least, most = min(counts), max(counts)
    return f"{most}" if least == most else f"{least} to {most}"


def _genes(found: Found) -> str:
    of = genes.figures(found["genes"])
    same = "the same" if of["same"] else "not the same"
    return (
        f"Of 20 genes among 8000 (100 rows, shifts of 1.5 sd) it finds "
        f"{_from_to(of['found'])}, with {100 * of['false']:.1f} % "
        f"false ones beside them; on a busy machine the result is {same}."
    )


def _skew(found: Found) -> str:
    of = skew.figures(found["skew"])
    return (
        f"A lognormal feature that goes with the classes was relevant in "
        f"{of['relevant']} of {of['tables']} tables, and the first of all in "
        f"{of['first']}."
    )


def _time(found: Found) -> str:
    of = answer.figures(found["answer"])
    return (
        f"`AutoSelector` takes {of['ratio']:.1f} times the processor time of a forest "
        f"of 100 trees (median; {of['ratios'][0]:.1f} to {of['ratios'][1]:.1f}), "
        f"{of['seconds']:.1f} seconds on these tables."
    )


SENTENCES: tuple[Callable[[Found], str], ...] = (
    _size,
    _forest,
    _claim,
    _agreement,
    _copies,
    _null,
    _power,
    _genes,
    _skew,
    _time,
)


def sentences(found: Found) -> list[str]:
    """All of them, if all parts have results."""
    needed = ("answer", "auto_noise", "seeds", "relevance", "genes", "skew")
    assert {*needed} <= {*PARTS}
    if not all(found.get(name) for name in needed):
        return []
    return [made(found) for made in SENTENCES]
