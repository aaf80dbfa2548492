"""What the folds of figure 1 found, method by method."""

from __future__ import annotations

import numpy as np

from evidence.framework.results import Results
from evidence.papers.frll.methods import FIXED, SETS, Array


def curves(results: Results, name: str, method: str, judge: str = "nn") -> Array:
    """One curve per fold; of the SVM, with the cost that is best on the test rows."""
    mine = results.where(data=name)
    found = np.array([c for row in mine for c in row["methods"][method][judge]])
    # One cost for the whole curve of all folds, as the paper tunes it.
    return found if judge == "nn" else found[:, np.argmax(found.mean(axis=(0, 2)))]


def honest_machine(results: Results, name: str, method: str) -> list[float]:
    """The mean height of the SVM's curve of each fold, with cost 1."""
    mine = results.where(data=name)
    return [
        float(np.mean(c[FIXED])) for row in mine for c in row["methods"][method]["svm"]
    ]


def mean_of(results: Results, name: str, method: str, judge: str = "nn") -> list[float]:
    """The mean height of the curve of each fold."""
    means: list[float] = curves(results, name, method, judge).mean(axis=1).tolist()
    return means


def honest_of(results: Results, name: str, method: str) -> list[float]:
    """The accuracy of each fold with an honest number of features."""
    mine = results.where(data=name)
    return [v for row in mine for v in row["methods"][method]["honest"]]


def known_sets(results: Results) -> list[str]:
    """Those that there are results of."""
    return [name for name in SETS if results.has(data=name)]
