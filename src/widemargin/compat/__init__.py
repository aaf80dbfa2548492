"""The names and parameters of other packages, on the engine of this one.

A script for skrebate or fast-select changes its import and nothing else::

    from widemargin.compat.skrebate import ReliefF
    from widemargin.compat import fast_select

What differs on purpose is listed in ``docs/coming-from/skrebate.md``.
"""

from widemargin.compat import fast_select, skrebate

__all__ = ["fast_select", "skrebate"]


def __dir__() -> list[str]:
    return sorted(__all__)
