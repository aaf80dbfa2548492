"""
Is there any signal at all?
===========================

Every ranking of pure noise has a best feature, and a careless cross-validation finds it
predictive. ``evaluation.signal`` tests the whole table at a given level.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from widemargin import ReliefF
from widemargin.evaluation import signal

rng = np.random.default_rng(0)
first, inside, p_values = [], [], []
knn = KNeighborsClassifier(1)
for _ in range(10):
    X, y = rng.normal(size=(60, 500)), rng.integers(0, 2, 60)
    best = ReliefF(10).fit_transform(X, y)
    first.append(cross_val_score(knn, best, y).mean())
    inside.append(cross_val_score(make_pipeline(ReliefF(10), knn), X, y).mean())
    p_values.append(signal(X, y, n_permutations=99, random_state=0).p_value)

# %%
# Ten tables of pure noise. If ten features are selected before the cross-validation, they
# seem to predict the class. If they are selected inside it, they do not. The test finds
# no signal either.
fig, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.2), layout="constrained")
left.boxplot([first, inside], tick_labels=["selected before", "selected inside"])
left.axhline(0.5, color="C1", lw=1)
left.set_ylabel("accuracy on noise")
right.plot(np.sort(p_values), "o")
right.axhline(0.05, color="C1", lw=1)
right.set(xlabel="table", ylabel="p-value of the test", ylim=(0, 1.02))
plt.show()
