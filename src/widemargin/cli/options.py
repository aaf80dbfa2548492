"""Options that several commands share, each written once.

A group of options is a dataclass, whose fields are the options; it reaches its command
as one object.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from widemargin.cli.problem import Problem
from widemargin.cli.reading.files import matching
from widemargin.cli.terminal import say
from widemargin.cli.usage import (
    at_least,
    declared,
    feature_count,
    number_or,
    option,
    parameter,
    seconds,
    similarity,
)
from widemargin.cli.writing import check_writable

Function = Callable[..., Any]
METHOD = "  [KernelRFE; ReliefF with -k, --metric, --samples, --engine dask]"
JSON = ("--json", "Print JSON to stdout.")
QUIET = ("--quiet -q", "Suppress notes and progress.")


def complete_method(ctx: Any, param: Any, incomplete: str) -> list[str]:
    """Methods whose names begin so; imports nothing heavy."""
    from widemargin.cli.choosing import method_names

    return [n for n in method_names() if n.lower().startswith(incomplete.lower())]


def method_option(several: bool) -> Function:
    """``--method``, once or several times."""
    text = "Method to use"
    default = METHOD
    if several:
        text = "Method to choose from; may be given several times"
        default = "  [KernelRFE; some others are shown for comparison]"
    return option(
        "--method -m METHOD",
        f"{text}; `widemargin methods` lists them.{default}",
        multiple=several,
        shell_complete=complete_method,
    )


def existing(ctx: click.Context, param: Any, path: str | None) -> str | None:
    """Refuse a file that does not exist before anything heavy is imported."""
    if path is not None and not ctx.resilient_parsing:
        matching(path)
    return path


PATH = click.Path(allow_dash=True, path_type=str)

file_argument = click.argument("file", type=PATH, metavar="FILE", callback=existing)
keep_option = option(
    "--keep COLS",
    "Columns to keep in the output, such as row identifiers; they are not features.",
    multiple=True,
)
formulas_option = option(
    "--keep-formulas",
    "Write cells unchanged, even those that a spreadsheet would run as a formula.",
    name="formulas",
    is_flag=True,
)
json_option = option(*JSON, name="as_json", is_flag=True)
quiet_option = option(*QUIET, is_flag=True)


@dataclass(frozen=True)
class MethodOptions:
    """Options of a method; None for those that are not given."""

    features: int | float | str | None = declared(
        "--features -n N|SHARE|auto",
        "Number of features to select, a fraction such as 0.25, or auto, which chooses "
        "the number by cross-validation.",
        type=feature_count,
    )
    redundancy: float | str | None = declared(
        "--redundancy SIMILARITY|auto|none",
        "Skip near copies: features whose correlation with a better one that is kept "
        "(for mixed data: symmetrical uncertainty) is at least this; auto, with -m, "
        "tries none, 0.9 and 0.7 in folds.  [0.9 for `compare`, `report` and `select`; "
        "with -m, auto; with a number of features, and for `rank`, none]",
        type=similarity,
    )
    neighbors: int | str | None = declared(
        "--neighbors -k N|log",
        "Number of nearest neighbours, or log for the logarithm of the number of "
        "rows.  [the method's default]",
        type=number_or("log"),
    )
    metric: str | None = declared(
        "--metric",
        "Distance.  [manhattan for RReliefF, SURF and its variants, else euclidean]",
        type=click.Choice(["euclidean", "manhattan"]),
    )
    scale: str | None = declared(
        "--scale",
        "How to scale features: by their range, by their largest absolute value, by "
        "their standard deviation, by their ranks (for skewed ones), or not at all.  "
        "[minmax; standard for KernelRFE]",
        type=click.Choice(["minmax", "maxabs", "standard", "rank", "none"]),
    )
    samples: int | str | None = declared(
        "--samples N|auto",
        "Number of rows to visit; auto visits random rows until the selection is "
        "settled.  [all]",
        type=number_or("auto"),
    )
    param: tuple[tuple[str, Any], ...] = declared(
        "--param -p NAME=VALUE",
        "Any other parameter of the method: utility=sigmoid",
        multiple=True,
        type=parameter,
    )
    jobs: int | None = declared(
        "--jobs -j N", "Number of threads.  [all cores]", type=int
    )
    seed: int = 0  # as of the data

    @property
    def of_methods(self) -> MethodOptions:
        """The same without those that are for the choice among methods, too."""
        return replace(self, features=None, redundancy=None)

    @property
    def for_any_method(self) -> bool:
        """Whether no option is for some methods only."""
        return self.of_methods == MethodOptions(jobs=self.jobs, seed=self.seed)


@dataclass(frozen=True)
class Engine:
    """Where a method runs: on the table in memory, or part by part on Dask."""

    engine: str = declared(
        "--engine",
        "dask reads Parquet and CSV in partitions, for files larger than memory; FILE "
        "may be a folder or a pattern such as 'days/*.parquet'.  [local]",
        type=click.Choice(["local", "dask"]),
        default="local",
    )
    scheduler: str | None = declared(
        "--scheduler ADDRESS",
        "With --engine dask, the cluster to run on: tcp://10.0.0.1:8786  [local "
        "threads]",
    )


@dataclass(frozen=True)
class Effort:
    """How, and how thoroughly, methods are compared."""

    folds: int | None = declared(
        "--folds N", "Number of cross-validation folds.  [5]", type=at_least(2)
    )
    budget: float | None = declared(
        "--budget SECONDS",
        "Work to spend, in seconds of one core. It is counted, not timed, so that the "
        "result does not depend on the machine: with less, fewer methods are shown for "
        "comparison, and the test of relevance has fewer rounds.  [40]",
        type=seconds,
    )
    groups: str | None = declared(
        "--groups COL",
        "Column of group labels, such as patients: rows of a group are never in both "
        "the training and the test set of a fold.",
    )
    cv: str | None = declared(
        "--cv",
        "How to make folds: stratified by class, or in order of time, with test rows "
        "later than training rows.  [classes]",
        type=click.Choice(["classes", "time"]),
    )
    time: str | None = declared(
        "--time COL",
        "Column with the time, for --cv time; with --event, with the survival "
        "times.  [the order of the file]",
    )
    estimator: str | None = declared(
        "--estimator NAME",
        "Classifier that evaluates the features: 1-nn, logistic, svm, tree, forest, "
        "boosting, or module:Class; for a numeric target, linear instead of "
        "logistic, for survival times cox.  [1-nn; 5-nn for numbers]",
    )
    scoring: str | None = declared(
        "--scoring NAME",
        "Score to use, as scikit-learn names it: roc_auc, f1_macro …  [accuracy; "
        "balanced accuracy if classes are very unbalanced; r2 for a numeric target]",
    )
    baseline: str | None = declared(
        "--baseline FILE|COLS",
        "Features in use today, to compare with: a,b,c, a saved selection, a table "
        "that has them, or a file with one name per line.",
    )
    positive: str | None = declared(
        "--positive LABEL",
        "Of two classes, the one to which directions and AUCs refer.  [the rarer one]",
    )
    hard_rows: int | None = declared(
        "--hard-rows N",
        "Print the N rows with the lowest margins, which may be mislabelled; the "
        "report has them, too.",
        type=at_least(1),
    )

    def splitter(self, ordered: bool) -> Any:
        """Folds for `compare`; in the order of time if that is wanted."""
        if self.cv != "time" and not ordered:
            return self.folds
        from sklearn.model_selection import TimeSeriesSplit

        return TimeSeriesSplit(self.folds or 5)


@dataclass(frozen=True)
class Output:
    """Where results go."""

    output: tuple[str, ...] = declared(
        "--output -o FILE",
        "Write to a file, in the format of its extension: .csv, .tsv (also compressed, "
        "such as .csv.gz), .parquet or .json, and .html for a report. May be given "
        "several times.",
        multiple=True,
        type=click.Path(path_type=str),
    )
    force: bool = declared("--force -f", "Replace an existing file.", is_flag=True)
    as_json: bool = declared(*JSON, name="as_json", is_flag=True)
    quiet: bool = declared(*QUIET, is_flag=True)

    def checked(
        self,
        source: str,
        *endings: str,
        default: str | None = None,
        labels: str | None = None,
    ) -> Output:
        """The same once it is sure, before any work, that writing may succeed.

        ``source`` and ``labels`` are what is read, which is never written to.
        """
        out = self
        if not self.output and default is not None and not self.as_json:
            out = replace(self, output=(default,))
        for path in map(Path, out.output):
            for read in filter(None, (source, labels)):
                check_writable("-o", path, endings, self.force, read)
        if len({os.path.realpath(path) for path in out.output}) < len(out.output):
            raise Problem("-o names the same file twice.")
        return out

    def say_written(self, what: str | None = None) -> None:
        """Say on stderr what was written where; by default a report or results."""
        for path in () if self.quiet else self.output:
            page = "report" if path.lower().endswith(".html") else "results"
            say(f"{what or page} written to {path}")


def options_of(
    *, without: str = "", **groups: type[Any]
) -> Callable[[Function], Function]:
    """Give a command the options of some dataclasses, those of each as one object.

    ``without`` is an option that the command does not have.
    """
    parts = {
        name: {f.name: f.metadata for f in fields(kind)}
        for name, kind in groups.items()
    }

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def command(**given: Any) -> Any:
            objects, rest = {}, dict(given)
            for group, own in parts.items():
                objects[group] = groups[group](
                    **{n: given[n] for n in own if n in given}
                )
                rest = {n: value for n, value in rest.items() if n not in own}
            return function(**objects, **rest)

        for own in reversed(parts.values()):
            for name, metadata in reversed(own.items()):
                if metadata and name != without:
                    command = metadata["option"](command)
        return command

    return decorate
