"""Damaged and hostile files of every format, read by the command.

    python evidence/safety/damaged_files.py                      10 000 files
    python evidence/safety/damaged_files.py --files 500 --seed 1
    python evidence/safety/damaged_files.py --only x.npy x.h5ad

A file is a good one with bytes changed, removed, repeated or moved, under its own
ending or that of another format, or one whose names, labels and cells are hostile:
control characters, formulas, very long ones. The number of a file tells all of it. What
must come of each:

- exit code 0 or 2, and no exception;
- with 2, one line on stderr and nothing on stdout;
- no control character on either, and no message above 500 characters.

Work is done in other processes, of which a crash or a hang is noted before the rest
goes on in a new one. Exit code 1 if there was any fault.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import inspect
import io
import json
import lzma
import os
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

ROWS = 24
LONGEST = 500  # letters of a message
PATIENCE = 120  # seconds for a file
AT_ONCE = 1000  # files in a process
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
HOSTILE = (
    "\x1b[2J",
    "a\x1b]0;title\x07",
    "\r\r\r",
    "\x9b31m",
    "\u202eabc",
    "=1+1",
    "x" * 5000,
    "\x00",
    "\x85\x0b\x0c",
    '"',
    "'",
    "[bold]a[/bold]",
    "é\ud7ff",
    "-999",
    "\x08\x08",
    "",
    "nan",
    "1e999",
    "\x7f",
    "1e999999999999999999",
    "9" * 400,
)

Draw = random.Random
Make = Callable[[Draw, pd.DataFrame], bytes]


def table(draw: Draw) -> pd.DataFrame:
    """A small table; in every other one some names, labels and cells are hostile."""
    rng = np.random.default_rng(draw.randrange(2**32))
    codes = np.arange(ROWS) % 2
    frame = pd.DataFrame(rng.normal(size=(ROWS, 3)) + codes[:, None], columns=[*"abc"])
    frame["kind"] = pd.Series(np.array(["no", "yes"], object)[codes], dtype=object)
    if draw.random() < 0.5:
        return frame
    names = list(frame.columns)
    if draw.random() < 0.5:
        place = draw.randrange(4)
        names[place] = f"{names[place]}{draw.choice(HOSTILE)}"
    if draw.random() < 0.5:
        odd = draw.choice(HOSTILE)
        frame["kind"] = frame["kind"].map({"no": "no", "yes": f"yes{odd}"})
    if draw.random() < 0.5:
        frame["a"] = frame["a"].round(3).astype(str).astype(object)
        for _ in range(draw.choice([1, 1, 3, ROWS])):
            frame.loc[draw.randrange(ROWS), "a"] = draw.choice(HOSTILE)
    return frame.set_axis(names, axis=1)


def as_text(separator: str = ",") -> Make:
    """Delimited text."""

    def make(draw: Draw, frame: pd.DataFrame) -> bytes:
        text = frame.to_csv(index=False, sep=separator)
        return text.encode(draw.choice(["utf-8", "utf-8", "utf-8", "utf-16"]))

    return make


def packed(compress: Callable[[bytes], bytes]) -> Make:
    """Compressed text."""
    return lambda draw, frame: compress(as_text()(draw, frame))


def in_zip(data: bytes) -> bytes:
    """A zip archive with one file."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.csv", data)
    return stream.getvalue()


def in_zstandard(data: bytes) -> bytes:
    """A frame of Zstandard."""
    import pyarrow

    packed: bytes = pyarrow.compress(data, codec="zstd", asbytes=True)
    return packed


def as_parquet(draw: Draw, frame: pd.DataFrame) -> bytes:
    """Parquet."""
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


def as_feather(draw: Draw, frame: pd.DataFrame) -> bytes:
    """Feather."""
    stream = io.BytesIO()
    frame.to_feather(stream)
    return stream.getvalue()


def as_excel(draw: Draw, frame: pd.DataFrame) -> bytes:
    """A workbook, in which control characters cannot be."""
    stream = io.BytesIO()
    frame = frame.map(_for_excel).rename(columns=_for_excel)
    frame.to_excel(stream, index=False)
    return stream.getvalue()


def _for_excel(cell: Any) -> Any:
    return CONTROL.sub("_", cell) if isinstance(cell, str) else cell


def as_arff(draw: Draw, frame: pd.DataFrame) -> bytes:
    """Weka's format."""
    head = "@relation r\n"
    for name in frame.columns[:-1]:
        head += f"@attribute '{name}' real\n"
    kinds = ",".join(dict.fromkeys(frame.iloc[:, -1]))
    head += f"@attribute '{frame.columns[-1]}' {{{kinds}}}\n@data\n"
    return (head + frame.to_csv(index=False, header=False)).encode()


