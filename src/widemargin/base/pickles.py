"""Pickles that know which version of the package wrote them."""

from __future__ import annotations

from typing import Any

from widemargin._version import __version__
from widemargin.notices import warn

KEY = "_widemargin_version"


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
