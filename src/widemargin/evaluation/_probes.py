"""Selectors for tables to which permuted copies of features have been added."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from widemargin.data.protocol import Ints


def for_probes(selector: Any, features: Ints) -> Any:
    """A clone whose settings for single features hold for copies of some as well.

    Which features are nominal is no such setting: `Encoded.with_probes` knows it.
    """
    more = clone(selector)
    directions = more.get_params().get("directions")
    if directions is not None and not isinstance(directions, str):
        given = np.asarray(directions)
        more.set_params(directions=np.concatenate([given, given[features]]))
    return more
