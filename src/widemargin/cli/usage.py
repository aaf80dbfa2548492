"""How options are declared, read from text, listed in a help, and handed over."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Callable, Collection
from dataclasses import field, fields
from typing import Any

import click

from widemargin.cli.reading.files import matching

Function = Callable[..., Any]
Reader = Callable[[Any], Any]

PATH = click.Path(allow_dash=True, path_type=str)
METHOD = "  [KernelRFE; ReliefF with -k, --metric, --samples, --engine dask]"
JSON = ("--json", "Print JSON to stdout.")
QUIET = ("--quiet -q", "Suppress notes and progress.")

# Sections of a long help, and the options in each; all others are in the last.
SECTIONS = {
    "Data": "target labels task event lifetime groups ordinal bins drop categorical "
    "missing weights",
    "Results": "output saved candidates top title baseline hard_rows keep as_json "
    "force quiet",
    "Method": "method features redundancy neighbors metric scale",
    "Evaluation": "folds estimator scoring cv time budget positive",
    "Files larger than memory": "engine scheduler",
    "Rarely needed": "",
}
POSITIVE = r"0*[1-9]\d*"
FRACTION = r"0?\.\d*[1-9]\d*"


class SectionedCommand(click.Command):
    """A command whose help has its options in sections."""

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the options of each section under its heading."""
        # Not the arguments, which the usage line names.
        found = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        options = {option.name: option for option in found}
        for head, names in SECTIONS.items():
            own = names.split() or list(options)
            shown = [options.pop(name) for name in own if name in options]
            records = [option.get_help_record(ctx) for option in shown]
            if records:
                with formatter.section(head):
                    formatter.write_dl([record for record in records if record])


def option(usage: str, help: str, **how: Any) -> Callable[..., Any]:
    """Make an option from its usage, such as ``--target -t COL``, and its help."""
    flags = [word for word in usage.split() if word.startswith("-")]
    values = [word for word in usage.split() if not word.startswith("-")]
    if values:
        how["metavar"] = values[0]
    name = [how.pop("name")] if "name" in how else []
    return click.option(*flags, *name, help=help, **how)


def declared(usage: str, help: str, **how: Any) -> Any:
    """Make an option that is a field of a dataclass; see `option`."""
    empty = () if how.get("multiple") else False if how.get("is_flag") else None
    made = {"option": option(usage, help, **how)}
    return field(default=how.get("default", empty), metadata=made)


def text_like(pattern: str, read: Callable[[str], Any], complaint: str) -> Reader:
    """Make a type for options: text that matches a pattern, and how to read it."""

    def convert(text: Any) -> Any:
        if re.fullmatch(pattern, str(text)):
            return read(str(text))
        raise click.BadParameter(f"{text!r} {complaint}")

    return convert


def _number_or_word(text: str) -> int | float | str:
    if text.isdigit():
        return int(text)
    return float(text) if "." in text else text


feature_count = text_like(
    f"auto|{POSITIVE}|{FRACTION}",
    _number_or_word,
    "is not a number of features, a fraction, or 'auto'.",
)
similarity = text_like(
    rf"auto|none|{FRACTION}|1(\.0*)?",
    lambda text: text if text.isalpha() else float(text),
    "is neither a similarity such as 0.9, nor 'auto', nor 'none'.",
)
share = text_like(
    r"0|0?\.\d+|1(\.0*)?", float, "is not a share from 0 to 1, such as 0.95."
)
seconds = text_like(
    rf"{POSITIVE}(\.\d*)?|{FRACTION}", float, "is not a positive number of seconds."
)
image_shape = text_like(
    r"\d+[x×,]\d+",
    lambda text: tuple(map(int, re.split("[x×,]", text))),
    "is not like 32x32.",
)


def number_or(word: str) -> Reader:
    """Read a positive whole number, or a word that stands for one."""
    complaint = f"is neither a positive integer nor {word!r}."
    return text_like(f"{word}|{POSITIVE}", _number_or_word, complaint)


def at_least(least: int) -> Reader:
    """Read a whole number that is not below another."""

    def convert(text: Any) -> int:
        if re.fullmatch(r"\d+", str(text)) and int(text) >= least:
            return int(text)
        raise click.BadParameter(f"{text!r} is not an integer of at least {least}.")

    return convert


def image_order(text: str) -> str:
    """C for row by row, F for column by column; both words are understood."""
    order = {"rows": "C", "c": "C", "columns": "F", "f": "F"}.get(text.lower())
    if order is None:
        raise click.BadParameter(f"{text!r} is not rows or columns.")
    return order


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
    """Parts of a list with commas; one that has a comma itself is in double quotes."""
    if isinstance(text, tuple):  # the default
        return text
    lines = csv.reader(text.splitlines(), skipinitialspace=True)
    return tuple(word.strip() for line in lines for word in line)


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


def options_of(
    *, without: Collection[str] = (), **groups: type[Any]
) -> Callable[[Function], Function]:
    """Give a command the options of some dataclasses, those of each as one object.

    ``without`` are options that the command does not have.
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
                if metadata and name not in without:
                    command = metadata["option"](command)
        return command

    return decorate
