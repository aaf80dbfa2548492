"""Entries for the command: what it prints, writes and returns, on tidy and messy files.

It runs in this process, as `python -m widemargin` does, in a folder of its own. New
files are kept in the entry and removed before the next call.
"""

from __future__ import annotations

import gzip
import io
import json
import runpy
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import record_tables
from record_evaluation import html
from record_plain import digest, plain
from scipy.io import savemat
from sklearn.datasets import load_iris

Entries = Iterator[tuple[str, Callable[[], Any]]]

QUICK = "--folds 3"
TWO = "-m ReliefF -m FisherScore"
COMMANDS = ("rank", "select", "apply", "compare", "report", "methods", "demo")
MESSY = """\
Patient;Alter;Größe;Geschlecht;Raucher;Befund;Kommentar;Leer;Diagnose
P-001;45;1,75;m;ja;3,2;"gut; stabil";;krank
P-002;38;1,62;w;nein;NA;ok;;gesund
P-003;52;1,80;m;ja;4,1;ok;;krank
P-004;29;1,70;w;;1,1;ok;;gesund
P-005;61;1,68;w;ja;5,0;"gut; stabil";;krank
P-006;33;;m;nein;0,9;ok;;gesund
P-007;47;1,77;m;ja;2,8;ok;;krank
P-008;41;1,66;w;nein;1,3;ok;;
P-009;55;1,82;m;nein;3,9;?;;krank
P-010;27;1,71;w;nein;0,7;ok;;gesund
P-011;36;1,69;w;ja;1,0;ok;;gesund
P-012;58;1,74;m;ja;1.234,5;ok;;krank
"""
ARFF = """\
@relation weather
@attribute outlook {sunny, rain}
@attribute heat numeric
@attribute wind numeric
@attribute play {yes, no}
@data
sunny,21,3.5,yes
rain,12,?,no
sunny,25,1.0,yes
rain,14,8.0,no
sunny,11,7.5,no
rain,22,2.0,yes
"""
BROKEN = {
    "empty.csv": "",
    "header.csv": "a,b,kind\n",
    "ragged.csv": "a,b,kind\n1,2,x\n1,2,3,4,y\n5,6,x\n",
    "prose.csv": "This is not a table.\nIt has two lines.\n",
    "control.csv": "a\x1b[2J,b,kind\n1,2,x\n3,4,y\n5,1,x\n2,2,y\n",
    "broken.parquet": "PAR1 and no more",
    "broken.json": "{",
    "strange.json": '{"schema": 1}',
}


def iris() -> pd.DataFrame:
    """Every second flower."""
    data = load_iris(as_frame=True)
    frame = data.data.set_axis(list("abcd"), axis=1)
    frame["kind"] = data.target_names[data.target]
    return frame.iloc[::2].reset_index(drop=True)


def write_files() -> None:
    """Write all files that commands read into this folder."""
    flowers = iris()
    flowers.to_csv("iris.csv", index=False)
    flowers.to_csv("iris.tsv", index=False, sep="\t")
    flowers.drop(columns="kind").to_csv("unlabelled.csv", index=False)
    flowers[["d", "b", "a", "c"]].assign(extra=1).to_csv("other.csv", index=False)
    flowers.assign(a=flowers["a"].astype(str).str.replace(".", ",")).to_csv(
        "german.csv", index=False, sep=";"
    )
    write_binary(flowers)
    write_problems(flowers)
    Path("messy.csv").write_text(MESSY, encoding="utf-8")
    Path("latin.csv").write_text(MESSY, encoding="latin-1")
    Path("weather.arff").write_text(ARFF, encoding="utf-8")
    mixed = record_tables.mixed()
    mixed.X.assign(state=mixed.y).to_csv("mixed.csv", index=False)
    linear = record_tables.linear()
    frame = pd.DataFrame(linear.X).add_prefix("x").assign(price=linear.y)
    frame.to_csv("prices.csv", index=False)
    frame.to_parquet("prices.parquet")


