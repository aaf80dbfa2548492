"""Compare methods on a file: what ``compare``, ``report`` and ``demo`` share."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.choosing import (
    check_fit,
    check_neighbors,
    make_selectors,
    with_parameters,
)
from widemargin.cli.options import at_least
from widemargin.cli.ranking import read_data
from widemargin.cli.reading import look
from widemargin.cli.session import Session, plain_table, print_table, stdout, working
from widemargin.cli.writing import Output, save_frame, save_text, to_json

if TYPE_CHECKING:
    from widemargin.cli.dataset import DataOptions, Dataset
    from widemargin.cli.options import MethodOptions

Function = Callable[..., Any]


@dataclass(frozen=True)
class Effort:
    """How thoroughly methods are compared."""

    folds: int = 5
    permutations: int = 50
    resamples: int = 20


def effort_options(function: Function) -> Function:
    """Give a command ``folds``, ``permutations`` and ``resamples``."""
    for name, least, default, text in reversed(
        [
            ("--folds", 2, Effort.folds, "Folds of the cross-validation."),
            ("--permutations", 0, Effort.permutations, "Shuffles, for p-values."),
            ("--resamples", 0, Effort.resamples, "Subsamples, for stability."),
        ]
    ):
        function = click.option(
            name,
            type=at_least(least),
            default=default,
            metavar="N",
            help=f"{text}  [{default}]",
        )(function)
    return function


def compare_file(
    path: str,
    methods: tuple[str, ...],
    data: DataOptions,
    how: MethodOptions,
    effort: Effort,
    notes: Session,
) -> Any:
    """Read a file and compare methods on it; return a `Comparison`."""
    look(path)
    chosen = make_selectors(methods, how, 0) if methods else None
    dataset = read_data(path, data, notes)
    if chosen is not None:
        check_fit(chosen, dataset)
        check_neighbors(how, dataset.counts, chosen)
    notes.begin()
    return compare(dataset, chosen, data, how, effort, notes)


def compare(
    dataset: Dataset,
    selectors: Any,
    data: DataOptions,
    how: MethodOptions,
    effort: Effort,
    notes: Session,
) -> Any:
    """Compare methods on a data set; all or nothing if interrupted."""
    from widemargin.evaluation import compare, default_selectors

    with working(), warnings.catch_warnings():
        # Half a comparison is not shown, and Ctrl-C has a line of its own.
        warnings.filterwarnings("ignore", "compare was interrupted")
        if selectors is None:
            selectors = default_selectors(dataset.X, dataset.y)
            selectors = with_parameters(selectors, how)
        comparison = compare(
            dataset.X,
            dataset.y,
            selectors,
            cv=effort.folds,
            n_permutations=effort.permutations,
            n_resamples=effort.resamples,
            random_state=how.seed,
            n_jobs=how.jobs,
            verbose=notes.verbose,
            image_shape=data.image_shape,
        )
    if not comparison.complete:
        raise KeyboardInterrupt
    for text in comparison.notes:
        notes.note(text)
    comparison.notes[:0] = dataset.notes  # the report says what was done to the file
    return comparison


def print_comparison(comparison: Any) -> None:
    """Print one line per method, and the answer."""
    console, frame = stdout(), comparison.summary()
    table = plain_table()
    table.add_column("method", no_wrap=True)
    score = comparison.curve.scoring.replace("_", " ")
    for title in ("features", score, "with all", "stability", "seconds"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in frame.itertuples():
        own = comparison.choice if row.method == comparison.best else row
        cells = [
            f"{own.n_features:.0f}",
            f"{own.score:.1%}",
            f"{row.score_all:.1%}",
            f"{row.stability:.2f}",
            _seconds(row.fit_time),
        ]
        mark = " *" if own is not row else ""
        cells = ["" if cell.startswith("nan") else cell for cell in cells]
        table.add_row(row.method + mark, *cells)
    print_table(console, table)
    best = "recommended" if comparison.signal is not False else "first of these"
    console.print(
        f"features: the fewest within a standard error of the method's best {score}\n"
        f"* {best}: the fewest within a standard error of the best of all"
    )
    console.print(f"\n{comparison.answer}", soft_wrap=True)


def _seconds(time: float) -> str:
    if time < 0.005:
        return "<0.01"
    return f"{time:.1f}" if time >= 0.1 else f"{time:.2f}"


def as_data(comparison: Any, dataset_name: str, notes: list[str]) -> dict[str, Any]:
    """What machines may want to know of a comparison."""
    selected = comparison.selected
    names = comparison.feature_names
    return {
        "file": dataset_name,
        "n_samples": comparison.profile.n_samples,
        "n_features": comparison.profile.n_features,
        "classes": {str(k): n for k, n in comparison.profile.class_counts.items()},
        "best": comparison.best,
        "selected": [] if selected is None else [str(names[f]) for f in selected],
        "answer": comparison.answer,
        "methods": without_nan(comparison.summary().to_dict("records")),
        "settings": comparison.settings,
        "notes": notes,
    }


def without_nan(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """None, JSON's null, where there is no number."""
    return [{k: None if v != v else v for k, v in row.items()} for row in rows]


def make_report(results: Any, title: str | None) -> Any:
    """A `Report` on results."""
    from widemargin.report import report

    return report(results, title=title)


def save_comparison(out: Output, comparison: Any, title: str | None) -> None:
    """Write report, data behind it, or table of methods, by the endings."""
    page = None
    for path in out.output:
        ending = PurePath(path).suffix.lower()
        if ending in {".html", ".json"}:
            page = page or make_report(comparison, title)
            save_text(path, page.html if ending == ".html" else to_json(page.data))
        else:
            save_frame(path, comparison.summary(), dict)


def default_title(file: str) -> str:
    """Heading of a page on a file."""
    name = "stdin" if file == "-" else PurePath(file).name
    return f"Which features of {name} matter?"


def default_page(file: str, what: str) -> str:
    """Name of a page, after the data."""
    name = "stdin" if file == "-" else PurePath(file).name
    stem = re.sub(r"[*?\[\]]+", "", name.split(".")[0]).strip("-_ ")  # of a pattern
    return f"{stem or PurePath(file).parent.name or 'data'}-{what}.html"


def say_where(out: Output) -> None:
    """Say on stderr what was written."""
    for path in out.output:
        if not out.quiet:
            what = "report" if path.lower().endswith(".html") else "results"
            click.echo(f"{what} written to {path}", err=True)
