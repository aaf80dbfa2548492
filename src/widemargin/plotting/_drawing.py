"""What all pictures share: axes to draw into, short names, titles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

LONGEST = 30  # characters of a name

Array = NDArray[Any]


@dataclass
class Display:
    """What all Displays share: where they were drawn."""

    ax_: Any = field(init=False, repr=False, default=None)
    figure_: Any = field(init=False, repr=False, default=None)

    def _into(
        self, ax: Any, size: tuple[float, float], layout: str = "constrained"
    ) -> Any:
        """The axes to draw into: the caller's, or new ones of a fitting size."""
        if ax is None:
            _, ax = import_pyplot().subplots(figsize=size, layout=layout)
        self.ax_, self.figure_ = ax, ax.figure
        return ax


def import_pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "Pictures need matplotlib, which is not installed: "
            'pip install "widemargin[plot]"'
        ) from error
    return pyplot


def shortened(name: Any, longest: int = LONGEST) -> str:
    """Cut out the middle of a long name: beginnings and ends tell names apart."""
    name = str(name)
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[: longest - 1 - half]}…{name[-half:]}"


def kept_title(method: str | None, support: Array, how: str) -> str:
    """Whose ranking it is, and how to tell which features are kept."""
    kept = f"{support.sum()} of {support.size} kept ({how})"
    return kept if method is None else f"{method}: {kept}"


def plain_numbers(axis: Any) -> None:
    """1, 10, 100 instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def no_frame(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)
