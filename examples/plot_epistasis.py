"""
Interacting genes
=================

Two of twenty genetic markers determine the risk, but only in combination: given either
one alone, the risk is the same. Univariate tests find nothing.
"""

import matplotlib.pyplot as plt
import numpy as np

from widemargin import MultiSURF, ReliefF
from widemargin.baselines import InformationGain
from widemargin.datasets import make_epistasis, penetrance

fig, ax = plt.subplots(figsize=(4.2, 3.2), layout="constrained")
image = ax.imshow(penetrance(heritability=0.3), cmap="Oranges")
ax.set(
    xlabel="minor alleles of marker 1",
    ylabel="minor alleles of marker 0",
    title="risk given both markers",
    xticks=range(3),
    yticks=range(3),
)
fig.colorbar(image)
plt.show()

# %%
X, y = make_epistasis(800, heritability=0.3, random_state=0)
nominal = np.arange(20)
selectors = [
    InformationGain(bins=None),
    ReliefF(n_neighbors=100, categorical_features=nominal),
    MultiSURF(categorical_features=nominal),
]
fig, axes = plt.subplots(1, 3, figsize=(9.5, 2.8), layout="constrained")
for ax, selector in zip(axes, selectors, strict=True):
    scores = selector.fit(X, y).scores_
    ax.bar(range(20), scores, color=["C0"] * 2 + ["0.75"] * 18)
    ax.set(title=type(selector).__name__, xlabel="marker")
plt.show()
