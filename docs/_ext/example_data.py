"""Small files that the commands in the pages read."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris


def credit(n: int, seed: int) -> pd.DataFrame:
    """Made-up loans: three columns tell the grade, the others do not."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(10.5, 0.4, n).round(-2)
    history = rng.choice(["late", "none", "good"], n, p=[0.25, 0.35, 0.4])
    debt = rng.gamma(2.0, 0.15, n).round(3)
    worth = (
        1.2 * (np.log(income) - 10.5) / 0.4
        + 1.5 * np.select([history == "late", history == "good"], [-1, 1])
        - 4.0 * (debt - 0.3)
        + rng.normal(0, 0.5, n)
    )
    frame = pd.DataFrame(
        {
            "customer": [f"C{i:04d}" for i in range(n)],
            "age": rng.integers(19, 75, n),
            "income": income,
            "debt_ratio": debt,
            "history": history,
            "housing": rng.choice(["rent", "own", "free"], n),
            "purpose": rng.choice(["car", "home", "study", "other"], n),
            "phone": rng.integers(0, 2, n),
        }
    )
    frame.loc[rng.random(n) < 0.08, "income"] = np.nan
    frame["grade"] = np.array(["low", "mid", "high"])[np.digitize(worth, [-0.8, 0.8])]
    return frame


def write_example_data(folder: Path) -> None:
    credit(400, 0).to_csv(folder / "credit.csv", index=False)
    credit(100, 1).drop(columns="grade").to_csv(folder / "new.csv", index=False)
    frame = load_iris(as_frame=True)
    iris = frame.data.assign(species=frame.target_names[frame.target])
    iris.to_csv(folder / "iris.csv", index=False)
