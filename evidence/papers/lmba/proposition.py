"""Proposition 1: whether the least loss separates a pair of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import minmax_scale

from evidence.data import Sets
from evidence.framework.results import Results
from evidence.framework.store import Case, Result
from evidence.framework.verdicts import Verdict, judged
from evidence.papers.frame import Claim, Experiment, Table

SETS = {"Iris": load_iris, "Wine": load_wine}


class Proposition(Experiment):
    """The minimum of the loss of one genuine and one heterogeneous pair."""

    key = "proposition-1"
    covers = ("Proposition 1",)
    title = "Proposition 1"
    how = (
        "The loss of x, its nearest hit and its nearest miss, L = d(hit) + [θ + d(hit) "
        "− d(miss)]₊ with d = Σ w² δ², is least where a linear programme in v = w², "
        "0 ≤ v ≤ 1, has its solution. For each row of Iris and Wine, scaled to [0, 1], "
        "we ask whether d(miss) > d(hit) there, which is condition 1."
    )

    def cases(self, quick: bool) -> Sequence[Case]:
        """A table each."""
        return [{"data": name} for name in SETS]

    def measure(self, case: Case, data: Sets) -> Result:
        """Rows at whose minimum the condition holds, and at which w is 0."""
        X, y = SETS[case["data"]](return_X_y=True)
        X = minmax_scale(X)
        satisfied, zero = 0, 0
        for i in range(len(X)):
            squares = (X - X[i]) ** 2
            distance = squares.sum(axis=1)
            distance[i] = np.inf
            hit = np.argmin(np.where(y == y[i], distance, np.inf))
            miss = np.argmin(np.where(y != y[i], distance, np.inf))
            v = least(squares[hit], squares[miss])
            satisfied += bool(v @ (squares[miss] - squares[hit]) > 1e-9)
            zero += bool(v.max() < 1e-9)
        return {"rows": len(X), "satisfied": satisfied, "zero": zero}

    def claims(self) -> Sequence[Claim]:
        """The proposition."""
        return [
            Claim(
                "Proposition 1",
                "Minimising the loss of a genuine and a heterogeneous pair finds "
                "weights with which the latter is farther apart, by a margin.",
                "with a proof",
                _satisfied,
                "it does so for each row's nearest hit and nearest miss",
            )
        ]

    def tables(self, results: Results) -> Sequence[Table]:
        """Counts."""
        columns = ("data", "rows", "satisfied", "zero")
        rows = [[row[name] for name in columns] for row in results]
        header = ["data", "rows", "condition 1 holds", "all weights are 0"]
        return [Table("At the minimum of the loss", header, rows)]


def least(hit: np.ndarray, miss: np.ndarray) -> np.ndarray:
    """The v in [0, 1] of the least v·hit + [θ + v·hit − v·miss]₊."""
    theta, d = abs(miss.sum() - hit.sum()), len(hit)
    # The last variable is the hinge, which is at least θ + v·(hit − miss), and 0.
    solved = linprog(
        np.r_[hit, 1.0],
        A_ub=np.r_[hit - miss, -1.0][None],
        b_ub=[-theta],
        bounds=[(0, 1)] * d + [(0, None)],
    )
    found: np.ndarray = solved.x[:d]
    return found


def _satisfied(results: Results) -> Verdict:
    ours = "; ".join(
        f"{row['data']}: {row['satisfied']} of {row['rows']} rows, no weight is above "
        f"0 in {row['zero']}"
        for row in results
    )
    why = (
        "A counterexample by hand: one feature, squared differences 1 (hit) and 1.5 "
        "(miss), θ = 0.5. L = w² + [0.5 − 0.5 w²]₊ is least at w = 0, where both "
        "distances are 0. The proof moves both energies freely, but both follow from w"
    )
    holds = all(row["satisfied"] == row["rows"] for row in results)
    return judged(holds, ours, why)
