"""
Ordered classes
===============

There are three ordered classes. One feature increases with the class. Another separates
the classes just as well, but rises and then falls. Which one is better depends on whether
the order matters.
"""

import matplotlib.pyplot as plt

from widemargin import OReliefF, ReliefF
from widemargin.datasets import make_ordinal

X, y = make_ordinal(60, 8, random_state=0)

fig, axes = plt.subplots(1, 3, figsize=(9.5, 3.1), layout="constrained")
for label, marker in enumerate("os^"):
    axes[0].plot(*X[y == label, :2].T, marker, ms=4, label=f"class {label}")
axes[0].set(xlabel="feature 0", ylabel="feature 1")
axes[0].legend(frameon=False, fontsize=8)
for ax, selector in zip(axes[1:], (ReliefF(), OReliefF()), strict=True):
    scores = selector.fit(X, y).scores_
    ax.bar(range(8), scores, color=["C0", "C1"] + ["0.75"] * 6)
    ax.axhline(0, color="0.3", lw=0.8)
    ax.set(title=type(selector).__name__, xlabel="feature")
plt.show()

# %%
# O-ReliefF uses signed differences: upwards to higher classes, downwards to lower ones. A
# feature that rises and then falls gains nothing.
