"""
Features that matter only in combination
========================================

The class is the parity of three features: no single feature and no pair carries any
information. Univariate tests cannot find them; nearest neighbours can.
"""

import matplotlib.pyplot as plt

from widemargin import ReliefF, Simba
from widemargin.baselines import FisherScore
from widemargin.datasets import make_xor

X, y = make_xor(600, random_state=4)  # ten features, 0 to 2 are relevant

# %%
# Simba learns feature weights and finds neighbours under them. On this problem its scores
# are close to 1 for the three relevant features and close to 0 for the others. The scores
# of FisherScore are due to chance: another seed gives another order.
selectors = [FisherScore(), ReliefF(), Simba(random_state=0)]
fig, axes = plt.subplots(1, 3, figsize=(9, 2.8), layout="constrained")
for ax, selector in zip(axes, selectors, strict=True):
    scores = selector.fit(X, y).scores_
    ax.bar(range(10), scores, color=["C0"] * 3 + ["0.7"] * 7)
    ax.set(title=type(selector).__name__, xlabel="feature", xticks=range(10))
axes[0].set_ylabel("score")
plt.show()
