"""Where a report comes from: results, settings, versions, and lines to run again.

``provenance`` returns ``settings`` (name → text), ``seed`` (None if there was none),
``versions`` (package → version), ``code``, Python lines that repeat the results for
someone who has X and y, and ``pipeline``, lines that use the recommended features.
"""

from __future__ import annotations

import inspect
import platform
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from widemargin._version import __version__
from widemargin.data.blocks import Blocks
from widemargin.data.read import read_dataset
from widemargin.evaluation import Comparison, compare
from widemargin.evaluation._auto import AutoSelector
from widemargin.evaluation._defaults import BUDGET, choose
from widemargin.evaluation._profile import describe
from widemargin.evaluation._selectors import preset, task_of
from widemargin.reporting.formats import Json
from widemargin.selection import names_of

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas")
# Settings that the code shows elsewhere, or that results do not depend on.
ELSEWHERE = ("methods", "n_jobs")
# Settings whose text is Python code if it is not a plain value.
OBJECTS = ("covariates", "cv", "estimator", "groups", "sample_weight")
PLAIN = (bool, int, float, str, type(None))

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


def as_comparison(results: Any, X: Any, y: Any) -> Comparison:
    """The comparison itself, or one of fitted selectors, with nothing but these.

    That one has no settings. Its data and profile are None where there is no X or y.
    """
    if isinstance(results, Comparison):
        return results
    given = results if isinstance(results, Mapping) else {None: results}
    if not given or not all(hasattr(s, "get_support") for s in given.values()):
        raise TypeError(
            "report needs the Comparison that widemargin.evaluation.compare returns, "
            "a fitted selector, or a dict of fitted selectors by label, "
            f"got {type(results).__name__}."
        )
    for selector in given.values():
        check_is_fitted(selector, ["scores_", "ranking_", "support_"])
    selectors = {str(label or type(s).__name__): s for label, s in given.items()}
    first = next(iter(selectors.values()))
    groups = getattr(first, "groups_", None)
    if groups is not None:
        selectors = {label: s._by_feature() for label, s in selectors.items()}
    data: Any = None
    about: Any = None
    if X is not None:
        own = getattr(first, "_task", "classification")
        told = None if own == "classification" else own
        task, there = task_of(None, y, told, "report"), y is not None
        data = read_dataset(
            X, y, "report", labels=there, task=task, look=False, sparse=True
        )
        if groups is not None:
            data = replace(data, blocks=Blocks(first._feature_of, groups))
        about = None if y is None else describe(data)
    return Comparison(
        data=data,
        feature_names=np.array(names_of(first), object) if groups is None else groups,
        profile=about,
        selectors=selectors,
        times={},
        directions=(np.empty(0, np.int64), np.empty(0)),
        classifier="5-NN" if about and about.numeric_target else "1-NN",
    )


def provenance(found: Any, best: Json, kept: list[str], lines: list[str]) -> Json:
    """Say how results came about, how to get them again and how to use them.

    ``kept`` are the names of the features that the ``best`` method keeps; ``lines`` of
    Python read the data.
    """
    versions = {"widemargin": __version__, "Python": platform.python_version()}
    return {
        "settings": {str(k): _shown(v) for k, v in found.settings.items()},
        "seed": _seed(found),
        "versions": versions | {package: version(package) for package in PACKAGES},
        "code": _code(found, lines),
        "pipeline": _pipeline(found, best, kept, lines),
    }


def constructor(selector: Any) -> str:
    """The call that makes a selector with these parameters, defaults left out.

    Examples
    --------
    >>> from widemargin import ReliefF
    >>> from widemargin.reporting.provenance import constructor
    >>> constructor(ReliefF(n_neighbors=5, n_jobs=2))
    'ReliefF(n_neighbors=5)'
    """
    defaults = inspect.signature(type(selector).__init__).parameters
    changed = [
        f"{name}={_literal(value)}"
        for name, value in selector.get_params(deep=False).items()
        # Results do not depend on these two.
        if name not in ("n_jobs", "verbose")
        and not _same(value, defaults[name].default)
    ]
    return f"{type(selector).__name__}({', '.join(changed)})"


def _same(value: Any, default: Any) -> bool:
    return value is default or (
        isinstance(value, PLAIN) and type(value) is type(default) and value == default
    )