def as_matlab(draw: Draw, frame: pd.DataFrame) -> bytes:
    """MATLAB's format."""
    from scipy.io import savemat

    stream = io.BytesIO()
    X, y, names = _arrays(frame)
    savemat(
        stream,
        {"X": X, "Y": y.astype(object), "names": names.astype(object)},
        do_compression=draw.random() < 0.5,
    )
    return stream.getvalue()


def as_npz(draw: Draw, frame: pd.DataFrame) -> bytes:
    """Several of NumPy's arrays."""
    stream = io.BytesIO()
    X, y, names = _arrays(frame)
    save = draw.choice([np.savez, np.savez_compressed])
    save(stream, X=X, y=y, feature_names=names)
    return stream.getvalue()


def as_npy(draw: Draw, frame: pd.DataFrame) -> bytes:
    """One of NumPy's arrays: numbers, text or records."""
    stream = io.BytesIO()
    X, y, _ = _arrays(frame)
    kind = draw.randrange(3)
    if kind == 0:
        np.save(stream, np.column_stack([X, pd.factorize(y)[0]]))
    elif kind == 1:
        np.save(stream, np.column_stack([X.round(2).astype("U8"), y]))
    else:
        records = np.zeros(len(y), [("a", "<f8"), ("b", "<f4"), ("kind", "<U8")])
        records["a"], records["b"], records["kind"] = X[:, 0], X[:, 1], y
        np.save(stream, records)
    return stream.getvalue()


def _arrays(frame: pd.DataFrame) -> tuple[Any, Any, Any]:
    X = frame.iloc[:, 1:3].to_numpy(np.float64)
    y = np.array([str(label)[:40] for label in frame.iloc[:, -1]])
    return X, y, np.array([str(name)[:40] for name in frame.columns[1:3]])


def as_libsvm(draw: Draw, frame: pd.DataFrame) -> bytes:
    """Pairs of index and value."""
    from sklearn.datasets import dump_svmlight_file

    stream = io.BytesIO()
    dump_svmlight_file(frame.iloc[:, 1:3].to_numpy(float), np.arange(ROWS) % 2, stream)
    return stream.getvalue()


