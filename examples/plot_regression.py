"""
A numeric target
================

RReliefF ranks features for a numeric target: here, the progression of diabetes after one
year, predicted from ten measurements.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

from widemargin import RReliefF
from widemargin.evaluation import selection_curve
from widemargin.plotting import RankingDisplay, SelectionCurveDisplay

X, y = load_diabetes(return_X_y=True, as_frame=True)
RankingDisplay.from_estimator(RReliefF(4).fit(X, y))
plt.show()

# %%
# How good is linear regression on the top k features, ranked inside the folds?
curve = selection_curve(
    ["RReliefF", "FRegression", "MutualInformation"],
    X,
    y,
    LinearRegression(),
    random_state=0,
)
SelectionCurveDisplay.from_curve(curve, chance=0.0)
plt.show()
