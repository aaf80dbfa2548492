"""TuRF in a pipeline with cross-validation, by its old and its new name."""

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from skrebate import TURF, ReliefF, TuRF

rng = np.random.default_rng(2)
X = rng.integers(0, 3, (240, 60)).astype(float)
y = ((X[:, 5] == 1) ^ (X[:, 6] == 1)).astype(int)

old = Pipeline(
    [
        ("turf", TuRF("ReliefF", n_features_to_select=2, n_neighbors=20, pct=0.5)),
        ("knn", KNeighborsClassifier(3)),
    ]
)
accuracy = np.mean(cross_val_score(old, X, y, cv=4))

new = TURF(
    ReliefF(n_features_to_select=2, n_neighbors=20), pct=0.5, num_scores_to_return=4
)
reduced = new.fit_transform(X, y)
best = set(new.top_features_[:2])
headers = [f"snp{f}" for f in range(60)]
with_headers = TuRF(core_algorithm="MultiSURF", n_features_to_select=2, pct=0.25)
with_headers.fit(X, y, headers)
names = {headers[f] for f in with_headers.top_features_[:2]}
