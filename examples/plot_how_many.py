"""
How many features?
==================

``n_features_to_select="auto"`` ranks the features inside ten folds, evaluates the top 1,
2, 3, … by 1-NN, and keeps the smallest number whose accuracy is within one standard error
of the best.
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
# The same question for several methods, with features selected on the training rows of
# each fold. The bands show plus and minus one standard error.
curve = selection_curve(["ReliefF", "FisherScore", "MRMR"], X, y, cv=5, random_state=0)
SelectionCurveDisplay.from_curve(curve)
plt.show()

# %%
print(curve.summary()[["best_n_features", "best_score", "score_all"]].round(3))
