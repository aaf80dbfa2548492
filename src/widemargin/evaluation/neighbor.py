"""The classifier that judges features: the caller's, one by name, or 1-NN."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from widemargin.base import MarginSelector
from widemargin.columns import as_numbers, nominal_columns
from widemargin.evaluation.estimators import classifier_of, prepared
from widemargin.table import Floats, Ints


class Judge(NamedTuple):
    """A classifier and the table it gets its columns from."""

    X: Any
    make: Callable[[Ints], Any]  # an unfitted classifier for some columns of X


def judge(
    estimator: Any, X: Any, selectors: Iterable[MarginSelector], caller: str
) -> Judge:
    """The caller's classifier, or one by name in the space in which selectors see X.

    1-NN scales each feature to [0, 1] by the rows it is fitted to. Values of a nominal
    feature, by the type of its column or by what a selector was told, are as far apart
    as 0 and 1 are. A missing number counts as the median, a missing category as one.
    """
    if estimator is not None and not isinstance(estimator, str):
        return Judge(X, lambda columns: clone(estimator))
    classifier, scaler = classifier_of(estimator or "1-nn", caller)
    told = [getattr(s, "categorical_features", None) for s in selectors]
    found = [
        nominal_columns(X, t, caller, booleans=False, notice=False)
        for t in [None, *told]
    ]
    nominal = np.unique(np.concatenate(found))
    table: Floats = np.asarray(as_numbers(X, nominal, caller), np.float64)
    plain = not len(nominal) and not np.isnan(table).any()
    return Judge(
        table, lambda columns: prepared(classifier, scaler, columns, nominal, plain)
    )
