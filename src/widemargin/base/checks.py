"""What all selectors check before a fit, and see to if one fails."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from widemargin._sklearn import Interval, InvalidParameterError

N_JOBS = [
    None,
    Interval(numbers.Integral, None, -1, closed="right"),
    Interval(numbers.Integral, 1, None, closed="left"),
]


Fit = TypeVar("Fit", bound=Callable[..., Any])


def all_or_nothing(fit: Fit) -> Fit:
    """Let a fit that fails, or is interrupted, leave the estimator as it was."""

    @wraps(fit)
    def whole_fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = vars(self).copy()
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            self.__dict__ = before  # a single step, which Ctrl-C cannot divide
            raise

    return cast(Fit, whole_fit)


def refuse_booleans(estimator: Any) -> None:
    """Refuse True where a number is wanted, though Python counts it as 1."""
    for name, value in estimator.get_params(deep=False).items():
        allowed = estimator._parameter_constraints.get(name, ["boolean"])
        flag = any(isinstance(c, str) and c in ("boolean", "verbose") for c in allowed)
        if isinstance(value, bool) and not flag:
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(estimator).__name__} must not be a "
                f"boolean. Got {value} instead."
            )


def refuse_keywords(name: str, unknown: dict[str, Any]) -> None:
    """Refuse what scikit-learn's `fit` may take besides X and y."""
    if "sample_weight" in unknown:
        raise TypeError(
            f"{name}.fit() does not support sample_weight: all rows have equal weight. "
            "Leave it out, or resample rows in proportion to their weights first."
        )
    if unknown:
        (first, *_) = unknown
        raise TypeError(f"{name}.fit() got an unexpected keyword argument {first!r}.")
