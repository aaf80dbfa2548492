"""
Near copies
===========

A filter method also gives high scores to near copies of a good feature.
``redundancy=0.8`` skips a feature whose absolute correlation with a better feature already
selected is at least 0.8.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from widemargin import ReliefF
from widemargin.evaluation import redundancy

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
plain = ReliefF(8).fit(X, y)
thinned = ReliefF(8, redundancy=0.8).fit(X, y)

fig, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
for ax, selector in zip(axes, (plain, thinned), strict=True):
    names = selector.get_feature_names_out()
    image = ax.imshow(np.abs(X[names].corr()), cmap="Purples", vmin=0, vmax=1)
    ax.set_yticks(range(8), names, fontsize=8)
    ax.set_xticks([])
    ax.spines[:].set_visible(False)
    ax.set_title("top 8" if selector is plain else "top 8 without near copies")
fig.colorbar(image, ax=axes, label="|correlation|", shrink=0.7)
plt.show()

# %%
# Which features are interchangeable? The best of each group comes first.
groups = redundancy(X, threshold=0.9, scores=plain.scores_)
for group in groups.groups:
    print(", ".join(X.columns[group]))
