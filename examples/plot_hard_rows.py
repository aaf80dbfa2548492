"""
Which labels may be wrong?
==========================

Nine of 178 wines get a wrong label. Their rows lie among rows of another class.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from widemargin.evaluation import hard_rows
from widemargin.plotting import HardRowsDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
wrong = np.random.default_rng(0).choice(len(y), 9, replace=False)
y[wrong] = (y[wrong] + 1) % 3
found = hard_rows(X, y, random_state=0)
print(found.to_frame())

# %%
# How many of the wrong ones are listed?
print(found.sentence)
print(f"{found.to_frame()['row'].isin(wrong).sum()} of 9 wrong labels are listed")

# %%
# The margins of all rows. The line is what the expected number of wrong labels would
# look like; the marks are the suspects, with their row numbers.
HardRowsDisplay.from_hard_rows(found)
plt.show()
