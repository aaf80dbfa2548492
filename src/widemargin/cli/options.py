"""Options that several commands share, each written once.

A group of options reaches its command as one object.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import click

from widemargin.cli.dataset import DataOptions
from widemargin.cli.reading import FORMATS
from widemargin.cli.reading.files import matching
from widemargin.cli.writing import Output

Function = Callable[..., Any]
METHOD = "  [KernelRFE; ReliefF with -k, --metric, --samples, --engine dask]"

# Parts of a long help; what is in none of them is in the last.
SECTIONS = {
    "Method": "method features redundancy neighbors metric scale samples param jobs "
    "seed",
    "Data": "target labels transpose task drop categorical missing max_missing ordinal "
    "bins sample keep_ids header format sheet image_shape image_order",
    "Evaluation": "folds permutations resamples groups cv time estimator scoring "
    "baseline positive",
    "Files larger than memory": "engine scheduler",
    "Results": "",
}


class SectionedCommand(click.Command):
    """A command whose help has its options in sections."""

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the options of each section under its heading."""
        where = {
            name: head for head, names in SECTIONS.items() for name in names.split()
        }
        parts: dict[str, list[tuple[str, str]]] = {head: [] for head in SECTIONS}
        for option in self.get_params(ctx):
            if isinstance(option, click.Argument):  # the usage line names them
                continue
            record = option.get_help_record(ctx)
            if record is not None:
                parts[where.get(str(option.name), "Results")].append(record)
        for head, records in parts.items():
            if records:
                with formatter.section(head):
                    formatter.write_dl(records)


@dataclass(frozen=True)
class MethodOptions:
    """What the user says about a method; None where nothing is said."""

    features: int | float | str | None = None
    redundancy: float | str | None = None
    neighbors: int | str | None = None
    metric: str | None = None
    scale: str | None = None
    samples: int | str | None = None
    jobs: int | None = None
    param: tuple[tuple[str, Any], ...] = ()
    seed: int = 0


def feature_count(text: str) -> int | float | str:
    """How many features: a number, a share, or "auto"."""
    if text == "auto":
        return text
    if re.fullmatch(r"\d+", text) and int(text) > 0:
        return int(text)
    if re.fullmatch(r"0?\.\d+", text) and float(text) > 0:
        return float(text)
    raise click.BadParameter(
        f"{text!r} is not a number of features, a fraction, or 'auto'."
    )


def similarity(text: str) -> float | str:
    """A similarity from which features are near copies, "auto" or "none"."""
    if text in ("auto", "none"):
        return text
    if re.fullmatch(r"0?\.\d+|1(\.0*)?", text) and float(text) > 0:
        return float(text)
    raise click.BadParameter(
        f"{text!r} is neither a similarity such as 0.9, nor 'auto', nor 'none'."
    )


def share(text: str) -> float:
    """A share from 0 to 1."""
    if re.fullmatch(r"0|0?\.\d+|1(\.0*)?", text):
        return float(text)
    raise click.BadParameter(f"{text!r} is not a share from 0 to 1, such as 0.95.")


def at_least(least: int) -> Callable[[Any], int]:
    """Read a whole number that is not below another."""

    def number(text: Any) -> int:
        if re.fullmatch(r"\d+", str(text)) and int(text) >= least:
            return int(text)
        raise click.BadParameter(f"{text!r} is not an integer of at least {least}.")

    return number


def number_or(word: str) -> Callable[[Any], int | str]:
    """Read a positive whole number, or a word that stands for one."""

    def number(text: Any) -> int | str:
        if text == word:
            return word
        if re.fullmatch(r"\d+", str(text)) and int(text) > 0:
            return int(text)
        raise click.BadParameter(
            f"{text!r} is neither a positive integer nor {word!r}."
        )

    return number


def image_shape(text: str) -> tuple[int, int]:
    """Height and width, as in 32x32."""
    found = re.fullmatch(r"(\d+)[x×,](\d+)", text)
    if not found:
        raise click.BadParameter(f"{text!r} is not like 32x32.")
    return int(found[1]), int(found[2])


