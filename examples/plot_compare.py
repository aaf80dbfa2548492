"""
Compare methods and write a report
==================================

``compare`` evaluates several methods by cross-validation, tests for signal, stability and
significance, and recommends a method. ``widemargin.report`` turns the result into an HTML
report.
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
# How well do the rankings agree?
AgreementDisplay.from_agreement(result.agreement)
plt.show()

# %%
# A verdict on each feature, with the reasons for it:
print(result.features[["feature", "verdict", "why"]].to_string(index=False))

# %%
# Save the report:
with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "wine.html"
    widemargin.report(result, title="Wine").save(page)
    print(page.stat().st_size // 1000, "kB")
