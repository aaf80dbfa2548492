"""Compare methods on a file: what ``compare``, ``report`` and ``demo`` share."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sklearn.metrics import get_scorer_names

from widemargin.base import MarginSelector
from widemargin.cli.choosing import (
    check_fit,
    check_neighbors,
    find_baseline,
    for_task,
    make_selectors,
    told_task,
    with_parameters,
)
from widemargin.cli.fits import read_data
from widemargin.cli.options import DataOptions, Effort, MethodOptions, Output
from widemargin.cli.prepare.target import find_positive
from widemargin.cli.printing import answer_without, redundancy_of, relevant, worth
from widemargin.cli.problem import Problem, did_you_mean
from widemargin.cli.reading_code import reading_code
from widemargin.cli.session import Session, working
from widemargin.cli.writing import (
    base_name,
    ending_of,
    records,
    save_frame,
    save_text,
    to_json,
)
from widemargin.judging.scores import TARGET_SCORES

if TYPE_CHECKING:
    from widemargin.cli.prepare import Dataset


def compare_file(
    path: str,
    methods: tuple[str, ...],
    data: DataOptions,
    how: MethodOptions,
    effort: Effort,
    notes: Session,
    title: str | None = None,
) -> tuple[Any, Any]:
    """Read a file, compare methods on it, and return `Comparison` and `Report`."""
    from widemargin.reporting import report

    check_scoring(effort)
    chosen = make_selectors(methods, how.of_methods, 0) if methods else None
    dataset = read_data(path, told_task(data, chosen or {}), notes)
    check_judge(effort, dataset.task)
    positive = find_positive(effort.positive, dataset)
    if chosen is not None:
        for_task(chosen, dataset)
        check_fit(chosen, dataset)
        check_neighbors(how, dataset.counts, chosen)
    baseline = None
    if effort.baseline is not None:
        baseline = find_baseline(effort.baseline, dataset, notes)
    notes.begin()
    comparison = compared(dataset, chosen, data, how, effort, notes, baseline, positive)
    title = title or f"Which features of {base_name(path)} matter?"
    page = report(comparison, title=title, reading=reading_code(dataset, data))
    return comparison, page


def check_scoring(effort: Effort) -> None:
    """Refuse, before any work, an unknown score."""
    if effort.scoring is not None:
        from widemargin.evaluation._judges import NEG_RANK_LOSS

        ours = {NEG_RANK_LOSS, *TARGET_SCORES.values()}
        if effort.scoring not in (names := sorted({*get_scorer_names(), *ours})):
            wanted = effort.scoring.lower()
            meant = "roc_auc" if wanted == "auc" else wanted
            hint = did_you_mean(meant, names)
            raise Problem(
                f"--scoring: scikit-learn has no score {effort.scoring!r}.{hint}"
            )


def check_judge(effort: Effort, task: str) -> None:
    """Refuse, before any work, an unknown classifier or regressor."""
    if effort.estimator is not None:
        import sys

        from widemargin.evaluation._judges import named_estimator

        if ":" in effort.estimator and "" not in sys.path:
            sys.path.append("")  # a module in this folder will do
        with working():
            named_estimator(effort.estimator, "--estimator", task)


def compared(
    dataset: Dataset,
    methods: Any,
    data: DataOptions,
    how: MethodOptions,
    effort: Effort,
    notes: Session,
    baseline: list[str] | None = None,
    positive: Any = None,
) -> Any:
    """Compare methods on a data set; all or nothing if interrupted."""
    from widemargin.evaluation import compare
    from widemargin.evaluation._defaults import BUDGET, choose
    from widemargin.evaluation._judges import EstimatorFailure

    budget = effort.budget or BUDGET

    def suitable(about: Any) -> dict[str, MarginSelector]:
        usual = choose(about, how.seed, None, budget / BUDGET)
        return with_parameters(usual, how.of_methods)

    if methods is None and not how.for_any_method:
        methods = suitable
    given = () if callable(methods) or methods is None else methods.values()
    sparse = all(method._sparse for method in given)
    count: Any = None if how.features == "auto" else how.features
    task = dataset.task
    with working(notes), warnings.catch_warnings():
        # Half a comparison is not shown, and Ctrl-C has a line of its own.
        warnings.filterwarnings("ignore", "compare was interrupted")
        try:
            comparison = compare(
                dataset.read_as("compare", sparse=sparse, beyond=False),
                dataset.y,
                methods,
                estimator=effort.estimator,
                scoring=effort.scoring,
                cv=effort.splitter(data.order is not None),
                groups=dataset.groups,
                feature_groups=dataset.feature_groups,
                covariates=dataset.covariates,
                baseline=baseline,
                n_features_to_select=count,
                budget=budget,
                **redundancy_of(how),
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
    notes.note(*comparison.notes)
    if (hard := comparison.hard_rows) is not None:
        n_rows = min(effort.hard_rows or hard.n_rows, len(hard.rows))
        hard = replace(hard, rows=dataset.lines[hard.rows], n_rows=n_rows)
        comparison = replace(comparison, hard_rows=hard)
    comparison.notes[:0] = dataset.notes  # the report says what was done to the file
    return comparison


def as_data(comparison: Any, dataset_name: str, notes: list[str]) -> dict[str, Any]:
    """What machines may want to know of a comparison."""
    pair, without = comparison.profile.pair, comparison.without_leaks
    return {
        "file": dataset_name,
        "n_samples": comparison.profile.n_samples,
        "n_features": comparison.profile.n_features,
        "task": comparison.settings["task"],
        "classes": {str(k): n for k, n in comparison.profile.class_counts.items()},
        "positive": pair and str(pair[1]),
        "best": comparison.best,
        "selected": comparison.feature_names[comparison.selected].tolist(),
        **worth(comparison.recommendation, comparison.curve.scoring),
        "answer": comparison.answer,
        "relevant": relevant(comparison.features),
        "pairs": _pairs(comparison.interactions),
        "without_leaks": answer_without(without, comparison.names_without_leaks),
        "methods": records(comparison.summary()),
        "features": records(comparison.features),
        "hard_rows": hard_rows_of(comparison),
        "chance": comparison.chance,
        "settings": comparison.settings,
        "notes": notes,
    }


def hard_rows_of(comparison: Any) -> dict[str, Any] | None:
    """The hardest rows, as plain values; None for a numeric target."""
    found = comparison.hard_rows
    if found is None:
        return None
    return {
        "expected": found.expected,
        "precision": found.precision,
        "rows": records(found.to_frame()),
    }


def _pairs(found: Any) -> list[dict[Any, Any]] | None:
    """The pairs that work together; None if there was no test."""
    return None if found is None else records(found.to_frame().head(len(found.found)))


def save_results(out: Output, page: Any, comparison: Any = None) -> None:
    """Write the report, its data, or the table of methods, by the extensions."""
    for path in out.output:
        ending = ending_of(path)
        if ending == ".html":
            save_text(path, page.html)
        elif ending == ".json":
            save_text(path, to_json(page.data))
        else:
            save_frame(path, comparison.summary())
