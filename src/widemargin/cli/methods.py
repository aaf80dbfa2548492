"""``widemargin methods``: the list of methods."""

from __future__ import annotations

import click


@click.command()
def methods() -> None:
    """List the methods: what they look for, and the papers they are from."""
    from rich.console import Console
    from rich.table import Table

    from widemargin.catalogue import methods as catalogue

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("method", no_wrap=True)
    table.add_column("what it looks for")
    table.add_column("from")
    for m in catalogue():
        # Most methods rank features by classes; the others say what they do instead.
        special = [m.gives] * (m.gives != "ranking")
        special += [f"needs {m.needs}"] * (m.needs != "classes")
        notes = f" ({'; '.join(special)})" if special else ""
        table.add_row(m.name, m.summary + notes, m.paper)
    Console(highlight=False).print(table)
