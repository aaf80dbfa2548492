"""
How stable is the selection?
============================

Repeat the selection on fifty random halves of the rows. Which features are always
selected, and how similar are whole selections? Nogueira's index is 1 if they are always
the same.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from widemargin import ReliefF, Simba
from widemargin.evaluation import resample

X, y = load_wine(return_X_y=True, as_frame=True)
fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
order = np.argsort(ReliefF().fit(X, y).ranking_)
for shift, selector in ((-0.2, ReliefF(5)), (0.2, Simba(5, random_state=0))):
    steady = resample(selector, X, y, n=50, random_state=0)
    label = f"{type(selector).__name__}, stability {steady.stability.value:.2f}"
    ax.barh(np.arange(13) + shift, steady.frequency[order], 0.38, label=label)
ax.set_yticks(range(13), X.columns[order])
ax.invert_yaxis()
ax.set_xlabel("fraction of subsamples in which a feature is selected")
ax.legend(frameon=False, loc="lower right")
plt.show()
