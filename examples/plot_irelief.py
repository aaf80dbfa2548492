"""
I-Relief: probabilistic neighbours
==================================

Which samples are near depends on the weights we are looking for. I-Relief makes every
sample a neighbour with some probability, and iterates. The kernel width ``sigma`` is its
only parameter.
"""

import matplotlib.pyplot as plt

from widemargin import IRelief
from widemargin.datasets import make_gaussian_relevant

X, y = make_gaussian_relevant(random_state=0)  # 0 to 5 of 20 are relevant

fig, axes = plt.subplots(1, 3, figsize=(9.5, 2.8), sharey=True, layout="constrained")
for ax, sigma in zip(axes, (0.2, 1.0, 5.0), strict=True):
    selector = IRelief(sigma=sigma).fit(X, y)
    ax.bar(range(20), selector.scores_, color=["C0"] * 6 + ["0.75"] * 14)
    ax.set(title=f"sigma = {sigma}, {selector.n_iter_} steps", xlabel="feature")
axes[0].set_ylabel("weight")
plt.show()
