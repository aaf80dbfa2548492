"""The classifier that judges features unless the caller brings one: 1-NN."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from widemargin.base import MarginSelector
from widemargin.columns import as_numbers, nominal_columns
from widemargin.table import Floats, Ints


class Judge(NamedTuple):
    """A classifier and the table it gets its columns from."""

    X: Any
    make: Callable[[Ints], Any]  # an unfitted classifier for some columns of X


def judge(
    estimator: Any, X: Any, selectors: Iterable[MarginSelector], caller: str
) -> Judge:
    """The caller's classifier, or 1-NN in the space in which selectors see the table.

    1-NN scales each feature to [0, 1] by the rows it is fitted to. Values of a nominal
    feature, by the type of its column or by what a selector was told, are as far apart
    as 0 and 1 are. A missing number counts as the median, a missing category as one.
    """
    if estimator is not None:
        return Judge(X, lambda columns: clone(estimator))
    told = [getattr(s, "categorical_features", None) for s in selectors]
    found = [
        nominal_columns(X, t, caller, booleans=False, notice=False)
        for t in [None, *told]
    ]
    nominal = np.unique(np.concatenate(found))
    table: Floats = np.asarray(as_numbers(X, nominal, caller), np.float64)
    plain = not len(nominal) and not np.isnan(table).any()
    return Judge(table, lambda columns: _nearest(columns, nominal, plain))


def _nearest(columns: Ints, nominal: Ints, plain: bool) -> Any:
    """1-NN for a table of these columns."""
    neighbor = KNeighborsClassifier(n_neighbors=1)
    if plain:
        return make_pipeline(MinMaxScaler(), neighbor)
    categories = np.isin(columns, nominal)
    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    scale = ColumnTransformer(
        [
            (
                "numbers",
                make_pipeline(fill, MinMaxScaler()),
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
    return make_pipeline(scale, neighbor)
