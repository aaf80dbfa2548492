"""What every estimator of the package has: links, versions, checks, rollback.

Links lead from scikit-learn's HTML view of an estimator to its documentation; pickles
name the version that wrote them; parameters are checked, and a failed fit is undone.
"""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from widemargin._sklearn import Interval, InvalidParameterError
from widemargin._version import __version__
from widemargin.notices import warn

VARIABLE = "WIDEMARGIN_DOCS_URL"
PACKAGES = ("baselines", "evaluation")  # with public classes of their own
KEY = "_widemargin_version"  # in pickles
N_JOBS = [
    None,
    Interval(numbers.Integral, None, -1, closed="right"),
    Interval(numbers.Integral, 1, None, closed="left"),
]

Fit = TypeVar("Fit", bound=Callable[..., Any])


class Documented:
    """Lets scikit-learn link an estimator to its page, wherever the site is.

    The address of the site is in the environment variable ``WIDEMARGIN_DOCS_URL``;
    without it there is no link. scikit-learn asks for the root module, and links
    nothing that belongs to another.
    """

    @property
    def _doc_link_module(self) -> str:
        parts = type(self).__module__.split(".")
        known = os.environ.get(VARIABLE) and "compat" not in parts
        return "widemargin" if known else ""

    @property
    def _doc_link_template(self) -> str:
        root, *rest = type(self).__module__.split(".")
        package = ".".join([root, *(p for p in rest[:1] if p in PACKAGES)])
        if type(self).__name__ == "AutoSelector":
            package = root
        site = os.environ.get(VARIABLE, "").rstrip("/")
        return f"{site}/api/generated/{package}.{{estimator_name}}.html"


class Versioned:
    """Warn if an object was pickled by another version of the package.

    Comes before scikit-learn's ``BaseEstimator`` among the bases of a class.
    """

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), KEY: __version__}  # type: ignore[dict-item]

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        written_by = state.pop(KEY, None)
        if written_by != __version__:
            name = type(self).__name__
            by = f"widemargin {written_by}" if written_by else "an earlier widemargin"
            warn(
                f"This {name} was pickled by {by}, and is read by {__version__}: "
                "attributes may have changed. Fit it again, or keep selections as JSON "
                "(widemargin.Selection), which every version reads."
            )
        super().__setstate__(state)  # type: ignore[misc]


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
