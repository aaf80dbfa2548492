"""Docstrings are written to be read in a terminal; this makes them reStructuredText.

There, |r| would be a substitution and a word that ends in an underscore a link. None of
ours means that, so both are escaped, outside of literals and examples.
"""

import re

from sphinx.application import Sphinx

LITERAL = re.compile(r"(``[^`]+``|:\w+:`[^`]+`|`[^`]+`_?)")


def _escape(text: str) -> str:
    text = re.sub(r"(?<!\\)\|", r"\\|", text)
    return re.sub(r"(?<![\\\w])(\w*[A-Za-z0-9])_(?!\w)", r"\1\\_", text)


def plain(app, what, name, obj, options, lines: list[str]) -> None:
    if not getattr(obj, "__module__", "").startswith("widemargin"):
        return
    for i, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "..")):
            continue
        parts = LITERAL.split(line)
        parts[::2] = map(_escape, parts[::2])
        lines[i] = "".join(parts)


def setup(app: Sphinx) -> dict:
    # After numpydoc, which takes the sections apart.
    app.connect("autodoc-process-docstring", plain, priority=900)
    return {"parallel_read_safe": True}
