"""
Could a score be due to chance?
===============================

Scores have no natural zero: even pure noise has a best feature. Permuting the labels
shows which scores could be due to chance, and q-values correct for multiple testing.
"""

import matplotlib.pyplot as plt
import numpy as np

from widemargin import ReliefF
from widemargin.datasets import make_gaussian_relevant
from widemargin.evaluation import significance

X, y = make_gaussian_relevant(120, 40, random_state=1)  # 0 to 5 are relevant
found = significance(ReliefF(), X, y, random_state=0)
print(found)
print("significant:", found.significant().nonzero()[0])

# %%
order = np.argsort(-found.scores)
colors = np.where(found.significant()[order], "C0", "0.75")
fig, (top, below) = plt.subplots(
    2, 1, figsize=(8, 4.2), sharex=True, layout="constrained"
)
top.bar(range(40), found.scores[order], color=colors)
top.set_ylabel("score")
below.semilogy(range(40), found.q_values[order], "o", color="0.4", ms=4)
below.axhline(0.05, color="C1", lw=1)
below.set(ylabel="q-value", xlabel="features, best first", xticks=range(40))
below.set_xticklabels(order, fontsize=7)
plt.show()
