"""
Visiting only as many rows as needed
====================================

``n_samples="auto"`` visits rows at random, with neighbours among all rows, until
confidence intervals separate the features to keep from the rest.
"""

import matplotlib.pyplot as plt
import numpy as np

from widemargin import ReliefF
from widemargin.plotting import RankingDisplay

rng = np.random.default_rng(0)
n = 20_000
y = rng.integers(0, 2, n)
X = rng.normal(size=(n, 15))
X[:, :4] += np.linspace(1.2, 0.9, 4) * y[:, None]

auto = ReliefF(4, n_samples="auto", random_state=0).fit(X, y)
print(f"{auto.n_samples_} of {n} rows visited; settled: {auto.converged_}")
RankingDisplay.from_estimator(auto)
plt.show()
