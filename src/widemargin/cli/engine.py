"""Where a method runs: on the table in memory, or part by part on Dask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from widemargin.cli.fits import Ranking, fit
from widemargin.cli.problem import Problem

if TYPE_CHECKING:
    from widemargin.cli.dataset import DataOptions
    from widemargin.cli.options import Engine, MethodOptions
    from widemargin.cli.session import Session


@contextmanager
def fitted(
    path: str,
    method: str | None,
    data: DataOptions,
    how: MethodOptions,
    engine: Engine,
    notes: Session,
) -> Iterator[Ranking]:
    """Read, check, and rank the features; the data can be used until the end."""
    if engine.engine == "local":
        if engine.scheduler is not None:
            raise Problem("--scheduler is for --engine dask.")
        yield fit(path, method, data, how, notes)
        return
    from widemargin.cli.lazy import fitted_lazily

    with fitted_lazily(path, method, data, how, engine.scheduler, notes) as ranking:
        yield ranking
