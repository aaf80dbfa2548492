"""
Which features work together
============================

Neither of two features tells the class, and both do: an exclusive or. A third one has a
strong effect of its own. ``evaluation.interactions`` finds the pair, and only the pair.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from widemargin.evaluation import interactions
from widemargin.plotting import InteractionsDisplay, PairDisplay

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(400, 12))).add_prefix("gene ")
together = (X["gene 3"] > 0) ^ (X["gene 7"] > 0)
log_odds = np.where(together, 1.5, -1.5) + 2 * X["gene 1"]
y = np.where(rng.random(400) < 1 / (1 + np.exp(-log_odds)), "well", "ill")
found = interactions(X, y)
print(found.sentence())

# %%
# On the left, which features work together: the darker, the surer. On the right, how:
# each cell is a quarter of the values of both features.
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
InteractionsDisplay.from_interactions(found, ax=left)
PairDisplay.from_interactions(found, ax=right)
plt.show()
