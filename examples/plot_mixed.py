"""
Text, categories and missing values
===================================

A DataFrame with text columns and missing values needs no preprocessing. These are
simulated loans whose grade depends on history, income and debt; the other features are
noise.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from widemargin import ReliefF
from widemargin.plotting import RankingDisplay

rng = np.random.default_rng(0)
n = 400
X = pd.DataFrame(
    {
        "age": rng.integers(19, 75, n),
        "income": rng.lognormal(10.5, 0.4, n),
        "debt": rng.gamma(2.0, 0.15, n),
        "history": rng.choice(["late", "none", "good"], n),
        "housing": rng.choice(["rent", "own", "free"], n),
        "phone": pd.Categorical(rng.choice(["yes", "no"], n)),
    }
)
worth = 3 * (np.log(X["income"]) - 10.5) - 4 * (X["debt"] - 0.3)
worth += X["history"].map({"late": -1.5, "none": 0.0, "good": 1.5})
y = np.where(worth + rng.normal(0, 0.5, n) > 0, "good", "bad")
X.loc[rng.random(n) < 0.1, "income"] = np.nan
print(X.head(4))

# %%
RankingDisplay.from_estimator(ReliefF(3).fit(X, y))
plt.show()
