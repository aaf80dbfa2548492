"""
Compare methods, and make a report
==================================

``compare`` tries several methods in folds, tests for signal, stability and significance,
and recommends. ``widemargin.report`` of what it returns is one HTML page.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import widemargin
from widemargin.evaluation import compare
from widemargin.plotting import AgreementDisplay, SelectionCurveDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
result = compare(
    X, y, ["ReliefF", "LMBA", "FisherScore", "MRMR"], n_resamples=20, random_state=0
)
print(result.answer)
print(result.signal_test)

# %%
SelectionCurveDisplay.from_curve(result.curve, chance=result.chance)
plt.show()

# %%
# How far do the rankings agree?
AgreementDisplay.from_agreement(result.agreement)
plt.show()

# %%
# A verdict for each feature, and what speaks against it:
print(result.features[["feature", "verdict", "why"]].to_string(index=False))

# %%
# The page:
with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "wine.html"
    widemargin.report(result, title="Wine").save(page)
    print(page.stat().st_size // 1000, "kB")
