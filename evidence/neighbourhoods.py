"""What counts as a neighbour: `python -m evidence.neighbourhoods`.

Two remarks of the papers: FRLL with all rows within a radius instead of the k nearest
(004, section 1), and distances with any power p (003, equation 5), here for ReliefF.
What is compared was fixed before the first run: accuracy of 1-NN with the best 5, 10
and 20 features (those below the number of features), ranked on the training rows of
five folds, twice, scaled to [0, 1]. A radius is a quantile of the distances between
training rows. Results are kept in ``neighbourhoods.json``.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist, pdist
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler

from evidence.data import load
from evidence.rank_information import keep_means
from widemargin import FRLL

KEPT = Path(__file__).with_name("neighbourhoods.json")
SETS = (
    *("wine", "wdbc", "glass", "sonar", "ionosphere", "vehicle", "german_numeric"),
    *("musk1", "yale_32x32"),
)
FOLDS = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
SIZES = 5, 10, 20
QUANTILES = 0.05, 0.2, 0.5
POWERS = 0.5, 1, 2, 4
K = 10


def relieff(X: Any, y: Any, p: float, weights: Any = None) -> Any:
    """ReliefF's scores with a Minkowski distance of power p, by its formula."""
    D = cdist(X, X, "minkowski", p=p, w=weights)
    np.fill_diagonal(D, np.inf)
    w, share = np.zeros(X.shape[1]), np.bincount(y) / len(y)
    for i, x in enumerate(X):
        for c in range(len(share)):
            members = np.flatnonzero(y == c)
            k = min(K, len(members) - (c == y[i]))
            near = members[np.argsort(D[i, members], kind="stable")[:k]]
            if k:
                counts = -1 if c == y[i] else share[c] / (1 - share[y[i]])
                w += counts * np.abs(x - X[near]).mean(axis=0)
    return w / len(y)


def rankings(X: Any, y: Any) -> dict[str, Any]:
    """Scores by each way of finding neighbours."""
    found: dict[str, Any] = {"FRLL, k = 5": FRLL(scale=None, n_jobs=1)}
    lengths = pdist(X)
    for q in QUANTILES:
        radius = float(np.quantile(lengths, q))
        found[f"FRLL, radius {q:.0%}"] = FRLL(scale=None, radius=radius, n_jobs=1)
    scores = {name: selector.fit(X, y).scores_ for name, selector in found.items()}
    return {**scores, **{f"ReliefF, p = {p:g}": relieff(X, y, p) for p in POWERS}}


def measure(name: str) -> dict[str, float]:
    """Mean accuracy by each, in percent."""
    table = load(name)
    X = np.asarray(table.data, float)
    y = np.unique(np.asarray(table.target), return_inverse=True)[1]
    found: dict[str, list[float]] = {}
    for train, test in FOLDS.split(X, y):
        scaler = MinMaxScaler().fit(X[train])
        known, asked = scaler.transform(X[train]), scaler.transform(X[test])
        for way, scores in rankings(known, y[train]).items():
            order = np.argsort(-scores, kind="stable")
            for size in SIZES:
                if size < X.shape[1]:
                    top = order[:size]
                    judge = KNeighborsClassifier(1).fit(known[:, top], y[train])
                    score = judge.score(asked[:, top], y[test])
                    found.setdefault(way, []).append(100 * score)
    return {way: round(float(np.mean(values)), 2) for way, values in found.items()}


def main() -> int:
    """Measure what is missing, keep it, and print it."""
    warnings.simplefilter("ignore")
    kept = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    kept.pop("mean", None)
    for name in SETS:
        if name not in kept:
            kept[name] = measure(name)
            KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    keep_means(KEPT, kept)
    return 0


if __name__ == "__main__":
    sys.exit(main())
