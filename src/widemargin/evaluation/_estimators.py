"""Classifiers and regressors by name, for tables with categories and gaps as well."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from widemargin.data.protocol import Ints
from widemargin.judging.sweep import NEIGHBORS

# Home, parameters, and whether features are standardised. "3-nn" and so on are known
# besides.
NAMED: dict[str, tuple[str, dict[str, Any], bool]] = {
    "logistic": ("sklearn.linear_model:LogisticRegression", {"max_iter": 1000}, True),
    "svm": ("sklearn.svm:SVC", {}, True),
    "tree": ("sklearn.tree:DecisionTreeClassifier", {"random_state": 0}, False),
    "forest": ("sklearn.ensemble:RandomForestClassifier", {"random_state": 0}, False),
    "boosting": (
        "sklearn.ensemble:HistGradientBoostingClassifier",
        {"random_state": 0},
        False,
    ),
}
NAMES = ("1-nn", *NAMED)
# The same for a numeric target.
NUMERIC: dict[str, tuple[str, dict[str, Any], bool]] = {
    "linear": ("sklearn.linear_model:LinearRegression", {}, True),
    "svm": ("sklearn.svm:SVR", {}, True),
    "tree": ("sklearn.tree:DecisionTreeRegressor", {"random_state": 0}, False),
    "forest": ("sklearn.ensemble:RandomForestRegressor", {"random_state": 0}, False),
    "boosting": (
        "sklearn.ensemble:HistGradientBoostingRegressor",
        {"random_state": 0},
        False,
    ),
}
NUMERIC_NAMES = (f"{NEIGHBORS}-nn", *NUMERIC)
# What they are called in a sentence.
TITLES = {
    "linear": "linear regression",
    "logistic": "logistic regression",
    "svm": "a support vector machine",
    "tree": "a decision tree",
    "forest": "a random forest",
    "boosting": "gradient boosting",
}


def is_nearest(name: str, numeric: bool = False) -> bool:
    """Whether this is a name of 1-NN, or 5-NN, which have classes of their own."""
    k = NEIGHBORS if numeric else 1
    return _plain(name) in (f"{k}-nn", f"{k}nn")


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").strip()


def classifier_of(name: str, caller: str, *, numeric: bool = False) -> tuple[Any, Any]:
    """The classifier of that name and what scales its features, if anything.

    A name is one of `NAMES`, "k-nn" with a number for k, or "module:Class". For a
    numeric target it is a regressor, and a name one of `NUMERIC_NAMES`.
    """
    wanted = _plain(name)
    known = NUMERIC if numeric else NAMED
    if wanted in known:
        home, parameters, scaled = known[wanted]
        return _imported(home, caller)(
            **parameters
        ), StandardScaler() if scaled else None
    neighbors = re.fullmatch(r"([1-9]\d*)-?nn", wanted)
    if neighbors:
        kind = KNeighborsRegressor if numeric else KNeighborsClassifier
        return kind(int(neighbors[1])), MinMaxScaler()
    if ":" in name:
        return _made(name, caller, numeric), None
    what, names = ("regressor", NUMERIC_NAMES) if numeric else ("classifier", NAMES)
    raise ValueError(
        f"{caller} does not know a {what} named {name!r}; there are "
        f"{', '.join(names)}, k-nn with any number for k, and module:Class."
    )


def title_of(estimator: Any, numeric: bool = False) -> str:
    """What to call a classifier: by its name, or by its class, in a pipeline the last.

    Examples
    --------
    >>> from widemargin.evaluation._estimators import title_of
    >>> title_of(None), title_of("forest"), title_of("sklearn.svm:NuSVC")
    ('1-NN', 'a random forest', 'NuSVC')
    """
    if estimator is None or isinstance(estimator, str):
        nearest = f"{NEIGHBORS if numeric else 1}-nn"
        name = (estimator or nearest).rpartition(":")[2]
        return TITLES.get(name.lower(), name.upper() if "nn" in name else name)
    steps = getattr(estimator, "steps", None)
    return type(steps[-1][1] if steps else estimator).__name__


def _made(name: str, caller: str, numeric: bool) -> Any:
    """An instance of a class that the caller names as module:Class."""
    try:
        made = _imported(name, caller)()
    except TypeError as error:
        raise ValueError(
            f"{caller} cannot make a {name} without parameters: {error}."
        ) from None
    kind, fits = "classifier", is_classifier
    if numeric:
        kind, fits = "regressor", is_regressor
    if not fits(made):
        raise ValueError(f"{caller} needs a scikit-learn {kind}, {name} is not one.")
    return made


def _imported(name: str, caller: str) -> Any:
    module, _, member = name.partition(":")
    try:
        return getattr(import_module(module), member)
    except ImportError as error:
        raise ValueError(f"{caller} cannot import {module!r}: {error}.") from None
    except AttributeError:
        raise ValueError(f"{caller}: {module!r} has no {member!r}.") from None


def prepared(
    classifier: Any, scaler: Any, columns: Ints, nominal: Ints, plain: bool
) -> Any:
    """A classifier for these columns of a table.

    Categories become 0 and 1, two different ones as far apart as 0 and 1 are; a missing
    number counts as the median, a missing category as one of its own.
    """
    classifier = clone(classifier)
    scaling = [] if scaler is None else [clone(scaler)]
    if plain:
        return make_pipeline(*scaling, classifier)
    categories = np.isin(columns, nominal)
    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    scale = ColumnTransformer(
        [
            (
                "numbers",
                make_pipeline(fill, *scaling),
                np.flatnonzero(~categories),
            ),
            (
                "categories",
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                np.flatnonzero(categories),
            ),
        ],
        # Two different categories differ in two places.
        transformer_weights={"categories": np.sqrt(0.5)},
    )
    return make_pipeline(scale, classifier)
