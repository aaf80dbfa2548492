"""
AutoSelector in a pipeline
==========================

``AutoSelector`` chooses the method, the number of features and whether to skip
near copies, by five-fold cross-validation repeated three times. When the pipeline
itself is cross-validated, the choice is made again in each outer fold, so the score is
unbiased.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from widemargin import AutoSelector

X, y = load_wine(return_X_y=True, as_frame=True)
auto = AutoSelector(["ReliefF", "FisherScore"], random_state=0)
classifier = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))
honest = cross_val_score(make_pipeline(auto, classifier), X, y, cv=3)
everything = cross_val_score(classifier, X, y, cv=3)
print(
    f"selected inside the folds: {honest.mean():.3f}, all 13 features: {everything.mean():.3f}"
)

# %%
# Fitted on all rows: its choice, and its score, corrected for the selection bias.
auto.fit(X, y)
print(auto.method_, auto.redundancy_, f"{auto.score_:.3f} ± {auto.score_stderr_:.3f}")

features = auto.features_
fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
kept = features["feature"].isin(auto.get_feature_names_out())
ax.barh(features["feature"], features["score"], color=np.where(kept, "C0", "0.75"))
ax.invert_yaxis()
ax.set_xlabel(f"score by {auto.method_} (blue: selected)")
plt.show()
