"""
G-flip: a subset without parameters
===================================

G-flip puts features in and takes them out as long as the margin grows, and so finds the
size of the set by itself. Several random orders are tried.
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
# Different orders end in different sets. The best of them has a larger margin than all
# features, or than the same number of features drawn at random.
rng = np.random.default_rng(0)
size = sizes[int(np.argmax(values))]
drawn = [
    margin.evaluation(X, y, np.isin(np.arange(30), rng.choice(30, size, False)))
    for _ in range(40)
]
fig, ax = plt.subplots(layout="constrained")
ax.scatter(np.full(40, size), drawn, color="0.7", s=14, label="drawn at random")
ax.scatter(sizes, values, label="G-flip, 12 orders")
ax.plot(30, margin.evaluation(X, y), "s", color="C1", label="all features")
ax.set(xlabel="number of features", ylabel="e(F), the sum of margins")
ax.legend(frameon=False)
plt.show()
