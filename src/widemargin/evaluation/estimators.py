"""Classifiers by name, ready for tables with categories and missing values."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from widemargin.table import Ints

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
# What they are called in a sentence.
TITLES = {
    "logistic": "logistic regression",
    "svm": "a support vector machine",
    "tree": "a decision tree",
    "forest": "a random forest",
    "boosting": "gradient boosting",
}


def is_nearest(name: str) -> bool:
    """Whether this is a name of 1-NN, which has a class of its own."""
    return _plain(name) in ("1-nn", "1nn")


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").strip()


def classifier_of(name: str, caller: str) -> tuple[Any, Any]:
    """The classifier of that name and what scales its features, if anything.

    A name is one of `NAMES`, "k-nn" with a number for k, or "module:Class".
    """
    wanted = _plain(name)
    if wanted in NAMED:
        home, parameters, scaled = NAMED[wanted]
        return _imported(home, caller)(
            **parameters
        ), StandardScaler() if scaled else None
    neighbors = re.fullmatch(r"([1-9]\d*)-?nn", wanted)
    if neighbors:
        return KNeighborsClassifier(int(neighbors[1])), MinMaxScaler()
    if ":" in name:
        return _made(name, caller), None
    raise ValueError(
        f"{caller} knows no classifier named {name!r}; there are {', '.join(NAMES)}, "
        "k-nn with any number for k, and module:Class."
    )


def title_of(estimator: Any) -> str:
    """What to call a classifier: by its name, or by its class, in a pipeline the last.

    Examples
    --------
    >>> from widemargin.evaluation.estimators import title_of
    >>> title_of(None), title_of("forest"), title_of("sklearn.svm:NuSVC")
    ('1-NN', 'a random forest', 'NuSVC')
    """
    if estimator is None or isinstance(estimator, str):
        name = (estimator or "1-nn").rpartition(":")[2]
        return TITLES.get(name.lower(), name.upper() if "nn" in name else name)
    steps = getattr(estimator, "steps", None)
    return type(steps[-1][1] if steps else estimator).__name__


def _made(name: str, caller: str) -> Any:
    """An instance of a class that the caller names as module:Class."""
    try:
        made = _imported(name, caller)()
    except TypeError as error:
        raise ValueError(
            f"{caller} cannot make a {name} without parameters: {error}."
        ) from None
    if not is_classifier(made):
        raise ValueError(
            f"{caller} needs a scikit-learn classifier, {name} is not one."
        )
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
