"""
G-flip: a subset without tuning parameters
==========================================

G-flip adds and removes features as long as the margin grows, so it finds the size of the
subset itself. This example tries several random orders.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import minmax_scale

from widemargin import GFlip, margin

X, y = load_breast_cancer(return_X_y=True)
X = minmax_scale(X)
values, sizes = [], []
for seed in range(12):
    found = GFlip(random_state=seed).fit(X, y)
    values.append(found.margin_)
    sizes.append(found.n_features_)

# %%
# Different orders lead to different subsets. The best one has a larger margin than the set
# of all features, and than random subsets of the same size.
rng = np.random.default_rng(0)
size = sizes[int(np.argmax(values))]
drawn = [
    margin.evaluation(X, y, np.isin(np.arange(30), rng.choice(30, size, False)))
    for _ in range(40)
]
fig, ax = plt.subplots(layout="constrained")
ax.scatter(np.full(40, size), drawn, color="0.7", s=14, label="random subsets")
ax.scatter(sizes, values, label="G-flip, 12 random orders")
ax.plot(30, margin.evaluation(X, y), "s", color="C1", label="all features")
ax.set(xlabel="number of features", ylabel="e(F), sum of the margins")
ax.legend(frameon=False)
plt.show()
