"""
Genes
=====

*Sixty patients, two thousand genes: which have to do with the illness, and which few would
do for a test?* These are two questions. The expression values are made up here, so that the
answers can be checked: genes come in correlated modules of ten, and three modules differ
between ill and well.
"""

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
n_rows, n_modules = 60, 200
ill = rng.permutation(np.repeat([True, False], n_rows // 2))
modules = rng.normal(size=(n_rows, n_modules))
modules[:, :3] += np.where(ill[:, None], 0.7, -0.7)
own = rng.normal(size=(n_rows, n_modules, 10))
genes = (0.8 * modules[:, :, None] + 0.6 * own).reshape(n_rows, -1)
X = pd.DataFrame(
    genes, columns=[f"m{m}_{g}" for m in range(n_modules) for g in range(10)]
)
y = np.where(ill, "ill", "well")
X.shape

# %%
# **Is there any signal at all?** With so many columns, some separate sixty rows by chance.
# This is a test of the whole table, with a level.
from widemargin.evaluation import relevance, signal

print("these labels:", signal(X, y, random_state=0))
print("shuffled labels:", signal(X, rng.permutation(y), random_state=0))

# %%
# **The list for the biologist**: all genes that score higher than permuted copies of
# themselves, at a false discovery rate of 5 %.
tested = relevance(X, y, random_state=0)
listed = X.columns[tested.significant()]
true = listed.str.match("m[012]_")
print(f"{len(listed)} genes, {true.sum()} of them from the three modules of 30 genes")

# %%
# **The few for the test kit**: what is enough, without near copies. The score comes from
# rows that had no part in the choice.
from widemargin import AutoSelector

auto = AutoSelector(random_state=0).fit(X, y)
print(*auto.get_feature_names_out())
print(f"accuracy {auto.score_:.2f} ± {auto.score_stderr_:.2f}")
print(f"with all genes: {auto.score_all_:.2f}; stability {auto.stability_:.2f}")

# %%
# **How sure is the choice?** A gene of the same module would have done as well, so the panel
# is less certain than its accuracy. The share of folds that keep each gene:
auto.features_.head(8)[["feature", "verdict", "frequency", "q_value"]].round(3)

# %%
# The scores behind the list. Blue: genes of the three modules.
import matplotlib.pyplot as plt

order = np.argsort(-tested.scores)[:60]
informative = X.columns[order].str.match("m[012]_")
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.bar(range(60), tested.scores[order], color=np.where(informative, "C0", "0.75"))
ax.axvline(len(listed) - 0.5, color="C1")
ax.set(xlabel="genes, best first; the line ends the list", ylabel="score")
plt.show()

# %%
# **What next?** Rows of the same patient: pass ``groups``. A batch or the age to allow for:
# ``covariates``. Files: ``widemargin compare cells.h5ad --target cell_type`` reads AnnData.
