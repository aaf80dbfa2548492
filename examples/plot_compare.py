"""
Compare methods and write a report
==================================

``compare`` says which features to keep and which are relevant. Methods that you name
compete in the same folds. ``widemargin.report`` turns the result into an HTML report.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import widemargin
from widemargin.evaluation import compare
from widemargin.plotting import AgreementDisplay, SelectionCurveDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
methods = ["KernelRFE", "ReliefF", "FisherScore", "MRMR"]
result = compare(X, y, methods=methods, random_state=0)
print(result.answer)
print(result.summary().round(2).to_string(index=False))

# %%
SelectionCurveDisplay.from_curve(result.curve, chance=result.chance)
plt.show()

# %%
# How well do the rankings agree?
AgreementDisplay.from_agreement(result.agreement)
plt.show()

# %%
# A verdict on each feature: *relevant* is a test, *kept* a choice.
columns = ["feature", "verdict", "why", "q_value", "frequency"]
print(result.features[columns].round(3).to_string(index=False))

# %%
# Save the report:
with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "wine.html"
    widemargin.report(result, title="Wine").save(page)
    print(page.stat().st_size // 1000, "kB")
