"""MultiSURF and its relatives for classes and for a continuous endpoint."""

import numpy as np
from skrebate import SURF, MultiSURF, MultiSURFstar, SURFstar

rng = np.random.default_rng(1)
X = rng.integers(0, 3, (300, 15)).astype(float)
y = ((X[:, 0] == 1) ^ (X[:, 1] == 1)).astype(int)

top = {}
for method in (SURF, SURFstar, MultiSURF, MultiSURFstar):
    fs = method(n_features_to_select=2, n_jobs=1)
    reduced = fs.fit_transform(X, y)
    assert reduced.shape == (300, 2)
    top[method.__name__] = set(fs.top_features_[:2])

endpoint = X[:, 4] + rng.normal(0, 0.3, 300)
fs = MultiSURF(n_features_to_select=1, verbose=False)
fs.fit(X, endpoint)
of_endpoint = fs.top_features_[0]
ranked = sorted(zip(fs.feature_importances_, range(15), strict=True), reverse=True)
