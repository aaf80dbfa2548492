"""Golden record: what users can see of this version, to compare another one with.

    python tests/golden/record.py write            keep what the code says now
    python tests/golden/record.py check [--exact]  list what it says differently

It is for changes that users should not notice: scores and other attributes of all
methods, answers of the evaluation tools, reports, messages and what the command prints
must stay as they are. Only public names are used, so modules may move. Floats may
differ by 1e-9 of their size, since machines do; with --exact by nothing. The clock that
times fits stands still meanwhile, so times are zero.

What belongs to what: `record_tables` has the data, `record_fits`, `record_evaluation`
and `record_commands` have the entries, `record_plain` turns results into JSON.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("record.json.gz")
TOLERANCE = 1e-9
TINY = 1e-12  # differences of numbers that are zero but for rounding
NUMBER = re.compile(r"[-+]?\d+\.\d+(?:[eE][-+]?\d+)?|[-+]?\d+[eE][-+]?\d+")
SHOWN = 300  # letters of an entry in the list of differences


def main(arguments: list[str]) -> int:
    """Write or check, and return the exit code."""
    words = [a for a in arguments if not a.startswith("-")]
    options = {a for a in arguments if a.startswith("-")}
    if words[:1] not in (["write"], ["check"]) or options - {"--exact", "--verbose"}:
        print(__doc__, file=sys.stderr)
        return 2
    if words[0] == "check" and not RECORD.is_file():
        print(f"There is no {RECORD.name}: write one first.", file=sys.stderr)
        return 2
    made = everything(words[1:], verbose="--verbose" in options)
    if words[0] == "write":
        save(made)
        size = RECORD.stat().st_size
        print(f"{len(made)} entries written to {RECORD.name}, {size / 1000:.0f} kB")
        return 0
    return report(made, words[1:], exact="--exact" in options)


def everything(parts: list[str], *, verbose: bool = False) -> dict[str, Any]:
    """All entries, or those of some parts, as they are read from JSON."""
    prepare()
    import record_commands
    import record_evaluation
    import record_fits
    from record_plain import attempt

    made: dict[str, Any] = {}
    for module in (record_fits, record_evaluation, record_commands):
        for part, entries in module.PARTS.items():
            begun = time.monotonic()
            if not parts or part in parts:
                for name, call in entries():
                    key = f"{part}/{name}"
                    assert key not in made, f"{key} is there twice"
                    made[key] = attempt(call)
            if verbose:
                print(f"{time.monotonic() - begun:6.1f} s {part}", file=sys.stderr)
    return json.loads(json.dumps(made))


def prepare() -> None:
    """Stop the clock of fits, and make what is printed the same everywhere."""
    sys.path.insert(0, str(Path(__file__).parent))
    time.perf_counter = lambda: 0.0  # before anything that keeps it is imported
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "WIDEMARGIN_DATA"):
        os.environ.pop(name, None)
    os.environ.update(COLUMNS="100", NO_COLOR="1")


def save(made: dict[str, Any]) -> None:
    """Write the record; equal records are equal bytes."""
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    RECORD.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def report(made: dict[str, Any], parts: list[str], *, exact: bool) -> int:
    """Print the differences from the record; 1 if there are any."""
    kept = json.loads(gzip.decompress(RECORD.read_bytes()))
    if parts:
        kept = {k: v for k, v in kept.items() if k.partition("/")[0] in parts}
    found = list(differences(kept, made, exact=exact))
    for path, old, new in found:
        start = common_start(old, new)
        print(f"{path}\n  old: {shown(old, start)}\n  new: {shown(new, start)}")
    entries = len({path.split(" ")[0] for path, _, _ in found})
    print(f"{len(kept)} entries, {entries} with differences ({len(found)} in all)")
    return int(bool(found))


class Missing:
    """Stands for what is not there."""

    def __repr__(self) -> str:
        return "(nothing)"


MISSING = Missing()


def differences(old: Any, new: Any, *, exact: bool, path: str = ""):
    """Yield path, old and new of every leaf that is not the same."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *(n for n in new if n not in old)]:
            if name == "digest" and not exact:
                continue
            inside = f"{path} > {name}" if path else name
            pair = old.get(name, MISSING), new.get(name, MISSING)
            yield from differences(*pair, exact=exact, path=inside)
        common = [n for n in old if n in new], [n for n in new if n in old]
        if path and common[0] != common[1]:
            yield f"{path} (order)", *common
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, pair in enumerate(zip(old, new, strict=True)):
            yield from differences(*pair, exact=exact, path=f"{path}[{i}]")
    elif not same(old, new, exact=exact):
        yield path, old, new


def same(old: Any, new: Any, *, exact: bool) -> bool:
    """Whether two leaves are the same, but for the last digits if that is allowed."""
    if type(old) is type(new) and old == new:
        return True
    if exact or type(old) is not type(new):
        return False
    if isinstance(old, float):
        return abs(old - new) <= max(TINY, TOLERANCE * max(abs(old), abs(new)))
    if isinstance(old, str):  # a table in text may have all digits
        if NUMBER.sub("#", old) != NUMBER.sub("#", new):
            return False
        pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
        return all(same(float(a), float(b), exact=False) for a, b in pairs)
    return False


def common_start(old: Any, new: Any) -> int:
    """How many letters of two long texts may be left out, since they are the same."""
    pairs = zip(repr(old), repr(new), strict=False)
    differs = next((i for i, (a, b) in enumerate(pairs) if a != b), 0)
    return max(0, differs - SHOWN // 3)


def shown(value: Any, start: int) -> str:
    """A leaf in a line of limited length, from about where it differs."""
    text = repr(value)
    part = text[start : start + SHOWN]
    return "… " * (start > 0) + part + " …" * (start + SHOWN < len(text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
