"""Comparisons with every part made up, of any size, without computing any of them."""

import numpy as np
import pandas as pd

from widemargin import Relief, ReliefF, Simba
from widemargin.baselines import MRMR, FisherScore
from widemargin.data.read import read_dataset
from widemargin.evaluation import (
    Agreement,
    Comparison,
    Redundancy,
    SelectionCurve,
    Signal,
    Significance,
)
from widemargin.evaluation._profile import describe
from widemargin.judging.recommend import Recommendation

METHODS = {
    "ReliefF": ReliefF(n_neighbors=5),
    "Simba": Simba(random_state=0),
    "Relief": Relief(),
    "MRMR": MRMR(),
    "FisherScore": FisherScore(),
}
NASTY = [
    "</script><img src=x onerror=document.title='owned'>",
    "<b>bold</b> & \"quoted\" 'twice'",
    "]]> --> <!-- <script>throw 1</script>",
    "\u202eright to left\u2028new line\x00",
    "Größe in µm ☃ 漢字",
    "{{ 7 * 7 }} {% raise %}",
    # pandas 3 keeps text in Arrow, which has no place for half a character.
    "lone \ud800 surrogate" if pd.__version__ < "3" else "a pair \U00010000",
    "=1+1",
]


def comparison(
    n=120, d=60, m=3, *, names=None, image_shape=None, seed=0, X=None, y=None, **parts
):
    """A comparison whose first few features matter, as `compare` returns it."""
    rng = np.random.default_rng(seed)
    if y is None:
        y = np.array(["benign", "malignant", "not known"])[rng.integers(0, 3, n)]
    if X is None:
        X = rng.normal(size=(n, d))
        X[:, : d // 5 + 1] += 1.5 * (y == "malignant")[:, None]
    if names is None:
        names = [f"feature {f}" for f in range(d)]
    if not hasattr(X, "columns"):
        X = pd.DataFrame(X, columns=[str(name) for name in names])
    data = read_dataset(X, y, "compare")
    labels = list(METHODS)[:m]
    selectors = {label: fitted(METHODS[label], rng, d) for label in labels}
    kept = max(1, d // 5)
    alone = {
        label: recommendation(label, selectors[label], kept + 2 * i, 0.88 - 0.01 * i)
        for i, label in enumerate(labels)
    }
    best = alone[labels[0]]
    names = np.array(names, object)
    auc = np.where(np.arange(d) % 2, 0.25, 0.75)  # rises in every other feature
    whole = {
        "data": data,
        "feature_names": names,
        "profile": describe(data),
        "selectors": selectors,
        "times": {label: 0.003 * 40**i for i, label in enumerate(labels)},
        "directions": (np.sign(auc - 0.5).astype(int), auc),
        "candidates": labels[:1],
        "recommendation": best,
        "alone": alone,
        "relevance": relevance(best, names),
        "curve": curve(labels, d, rng),
        "agreement": agreement(labels, rng),
        "redundancy": redundancy(names),
        "chance": 0.36,
        "notes": ["A note on what was left out."],
        "settings": {"cv": 5, "random_state": 0, "budget": 40.0}
        | {"categorical_features": None},
        "image_shape": image_shape,
    }
    return Comparison(**{**whole, **parts})


def recommendation(label, selector, kept, score):
    """The first features by a method's scores; the last ones are copies of the best."""
    d = len(selector.ranking_)
    order = np.argsort(selector.ranking_)
    instead = np.full(d, -1)
    instead[order[-(d // 6) :]] = order[0]
    supports = np.zeros((5, d), bool)
    for fold, support in enumerate(supports):
        support[order[: max(1, min(d, kept + fold - 2))]] = True
    return Recommendation(
        method=label,
        selector=selector,
        columns=order[: min(kept, d)],
        consensus=1 / selector.ranking_,
        ranking=selector.ranking_,
        redundant_with=instead,
        fold_scores=np.full(5, score),
        score=score,
        stderr=0.012,
        score_all=0.651,
        p_value=0.01,
        supports=supports,
    )


def relevance(found, names):
    """The test: the first half of the features are relevant, with rising q-values."""
    p = np.clip(found.ranking / len(names) - 0.5, 0, 0.4) + 0.0001 * found.ranking
    p = np.minimum(1.0, p)
    q = np.minimum(1.0, np.where(found.ranking <= len(names) / 2, p / 10, p + 0.06))
    return Significance(found.consensus, p, q, names, 30, "copies", "It was tested so.")


def no_signal():
    """What a test says of labels that have nothing to do with the features."""
    return Signal(0.8, 0.05, 100, "1-NN", {"1-NN": 0.8})


def fitted(selector, rng, d):
    selector = type(selector)(**selector.get_params())
    scores = 0.3 * np.exp(-np.arange(d) / (d / 5 + 1)) + rng.normal(0, 0.02, d)
    selector.scores_ = scores
    order = np.argsort(-scores)
    selector.ranking_ = np.empty(d, np.int64)
    selector.ranking_[order] = np.arange(1, d + 1)
    selector.support_ = selector.ranking_ <= d // 2
    selector.n_features_in_ = d
    return selector


def curve(labels, d, rng):
    sizes = np.unique(np.geomspace(1, d, 25).round().astype(int))
    if d < 40:
        sizes = np.arange(1, d + 1)
    rows = []
    for m, label in enumerate(labels):
        shape = 0.65 + (0.24 - 0.03 * m) * np.exp(-(np.log(5 * sizes / d) ** 2) / 4)
        for fold in range(5):
            noise = rng.normal(0, 0.012, len(sizes)) + rng.normal(0, 0.01)
            for k, score in zip(sizes, shape + noise, strict=True):
                rows.append((label, fold, k, score, 0.1))
    columns = ["method", "fold", "n_features", "score", "fit_time"]
    return SelectionCurve(
        frame=pd.DataFrame(rows, columns=columns),
        methods=tuple(labels),
        baseline=np.full(5, 0.651),
        n_features_in=d,
        scoring="accuracy",
        complete=True,
    )


def agreement(labels, rng):
    m = len(labels)
    if m < 2:
        return None
    correlation = rng.uniform(-0.2, 1, (m, m))
    correlation = np.triu(correlation, 1) + np.triu(correlation, 1).T + np.eye(m)
    return Agreement(labels, correlation, np.abs(correlation), None)


def redundancy(names, groups=None):
    if groups is None:
        groups = [g for g in ([0, 3, 4, 5, 2], [1, 6]) if max(g) < len(names)]
    similarities = np.ones(len(names))
    for _, *others in groups:
        similarities[others] = 0.95
    return Redundancy(groups, similarities, names, "correlation", 0.9)