def image_order(text: str) -> str:
    """C for row by row, F for column by column; both words are understood."""
    found = {"rows": "C", "c": "C", "columns": "F", "f": "F"}.get(text.lower())
    if found is None:
        raise click.BadParameter(f"{text!r} is not rows or columns.")
    return found


def parameter(text: str) -> tuple[str, Any]:
    """Name and value of a parameter; what is not a Python literal is text."""
    import ast

    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise click.BadParameter(f"{text!r} is not like n_starts=10.")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value


def words(text: str | tuple[str, ...]) -> tuple[str, ...]:
    """Parts of a list with commas."""
    if isinstance(text, tuple):  # the default
        return text
    return tuple(word.strip() for word in text.split(","))


def complete_method(ctx: Any, param: Any, incomplete: str) -> list[str]:
    """Methods whose names begin so; imports nothing heavy."""
    from widemargin.cli.choosing import method_names

    return [n for n in method_names() if n.lower().startswith(incomplete.lower())]


def existing(ctx: click.Context, param: Any, path: str | None) -> str | None:
    """Refuse a file that is not there before anything heavy is imported."""
    if path is not None and not ctx.resilient_parsing:
        matching(path)
    return path


file_argument = click.argument(
    "file",
    type=click.Path(allow_dash=True, path_type=str),
    metavar="FILE",
    callback=existing,
)

_seed = click.option(
    "--seed",
    type=at_least(0),
    default=0,
    metavar="N",
    help="Random seed.  [0]",
)

header_option = click.option(
    "--header/--no-header",
    default=None,
    help="Whether the first line of a text file has the names.  [detected]",
)

format_option = click.option(
    "--format",
    type=click.Choice(list(FORMATS)),
    help="File format.  [by the file extension]",
)

sheet_option = click.option(
    "--sheet",
    metavar="NAME",
    help="Sheet of an Excel file, by name or index (0 is the first).  [the first]",
)

transpose_option = click.option(
    "--transpose",
    is_flag=True,
    help="Exchange rows and columns of a table that has features as rows, named by "
    "its first column.",
)

keep_option = click.option(
    "--keep",
    multiple=True,
    metavar="COLS",
    help="Columns to keep in the output, such as row identifiers; they are not "
    "features.",
)

formulas_option = click.option(
    "--keep-formulas",
    "formulas",
    is_flag=True,
    help="Write cells unchanged, even those that a spreadsheet would run as a formula.",
)

_DATA = [
    click.option(
        "--target",
        "-t",
        metavar="COL",
        help="Target column, by name or index (0 is the first, -1 the last).  [the "
        "last]",
    ),
    click.option(
        "--labels",
        type=click.Path(allow_dash=True, path_type=str),
        metavar="FILE",
        callback=existing,
        help="A second table with target and groups, joined by the first column of "
        "both.",
    ),
    transpose_option,
    click.option(
        "--task",
        type=click.Choice(["classification", "regression"]),
        help="Whether the target holds classes or numbers.  [regression for decimals "
        "and for numbers that mostly occur once]",
    ),
    click.option(
        "--drop", multiple=True, metavar="COLS", help="Columns to drop: a,b,c"
    ),
    click.option(
        "--categorical",
        multiple=True,
        metavar="COLS",
        help="Numeric columns that are codes of categories; the target may be one.",
    ),
    click.option(
        "--missing",
        type=words,
        metavar="TOKENS",
        default=(),
        help="Additional markers of a missing value, besides NA, ? and the usual ones: "
        "-999,unknown",
    ),
    click.option(
        "--max-missing",
        type=share,
        metavar="SHARE",
        help="Leave out columns with a larger share of missing values; 1 keeps "
        "them.  [0.95]",
    ),
    click.option(
        "--ordinal",
        type=words,
        metavar="LABELS",
        default=(),
        help="The classes in order, lowest first: low,mid,high",
    ),
    click.option(
        "--bins",
        type=at_least(2),
        metavar="N",
        help="Bin a numeric target into N classes of equal size.",
    ),
    click.option(
        "--sample",
        type=at_least(2),
        metavar="N",
        help="Use a random sample of N rows, stratified by class.",
    ),
    click.option(
        "--keep-ids", is_flag=True, help="Keep columns that only identify rows."
    ),
    header_option,
    format_option,
    sheet_option,
    click.option(
        "--image-shape",
        type=image_shape,
        metavar="HxW",
        help="Features are the pixels of images of this size: 32x32",
    ),
    click.option(
        "--image-order",
        type=image_order,
        default="rows",
        metavar="rows|columns",
        help="Whether images are flattened row by row or, as in MATLAB, column by "
        "column.  [rows]",
    ),
]

