"""
Which features tell this class from the others?
===============================================

The score of ReliefF is a sum over rows. Split by the class of the row, it says which
features tell each class from the others: ``scores_by_class_``.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from widemargin import ReliefF
from widemargin.plotting import ClassScoresDisplay

wine = load_wine(as_frame=True)
y = wine.target_names[wine.target]
relieff = ReliefF().fit(wine.data, y)

# %%
# The darkest cell of a column is the feature that sets this class apart best.
ClassScoresDisplay.from_estimator(relieff)
plt.show()
