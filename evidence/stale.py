"""Pages whose figures are not what was measured, or were measured with other code.

    python -m evidence.stale                   name them, and why; 1 if there are any
    python -m evidence.stale --measured study  [study] has been measured with this code

`figures.toml` says where pages that are written by hand have their figures from: stored
results in JSON, or a page made of results, which a test of its subject compares with
them. A phrase, with those figures filled in, has to be on the page.

`measured.json` has what the code said when the figures were measured: a digest of the
scores that the golden record holds of each method (four tables, six digits), or of a
module without docstrings and comments. If that differs now, the figures are stale until
they are measured again, or `older` in `figures.toml` says why they may stay.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import io
import json
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MEASURED = Path(__file__).with_name("measured.json")
TABLES = "iris", "linear", "mixed", "diabetes"
SAID = "scores_", "ranking_", "support_", "score_"

Entry = dict[str, Any]


def entries() -> dict[str, Entry]:
    """What was measured, by name."""
    return tomllib.loads(Path(__file__).with_name("figures.toml").read_text("utf-8"))


def flat(text: str) -> str:
    """A text in which lines may be broken elsewhere."""
    return " ".join(text.replace("\u00a0", " ").replace(" %", "%").split())


def means(found: Any) -> Any:
    """Results with means for lists of numbers, and keys that a phrase can name."""
    if isinstance(found, dict):
        return {key.replace(":", ","): means(value) for key, value in found.items()}
    if isinstance(found, list) and found and isinstance(found[0], int | float):
        return sum(found) / len(found)
    return found


def figures(entry: Entry) -> dict[str, Any]:
    """The figures that phrases are filled in with."""
    text = (ROOT / entry["source"]).read_text("utf-8")
    if entry["source"].endswith(".json"):
        return means(json.loads(text))
    found = {key: re.search(at, flat(text)) for key, at in entry["values"].items()}
    if missing := [key for key, match in found.items() if match is None]:
        raise ValueError(f"{entry['source']} has no {', '.join(missing)}")
    return {key: match.group(1) for key, match in found.items() if match}


def misquoted() -> Iterator[str]:
    """Pages that do not have the figures of their source."""
    for entry in entries().values():
        known = figures(entry)
        for page, phrases in entry["pages"].items():
            text = flat((ROOT / page).read_text("utf-8"))
            for phrase in phrases:
                if (wanted := flat(phrase.format_map(known))) not in text:
                    yield f"{page} does not say {wanted!r}, as {entry['source']} does."


@cache
def golden() -> dict[str, Any]:
    """The golden record."""
    path = ROOT / "tests" / "golden" / "record.json.gz"
    return json.loads(gzip.decompress(path.read_bytes()))


def bare(source: str) -> str:
    """A module without docstrings, comments and line breaks."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            for row in range(body[0].lineno - 1, body[0].end_lineno or 0):
                lines[row] = ""
    return " ".join(" ".join(lines).split())


def now(of: str) -> str:
    """A digest of what a method, or a module, says now."""
    if of.endswith(".py"):
        said = bare((ROOT / "src" / "widemargin" / of).read_text("utf-8"))
    else:
        found = [
            golden().get(f"scores/{of}/{t}", golden().get(f"{of}/{t}")) for t in TABLES
        ]
        values = [each["value"] for each in found if each and "value" in each]
        if not values:
            raise ValueError(f"the golden record has nothing of {of}")
        said = json.dumps([[value.get(key) for key in SAID] for value in values])
        said = re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda x: f"{float(x[0]):.6g}", said)
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def outdated() -> Iterator[str]:
    """Pages whose figures were measured with code that says something else now."""
    measured = json.loads(MEASURED.read_text("utf-8"))
    for name, entry in entries().items():
        before = measured.get(name, {})
        changed = [of for of in entry["of"] if now(of) != before.get(of)]
        pages = ", ".join(entry["pages"])
        if changed and "older" not in entry:
            yield (
                f"{pages}: {', '.join(changed)} changed since [{name}] was measured. "
                f"Run {entry['by']}, then python -m evidence.stale --measured {name}."
            )
        elif "older" in entry and not changed:
            yield f"{pages}: [{name}] is measured with this code; drop `older`."


def main(arguments: list[str]) -> int:
    """Print what is stale, or note what has been measured; the exit code."""
    if arguments[:1] == ["--measured"]:
        measured = json.loads(MEASURED.read_text("utf-8"))
        for name in arguments[1:]:
            measured[name] = {of: now(of) for of in entries()[name]["of"]}
        MEASURED.write_text(json.dumps(measured, indent=1) + "\n", "utf-8")
        return 0
    found = [*misquoted(), *outdated()]
    print("\n".join(found) or "No page is stale.")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
