"""Comparisons with every part made up, of any size, without computing any of them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from widemargin import Relief, ReliefF, Simba
from widemargin.baselines import MRMR, FisherScore
from widemargin.evaluation import SelectionCurve, profile
from widemargin.evaluation._verdicts import Known, verdicts

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


def comparison(n=120, d=60, m=3, *, names=None, image_shape=None, seed=0, X=None):
    """A comparison whose first few features matter, shaped as `compare` returns it."""
    rng = np.random.default_rng(seed)
    y = np.array(["benign", "malignant", "not known"])[rng.integers(0, 3, n)]
    if X is None:
        X = rng.normal(size=(n, d))
        X[:, : d // 5 + 1] += 1.5 * (y == "malignant")[:, None]
    if names is None:
        names = [f"feature {f}" for f in range(d)]
    if not hasattr(X, "columns"):
        X = pd.DataFrame(X, columns=[str(name) for name in names])
    labels = list(METHODS)[:m]
    selectors = {label: fitted(METHODS[label], rng, d) for label in labels}
    kept = max(1, d // 5)
    again = {label: resampling(selectors[label], rng) for label in labels}
    tested = significance(selectors[labels[0]], rng)
    best = selectors[labels[0]]
    return SimpleNamespace(
        X=X,
        y=y,
        feature_names=np.array(names, object),
        profile=profile(X, y),
        selectors=selectors,
        times={label: 0.003 * 40**i for i, label in enumerate(labels)},
        curve=curve(labels, d, rng),
        agreement=agreement(labels, rng),
        resampling=again,
        significance={labels[0]: tested},
        redundancy=redundancy(d),
        features=features(names, best, again[labels[0]], tested, redundancy(d), kept),
        best=labels[0],
        choice=SimpleNamespace(
            method=labels[0], n_features=kept, score=0.88, stability=0.95
        ),
        chance=0.36,
        classifier="1-NN",
        answer=f"{kept} of {d} features carry it; 1-NN rises from 65 % to 88 %.",
        complete=True,
        notes=["Significance was left out for all methods but the first."],
        settings={"cv": 5, "n_permutations": 50, "random_state": 0},
        image_shape=image_shape,
        summary=lambda: pd.DataFrame(
            {
                "method": labels,
                "n_features": [kept + 2 * i for i in range(m)],
                "score": [0.88 - 0.01 * i for i in range(m)],
                "score_all": 0.651,
                "area": 0.8,
                "fold_stability": 0.9,
                "stability": 0.8,
                "fit_time": 0.1,
            }
        ),
    )


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
    return SimpleNamespace(
        labels=labels, correlation=correlation, overlap=np.abs(correlation)
    )


def resampling(selector, rng):
    ranking = selector.ranking_
    d = len(ranking)
    low = np.maximum(1, ranking - rng.integers(0, 6, d))
    high = np.minimum(d, ranking + rng.integers(0, 12, d))
    return SimpleNamespace(
        frequency=np.round(np.clip(1.2 - ranking / d * 2, 0, 1), 2),
        rank_low=low.astype(float),
        rank_high=high.astype(float),
        stability=SimpleNamespace(value=0.83, low=0.78, high=0.88),
    )


def significance(selector, rng):
    p = np.clip(selector.ranking_ / len(selector.ranking_), 0, 1).round(2) + 0.0004
    return SimpleNamespace(p_values=p, q_values=np.minimum(1, p * 1.5))


def features(names, selector, again, tested, similar, kept):
    """The frame of verdicts; values rise with the class in every other feature."""
    d = len(selector.ranking_)
    instead = np.full(d, -1)
    for first, *others in similar.groups:
        instead[others] = first
    known = Known(
        np.array(names, object),
        selector.ranking_,
        selector.scores_,
        again.frequency,
        tested.p_values,
        tested.q_values,
        instead,
        kept,
        True,
    )
    auc = np.where(np.arange(d) % 2, 0.25, 0.75)
    return pd.DataFrame(
        {**verdicts(known), "direction": np.sign(auc - 0.5).astype(int), "auc": auc}
    )


def redundancy(d):
    groups = [g for g in ([0, 3, 4, 5, 2], [1, 6]) if max(g) < d]
    similarity = [s for g in groups for s in [1.0] + [0.95] * (len(g) - 1)]
    return SimpleNamespace(
        groups=groups,
        threshold=0.9,
        measure="correlation",
        frame=pd.DataFrame({"similarity": similarity}),
    )
