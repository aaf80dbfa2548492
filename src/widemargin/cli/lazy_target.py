"""The target of a Dask frame: its classes, told from its column alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from widemargin.cli.dataset import DataOptions, class_counts
from widemargin.cli.problem import Problem
from widemargin.cli.roles import MOST_KEYS
from widemargin.cli.target import to_classes

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

MOST = 10_000  # classes


class Seen(NamedTuple):
    """What is known of the target in some rows."""

    sizes: pd.Series[Any]  # rows of each value; cut off where there are too many
    missing: int
    keys: dict[str, pd.Series[Any]]  # the first rows of columns that may be keys

    @property
    def kind(self) -> Any:
        """A type that holds all values, and none where one is missing."""
        values = self.sizes.index
        kind = getattr(values, "categories", values).dtype
        return kind if kind.kind not in "biu" or not self.missing else object


def look_at_target(frame: Any, target: str) -> Seen:
    """Look at the target, and at the other columns, which may count the rows."""
    from widemargin.engine.dask.cluster import Cluster

    cluster = Cluster("widemargin")
    parts = [cluster.call(look, part, target) for part in frame.to_delayed()]
    seen: Seen = cluster.compute([cluster.tree(join, parts)])[0]
    return seen


def look(part: pd.DataFrame, target: str) -> Seen:
    """The same for a part of the frame."""
    sizes = part[target].value_counts(sort=False)
    keys = {str(n): part[n].iloc[:MOST_KEYS] for n in part.columns.drop(target)}
    missing = int(part[target].isna().sum())
    return Seen(sizes[sizes > 0].iloc[: MOST + 1], missing, keys)


def join(parts: list[Seen]) -> Seen:
    """What is known of several parts together, in their order."""
    import pandas as pd

    full = [part.sizes for part in parts if len(part.sizes)] or [parts[0].sizes]
    sizes = pd.concat(full).groupby(level=0, sort=False, observed=True).sum()
    keys = {
        name: pd.concat([part.keys[name] for part in parts]).iloc[:MOST_KEYS]
        for name in parts[0].keys
    }
    return Seen(sizes.iloc[: MOST + 1], sum(part.missing for part in parts), keys)


@dataclass(frozen=True)
class Coding:
    """The class of each value of the target."""

    values: NDArray[Any]
    classes: pd.Series[Any]

    def __call__(self, part: pd.Series[Any]) -> pd.Series[Any]:
        """Classes of a part."""
        import numpy as np
        import pandas as pd

        # An index of its own: threads that fill the cache of a shared one collide.
        places = pd.Index(self.values).get_indexer(pd.Index(np.asarray(part)))
        return self.classes.take(places).set_axis(part.index)


def code(
    seen: Seen, target: str, options: DataOptions, notes: list[str], *, named: bool
) -> tuple[Coding, dict[str, int]]:
    """Classes of the values that the target has, and their sizes."""
    import numpy as np
    import pandas as pd

    if len(seen.sizes) > MOST:
        raise Problem(
            f"the target, {target!r}, has more than {MOST} distinct values; it should "
            "hold classes (--target names another column)."
        )
    values = pd.Series(seen.sizes.index, name=target)
    classes = to_classes(values, options, notes, seen.sizes, named=named)
    classes = classes.reset_index(drop=True)
    sizes = seen.sizes.reset_index(drop=True).groupby(classes, observed=True).sum()
    return Coding(np.asarray(values), classes), class_counts(sizes)