_METHOD = [
    click.option(
        "--features",
        "-n",
        type=feature_count,
        metavar="N|SHARE|auto",
        help="Number of features to select, a fraction such as 0.25, or auto: the "
        "smallest number whose cross-validated 1-NN accuracy is within one standard "
        "error of the best.",
    ),
    click.option(
        "--neighbors",
        "-k",
        type=number_or("log"),
        metavar="N|log",
        help="Number of nearest neighbours, or log for the logarithm of the number of "
        "rows.  [the method's default]",
    ),
    click.option(
        "--metric",
        type=click.Choice(["euclidean", "manhattan"]),
        help="Distance.  [manhattan for RReliefF, SURF and its variants, else "
        "euclidean]",
    ),
    click.option(
        "--scale",
        type=click.Choice(["minmax", "standard", "none"]),
        help="How to scale features: by their range, by their standard deviation, or "
        "not at all.  [minmax]",
    ),
    click.option(
        "--samples",
        type=number_or("auto"),
        metavar="N|auto",
        help="Number of rows to visit; auto visits random rows until the selection is "
        "settled.  [all]",
    ),
    click.option(
        "--param",
        "-p",
        multiple=True,
        type=parameter,
        metavar="NAME=VALUE",
        help="Any other parameter of the method: utility=sigmoid",
    ),
    click.option(
        "--jobs", "-j", type=int, metavar="N", help="Number of threads.  [all cores]"
    ),
]

redundancy_option = click.option(
    "--redundancy",
    type=similarity,
    metavar="SIMILARITY|auto|none",
    help="Skip near copies: features whose correlation with a better one that is kept "
    "(for mixed data: symmetrical uncertainty) is at least this; auto tries none, 0.9 "
    "and 0.7 in folds.  [auto for `select` without -n, else none]",
)

output_option = click.option(
    "--output",
    "-o",
    multiple=True,
    type=click.Path(path_type=str),
    metavar="FILE",
    help="Write to a file, in the format of its extension: .csv, .tsv (also "
    "compressed, such as .csv.gz), .parquet or .json, and .html for a report. May be "
    "given several times.",
)
force_option = click.option(
    "--force", "-f", is_flag=True, help="Replace an existing file."
)
quiet_option = click.option(
    "--quiet", "-q", is_flag=True, help="Suppress notes and progress."
)

_OUTPUT = [
    output_option,
    force_option,
    click.option("--json", "as_json", is_flag=True, help="Print JSON to stdout."),
    quiet_option,
]


def shared_options(function: Function) -> Function:
    """Give a command ``data``, ``how`` and ``out``: data, method, output options."""
    groups: dict[str, type] = {"how": MethodOptions, "data": DataOptions, "out": Output}

    @functools.wraps(function)
    def command(**given: Any) -> Any:
        objects = {
            # Some options are for some commands only.
            name: kind(
                **{f.name: given[f.name] for f in fields(kind) if f.name in given}
            )
            for name, kind in groups.items()
        }
        taken = {f.name for kind in groups.values() for f in fields(kind)}
        rest = {name: value for name, value in given.items() if name not in taken}
        return function(**objects, **rest)

    for option in reversed([*_METHOD, *_DATA, _seed, *_OUTPUT]):
        command = option(command)
    return command


def method_option(several: bool) -> Function:
    """``--method``, once or several times."""
    text = "Method to use" + ("; may be given several times" if several else "")
    return click.option(
        "--method",
        "-m",
        multiple=several,
        metavar="METHOD",
        shell_complete=complete_method,
        help=f"{text}; `widemargin methods` lists them."
        + ("  [a handful that suits the data]" if several else METHOD),
    )
