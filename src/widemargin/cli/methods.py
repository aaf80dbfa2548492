"""``widemargin methods``: the list of methods."""

from __future__ import annotations

import click

MIN_WIDTH = {"what it looks for": 34}


@click.command()
def methods() -> None:
    """List the methods: what they do, need and give, and the papers they are from."""
    from rich.console import Console
    from rich.table import Table

    from widemargin.catalogue import methods as catalogue

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for head in ("method", "what it looks for", "needs", "gives", "from"):
        table.add_column(head, no_wrap=head == "method", min_width=MIN_WIDTH.get(head))
    for m in catalogue():
        table.add_row(m.name, m.summary, m.needs, m.gives, m.paper)
    Console(highlight=False).print(table)
