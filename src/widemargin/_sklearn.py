"""What the package uses of scikit-learn that scikit-learn does not call public.

Such names may move or go in any release. They are imported here and nowhere else, so
that a new release is met in one file; `tests/structure/test_private_names.py` checks
it.
"""

from _thread import RLock
from collections.abc import Callable
from typing import Any, TypeVar

from sklearn import base
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    RealNotInt,
    StrOptions,
)
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names

__all__ = [
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "RealNotInt",
    "StrOptions",
    "_check_feature_names",
    "_fit_context",
    "_get_output_config",
    "_safe_indexing",
    "one_at_a_time",
]

# scikit-learn sets Python's warning filters anew for each of its parallel tasks, such
# as a tree of a forest. They belong to the process: tasks of two callers side by side
# could leave it without any.
one_at_a_time = RLock()

Fit = TypeVar("Fit", bound=Callable[..., Any])


def _fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Fit], Fit]:
    """Decorate `fit` as scikit-learn does, which does not say that types stay."""
    decorate: Callable[[Fit], Fit] = base._fit_context(
        prefer_skip_nested_validation=prefer_skip_nested_validation
    )
    return decorate
