"""Selectors for tables to which permuted copies of the features have been added."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone


def for_probes(selector: Any) -> Any:
    """A clone whose settings for single features hold for the probes as well.

    Which features are nominal is no such setting: `Encoded.with_probes` knows it.
    """
    doubled = clone(selector)
    directions = doubled.get_params().get("directions")
    if directions is not None and not isinstance(directions, str):
        doubled.set_params(directions=np.tile(np.asarray(directions), 2))
    return doubled
