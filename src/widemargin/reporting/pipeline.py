"""How to use what a report recommends: Python lines with a pipeline."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from widemargin.reporting.payload import kept_names
from widemargin.reporting.provenance import constructor

MOST_NAMES = 200  # features that the code names

PLAIN_IMPORTS = [
    "from sklearn.neighbors import KNeighborsClassifier",
    "from sklearn.pipeline import make_pipeline",
    "from sklearn.preprocessing import MinMaxScaler",
]
PLAIN_STEPS = ["steps = [MinMaxScaler(), KNeighborsClassifier(1)]"]
# For tables with categories or missing values.
MIXED_IMPORTS = [
    "from sklearn.compose import make_column_selector, make_column_transformer",
    "from sklearn.ensemble import RandomForestClassifier",
    "from sklearn.impute import SimpleImputer",
    "from sklearn.pipeline import make_pipeline",
    "from sklearn.preprocessing import OneHotEncoder",
]
MIXED_STEPS = [
    "numbers = make_column_selector(dtype_include='number')",
    "others = make_column_selector(dtype_exclude='number')",
    "encode = make_column_transformer(",
    "    (SimpleImputer(strategy='median'), numbers),",
    "    (OneHotEncoder(handle_unknown='ignore'), others),",
    "    sparse_threshold=0,",
    ")",
    "steps = [encode, RandomForestClassifier(random_state=0)]",
]

Json = dict[str, Any]


def _regressor(line: str) -> str:
    """The line with a model for numbers in the place of one for classes."""
    line = line.replace("KNeighborsClassifier(1)", "KNeighborsRegressor(5)")
    return line.replace("Classifier", "Regressor")


def pipeline(
    found: Any, best: Json, names: list[str], reading: list[str] | None
) -> str | None:
    """Lines that select the same features for a classifier; None if there are none.

    Once as a step that selects anew from the rows it is fitted to, and once as these
    very features.
    """
    kept = kept_names(best, names)
    if not kept:
        return None
    selector = found.selectors.get(best["label"])
    mixed = found.profile is not None and not found.profile.plain
    lines = [*(["import pandas as pd"] if reading else []), "import widemargin"]
    lines += MIXED_IMPORTS if mixed else PLAIN_IMPORTS
    lines += ["", *(reading or ["# X, a frame, and y are your data."]), ""]
    lines += MIXED_STEPS if mixed else PLAIN_STEPS
    if found.profile is not None and found.profile.numeric_target:
        lines = [_regressor(line) for line in lines]
    frames = '.set_output(transform="pandas")' if mixed else ""
    if len(kept) <= MOST_NAMES:
        lines += ["", "# These features, for whatever model you have."]
        lines += ["kept = [", *(f"    {name!r}," for name in kept), "]"]
        lines += [f"selection = widemargin.Selection(kept){frames}"]
        lines += ["model = make_pipeline(selection, *steps).fit(X, y)"]
    if selector is not None:
        mine = clone(selector).set_params(n_features_to_select=len(kept))
        baseline = type(mine).__module__.startswith("widemargin.baselines")
        home = "widemargin.baselines" if baseline else "widemargin"
        lines += ["", "# The method as a step selects again on the rows of each fit:"]
        lines += [
            "# cross-validate this one, because that evaluates the selection, too."
        ]
        lines += [f"selector = {home}.{constructor(mine)}"]
        if frames:
            lines += [f"selector{frames}"]
        lines += ["model = make_pipeline(selector, *steps)"]
    return "\n".join(lines)
