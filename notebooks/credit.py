"""
A credit table
==============

*Which columns tell who will not pay back, and can I trust them?* The loans are made up
here, so that we know the truth: history, income and debt decide, the other columns do not.
The table is as messy as such tables are: text, gaps, a code for *unknown*, and one column
that was filled in after the fact.
"""

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
n = 500
loans = pd.DataFrame(
    {
        "age": rng.integers(19, 75, n).astype(float),
        "income": rng.lognormal(10.5, 0.4, n).round(-2),
        "debt_ratio": rng.gamma(2, 0.15, n).round(2),
        "history": rng.choice(["late", "none", "good"], n),
        "housing": rng.choice(["rent", "own", "free"], n),
        "purpose": rng.choice(["car", "home", "study"], n),
        "months": rng.choice([12, 24, 36, 48], n),
    }
)
history = loans["history"].map({"late": -1.5, "none": 0.0, "good": 1.5})
worth = history + 3 * np.log(loans["income"] / 36000) - 4 * (loans["debt_ratio"] - 0.3)
paid = np.where(worth + rng.normal(0, 0.7, n) > 0, "paid", "default")
loans["reminders"] = np.where(paid == "default", rng.integers(3, 9, n), 0)
loans["net_income"] = (0.7 * loans["income"] + rng.normal(0, 300, n)).round(-2)
loans.loc[rng.random(n) < 0.1, ["income", "net_income"]] = np.nan
loans.loc[rng.random(n) < 0.03, "age"] = -999
loans.head()

# %%
# **Look for trouble first.** ``profile`` reads the table as a selector would.
from widemargin.evaluation import compare, profile

for warning in profile(loans, paid).warnings:
    print("-", warning)

# %%
# The code becomes a gap. The column that separates the classes stays for now.
loans["age"] = loans["age"].replace(-999, np.nan)

# %%
# **One answer.** Text and gaps are taken as they are.
result = compare(loans, paid, random_state=0)
print(result.answer)

# %%
# Reminders are sent to those who do not pay: known too late, and of no use for a new
# application. Without it:
loans = loans.drop(columns="reminders")
result = compare(loans, paid, random_state=0)
print(result.answer)

# %%
# **Why each column is kept or not.** The two incomes are nearly copies, so one is enough.
# *Kept* is a choice, *relevant* (q < 0.05) a test: a column that is kept in few folds and not
# relevant is there by chance, and may go.
columns = ["feature", "verdict", "why", "q_value", "frequency"]
result.features[columns].round(3)

# %%
# **How many are enough?** The accuracy with the first 1, 2, 3, … columns:
import matplotlib.pyplot as plt

from widemargin.plotting import SelectionCurveDisplay

SelectionCurveDisplay.from_curve(result.curve, chance=result.chance)
plt.show()

# %%
# **What next?** ``widemargin.report(result).save("loans.html")`` writes all of this as a page
# for others. On the command line it is ``widemargin compare loans.csv -o loans.html``, which
# also finds identifiers. Classes of grades instead of two: ``OReliefF`` uses their order.
