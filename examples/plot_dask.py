"""
On a Dask cluster
=================

Pass a Dask array to the same estimator and it runs where the chunks are. The scores are
the same as for the data in memory, whatever the chunks. This example uses the threads of
the local machine; with a ``distributed.Client`` it would use the workers of the cluster.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from widemargin import ReliefF

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 6000)
X = rng.normal(size=(6000, 10))
X[:, :3] += 0.8 * y[:, None]

near = ReliefF(3).fit(X, y)
chunked = da.from_array(X, chunks=(2000, 10)), da.from_array(y, chunks=2000)
far = ReliefF(3).fit(*chunked)
print("largest difference:", np.abs(near.scores_ - far.scores_).max())

# %%
# With ``n_samples="auto"``, rows are visited at random until confidence intervals settle
# which three features are best. This works on Dask as it does in memory.
quick = ReliefF(3, n_samples="auto", random_state=0).fit(*chunked)
print(quick.n_samples_, "of 6000 rows visited; settled:", quick.converged_)

middle = quick.scores_interval_.mean(axis=1)
half = np.diff(quick.scores_interval_, axis=1)[:, 0] / 2
plt.errorbar(
    range(10), middle, half, fmt="o", capsize=3, label="visited rows, with interval"
)
plt.plot(range(10), near.scores_, "x", color="C1", label="all rows, in memory")
plt.xlabel("feature")
plt.ylabel("score")
plt.xticks(range(10))
plt.legend(frameon=False)
plt.show()
