"""Columns that are not features: carried along, or saying how rows belong together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from widemargin.cli.columns import find_columns
from widemargin.cli.described import find_described
from widemargin.cli.problem import Problem

if TYPE_CHECKING:
    import pandas as pd

    from widemargin.cli.dataset import DataOptions


@dataclass(frozen=True)
class Aside:
    """Names of such columns."""

    keep: tuple[str, ...] = ()
    groups: str | None = None
    time: str | None = None

    @property
    def names(self) -> list[str]:
        """All of them."""
        named = [name for name in (self.groups, self.time) if name is not None]
        return [*self.keep, *named]

    def without(self, target: str) -> Aside:
        """The same without the target, which is kept in any case."""
        for option, name in (("--groups", self.groups), ("--time", self.time)):
            if name == target:
                raise Problem(f"{option}: {name!r} is the target.")
        return replace(self, keep=tuple(n for n in self.keep if n != target))

    def rows(self, frame: pd.DataFrame, index: pd.Index) -> tuple[Any, Any]:
        """Group of some rows, and their order in time; None if not asked.

        Groups come in that order, too.
        """
        groups = order = None
        if self.groups is not None:
            groups = frame[self.groups].loc[index].to_numpy(object)
        if self.time is not None:
            order = _order(frame[self.time].loc[index], self.time)
            groups = groups if groups is None else groups[order]
        return groups, order


def set_aside(
    options: DataOptions, columns: Iterable[str], about: tuple[str, ...] | None = None
) -> Aside:
    """Find the columns of ``--keep``, ``--groups`` and ``--time``."""
    names = [str(name) for name in columns]
    keep = find_columns(options.keep, names, "--keep")
    groups, time = (
        wanted and find_described(wanted, names, about, option)
        for option, wanted in (("--groups", options.groups), ("--time", options.time))
    )
    return Aside(tuple(dict.fromkeys(keep)), groups, time)


def _order(column: pd.Series[Any], name: str) -> Any:
    """Rows from the earliest to the latest; equal ones as they are in the file."""
    import numpy as np
    import pandas as pd

    if (gone := int(column.isna().sum())) > 0:
        raise Problem(f"--time: {gone} rows have no value in {name!r}.")
    if column.dtype.kind not in "iufmMb":
        try:
            column = pd.to_datetime(column, format="ISO8601")
        except (ValueError, TypeError):
            example = next(iter(column))
            raise Problem(
                f"--time: {name!r} needs numbers or dates such as 2024-12-31, got "
                f"{str(example)!r}."
            ) from None
    return np.argsort(column.to_numpy(), kind="stable")