def write_binary(flowers: pd.DataFrame) -> None:
    """Write the flowers in other formats."""
    flowers.to_parquet("iris.parquet")
    flowers.to_feather("iris.feather")
    with pd.ExcelWriter("iris.xlsx") as book:
        flowers.to_excel(book, sheet_name="flowers", index=False)
        flowers.head(9).to_excel(book, sheet_name="few", index=False)
    X, y = flowers[list("abcd")].to_numpy(), flowers["kind"].to_numpy()
    codes = np.unique(y, return_inverse=True)[1]
    np.savez("iris.npz", X=X, y=codes)
    np.save("iris.npy", np.column_stack([X, codes]))
    savemat("iris.mat", {"X": X, "Y": codes[:, None] + 1})
    lines = (
        f"{label} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(row))
        for label, row in zip(codes, X, strict=True)
    )
    Path("iris.libsvm").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = gzip.compress(flowers.to_csv(index=False).encode(), mtime=0)
    Path("iris.csv.gz").write_bytes(text)
    days = Path("days")
    days.mkdir()
    flowers.iloc[::2].to_parquet(days / "1.parquet")
    flowers.iloc[1::2].to_parquet(days / "2.parquet")


def write_problems(flowers: pd.DataFrame) -> None:
    """Write files in which something is wrong or odd."""
    n, draw = len(flowers), np.random.default_rng(0)
    odd = {
        "ids": flowers.assign(id=[f"row {i}" for i in range(n)]),
        "dates": flowers.assign(day=pd.date_range("2020-01-01", periods=n)),
        "leak": flowers.assign(copy=flowers["kind"].str.upper()),
        "groups": flowers.assign(patient=np.arange(n) // 5),
        "codes": flowers.assign(a=flowers["a"].where(draw.random(n) > 0.2, -999)),
        "oneclass": flowers.head(20),
        "short": flowers.head(2),
        "constant": flowers.assign(e=1),
        "missing": flowers.assign(e=np.where(np.arange(n) < n - 2, np.nan, 1.0)),
        "formulas": flowers.rename(columns={"a": "=1+1", "b": "@b"}),
        "two": flowers[flowers["kind"] != "setosa"],
        "textonly": flowers[["kind"]].assign(x="text"),
    }
    for name, frame in odd.items():
        columns = [c for c in frame if c != "kind"]
        frame[[*columns, "kind"]].to_csv(f"{name}.csv", index=False)
    flowers.to_csv("nohead.csv", index=False, header=False)
    flowers.T.to_csv("across.csv", header=[f"r{i}" for i in range(n)])
    twice = flowers.to_csv(index=False).replace("a,b,c,d", "a,a,c,d", 1)
    Path("twice.csv").write_text(twice, encoding="utf-8")
    for name, text in BROKEN.items():
        Path(name).write_text(text, encoding="utf-8")


# Calls, one in a line.
RANK = """
iris.csv
iris.csv --json
iris.csv -k 5 -n 2
iris.csv -k 5 -n 2 --json
iris.csv -m simba -p n_starts=2 -t 4 --json
iris.csv -m GFlip
iris.csv -m gflip --seed 3 --json
iris.csv -m ReliefF --samples auto -n 2
iris.csv -m ReliefF --samples 20 --metric manhattan --scale standard --json
iris.csv -m FCBF --top 1
iris.csv -m MRMR --top all -q
iris.csv -m ReliefF --redundancy 0.8 -n 2 --json
iris.csv -m ReliefF --redundancy auto -n auto
iris.csv -m ReliefF -o out.csv
iris.csv -m ReliefF -o out.json -o out.parquet -o out.tsv
iris.csv --ordinal setosa,versicolor,virginica -m OReliefF
iris.csv --ordinal setosa,versicolor -m OReliefF
iris.csv -t a --bins 3
iris.csv -t a --task regression --json
iris.csv -t 0
iris.csv --drop a,b --json
iris.csv --drop z
iris.csv --sample 30 --json
iris.csv -m ReliefF --categorical a --json
iris.csv -m ReliefF --image-shape 2x2
iris.csv -t knd
iris.csv -t 17
iris.csv -m Relieff2
iris.csv -m nothing
iris.csv -n 99
iris.csv -n 0
iris.csv -n 1.5
iris.csv -k 0
iris.csv -k 70
iris.csv -p n_starts
iris.csv -p n_stars=3 -m Simba
iris.csv -m Simba -k 3
iris.csv --redundancy 7
iris.csv --metric cosine
iris.csv --nope
iris.csv --targt kind
iris.csv -o out.pdf
iris.csv -o iris.csv
iris.csv -j 0
iris.csv --scheduler tcp://127.0.0.1:1
nowhere.csv
iris.tsv -m ReliefF --json
german.csv -m ReliefF
iris.csv.gz -m ReliefF
iris.parquet -m ReliefF
iris.feather -m ReliefF
iris.xlsx -m ReliefF
iris.xlsx -m ReliefF --sheet few
iris.xlsx -m ReliefF --sheet none
iris.npz -m ReliefF
iris.npy -m ReliefF
iris.mat -m ReliefF
iris.libsvm -m ReliefF
weather.arff -m ReliefF --json
weather.arff
messy.csv
messy.csv --json
messy.csv -t Alter
messy.csv --keep-ids --max-missing 1
latin.csv --json
mixed.csv
mixed.csv --json
mixed.csv -m ReliefF --json
mixed.csv -m FisherScore
mixed.csv -t size --json
prices.csv
prices.csv -m RReliefF --json
prices.csv -m Simba
prices.csv --task classification
prices.parquet -m FRegression
unlabelled.csv
ids.csv
ids.csv --keep-ids -m ReliefF
dates.csv --json
leak.csv --json
groups.csv
codes.csv -m ReliefF --json
codes.csv -m ReliefF --missing=-999 --json
oneclass.csv
short.csv
constant.csv -m ReliefF --json
missing.csv -m ReliefF
formulas.csv -m ReliefF -o out.csv
formulas.csv -m ReliefF -o out.csv --keep-formulas
textonly.csv
nohead.csv -m ReliefF
nohead.csv -m ReliefF --no-header --json
nohead.csv -m ReliefF --header
across.csv --transpose -m ReliefF -t kind
twice.csv -m ReliefF --json
empty.csv
header.csv
ragged.csv
prose.csv
control.csv -m FisherScore
broken.parquet
broken.json
iris.parquet -t kind --engine dask
iris.parquet -t kind --engine dask -m ReliefF --json
iris.csv -t kind --engine dask -m FisherScore
iris.csv -t kind --engine dask -m Simba
days/*.parquet -t kind --engine dask -m FRLL --json
prices.parquet -t price --engine dask -m RReliefF --json
days -t kind --engine dask -m ReliefF
iris.csv -t kind --engine dask -m GFlip
"""
SELECT = """
iris.csv
iris.csv --json
iris.csv -n 2
iris.csv -n 0.5 -m FisherScore --json
iris.csv -m GFlip --json
iris.csv -m MRMR
iris.csv -m ReliefF --redundancy none
iris.csv -n 2 -m ReliefF -o few.csv
iris.csv -n 2 -m ReliefF -o few.parquet -o few.tsv -o few.json
iris.csv -n 2 -m ReliefF --save few.json
iris.csv -n 2 -m ReliefF --save few.txt
iris.csv -n 2 -m ReliefF --keep a,kind -o few.csv
german.csv -n 2 -m ReliefF -o few.csv
messy.csv -n 3 -o few.csv
messy.csv --json
ids.csv -n 2 --keep id -o few.csv
mixed.csv --json
mixed.csv -m ReliefF -n auto
prices.csv
prices.csv --json
prices.csv -m FRegression -n auto
groups.csv -m ReliefF
formulas.csv -n 4 -m ReliefF -o few.csv
oneclass.csv
iris.csv -n 2 --keep z
iris.parquet -n 2 -t kind --engine dask -o few.parquet
days/*.parquet -n 2 -t kind --engine dask -m ReliefF --json
iris.xlsx -n 1 -m ReliefF -o few.csv
"""
APPLY = """
few.json iris.csv
few.json other.csv
few.json unlabelled.csv -o new.csv
few.json iris.csv --keep kind
few.json iris.parquet -o new.parquet -o new.json
few.json messy.csv
few.json nohead.csv
few.json empty.csv
few.json nowhere.csv
broken.json iris.csv
strange.json iris.csv
nowhere.json iris.csv
"""
COMPARE = f"""
iris.csv {TWO} {QUICK}
iris.csv {TWO} {QUICK} --json
two.csv {TWO} {QUICK} -o two.csv --force
two.csv {TWO} {QUICK} --positive versicolor -o out.tsv -o out.json --json
mixed.csv -m ReliefF {QUICK} --json
prices.csv -m RReliefF -m FRegression {QUICK} --json
prices.csv -m RReliefF {QUICK}
groups.csv {TWO} {QUICK} --groups patient --baseline a,b --json
dates.csv -m ReliefF {QUICK} --time day --json
iris.csv -m ReliefF {QUICK} --cv time
iris.csv -m ReliefF {QUICK} --estimator logistic --scoring f1_macro --json
iris.csv -m ReliefF {QUICK} --image-shape 2x2 -q
leak.csv -m ReliefF {QUICK}
messy.csv -m ReliefF {QUICK} --json
iris.csv --ordinal setosa,versicolor,virginica -m OReliefF {QUICK} --json
iris.csv -m nothing
iris.csv --scoring auc
iris.csv --estimator oracle
iris.csv --folds 1
iris.csv --groups z
iris.csv --baseline z
iris.csv --positive setosa
iris.csv --image-shape 9x9
oneclass.csv
nowhere.csv
"""
REPORT = f"""
iris.csv -m ReliefF {QUICK} --title Flowers
iris.csv -m ReliefF {QUICK} --json
prices.csv -m RReliefF {QUICK} -o out.json -o out.html
messy.csv -m ReliefF {QUICK}
saved.json
saved.json --json -o again.html
broken.json
strange.json
iris.csv -o out.txt
"""
BEFORE = {
    "apply": "select iris.csv -n 2 -m ReliefF --save few.json -q",
    "report": f"report iris.csv -m ReliefF {QUICK} -o saved.json -q",
}


def run(call: str, given: bytes = b"", *, keep: bool = False) -> dict[str, Any]:
    """Exit code, output and new files of one call."""
    before = {path for path in Path().rglob("*") if path.is_file()}
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    kept = sys.argv, sys.stdin
    sys.argv = ["widemargin", *call.split()]
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            runpy.run_module("widemargin", run_name="__main__")
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.argv, sys.stdin = kept
    found = {"code": code, "out": read(out), "err": read(err)}
    new = sorted({path for path in Path().rglob("*") if path.is_file()} - before)
    if new:
        found["files"] = {str(path): content(path) for path in new}
    for path in [] if keep else new:
        path.unlink()
    return found


def read(stream: io.TextIOWrapper) -> Any:
    """What was printed: lines, or the values if it is JSON."""
    stream.flush()
    return as_values(stream.buffer.getvalue().decode("utf-8"))


def as_values(text: str) -> Any:
    """Values of JSON; of any other text, the lines."""
    if text.startswith(("{", "[")):
        return {"json": plain(json.loads(text))}
    return plain(text.splitlines())


def content(path: Path) -> Any:
    """What a file has in it."""
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        return html(text)
    values = as_values(text)
    if isinstance(values, list) and len(values) > 12:
        return [*values[:6], f"{len(values)} lines", digest(text.encode())]
    return values


def calls(command: str, lines: str) -> Entries:
    """One entry per line, in a folder with all files."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            write_files()
        if command in BEFORE:
            run(BEFORE[command], keep=True)
        for line in filter(None, lines.splitlines()):
            yield line, partial(run, f"{command} {line}")


@contextmanager
def in_empty_folder() -> Iterator[None]:
    """Where nobody else makes files meanwhile."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        yield


def helps() -> Entries:
    """What the command says of itself."""
    with in_empty_folder():
        yield "nothing", partial(run, "")
        yield "help", partial(run, "--help")
        yield "unknown", partial(run, "rnak")
        yield "methods", partial(run, "methods")
        yield "methods json", partial(run, "methods --json")
        for command in (*COMMANDS, "warm", "completion"):
            yield f"{command} --help", partial(run, f"{command} --help")
            yield f"{command} wrong", partial(run, f"{command} --wrong")
        for shell in ("bash", "zsh", "fish", "tcsh"):
            yield f"completion {shell}", partial(run, f"completion {shell}")


def streams() -> Entries:
    """Data from standard input."""
    text = iris().to_csv(index=False).encode()
    with in_empty_folder():
        for line in ("rank - -m ReliefF", "rank - -m ReliefF --json", "select - -n 2"):
            yield line, partial(run, line, text)
        yield "nothing", partial(run, "rank -")


PARTS: dict[str, Callable[[], Entries]] = {
    "command": helps,
    "stdin": streams,
    "rank": partial(calls, "rank", RANK),
    "select": partial(calls, "select", SELECT),
    "apply": partial(calls, "apply", APPLY),
    "cli compare": partial(calls, "compare", COMPARE),
    "cli report": partial(calls, "report", REPORT),
}