def _literal(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return repr(value)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else _literal(value)


def _seed(found: Any) -> str | None:
    seeds = [
        found.settings.get("random_state"),
        *(getattr(s, "random_state", None) for s in found.selectors.values()),
    ]
    seed = next((s for s in seeds if s is not None), None)
    return None if seed is None else _shown(seed)


def _code(found: Any, reading: list[str]) -> str:
    lines = ["import widemargin"]
    if str(found.settings.get("cv")).startswith("TimeSeriesSplit("):
        lines.append("from sklearn.model_selection import TimeSeriesSplit")
    if reading:
        lines = ["import pandas as pd", *lines, "", *reading]
    else:
        more = [n for n in ("groups", "sample_weight") if found.settings.get(n)]
        *first, last = ["X", "y", *more]
        lines += ["", f"# {', '.join(first)} and {last} are your data."]
    return "\n".join([*lines, "", *_call(found)])


def _usual(found: Any) -> bool:
    """Whether the methods are those that `compare` chooses by itself."""
    settings = found.settings
    if not settings or len(found.candidates) == len(found.selectors):
        return False
    nominal, seed = settings["categorical_features"], settings["random_state"]
    usual = choose(found.profile, seed, nominal, settings["budget"] / BUDGET)
    theirs = [constructor(preset(s, seed, nominal)) for s in usual.values()]
    return theirs == [constructor(s) for s in found.selectors.values()]


def _call(found: Any) -> list[str]:
    made = {label: _qualified(s) for label, s in found.selectors.items()}
    if not found.settings:
        fits = [f"    {label!r}: {code}.fit(X, y)," for label, code in made.items()]
        lines = ["results = {", *fits, "}"]
        if len(made) == 1:
            lines = [f"results = {code}.fit(X, y)" for code in made.values()]
        return [*lines, 'widemargin.report(results, X=X, y=y).save("report.html")']
    # Methods that a function returns are shown, and KernelRFE is chosen.
    given = "{" if len(found.candidates) == len(made) else "lambda table: {"
    shown = [f"        {label!r}: {code}," for label, code in made.items()]
    return [
        "results = widemargin.evaluation.compare(",
        "    X,",
        "    y,",
        *([] if _usual(found) else [f"    {given}", *shown, "    },"]),
        *(f"    {line}," for line in _arguments(found.settings, compare)),
        ")",
        'widemargin.report(results).save("report.html")',
    ]


def _arguments(settings: Json, function: Any) -> list[str]:
    """What was not left at a function's default, as it is written in a call."""
    defaults = inspect.signature(function).parameters
    return [
        f"{name}={_argument(name, value)}"
        for name, value in settings.items()
        if name not in ELSEWHERE
        and name in defaults
        and not _same(value, defaults[name].default)
    ]


def _argument(name: str, value: Any) -> str:
    if name not in OBJECTS or not isinstance(value, str):
        return _literal(value)
    # An object may have been given by its name, as in compare(estimator="forest").
    by_name = value == "time" or (name == "estimator" and "(" not in value)
    return _literal(value) if by_name else value


def _with_model(line: str, task: str | None) -> str:
    """The line with a model for the task in the place of one for classes."""
    if task == "regression":
        line = line.replace("KNeighborsClassifier(1)", "KNeighborsRegressor(5)")
        return line.replace("Classifier", "Regressor")
    if task == "survival":
        home = "sksurv.linear_model import CoxPHSurvivalAnalysis"
        line = re.sub(r"sklearn\.\w+ import \w+Classifier", home, line)
        return re.sub(r"\w+Classifier\(.*?\)", "CoxPHSurvivalAnalysis(alpha=1.0)", line)
    return line


def _pipeline(
    found: Any, best: Json, kept: list[str], reading: list[str]
) -> str | None:
    """Lines that select the same features for a classifier; None if there are none.

    Once as a step that selects anew from the rows it is fitted to, and once as these
    very features.
    """
    if not kept:
        return None
    about = found.profile
    mixed, task = about is not None and not about.plain, about and about.task
    y = ", a structured array (sksurv.util.Surv)," if task == "survival" else ""
    lines = [*(["import pandas as pd"] if reading else []), "import widemargin"]
    lines += MIXED_IMPORTS if mixed else PLAIN_IMPORTS
    lines += ["", *(reading or [f"# X, a frame, and y{y} are your data."]), ""]
    lines += MIXED_STEPS if mixed else PLAIN_STEPS
    lines = [_with_model(line, task) for line in lines]
    frames = '.set_output(transform="pandas")' if mixed else ""
    if len(kept) <= MOST_NAMES:
        lines += ["", "# These features, for whatever model you have."]
        lines += ["kept = [", *(f"    {name!r}," for name in kept), "]"]
        lines += [f"selection = widemargin.Selection(kept){frames}"]
        lines += ["model = make_pipeline(selection, *steps).fit(X, y)"]
    lines += ["", "# As a step, the choice is made again on the rows of each fit:"]
    lines += ["# cross-validate this one, because that evaluates the choice, too."]
    lines += [f"selector = {_step(found, best, best['n_selected'])}{frames}"]
    lines += ["model = make_pipeline(selector, *steps)"]
    return "\n".join(lines)


def _step(found: Any, best: Json, n_features: int) -> str:
    """The call that makes the transformer that chooses these features."""
    if found.settings:
        names = [_qualified(found.selectors[label]) for label in found.candidates]
        alone = names == ["widemargin.KernelRFE()"] or _usual(found)
        compete = [] if alone else [f"[{', '.join(names)}]"]
        arguments = [*compete, *_arguments(found.settings, AutoSelector)]
        return f"widemargin.AutoSelector({', '.join(arguments)})"
    selector = clone(found.selectors[best["label"]])
    return _qualified(selector.set_params(n_features_to_select=n_features))


def _qualified(selector: Any) -> str:
    baseline = type(selector).__module__.startswith("widemargin.baselines")
    home = "widemargin.baselines" if baseline else "widemargin"
    return f"{home}.{constructor(selector)}"
