"""Write what several selectors share into their docstrings.

Parameters and attributes that mean the same everywhere are described once, in
`docstrings.toml`. This puts the text into the docstring of every class that documents
them, so that editors and `help` show it in full. `--check` only says what differs.

    python tools/docstrings.py [--check]
"""

import ast
import re
import sys
import textwrap
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = ("selectors/*.py", "baselines/*.py", "evaluation/*auto.py")
WIDTH, INDENT = 88, " " * 4
SECTION = re.compile(rf"{INDENT}(Parameters|Attributes)\n")
ENTRY = re.compile(rf"{INDENT}(\w+) : .*\n|{INDENT}(\w+)\n")


def text_for(shared: dict, owner: str) -> str:
    """The text of an entry in the docstring of a class."""
    if owner in shared.get("instead", {}):
        return shared["instead"][owner]
    return " ".join([shared["text"], shared.get("more", {}).get(owner, "")]).strip()


def rewritten(lines: list[str], owner: str, shared: dict) -> list[str]:
    """The lines of a docstring, with the shared texts in their places."""
    result, inside, skipping = [], False, False
    for line in lines:
        if SECTION.fullmatch(line):
            inside = True
        elif line.strip() in ("", '"""'):
            inside = skipping = False
        entry = ENTRY.fullmatch(line) if inside else None
        if entry is None and skipping:
            continue
        result.append(line)
        name = entry and (entry[1] or entry[2])
        skipping = name in shared
        if skipping:
            words = text_for(shared[name], owner)
            indent = INDENT * 2
            result += [
                f"{part}\n"
                for part in textwrap.wrap(
                    words,
                    WIDTH,
                    initial_indent=indent,
                    subsequent_indent=indent,
                    break_on_hyphens=False,
                    break_long_words=False,
                )
            ]
    return result


def with_shared_texts(source: str, shared: dict) -> str:
    """The source of a module, with the shared texts in its classes."""
    lines = source.splitlines(keepends=True)
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.ClassDef) and ast.get_docstring(node):
            doc = node.body[0]
            part = slice(doc.lineno - 1, doc.end_lineno)
            lines[part] = rewritten(lines[part], node.name, shared)
    return "".join(lines)


def main() -> None:
    shared = tomllib.loads((ROOT / "tools/docstrings.toml").read_text("utf-8"))
    stale = []
    for files in FILES:
        for file in sorted((ROOT / "src/widemargin").glob(files)):
            before = file.read_text("utf-8")
            after = with_shared_texts(before, shared)
            if before != after:
                stale.append(file.relative_to(ROOT))
                if "--check" not in sys.argv:
                    file.write_text(after, "utf-8")
    for file in stale:
        print(f"{file}: shared texts differ from tools/docstrings.toml")
    if stale and "--check" in sys.argv:
        sys.exit("Change tools/docstrings.toml, not the docstring; then `make format`.")


if __name__ == "__main__":
    main()
