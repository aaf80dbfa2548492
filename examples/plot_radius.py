"""
A number of neighbours, or a radius?
====================================

ReliefF needs a number of neighbours. SURF and MultiSURF use all neighbours within a
radius. How much does it matter?
"""

import matplotlib.pyplot as plt
import numpy as np

from widemargin import SURF, MultiSURF, ReliefF
from widemargin.datasets import make_xor

ks = [1, 2, 5, 10, 20, 50, 100]
seeds = range(6)


def gap(selector, seed):
    """Smallest score of a relevant feature minus the largest of the others."""
    X, y = make_xor(300, 12, random_state=seed)
    scores = selector.fit(X, y).scores_ / selector.scores_.std()
    return scores[:3].min() - scores[3:].max()


relieff = np.array([[gap(ReliefF(n_neighbors=k), s) for s in seeds] for k in ks])
radius = {cls.__name__: [gap(cls(), s) for s in seeds] for cls in (SURF, MultiSURF)}

# %%
# Above zero, all three relevant features of xor rank first. Each point is one of six
# random tables.
fig, ax = plt.subplots(layout="constrained")
ax.plot(ks, relieff.mean(axis=1), "o-", label="ReliefF, mean")
ax.plot(np.repeat(ks, len(seeds)), relieff.ravel(), ".", color="C0", alpha=0.3)
for color, (name, values) in zip(("C1", "C2"), radius.items(), strict=True):
    ax.axhline(np.mean(values), color=color, ls="--", label=f"{name}, mean")
ax.axhline(0, color="0.5", lw=0.8)
ax.set(
    xscale="log",
    xlabel="number of neighbours in ReliefF",
    ylabel="gap between relevant and other features",
)
ax.set_xticks(ks, ks)
ax.legend(frameon=False)
plt.show()
