"""``widemargin demo``: four methods on one bundled data set."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import numpy.typing as npt
    from rich.console import Console
    from rich.table import Table

    Array = npt.NDArray[Any]

N_SHOWN = 12
N_KEPT = 10


@dataclass(frozen=True)
class Result:
    """What one method made of the data."""

    method: str
    idea: str
    ranking: Array
    support: Array
    seconds: float
    accuracy: float


@click.command()
@click.option("--quiet", "-q", is_flag=True, help="Show no progress bar.")
def demo(quiet: bool) -> None:
    """Rank a bundled data set with Relief, ReliefF, Simba and G-flip.

    The data are the 569 tumours of the Wisconsin diagnostic breast cancer set, which
    scikit-learn brings along: 30 measurements each, benign or malignant.
    """
    from rich.console import Console
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    results = _rank(data.data, data.target, quiet)
    # Where stdout is no terminal, rich leaves out colour and wraps at 80 columns.
    _print_report(Console(highlight=False), data, results)


def _rank(X: Array, y: Array, quiet: bool) -> list[Result]:
    from rich.console import Console
    from rich.progress import Progress

    from widemargin import GFlip, Relief, ReliefF, Simba

    methods = [
        (Relief(n_features_to_select=N_KEPT), "differs across classes, agrees within"),
        (ReliefF(n_features_to_select=N_KEPT), "the same, over ten neighbours each"),
        (
            Simba(n_features_to_select=N_KEPT, random_state=0),
            "the same, neighbours re-found as it learns",
        ),
        (GFlip(random_state=0), "the set that gives the widest margins"),
    ]
    results = []
    console = Console(stderr=True)
    # Progress(disable=True) would still write an empty line in rich before 15.
    console.quiet = quiet or not console.is_terminal
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("", total=2 * len(methods))
        for selector, idea in methods:
            name = type(selector).__name__
            progress.update(task, description=f"{name}: compiling")
            # A tenth of the rows compiles, or loads, all that the timed fit needs.
            selector.fit(X[::10], y[::10])
            progress.update(task, description=f"{name}: ranking", advance=1)
            start = time.perf_counter()
            selector.fit(X, y)
            seconds = time.perf_counter() - start
            support = selector.get_support()
            accuracy = _neighbour_accuracy(X[:, support], y)
            results.append(
                Result(name, idea, selector.ranking_, support, seconds, accuracy)
            )
            progress.advance(task)
    return results


def _neighbour_accuracy(X: Array, y: Array) -> float:
    """Return the share of rows whose nearest other row is of their class."""
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.preprocessing import minmax_scale

    classifier = KNeighborsClassifier(n_neighbors=1).fit(minmax_scale(X), y)
    # Queried with None, a neighbour search leaves each row out of its own neighbours.
    return float((classifier.predict(None) == y).mean())


def _print_report(console: Console, data: Any, results: list[Result]) -> None:
    import numpy as np

    n_samples, n_features = data.data.shape
    mean_rank = np.mean([result.ranking for result in results], axis=0)
    order = np.argsort(mean_rank, kind="stable")
    with_all = _neighbour_accuracy(data.data, data.target)
    with_few = _neighbour_accuracy(data.data[:, order[:N_KEPT]], data.target)

    console.print(
        f"Which of {n_features} measurements tell a malignant tumour from a benign "
        f"one?\nBreast cancer, Wisconsin: {n_samples} tumours, 2 classes.\n"
    )
    _print_ranks(console, data.feature_names, order, mean_rank, results)
    console.print()
    _print_methods(console, n_features, with_all, results)
    console.print(
        "\nJudged by its nearest neighbour alone, a tumour is told right "
        f"{with_all:.1%} of the time with all {n_features} measurements, and "
        f"{with_few:.1%} with the first {N_KEPT} of this ranking. (Leave-one-out, on "
        "the rows that chose the features: fair for comparing, a little optimistic as "
        "a forecast.)"
    )


def _print_ranks(
    console: Console,
    names: Array,
    order: Array,
    mean_rank: Array,
    results: list[Result],
) -> None:
    table = _plain_table()
    table.add_column("feature", no_wrap=True)
    table.add_column("mean rank", justify="right")
    for result in results:
        table.add_column(result.method, justify="right")
    for f in order[:N_SHOWN]:
        ranks = [_rank_cell(result, f) for result in results]
        table.add_row(str(names[f]), f"{mean_rank[f]:.1f}", *ranks)
    console.print(table)
    console.print(f"{len(names) - N_SHOWN} more; * marks the set that GFlip chose")


def _rank_cell(result: Result, f: int) -> str:
    if result.method != "GFlip":
        return str(result.ranking[f])
    return f"{result.ranking[f]} {'*' if result.support[f] else ' '}"


def _print_methods(
    console: Console, n_features: int, with_all: float, results: list[Result]
) -> None:
    table = _plain_table()
    table.add_column("method", no_wrap=True)
    table.add_column("kept", justify="right")
    table.add_column("1-NN", justify="right")
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("what it looks for")
    table.add_row("none", str(n_features), f"{with_all:.1%}", "", "")
    for result in results:
        table.add_row(
            result.method,
            str(result.support.sum()),
            f"{result.accuracy:.1%}",
            f"{1000 * result.seconds:.0f} ms",
            result.idea,
        )
    console.print(table)


def _plain_table() -> Table:
    from rich.table import Table

    return Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
