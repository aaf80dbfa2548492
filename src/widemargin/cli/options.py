"""Options that several commands share, each written once.

A group of options reaches its command as one object.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import click

from widemargin.cli.prepare import DataOptions
from widemargin.cli.reading.files import FORMATS, matching
from widemargin.cli.usage import (
    at_least,
    feature_count,
    image_order,
    image_shape,
    number_or,
    option,
    parameter,
    seconds,
    share,
    similarity,
    words,
)
from widemargin.cli.writing import Output

Function = Callable[..., Any]
METHOD = "  [KernelRFE; ReliefF with -k, --metric, --samples, --engine dask]"


@dataclass(frozen=True)
class MethodOptions:
    """Options of a method; None for those that are not given."""

    features: int | float | str | None = None
    redundancy: float | str | None = None
    neighbors: int | str | None = None
    metric: str | None = None
    scale: str | None = None
    samples: int | str | None = None
    jobs: int | None = None
    param: tuple[tuple[str, Any], ...] = ()
    seed: int = 0

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

    engine: str = "local"
    scheduler: str | None = None


@dataclass(frozen=True)
class Effort:
    """How, and how thoroughly, methods are compared."""

    folds: int | None = None
    budget: float | None = None
    cv: str | None = None
    estimator: str | None = None
    scoring: str | None = None
    baseline: str | None = None
    positive: str | None = None

    def splitter(self, ordered: bool) -> Any:
        """Folds for `compare`; in the order of time if that is wanted."""
        if self.cv != "time" and not ordered:
            return self.folds
        from sklearn.model_selection import TimeSeriesSplit

        return TimeSeriesSplit(self.folds or 5)


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


_PATH = click.Path(allow_dash=True, path_type=str)

file_argument = click.argument("file", type=_PATH, metavar="FILE", callback=existing)
header_option = option(
    "--header/--no-header",
    "Whether the first line of a text file has the names.  [detected]",
    default=None,
)
format_option = option(
    "--format",
    "File format.  [by the file extension]",
    type=click.Choice(list(FORMATS)),
)
sheet_option = option(
    "--sheet NAME",
    "Sheet of an Excel file, by name or index (0 is the first).  [the first]",
)
transpose_option = option(
    "--transpose",
    "Exchange rows and columns of a table that has features as rows, named by its "
    "first column.",
    is_flag=True,
)
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
redundancy_option = option(
    "--redundancy SIMILARITY|auto|none",
    "Skip near copies: features whose correlation with a better one that is kept (for "
    "mixed data: symmetrical uncertainty) is at least this; auto, with -m, tries none, "
    "0.9 and 0.7 in folds.  [0.9 for `compare`, `report` and `select`; with -m, auto; "
    "with a number of features, and for `rank`, none]",
    type=similarity,
)
output_option = option(
    "--output -o FILE",
    "Write to a file, in the format of its extension: .csv, .tsv (also compressed, "
    "such as .csv.gz), .parquet or .json, and .html for a report. May be given several "
    "times.",
    multiple=True,
    type=click.Path(path_type=str),
)
force_option = option("--force -f", "Replace an existing file.", is_flag=True)
json_option = option("--json", "Print JSON to stdout.", name="as_json", is_flag=True)
quiet_option = option("--quiet -q", "Suppress notes and progress.", is_flag=True)

_METHOD = [
    option(
        "--features -n N|SHARE|auto",
        "Number of features to select, a fraction such as 0.25, or auto, which chooses "
        "the number by cross-validation.",
        type=feature_count,
    ),
    option(
        "--neighbors -k N|log",
        "Number of nearest neighbours, or log for the logarithm of the number of "
        "rows.  [the method's default]",
        type=number_or("log"),
    ),
    option(
        "--metric",
        "Distance.  [manhattan for RReliefF, SURF and its variants, else euclidean]",
        type=click.Choice(["euclidean", "manhattan"]),
    ),
    option(
        "--scale",
        "How to scale features: by their range, by their standard deviation, by their "
        "ranks (for skewed ones), or not at all.  [minmax; standard for KernelRFE]",
        type=click.Choice(["minmax", "standard", "rank", "none"]),
    ),
    option(
        "--samples N|auto",
        "Number of rows to visit; auto visits random rows until the selection is "
        "settled.  [all]",
        type=number_or("auto"),
    ),
    option(
        "--param -p NAME=VALUE",
        "Any other parameter of the method: utility=sigmoid",
        multiple=True,
        type=parameter,
    ),
    option("--jobs -j N", "Number of threads.  [all cores]", type=int),
]
_DATA = [
    option(
        "--target -t COL",
        "Target column, by name or index (0 is the first, -1 the last).  [the last]",
    ),
    option(
        "--labels FILE",
        "A second table with target and groups, joined by the first column of both.",
        type=_PATH,
        callback=existing,
    ),
    transpose_option,
    option(
        "--task",
        "Whether the target holds classes or numbers.  [regression for decimals and "
        "for numbers that mostly occur once]",
        type=click.Choice(["classification", "regression"]),
    ),
    option("--drop COLS", "Columns to drop: a,b,c", multiple=True),
    option(
        "--categorical COLS",
        "Numeric columns that are codes of categories; the target may be one.",
        multiple=True,
    ),
    option(
        "--missing TOKENS",
        "Additional markers of a missing value, besides NA, ? and the usual ones: "
        "-999,unknown. One with a comma is in double quotes: '\"n,a\"'",
        type=words,
        default=(),
    ),
    option(
        "--max-missing SHARE",
        "Leave out columns with a larger share of missing values; 1 keeps them.  "
        "[0.95]",
        type=share,
    ),
    option(
        "--ordinal LABELS",
        "The classes in order, lowest first: low,mid,high",
        type=words,
        default=(),
    ),
    option(
        "--bins N",
        "Bin a numeric target into N classes of equal size.",
        type=at_least(2),
    ),
    option(
        "--sample N",
        "Use a random sample of N rows, of each class in proportion to its size.",
        type=at_least(2),
    ),
    option("--keep-ids", "Keep columns that only identify rows.", is_flag=True),
    header_option,
    format_option,
    sheet_option,
    option(
        "--image-shape HxW",
        "Features are the pixels of images of this size: 32x32",
        type=image_shape,
    ),
    option(
        "--image-order rows|columns",
        "Whether images are flattened row by row or, as in MATLAB, column by "
        "column.  [rows]",
        type=image_order,
        default="rows",
    ),
    option("--seed N", "Random seed.  [0]", type=at_least(0), default=0),
]
_OUTPUT = [output_option, force_option, json_option, quiet_option]
_ENGINE = [
    option(
        "--engine",
        "dask reads Parquet and CSV in partitions, for files larger than memory; FILE "
        "may be a folder or a pattern such as 'days/*.parquet'.  [local]",
        type=click.Choice(["local", "dask"]),
        default="local",
    ),
    option(
        "--scheduler ADDRESS",
        "With --engine dask, the cluster to run on: tcp://10.0.0.1:8786  [local "
        "threads]",
    ),
]
_EFFORT = [
    option(
        "--folds N",
        "Number of cross-validation folds.  [5]",
        type=at_least(2),
    ),
    option(
        "--budget SECONDS",
        "Work to spend, in seconds of one core. It is counted, not timed, so that the "
        "result does not depend on the machine: with less, fewer methods are shown for "
        "comparison, and the test of relevance has fewer rounds.  [40]",
        type=seconds,
    ),
    option(
        "--groups COL",
        "Column of group labels, such as patients: rows of a group are never in both "
        "the training and the test set of a fold.",
    ),
    option(
        "--cv",
        "How to make folds: stratified by class, or in order of time, with test rows "
        "later than training rows.  [classes]",
        type=click.Choice(["classes", "time"]),
    ),
    option(
        "--time COL", "Column with the time, for --cv time.  [the order of the file]"
    ),
    option(
        "--estimator NAME",
        "Classifier that evaluates the features: 1-nn, logistic, svm, tree, forest, "
        "boosting, or module:Class; for a numeric target, linear instead of "
        "logistic.  [1-nn; 5-nn for numbers]",
    ),
    option(
        "--scoring NAME",
        "Score to use, as scikit-learn names it: roc_auc, f1_macro …  [accuracy; "
        "balanced accuracy if classes are very unbalanced; r2 for a numeric target]",
    ),
    option(
        "--baseline FILE|COLS",
        "Features in use today, to compare with: a,b,c, a saved selection, a table "
        "that has them, or a file with one name per line.",
    ),
    option(
        "--positive LABEL",
        "Of two classes, the one to which directions and AUCs refer.  [the rarer one]",
    ),
]

GROUPS: dict[str, tuple[type, list[Function]]] = {
    "engine": (Engine, _ENGINE),
    "effort": (Effort, _EFFORT),
    "how": (MethodOptions, _METHOD),
    "data": (DataOptions, _DATA),
    "out": (Output, _OUTPUT),
}


def options_of(*groups: str) -> Callable[[Function], Function]:
    """Give a command some groups of options, each group as one object."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def command(**given: Any) -> Any:
            objects, rest = {}, given
            for name in groups:
                kind, _ = GROUPS[name]
                own = {f.name: given[f.name] for f in fields(kind) if f.name in given}
                objects[name] = kind(**own)
                rest = {n: value for n, value in rest.items() if n not in own}
            return function(**objects, **rest)

        added = [option for name in groups for option in GROUPS[name][1]]
        for add in reversed(added):
            command = add(command)
        return command

    return decorate
