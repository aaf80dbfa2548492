"""What scores features: the estimator, the scorer, and what guessing scores.

Estimators by name take tables with categories and missing values as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.impute import SimpleImputer
from sklearn.metrics import check_scoring, make_scorer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    StandardScaler,
)

from widemargin.data.dataset import Dataset
from widemargin.data.frames import is_sparse
from widemargin.data.labels import category_order, encode
from widemargin.data.outcomes import concordance_index as concordance_index
from widemargin.data.protocol import Ints
from widemargin.evaluation._profile import Profile
from widemargin.evaluation._rank_loss import rank_loss
from widemargin.judging.judge import EstimatorFailure as EstimatorFailure
from widemargin.judging.judge import Judge, share_right
from widemargin.judging.nearest import NEIGHBORS, NearestMean, NearestNeighbor
from widemargin.judging.scores import MEASURES, TARGET_SCORES

NEG_RANK_LOSS = "neg_rank_loss"
# Classifier and regressor of a name, parameters, and whether features are standardised.
# "3-nn" and so on have names, too.
SEED = {"random_state": 0}
NAMED: dict[str, tuple[str, str, dict[str, Any], bool]] = {
    "linear": ("", "linear_model:LinearRegression", {}, True),
    "logistic": ("linear_model:LogisticRegression", "", {"max_iter": 1000}, True),
    "svm": ("svm:SVC", "svm:SVR", {}, True),
    "tree": ("tree:DecisionTreeClassifier", "tree:DecisionTreeRegressor", SEED, False),
    "forest": (
        "ensemble:RandomForestClassifier",
        "ensemble:RandomForestRegressor",
        SEED,
        False,
    ),
    "boosting": (
        "ensemble:HistGradientBoostingClassifier",
        "ensemble:HistGradientBoostingRegressor",
        SEED,
        False,
    ),
}
NAMES = ("1-nn", *(name for name, entry in NAMED.items() if entry[0]))
NUMERIC_NAMES = (
    f"{NEIGHBORS}-nn",
    *(name for name, entry in NAMED.items() if entry[1]),
)
# What they are called in a sentence.
TITLES = {
    "linear": "linear regression",
    "logistic": "logistic regression",
    "svm": "a support vector machine",
    "tree": "a decision tree",
    "forest": "a random forest",
    "boosting": "gradient boosting",
    "cox": "Cox's model",
}


def is_nearest(name: str, numeric: bool = False) -> bool:
    """Whether this is a name of 1-NN, or 5-NN, which have classes of their own."""
    k = NEIGHBORS if numeric else 1
    return _plain(name) in (f"{k}-nn", f"{k}nn")


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").strip()


def named_estimator(name: str, caller: str, task: str) -> tuple[Any, Any]:
    """The estimator of that name for a task, and what scales its features, if anything.

    A name is one of `NAMES`, or of `NUMERIC_NAMES` for a numeric target, "k-nn" with a
    number for k, or "module:Class". For survival times it is Cox's model, with a little
    ridge, from scikit-survival.
    """
    wanted, numeric = _plain(name), task == "regression"
    if task == "survival":
        if is_nearest(name, numeric=True):
            return NearestMean(task=task), None
        if name != "cox":
            raise ValueError(
                f"{caller}: estimator={name!r} does not predict survival times. Use "
                '"5-nn", "cox" (with scikit-survival), or an estimator of '
                "scikit-survival."
            )
        cox = _imported("sksurv.linear_model:CoxPHSurvivalAnalysis", caller)(alpha=1.0)
        return cox, StandardScaler()
    *homes, parameters, scaled = NAMED.get(wanted, ("", "", {}, False))
    if home := homes[numeric]:
        estimator = _imported(f"sklearn.{home}", caller)(**parameters)
        return estimator, StandardScaler() if scaled else None
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
    >>> from widemargin.evaluation._judges import title_of
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


def judge_for(
    estimator: Any, scoring: Any, data: Dataset, table: Dataset, caller: str
) -> Judge:
    """The caller's classifier, or one by name in the space in which selectors see X.

    ``table`` is the dataset as numbers. A numeric target asks for a regressor.
    """
    X, nominal, numeric, nearest = table.X, table.nominal, data.numeric, None
    task = data.task
    assert nominal is not None
    if estimator is not None and not isinstance(estimator, str):
        if data.covariates is not None:
            raise ValueError(
                f"{caller}: with covariates, estimator must be a name, such as "
                '"logistic", which is given what they leave of the features.'
            )
        X, make = data.frame, lambda columns: clone(estimator)
    elif estimator is None or is_nearest(estimator, numeric):
        of = table.feature_of
        nearest = NearestNeighbor(nominal, feature_of=of)
        if numeric:
            nearest = NearestMean(nominal, task=task, feature_of=of)
        make = nearest.for_columns
    else:
        named_one, scaler = named_estimator(estimator, caller, task)
        plain = is_sparse(X) or (not len(nominal) and not np.isnan(X).any())
        if is_sparse(X) and scaler is not None:  # so that zeros stay zeros
            standard = isinstance(scaler, StandardScaler)
            scaler = StandardScaler(with_mean=False) if standard else MaxAbsScaler()
        make = partial(_prepared, named_one, scaler, nominal, plain)
    scorer = check_scoring(
        make(np.arange(table.X.shape[1])), as_scorer(scoring, data.y_given, task)
    )
    at_once = nearest is not None and not numeric and scoring in (None, "accuracy")
    return Judge(
        X,
        data.labels_given,
        make,
        nearest,
        scorer,
        "regressor" if numeric else "classifier",
        share_right if at_once else None,
        data.row_weights,
        table.feature_of,
    )


def _prepared(
    classifier: Any, scaler: Any, nominal: Ints, plain: bool, columns: Ints
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
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    scale = ColumnTransformer(
        [
            ("numbers", make_pipeline(fill, *scaling), np.flatnonzero(~categories)),
            ("categories", one_hot, np.flatnonzero(categories)),
        ],
        # Two different categories differ in two places.
        transformer_weights={"categories": np.sqrt(0.5)},
    )
    return make_pipeline(scale, classifier)


def has_order(about: Profile, methods: Mapping[str, Any]) -> bool:
    """Whether there are three or more classes that y or the methods put in order."""
    by_method = any(m._ordered_classes for m in methods.values())
    return about.n_classes > 2 and (about.ordered or by_method)


def default_scoring(about: Profile, ordered: bool) -> str:
    """What suits the classes: a class far off is worse than its neighbour, if ordered.

    Where the largest class is far larger than the smallest, all classes count alike.
    For other targets, see `widemargin.judging.scores.TARGET_SCORES`.
    """
    if about.numeric_target:
        return TARGET_SCORES[about.task]
    if ordered:
        return NEG_RANK_LOSS
    return "balanced_accuracy" if about.lopsided else "accuracy"


def as_scorer(scoring: Any, y: Any, task: str) -> Any:
    """The scorer of a name of ours; everything else as it is, for scikit-learn."""
    if task in MEASURES and scoring in (None, TARGET_SCORES[task]):
        return make_scorer(MEASURES[task])
    if scoring != NEG_RANK_LOSS:
        return scoring
    labels = category_order(y) or encode(y, "rank_loss")[1].tolist()
    return make_scorer(rank_loss, greater_is_better=False, labels=labels)


def guesser(scoring: Any, data: Dataset) -> DummyClassifier | DummyRegressor:
    """A classifier that always gives the same answer, the best one for the score.

    That is the largest class, but for ordered classes the middle one; of numbers the
    mean. Of labels it is their frequencies, whose macro F1 is that of giving each label
    at random as often as it occurs.
    """
    if data.numeric:
        return DummyRegressor()
    if scoring != NEG_RANK_LOSS:
        return DummyClassifier(strategy="prior")
    # The class of the median row.
    counts = np.cumsum(np.bincount(data.codes))
    middle = data.classes[np.searchsorted(counts, data.shape[0] / 2)]
    return DummyClassifier(strategy="constant", constant=middle)


def scoring_for(scoring: Any, n_classes: int) -> Any:
    """The same, but one class against the rest for "roc_auc" of three or more."""
    return "roc_auc_ovr" if scoring == "roc_auc" and n_classes > 2 else scoring


def name_of(scoring: Any, task: str = "classification") -> str:
    """Name of what scikit-learn calls scoring."""
    if scoring is None:
        return TARGET_SCORES.get(task, "accuracy")
    if isinstance(scoring, str):
        return scoring
    function = getattr(scoring, "_score_func", scoring)
    return str(getattr(function, "__name__", "score"))
