"""``widemargin methods``: the list of methods."""

from __future__ import annotations

from dataclasses import asdict

import click

from widemargin.cli.session import plain_table, stdout
from widemargin.cli.writing import to_json


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON to stdout.")
def methods(as_json: bool) -> None:
    """List the methods: what they look for, and the papers they are from."""
    from widemargin.catalogue import methods as catalogue

    found = catalogue()
    if as_json:
        click.echo(to_json([asdict(method) for method in found]), nl=False)
        return
    table = plain_table()
    table.add_column("method", no_wrap=True)
    table.add_column("what it looks for")
    table.add_column("from")
    for m in found:
        # Most methods rank features by classes; the others say what they do instead.
        special = [m.gives] * (m.gives != "ranking")
        special += [f"needs {m.needs}"] * (m.needs != "classes")
        notes = f" ({'; '.join(special)})" if special else ""
        table.add_row(m.name, m.summary + notes, m.paper)
    stdout().print(table)
