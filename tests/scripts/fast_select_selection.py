"""The classes of fast-select, on their own and in a pipeline."""

import numpy as np
from fast_select import SURF, MultiSURF, ReliefF, TuRF
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

rng = np.random.default_rng(3)
X = rng.integers(0, 3, (300, 30)).astype(np.float32)
y = ((X[:, 7] == 1) ^ (X[:, 8] == 1)).astype(int)

kept = {}
for selector in (
    ReliefF(n_features_to_select=2, n_neighbors=20, backend="cpu"),
    SURF(n_features_to_select=2, use_star=True),
    MultiSURF(n_features_to_select=2, n_jobs=1),
    TuRF(ReliefF(n_neighbors=20), n_features_to_select=2, pct_remove=0.2),
):
    reduced = selector.fit_transform(X, y)
    assert reduced.shape == (300, 2)
    kept[type(selector).__name__] = sorted(selector.top_features_)

share = MultiSURF(n_features_to_select=0.1).fit(X, y).top_features_
some = MultiSURF(n_features_to_select=2).fit(X, y, feat_idx=np.arange(5, 12))
model = make_pipeline(
    MultiSURF(n_features_to_select=2, backend="auto"), KNeighborsClassifier(3)
)
accuracy = np.mean(cross_val_score(model, X, y, cv=3))
