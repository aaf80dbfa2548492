"""``widemargin methods``: the list of methods."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.options import json_option
from widemargin.cli.session import plain_table, print_table, stdout
from widemargin.cli.terminal import echo
from widemargin.cli.writing import to_json

if TYPE_CHECKING:
    from rich.console import Console

NARROW = 70  # letters in a line


@click.command(short_help="List the methods and their papers.")
@json_option
def methods(as_json: bool) -> None:
    """List the methods: what they look for, and their papers."""
    from widemargin.catalogue import methods as catalogue

    listed = catalogue()
    if as_json:
        echo(to_json([asdict(method) for method in listed]), nl=False)
        return
    _print(stdout(), [(m.name, m.summary + _exceptions(m), m.paper) for m in listed])


def _exceptions(method: Any) -> str:
    """What a method does that most, which rank features by classes, do not."""
    special = [method.gives] * (method.gives != "ranking")
    special += [f"needs {method.needs}"] * (method.needs != "classes")
    return f" ({'; '.join(special)})" if special else ""


def _print(console: Console, rows: list[tuple[str, str, str]]) -> None:
    if console.width < NARROW:  # three columns would be a few letters wide
        for name, summary, paper in rows:
            console.print(f"{name}\n  {summary}\n  {paper}")
        return
    table = plain_table()
    table.add_column("method", no_wrap=True)
    table.add_column("what it looks for")
    table.add_column("from")
    for row in rows:
        table.add_row(*row)
    print_table(console, table)
