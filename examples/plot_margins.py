"""
Margins and the generalization bound
====================================

The margin of a sample is how far it could move before its nearest neighbour belonged to
another class. Good features make margins large. A theorem turns margins into a bound on
the error of 1-NN. For real tables the bound is usually vacuous, and the function says so.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from widemargin import margin

X, y = load_iris(return_X_y=True)
X, y = X[50:], y[50:]  # versicolor and virginica: the theorem is about two classes
X = minmax_scale(X)
sets = {"petals": [2, 3], "all": [0, 1, 2, 3], "sepals": [0, 1]}

fig, ax = plt.subplots(layout="constrained")
for name, features in sets.items():
    theta = np.sort(margin.hypothesis_margins(X[:, features], y))
    wrong = (theta < 0).sum()
    ax.plot(theta, np.linspace(0, 1, 100), label=f"{name}: {wrong} of 100 wrong")
ax.axvline(0, color="0.5", lw=0.8)
ax.set(xlabel="margin", ylabel="fraction of samples below")
ax.legend(frameon=False)
plt.show()

# %%
for gamma in (0.02, 0.1):
    bound = margin.generalization_bound(X, y, sets["petals"], gamma)
    print(
        f"gamma = {gamma}: {bound.error_gamma:.0%} of the margins are smaller;", end=" "
    )
    print("the bound is vacuous" if bound.vacuous else f"error < {bound.value:.2f}")
