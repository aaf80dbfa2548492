"""
Which pixels matter?
====================

Handwritten digits of 8 × 8 pixels. The scores of four methods are shown as images, with
the sixteen best pixels outlined.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from widemargin import FRLL, ReliefF, Simba
from widemargin.baselines import FisherScore
from widemargin.plotting import FeatureMapDisplay

digits = load_digits()
X, y = digits.data[:600], digits.target[:600]

# %%
# Pixels share a unit, so ``scale=None`` keeps the grey values as they are.
selectors = [
    ReliefF(16, scale=None),
    Simba(16, scale=None, random_state=0),
    FRLL(16, scale=None),
    FisherScore(16),
]
fig, axes = plt.subplots(2, 2, figsize=(8, 6.4), layout="compressed")
for ax, selector in zip(axes.flat, selectors, strict=True):
    FeatureMapDisplay.from_estimator(selector.fit(X, y), (8, 8), ax=ax)
    ax.set_title(type(selector).__name__)
plt.show()
