"""Pages of the documentation in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"

# Front matter of pages whose tables need the room of the list of sections.
WIDE = "---\nhtml_theme.sidebar_secondary.remove: true\n---\n"

SCREEN = 9  # rows, with their texts in several lines, that fit on half of one

Pages = dict[Path, str | bytes]  # below the folder of the documentation


def table(
    head: Sequence[Any], rows: Iterable[Sequence[Any]], right: Sequence[bool] = ()
) -> str:
    """A table; columns are aligned to the right where ``right`` says so."""
    rules = ["---:" if aligned else "---" for aligned in right] or ["---"] * len(head)
    lines = ("| " + " | ".join(map(str, row)) + " |" for row in (head, rules, *rows))
    return "\n".join(lines) + "\n"


def folded(text: str, title: str = "The table, {} rows") -> str:
    """The same text, with the tables that are longer than a screen folded."""
    blocks = text.split("\n\n")
    for i, block in enumerate(blocks):
        rows = block.strip("\n").splitlines()
        if block.startswith("|") and len(rows) - 2 > SCREEN:
            lines = [f":::{{dropdown}} {title.format(len(rows) - 2)}", *rows, ":::"]
            blocks[i] = "\n".join(lines)
    return "\n\n".join(blocks)


def write(pages: Mapping[Path, str | bytes], docs: Path = DOCS) -> None:
    """Write pages and pictures into the folder of the documentation."""
    for name, content in pages.items():
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")
