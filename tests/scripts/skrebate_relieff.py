"""As in skrebate's documentation: ReliefF in a pipeline, judged by cross-validation."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from skrebate import ReliefF

rng = np.random.default_rng(0)
features = rng.integers(0, 3, (400, 20))
labels = ((features[:, 3] == 1) ^ (features[:, 11] == 1)).astype(int)

clf = make_pipeline(
    ReliefF(n_features_to_select=2, n_neighbors=100, discrete_threshold=10, n_jobs=-1),
    RandomForestClassifier(n_estimators=25, random_state=0),
)
accuracy = np.mean(cross_val_score(clf, features, labels, cv=3))

fs = ReliefF(n_features_to_select=2, n_neighbors=0.1)
fs.fit(features, labels)
best = fs.top_features_[:2]
importances = [fs.feature_importances_[f] for f in best]
reduced = fs.transform(features)
