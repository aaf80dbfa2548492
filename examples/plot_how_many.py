"""
How many features?
==================

``n_features_to_select="auto"`` ranks inside ten folds, judges the best 1, 2, 3, …
features by 1-NN, and keeps the smallest number within one standard error of the best.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from widemargin import ReliefF
from widemargin.evaluation import selection_curve
from widemargin.plotting import SelectionCurveDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
auto = ReliefF("auto").fit(X, y)
print(auto.n_features_, "features:", *auto.get_feature_names_out(), sep="\n  ")

# %%
# The same question for several methods, with the features selected by the training rows
# of each fold. Bands are one standard error to each side.
curve = selection_curve(["ReliefF", "FisherScore", "MRMR"], X, y, cv=5, random_state=0)
SelectionCurveDisplay.from_curve(curve)
plt.show()

# %%
print(curve.summary()[["best_n_features", "best_score", "score_all"]].round(3))
