"""
AutoSelector in a pipeline
==========================

``AutoSelector`` chooses the features to keep, without near copies, and scores the choice
in folds that had no part in it. When the pipeline itself is cross-validated, the choice is
made again in each outer fold; both scores are honest and should agree.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from widemargin import AutoSelector

X, y = load_wine(return_X_y=True, as_frame=True)
auto = AutoSelector(random_state=0)
classifier = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))
outer = cross_val_score(make_pipeline(auto, classifier), X, y, cv=5)
auto.fit(X, y)
print(f"outer folds: {outer.mean():.3f}")
print(f"AutoSelector: {auto.score_:.3f} ± {auto.score_stderr_:.3f}")
print(f"all 13 features: {auto.score_all_:.3f}")

# %%
# Kept, relevant, or neither: a verdict on each feature. The score is the mean of one over
# its rank, in the folds and on all rows.
features = auto.features_
colors = {"kept": "C0", "relevant, not needed": "C2", "copy": "C1"}
fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for verdict, rows in features.groupby("verdict", sort=False):
    color = colors.get(verdict, "0.75")
    ax.barh(rows["feature"], rows["score"], color=color, label=verdict)
ax.invert_yaxis()
ax.set_xlabel("consensus of the folds")
ax.legend(frameon=False)
plt.show()
