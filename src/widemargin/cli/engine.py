"""Where a method runs: on the table in memory, or part by part on Dask."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.fits import Ranking, fit
from widemargin.cli.problem import Problem

if TYPE_CHECKING:
    from widemargin.cli.dataset import DataOptions
    from widemargin.cli.options import MethodOptions
    from widemargin.cli.session import Session

Function = Callable[..., Any]


@dataclass(frozen=True)
class Engine:
    """Where to run."""

    engine: str = "local"
    scheduler: str | None = None


def engine_options(function: Function) -> Function:
    """Give a command ``engine``, made of ``--engine`` and ``--scheduler``."""

    @click.option(
        "--engine",
        type=click.Choice(["local", "dask"]),
        default="local",
        help="dask reads Parquet and CSV in partitions, for files larger than memory; "
        "FILE may be a folder or a pattern such as 'days/*.parquet'.  [local]",
    )
    @click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="With --engine dask, the cluster to run on: tcp://10.0.0.1:8786  [local "
        "threads]",
    )
    @functools.wraps(function)
    def command(engine: str, scheduler: str | None, **given: Any) -> Any:
        return function(engine=Engine(engine, scheduler), **given)

    return command


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
