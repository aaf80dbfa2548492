"""
A numeric target
================

*Ten measurements of 442 patients with diabetes: which tell how far the illness will have
progressed in a year?* The data are real and part of scikit-learn.
"""

from sklearn.datasets import load_diabetes

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X.describe().loc[["min", "mean", "max"]].round(1)

# %%
# **One answer.** Decimals or many distinct numbers make it a regression; the score is R².
from widemargin import AutoSelector

auto = AutoSelector(random_state=0).fit(X, y)
print("kept:", *auto.get_feature_names_out())
print(
    f"R² {auto.score_:.2f} ± {auto.score_stderr_:.2f}; with all: {auto.score_all_:.2f}"
)

# %%
# **What of the others?** Blood values come in pairs that say the same: *relevant* is a test,
# *kept* a choice. A direction of 1 means that the target grows with the feature.
columns = ["feature", "verdict", "why", "direction", "q_value", "frequency"]
auto.features_[columns].round(3)

# %%
# **With the model that I will use.** By default features are judged by 5-NN. Where relations
# are nearly linear, as here, a linear model makes more of them. The features are ranked
# anew on the training rows of each fold.
import matplotlib.pyplot as plt
from sklearn.linear_model import LinearRegression

from widemargin import KernelRFE
from widemargin.baselines import FRegression
from widemargin.evaluation import selection_curve
from widemargin.plotting import SelectionCurveDisplay

methods = {
    "KernelRFE": KernelRFE(task="regression"),
    "F-test": FRegression(),
}
curve = selection_curve(methods, X, y, LinearRegression(), random_state=0)
SelectionCurveDisplay.from_curve(curve)
plt.show()

# %%
curve.summary()[["best_n_features", "best_score", "score_all"]].round(2)

# %%
# **What next?** Put ``KernelRFE(5, task="regression")`` before the model in a pipeline. Several
# numbers in each row can be a target, too, and so can the time to an event.
