"""
Survival times
==============

*Which measurements at admission tell how long patients live after a heart attack?* Real
data of 500 patients (the Worcester Heart Attack Study), with scikit-survival:
``pip install "widemargin[survival]"``. More than half of them were alive when last seen, so
all that is known of their time is that it is longer.
"""

from sksurv.datasets import load_whas500

X, y = load_whas500()
print(f"{len(X)} patients, {X.shape[1]} columns, {y['fstat'].mean():.0%} died")

# %%
# The length of the stay in hospital is known at discharge only. We ask at admission.
X = X.drop(columns="los")
X.head(4)

# %%
# **One answer.** y is scikit-survival's own structured array. The score is the concordance
# index: how often, of two patients, the one at higher risk dies first. 0.5 is chance.
from widemargin import AutoSelector

auto = AutoSelector(task="survival", random_state=0).fit(X, y)
print("kept:", *auto.get_feature_names_out())
print(f"concordance {auto.score_:.2f} ± {auto.score_stderr_:.2f}")
print(f"with all {X.shape[1]}: {auto.score_all_:.2f}")

# %%
# **Which are relevant, and in which direction?** 1 means that the risk grows with it; 0, that
# the column is nominal, as scikit-survival says of some.
auto.features_[["feature", "verdict", "direction", "q_value", "frequency"]].round(3)

# %%
# **Look at the best two.** Kaplan-Meier's curves of the four groups:
import matplotlib.pyplot as plt
from sksurv.nonparametric import kaplan_meier_estimator

old = X["age"] > X["age"].median()
failing = X["chf"].astype(int) == 1
fig, ax = plt.subplots(layout="constrained")
for label, rows in {
    "younger": ~old & ~failing,
    "older": old & ~failing,
    "younger, heart failure": ~old & failing,
    "older, heart failure": old & failing,
}.items():
    times, alive = kaplan_meier_estimator(y["fstat"][rows], y["lenfol"][rows])
    ax.step(times / 365, alive, where="post", label=f"{label} ({rows.sum()})")
ax.set(xlabel="years", ylabel="alive", ylim=(0, 1))
ax.legend(frameon=False)
plt.show()

# %%
# **In a pipeline with Cox's model.** The features are chosen anew in each fold.
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sksurv.linear_model import CoxPHSurvivalAnalysis

from widemargin import KernelRFE

numbers = X.astype(float)
for name, selection in {
    "5 by KernelRFE": KernelRFE(5, task="survival"),
    "all": None,
}.items():
    steps = [selection or "passthrough", StandardScaler(), CoxPHSurvivalAnalysis()]
    scores = cross_val_score(make_pipeline(*steps), numbers, y, cv=5)
    print(f"{name}: concordance {scores.mean():.3f}")

# %%
# **What next?** Event and time can also be two columns of a DataFrame, and on the command line
# ``widemargin select patients.csv --event died --time days``.