def as_anndata(draw: Draw, frame: pd.DataFrame) -> bytes:
    """AnnData, with two columns of observations."""
    import anndata

    rows = pd.Index([f"cell {i}" for i in range(ROWS)], dtype=object)
    names = [re.sub("[\x00/]", "_", str(name)) or "_" for name in frame.columns[1:3]]
    labels = [str(label).replace("\x00", "_") for label in frame.iloc[:, -1]]
    obs = pd.DataFrame({"kind": labels, "batch": np.arange(ROWS) % 3}, index=rows)
    data = anndata.AnnData(
        frame.iloc[:, 1:3].to_numpy(float),
        obs=obs.astype({"kind": object}),
        var=pd.DataFrame(index=pd.Index(names, dtype=object)),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.h5ad"
        data.write_h5ad(path)
        return path.read_bytes()


def as_selection(draw: Draw, frame: pd.DataFrame) -> bytes:
    """A saved selection, with a value replaced in every other one."""
    found: dict[str, Any] = {
        "widemargin": "selection",
        "version": "0",
        "format": 1,
        "method": "ReliefF",
        "parameters": {"n_neighbors": 10},
        "features": ["a", "b", "c"],
        "kept": ["a", "c"],
        "scores": [0.5, 0.1, 0.2],
        "ranking": [1, 3, 2],
        "file": "x.csv",
        "settings": {"target": "kind", "n_rows": 24, "n_columns": 4, "header": True},
    }
    return _with_odd_values(draw, found)


def as_results(draw: Draw, frame: pd.DataFrame) -> bytes:
    """The data behind a report, with a value replaced in every other one."""
    return _with_odd_values(draw, json.loads(_results()))


_RESULTS: list[bytes] = []


def _results() -> bytes:
    """What `widemargin report` saves of one good table, made once."""
    if not _RESULTS:
        with tempfile.TemporaryDirectory() as folder:
            source, path = Path(folder) / "x.csv", Path(folder) / "x.json"
            frame = table(Draw(1))
            frame.to_csv(source, index=False)
            small = ["-m", "ReliefF"]
            outcome = run(
                "report", source, "-q", "-t", frame.columns[-1], *small, "-o", path
            )
            assert outcome.code == 0, outcome
            _RESULTS.append(path.read_bytes())
    return _RESULTS[0]


def _with_odd_values(draw: Draw, found: dict[str, Any]) -> bytes:
    odd = [
        None,
        "a",
        ["a"],
        {},
        [],
        -1,
        1e308,
        10**400,
        True,
        [[1]],
        {"a": [1]},
        *HOSTILE,
    ]
    if draw.random() < 0.5:
        for _ in range(draw.choice([1, 1, 2])):
            part: Any = found
            while True:
                key = draw.choice(
                    [*(part if isinstance(part, dict) else range(len(part)))]
                )
                inner = part[key]
                if (
                    not (isinstance(inner, dict | list) and inner)
                    or draw.random() < 0.4
                ):
                    break
                part = inner
            part[key] = draw.choice(odd)
    if draw.random() < 0.02:
        deep = draw.choice(["[", '{"a":'])
        return deep.encode() * 200_000
    return json.dumps(found, ensure_ascii=draw.random() < 0.5).encode(
        "utf-8", "replace"
    )


FORMATS: dict[str, Make] = {
    "x.csv": as_text(),
    "x.tsv": as_text("\t"),
    "x.txt": as_text(";"),
    "x.csv.gz": packed(gzip.compress),
    "x.csv.bz2": packed(bz2.compress),
    "x.csv.xz": packed(lzma.compress),
    "x.csv.zip": packed(in_zip),
    "x.csv.zst": packed(in_zstandard),
    "x.parquet": as_parquet,
    "x.feather": as_feather,
    "x.arrow": as_feather,
    "x.xlsx": as_excel,
    "x.arff": as_arff,
    "x.mat": as_matlab,
    "x.npz": as_npz,
    "x.npy": as_npy,
    "x.libsvm": as_libsvm,
    "x.h5ad": as_anndata,
    "selection.json": as_selection,
    "results.json": as_results,
}


def damaged(draw: Draw, data: bytes) -> bytes:
    """Bytes that are nearly those of a good file; one in six is left as it is."""
    way = draw.randrange(6)
    if way == 0 or not data:
        return data
    if way == 1:
        return data[: draw.choice([0, 1, 7, 64, draw.randrange(len(data) + 1)])]
    if way == 2:  # a stretch of zeros, of noise, or nothing
        start, length = draw.randrange(len(data)), draw.choice([1, 8, 50, 400])
        piece = draw.choice([bytes(length), draw.randbytes(length), b""])
        return data[:start] + piece + data[start + length :]
    if way == 3:  # a part again, elsewhere
        start, place = draw.randrange(len(data)), draw.randrange(len(data))
        piece = data[start : start + draw.choice([4, 40, len(data)])]
        return data[:place] + piece + data[place:]
    if way == 4:  # what a terminal obeys, in the middle of whatever
        place = draw.randrange(len(data))
        piece = draw.choice(HOSTILE).encode("utf-8", "replace")
        return data[:place] + piece + data[place:]
    changed = bytearray(data)
    # Headers are at the beginning or at the end.
    ends = draw.choice([(0, 400), (len(data) - 400, len(data)), (0, len(data))])
    for _ in range(draw.choice([1, 1, 4, 40])):
        place = draw.randrange(*ends) % len(data)
        changed[place] = draw.choice([0, 1, 127, 255, 27, draw.randrange(256)])
    return bytes(changed)


class Case(NamedTuple):
    """A file, and what is to be done with it."""

    kind: str  # what the file was, before it was damaged
    name: str
    data: bytes
    command: str


def case(number: int, seed: int, kinds: list[str]) -> Case:
    """The file of that number."""
    kind = kinds[number % len(kinds)]
    draw = Draw(f"{seed} {number} {kind}")
    data = damaged(draw, FORMATS[kind](draw, table(draw)))
    name = kind
    if draw.random() < 0.1:
        name = draw.choice([*FORMATS, "x", "x.json"])
    elif draw.random() < 0.03 and os.name == "posix":
        name = f"\x1b[2J{kind}"
    way = draw.choice(["rank"] * 8 + ["transpose", "labels"])
    command = {"selection.json": "apply", "results.json": "report"}.get(kind, way)
    return Case(kind, name, data, command)


class Outcome(NamedTuple):
    """How the command ended."""

    code: int
    stdout: str
    stderr: str
    fault: str = ""


def run(*arguments: Any) -> Outcome:
    """Run the command in this process."""
    from click.testing import CliRunner

    from widemargin.cli.group import cli

    # click 8.1 has to be told what later releases do anyway.
    old = "mix_stderr" in inspect.signature(CliRunner).parameters
    runner = CliRunner(**({"mix_stderr": False} if old else {}))
    found = runner.invoke(cli, [str(a) for a in arguments], prog_name="widemargin")
    fault = ""
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        fault = f"{type(found.exception).__name__}: {str(found.exception)[:200]!r}"
    return Outcome(found.exit_code, found.stdout, found.stderr, fault)


def tried(one: Case, folder: Path) -> Outcome:
    """What the command makes of a file, and what is wrong with that, if anything."""
    path = folder / one.name
    path.write_bytes(one.data)
    good = folder / "good.csv"
    if not good.exists():
        table(Draw(1)).to_csv(good, index=False)
    arguments = {
        "rank": ["rank", path],
        "transpose": ["rank", path, "--transpose", "-t", "-1"],
        "labels": ["rank", good, "--labels", path],
        "apply": ["apply", path, good],
        "report": ["report", path, "-f", "-o", folder / "page.html"],
    }
    outcome = run(*arguments[one.command])
    path.unlink()
    return outcome._replace(fault=outcome.fault or fault(outcome))


def fault(outcome: Outcome) -> str:
    """What is wrong with an outcome; empty if nothing is."""
    if outcome.code not in (0, 2):
        return f"exit code {outcome.code}"
    if found := CONTROL.search(outcome.stdout + outcome.stderr):
        return f"control character {found[0]!r}"
    lines = outcome.stderr.splitlines()
    if any(len(line) > LONGEST for line in lines):
        return f"a message of {max(map(len, lines))} letters"
    if outcome.code == 2 and (len(lines) != 1 or outcome.stdout):
        return f"{len(lines)} lines and {len(outcome.stdout)} letters of output"
    if outcome.code == 2 and not lines[0].startswith("widemargin: "):
        return "not a message of the command"
    return ""


def work(numbers: range, seed: int, kinds: list[str]) -> None:
    """Try some files; say on stdout which is begun, and how it ended."""
    os.environ["WIDEMARGIN_MEMORY"] = "256M"
    import signal

    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            one = case(number, seed, kinds)
            print(json.dumps([number]), flush=True)
            if hasattr(signal, "alarm"):
                signal.alarm(PATIENCE)  # which ends the process
            outcome = tried(one, Path(folder))
            print(
                json.dumps([number, outcome.code, outcome.fault, outcome.stderr]),
                flush=True,
            )


def main() -> int:
    """Try all files, and say how many were read, refused, or led to a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first")
    parser.add_argument("--only", nargs="+", choices=list(FORMATS), default=None)
    parser.add_argument("--work", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    kinds = options.only or list(FORMATS)
    if options.work:
        work(range(*options.work), options.seed, kinds)
        return 0
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    faults = 0
    place, end = options.start, options.start + options.files
    only = ["--only", *options.only] if options.only else []
    while place < end:
        stop = min(place + AT_ONCE, end)
        command = [sys.executable, __file__, "--seed", str(options.seed), *only]
        child = subprocess.run(
            [*command, "--work", str(place), str(stop)],
            capture_output=True,
            text=True,
            check=False,
        )
        begun = place - 1
        for line in child.stdout.splitlines():
            if not line.startswith("["):
                continue
            begun, *outcome = json.loads(line)
            if outcome:
                code, wrong, said = outcome
                kind = kinds[begun % len(kinds)]
                how = "fault" if wrong else "read" if code == 0 else "refused"
                counts[kind][how] += 1
                if wrong:
                    faults += 1
                    print(f"{begun} {kind}: {wrong}; {said[:300]!r}", flush=True)
                place = begun + 1
        if place < stop:
            faults += 1
            counts[kinds[place % len(kinds)]]["fault"] += 1
            last = child.stderr.strip().splitlines()[-1:]
            kind, code = kinds[place % len(kinds)], child.returncode
            print(f"{place} {kind}: ended by {code} {last}", flush=True)
            place += 1
    for kind, found in counts.items():
        print(
            f"{kind:15}",
            "  ".join(f"{found[how]:5} {how}" for how in ("read", "refused", "fault")),
        )
    total = sum(counts.values(), Counter())
    print(
        f"{sum(total.values())} damaged files (seed {options.seed}): "
        f"{total['read']} read, {total['refused']} refused, {faults} faults"
    )
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
