"""How processor time grows with rows and features: what papers say of complexity."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from evidence.data import Sets
from evidence.framework.results import Results
from evidence.framework.store import Case, Result
from evidence.framework.verdicts import Verdict, judged
from evidence.papers.frame import Claim, Experiment, Table

ROUNDS = 3
SLACK = 0.2  # by how much an exponent may be above the published one
SIZES = {"rows": (1000, 2000, 4000), "features": (200, 400, 800)}
OTHER = {"rows": 40, "features": 300}  # how many of the other there are


@dataclass(frozen=True)
class Cost:
    """What a paper says of the time that methods take.

    Parameters
    ----------
    where, text : str
        As of a `Claim`.
    order : str
        The published order: "N² n".
    most : dict of str to dict of str to float
        The exponents by method, of "rows" and "features".
    """

    where: str
    text: str
    order: str
    most: Mapping[str, Mapping[str, float]]


class Growth(Experiment):
    """Exponents of the time of one fit.

    Parameters
    ----------
    methods : dict of str to callable
        ``methods[name]()`` makes a selector that computes in one thread.
    costs : sequence of Cost
    """

    key = "growth"
    title = "Complexity"
    how = (
        "Processor time of a fit in one thread (G-flip: by epochs), least of "
        f"{ROUNDS}; up to {SIZES['rows'][-1]} rows with {OTHER['rows']} features, and "
        f"{SIZES['features'][-1]} features with {OTHER['features']} rows. An order is "
        "an upper limit."
    )

    def __init__(
        self, methods: Mapping[str, Callable[[], Any]], costs: Sequence[Cost]
    ) -> None:
        self.methods, self.costs = methods, costs
        self.covers = tuple(dict.fromkeys(cost.where for cost in costs))

    def cases(self, quick: bool) -> Sequence[Case]:
        """Rows or features, all methods and sizes at once."""
        one = {"quick": True} if quick else {}
        return [{"along": along, **one} for along in SIZES]

    def measure(self, case: Case, data: Sets) -> Result:
        """Seconds by method and size."""
        along = case["along"]
        sizes = [k // 10 for k in SIZES[along]] if "quick" in case else SIZES[along]
        found: dict[str, list[float]] = {name: [] for name in self.methods}
        for size in sizes:
            n, d = (size, OTHER[along]) if along == "rows" else (OTHER[along], size)
            random = np.random.default_rng(size)
            y = np.arange(n) % 2
            X = random.normal(size=(n, d)) + y[:, None] * random.uniform(0, 1, d)
            for name, seconds in timed(self.methods, X, y, ROUNDS, min).items():
                found[name].append(seconds)
        return {"sizes": sizes, "seconds": found}

    def claims(self) -> Sequence[Claim]:
        """One for each cost."""
        return [
            Claim(
                cost.where,
                cost.text,
                cost.order,
                partial(_at_most, most=cost.most),
                f"each exponent is at most {SLACK} above the published one",
            )
            for cost in self.costs
        ]

    def tables(self, results: Results) -> Sequence[Table]:
        """Seconds and exponents."""
        tables = []
        for row in results:
            rows = [
                [
                    name,
                    *(f"{1000 * t:.1f}" for t in taken),
                    f"{exponent(row, name):.2f}",
                ]
                for name, taken in row["seconds"].items()
            ]
            header = ["method", *(str(k) for k in row["sizes"]), "exponent"]
            title = f"Milliseconds of processor time by number of {row['along']}"
            tables.append(Table(title, header, rows))
        return tables


def timed(
    methods: Mapping[str, Callable[[], Any]],
    X: Any,
    y: Any,
    rounds: int,
    middle: Callable[[list[float]], Any],
) -> dict[str, float]:
    """Processor seconds of a fit of each method, in turns, after one not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", UserWarning)  # of small classes
        for turn in range(rounds + 1):
            for name, make in methods.items():
                selector = make()
                start = time.process_time()
                selector.fit(X, y)
                taken = time.process_time() - start
                if turn:
                    seconds[name].append(taken / getattr(selector, "n_epochs_", 1))
    return {name: float(middle(taken)) for name, taken in seconds.items()}


def exponent(row: Mapping[str, Any], name: str) -> float:
    """Of the time of a method: the slope of a line through the logarithms."""
    return float(np.polyfit(np.log(row["sizes"]), np.log(row["seconds"][name]), 1)[0])


def _at_most(results: Results, most: Mapping[str, Mapping[str, float]]) -> Verdict:
    texts, holds = [], []
    for name, limits in most.items():
        grows = {a: exponent(results.where(along=a).rows[0], name) for a in limits}
        holds += [grows[along] <= limits[along] + SLACK for along in limits]
        powers = ", ".join(f"{along} to the {g:.2f}" for along, g in grows.items())
        texts.append(f"{name}: {powers}")
    return judged(all(holds), "; ".join(texts))
