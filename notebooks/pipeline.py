"""
A pipeline
==========

*How do I select features in a model that I validate and deploy, without fooling myself?*
Select inside the folds, never before. The table is scikit-learn's of breast tumours: 569
rows, and thirty features that are three statistics of ten measurements, many of them near
copies.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from widemargin import KernelRFE

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

# %%
# **What goes wrong otherwise.** Noise, and labels by tossing a coin: there is nothing to find.
# Selected on all rows first, twenty features look excellent.
import numpy as np

rng = np.random.default_rng(0)
noise, coin = rng.normal(size=(80, 2000)), rng.integers(0, 2, 80)
few = KernelRFE(20).fit_transform(noise, coin)
inside = make_pipeline(KernelRFE(20), LogisticRegression())
print(f"selected before: {cross_val_score(LogisticRegression(), few, coin).mean():.2f}")
print(f"selected inside: {cross_val_score(inside, noise, coin).mean():.2f}")

# %%
# **A selector is a step like any other**, and the number of features a parameter to tune.
model = make_pipeline(KernelRFE(), StandardScaler(), LogisticRegression(max_iter=1000))
grid = {"kernelrfe__n_features_to_select": [2, 4, 8, 16, 30]}
search = GridSearchCV(model, grid, cv=5).fit(X_train, y_train)
print(search.best_params_, f"accuracy {search.best_score_:.3f}")
print(f"on rows that had no part in it: {search.score(X_test, y_test):.3f}")

# %%
# **Are fewer as good?** The accuracy by the number of features, plus and minus one standard
# error. A small set within the error of the best is easier to measure and to explain.
import matplotlib.pyplot as plt

found = search.cv_results_
error = found["std_test_score"] / np.sqrt(5)
fig, ax = plt.subplots(layout="constrained")
ax.errorbar(
    grid["kernelrfe__n_features_to_select"], found["mean_test_score"], error, capsize=3
)
ax.set(xlabel="features", ylabel="accuracy")
plt.show()

# %%
# **Without a grid.** ``AutoSelector`` chooses how many with the classifier that you will use,
# and ``score_`` needs no outer folds.
from widemargin import AutoSelector

classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
auto = AutoSelector(estimator=classifier, random_state=0).fit(X_train, y_train)
print(*auto.get_feature_names_out(), sep=", ")
print(f"to expect: {auto.score_:.3f} ± {auto.score_stderr_:.3f}")
small = classifier.fit(auto.transform(X_train), y_train)
print(f"on the other rows: {small.score(auto.transform(X_test), y_test):.3f}")

# %%
# **Deploy the columns, not the library.** A selection is a small text file; next month's
# table gets the same columns, by name.
import tempfile
from pathlib import Path

from widemargin import Selection

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "columns.json"
    Selection.from_selector(auto).save(file)
    print(Selection.load(file))
    print(Selection.load(file).kept)
