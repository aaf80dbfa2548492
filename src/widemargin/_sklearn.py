"""What the package uses of scikit-learn that scikit-learn does not call public.

Such names may move or go in any release. They are imported here and nowhere else, so
that a new release is met in one file; `tests/structure/test_private_names.py` checks
it.
"""

from _thread import RLock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar

from numpy.typing import NDArray
from sklearn import base
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, _safe_indexing
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    RealNotInt,
    StrOptions,
)
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names, _check_feature_names_in

__all__ = [
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "RealNotInt",
    "StrOptions",
    "_SelectorBase",
    "_check_feature_names",
    "_check_feature_names_in",
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


if TYPE_CHECKING:

    class _SelectorBase:
        """What scikit-learn's bases offer, for type checkers: they find no types there.

        With a base of unknown type, they would accept any argument of a constructor.
        """

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def get_support(self, indices: bool = False) -> NDArray[Any]: ...
        def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]: ...
        def set_output(self, *, transform: Any = None) -> Self: ...
        def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any: ...
        def transform(self, X: Any) -> Any: ...
        def inverse_transform(self, X: Any) -> Any: ...
        def get_metadata_routing(self) -> Any: ...
        def _validate_params(self) -> None: ...
        def __sklearn_tags__(self) -> Tags: ...

else:

    class _SelectorBase(SelectorMixin, base.BaseEstimator):
        """Base of our selectors."""
