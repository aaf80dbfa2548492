"""Compare methods on a file: what ``compare``, ``report`` and ``demo`` share."""

from __future__ import annotations

import re
import warnings
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from widemargin.cli.baseline import find_baseline
from widemargin.cli.choosing import (
    check_fit,
    check_neighbors,
    for_task,
    make_selectors,
    told_task,
    with_parameters,
)
from widemargin.cli.fits import read_data
from widemargin.cli.problem import Problem, did_you_mean
from widemargin.cli.reading import look
from widemargin.cli.reading_code import reading_code
from widemargin.cli.session import Session, plain_table, print_table, stdout, working
from widemargin.cli.target import find_positive
from widemargin.cli.terminal import say
from widemargin.cli.verdicts import print_verdicts, verdicts_of
from widemargin.cli.writing import (
    Output,
    ending_of,
    save_frame,
    save_text,
    to_json,
)
from widemargin.judging.measures import measure

if TYPE_CHECKING:
    from widemargin.base import MarginSelector
    from widemargin.cli.dataset import DataOptions, Dataset
    from widemargin.cli.options import Effort, MethodOptions


def compare_file(
    path: str,
    methods: tuple[str, ...],
    data: DataOptions,
    how: MethodOptions,
    effort: Effort,
    notes: Session,
) -> tuple[Any, list[str]]:
    """Read a file and compare methods on it.

    Returns a `Comparison`, and the Python lines that read the file.
    """
    look(path)
    check_scoring(effort)
    chosen = make_selectors(methods, how, 0) if methods else None
    dataset = read_data(path, told_task(data, chosen or {}), notes)
    check_judge(effort, dataset.numeric)
    positive = find_positive(effort.positive, dataset)
    if chosen is not None:
        for_task(chosen, dataset)
        check_fit(chosen, dataset)
        check_neighbors(how, dataset.counts, chosen)
    baseline = None
    if effort.baseline is not None:
        baseline = find_baseline(effort.baseline, dataset, notes)
    notes.begin()
    comparison = compare(dataset, chosen, data, how, effort, notes, baseline, positive)
    return comparison, reading_code(dataset, data)


def check_scoring(effort: Effort) -> None:
    """Refuse, before any work, an unknown score."""
    if effort.scoring is not None:
        from sklearn.metrics import get_scorer_names

        if effort.scoring not in (names := get_scorer_names()):
            wanted = effort.scoring.lower()
            meant = "roc_auc" if wanted == "auc" else wanted
            hint = did_you_mean(meant, names)
            raise Problem(
                f"--scoring: scikit-learn has no score {effort.scoring!r}.{hint}"
            )


def check_judge(effort: Effort, numeric: bool) -> None:
    """Refuse, before any work, an unknown classifier or regressor."""
    if effort.estimator is not None:
        import sys

        from widemargin.evaluation._estimators import classifier_of

        if ":" in effort.estimator and "" not in sys.path:
            sys.path.append("")  # a module in this folder will do
        with working():
            classifier_of(effort.estimator, "--estimator", numeric=numeric)


