"""
Which features are relevant?
============================

Scores have no natural zero: even pure noise has a best feature. ``relevance`` compares
each feature with permuted copies of itself, and q-values correct for multiple testing.
``significance`` tests the scores of one method in the same spirit.
"""

import matplotlib.pyplot as plt
import numpy as np

from widemargin.datasets import make_gaussian_relevant
from widemargin.evaluation import relevance

X, y = make_gaussian_relevant(120, 40, random_state=1)  # 0 to 5 are relevant
found = relevance(X, y, random_state=0)
print(found)
print("relevant:", found.significant().nonzero()[0])

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
