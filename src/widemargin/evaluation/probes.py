"""Tables to which irrelevant features of the same kind have been added."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from widemargin._sklearn import _safe_indexing
from widemargin.evaluation.frames import feature_names
from widemargin.table import Ints


def with_probes(X: Any, permutation: Ints) -> Any:
    """X and, to its right, a copy with its rows permuted: twice as many features."""
    probes = _safe_indexing(X, permutation)
    if not hasattr(X, "columns"):
        return np.hstack([np.asarray(X), np.asarray(probes)])
    names = feature_names(X).tolist()
    if hasattr(X, "hstack"):  # polars
        return X.hstack(
            probes.rename(dict(zip(X.columns, _renamed(names), strict=True)))
        )
    import pandas as pd

    both = pd.concat([X, probes.set_index(X.index)], axis=1)
    return both.set_axis([*names, *_renamed(names)], axis=1)


def _renamed(names: list[str]) -> list[str]:
    mark = " (probe)"
    while any(name + mark in names for name in names):
        mark += "'"
    return [name + mark for name in names]


def for_probes(selector: Any, X: Any) -> Any:
    """A clone whose settings for single features hold for the probes as well."""
    doubled = clone(selector)
    given = doubled.get_params()
    d, names = X.shape[1], feature_names(X).tolist()
    settings = {}
    directions = given.get("directions")
    if directions is not None and not isinstance(directions, str):
        settings["directions"] = np.tile(np.asarray(directions), 2)
    nominal = given.get("categorical_features")
    if nominal is not None and not isinstance(nominal, str):
        settings["categorical_features"] = _twice(np.asarray(nominal), d, names)
    return doubled.set_params(**settings)


def _twice(features: NDArray[Any], d: int, names: list[str]) -> NDArray[Any]:
    """A mask, column numbers or names of features, with their probes."""
    if features.dtype == bool:
        return np.tile(features, 2)
    if features.dtype.kind in "iu":
        return np.concatenate([features % d, features % d + d])
    probes = dict(zip(names, _renamed(names), strict=True))
    wanted = [str(name) for name in features.tolist()]
    return np.array([*wanted, *(probes[name] for name in wanted)], dtype=object)