def compare(
    dataset: Dataset,
    selectors: Any,
    data: DataOptions,
    how: MethodOptions,
    effort: Effort,
    notes: Session,
    baseline: list[str] | None = None,
    positive: Any = None,
) -> Any:
    """Compare methods on a data set; all or nothing if interrupted."""
    from widemargin.evaluation import compare
    from widemargin.evaluation._defaults import choose
    from widemargin.evaluation._folds import EstimatorFailure

    def suitable(about: Any) -> dict[str, MarginSelector]:
        return with_parameters(choose(about, how.seed, None), how)

    task = "regression" if dataset.numeric else "classification"
    with working(notes), warnings.catch_warnings():
        # Half a comparison is not shown, and Ctrl-C has a line of its own.
        warnings.filterwarnings("ignore", "compare was interrupted")
        try:
            comparison = compare(
                dataset.X,
                dataset.y,
                suitable if selectors is None else selectors,
                estimator=effort.estimator,
                scoring=effort.scoring,
                cv=effort.splitter(data.time is not None),
                groups=dataset.groups,
                baseline=baseline,
                n_permutations=effort.permutations,
                n_resamples=effort.resamples,
                random_state=how.seed,
                n_jobs=how.jobs,
                verbose=notes.verbose,
                image_shape=data.image_shape,
                image_order=data.image_order,
                task=task,
                positive=positive,
            )
        except EstimatorFailure as error:  # one of the user's own may fail in any way
            raise Problem(f"--estimator: {error}") from error
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
    read = measure(comparison.curve.scoring)
    score, form = read.name, _percent if read.share else _number
    titles = (score, "with all", "stability in folds", "stability in halves", "seconds")
    for title in ("features", *titles):
        if len(title) > len("stability"):
            title = title.replace(" ", "\n", 1)
        table.add_column(title, justify="right", vertical="bottom")
    for row in frame.itertuples():
        own = comparison.choice if row.method == comparison.best else row
        fold_stability = row.fold_stability if own is row else own.stability
        cells = [
            f"{own.n_features:.0f}",
            form(read.sign * own.score),
            form(read.sign * row.score_all),
            f"{fold_stability:.2f}",
            f"{row.stability:.2f}",
            _seconds(row.fit_time),
        ]
        mark = " *" if own is not row else ""
        if comparison.signal is False and row.method in comparison.selectors:
            cells[0], mark = "none", ""
        cells = ["" if cell.startswith("nan") else cell for cell in cells]
        table.add_row(row.method + mark, *cells)
    print_table(console, table)
    if comparison.signal is not False:
        console.print(
            f"features: of the sizes within a standard error of the method's best "
            f"{score}, the one whose selections in the folds agree most, then the "
            "smallest\n* recommended: by the same rule, over all methods; its "
            f"{score} is corrected for that choice\n"
            "stability: how far selections in the folds, or from halves of the rows, "
            "agree; 1 if always"
        )
    if read.is_loss:
        console.print(f"{score}: lower is better")
    console.print()
    print_verdicts(verdicts_of(comparison))
    console.print(f"\n{comparison.answer}", soft_wrap=True)


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _number(value: float) -> str:
    return f"{value:.3f}"


def _seconds(time: float) -> str:
    if time < 0.005:
        return "<0.01"
    return f"{time:.1f}" if time >= 0.1 else f"{time:.2f}"


def as_data(comparison: Any, dataset_name: str, notes: list[str]) -> dict[str, Any]:
    """What machines may want to know of a comparison."""
    selected, pair = comparison.selected, comparison.profile.pair
    names = comparison.feature_names
    return {
        "file": dataset_name,
        "n_samples": comparison.profile.n_samples,
        "n_features": comparison.profile.n_features,
        "task": comparison.settings["task"],
        "classes": {str(k): n for k, n in comparison.profile.class_counts.items()},
        "positive": pair and str(pair[1]),
        "best": comparison.best,
        "selected": [] if selected is None else [str(names[f]) for f in selected],
        "answer": comparison.answer,
        "methods": without_nan(comparison.summary().to_dict("records")),
        "features": without_nan(comparison.features.to_dict("records")),
        "chance": comparison.chance,
        "settings": comparison.settings,
        "notes": notes,
    }


def without_nan(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """None, JSON's null, where there is no number."""
    return [{k: None if v != v else v for k, v in row.items()} for row in rows]


def make_report(
    results: Any, title: str | None, reading: list[str] | None = None
) -> Any:
    """A `Report` on results; ``reading`` is the code that reads the data."""
    from widemargin.reporting import report

    return report(results, title=title, reading=reading)


def save_comparison(
    out: Output, comparison: Any, title: str | None, reading: list[str]
) -> None:
    """Write report, data behind it, or table of methods, by the endings."""
    page = None
    for path in out.output:
        ending = ending_of(path)
        if ending in {".html", ".json"}:
            page = page or make_report(comparison, title, reading)
            save_text(path, page.html if ending == ".html" else to_json(page.data))
        else:
            save_frame(path, comparison.summary())


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
            say(f"{what} written to {path}")
