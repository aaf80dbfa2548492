"""What reaches a terminal: no control characters, one line for an error, no ruins."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_tools import invoke, run_here, run_main
from widemargin import Selection
from widemargin.cli.terminal import MOST, UNSAFE, message, printable

CLEAR = "\x1b[2J"
posix = pytest.mark.skipif(os.name != "posix", reason="closes or signals as POSIX does")


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    encoding = "utf-8"

    def isatty(self):
        return True


def hostile(path, rows=40):
    """A table whose names and labels clear the screen."""
    rng = np.random.default_rng(0)
    y = np.arange(rows) % 2
    frame = pd.DataFrame(rng.normal(size=(rows, 3)) + y[:, None])
    frame.columns = [f"a{CLEAR}", "b\x9b31m", "c\u202e"]
    labels = np.array([f"no{CLEAR}", f"yes{CLEAR}"], object)
    frame.assign(**{f"kind{CLEAR}": labels[y]}).to_csv(path, index=False)
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "dumb")
    return tmp_path


COMMANDS = {
    "rank": ["rank", "x.csv", "-n", "1"],
    "rank --json": ["rank", "x.csv", "--json"],
    "select": ["select", "x.csv", "-n", "2"],
    "apply": ["apply", "s.json", "x.csv"],
    "compare": ["compare", "x.csv", "-m", "FisherScore"],
    "report": ["report", "x.csv", "-m", "FisherScore"],
    "no target": ["rank", "x.csv", "-t", CLEAR],
    "no file": ["rank", f"{CLEAR}.csv"],
    "no option": ["rank", f"--{CLEAR}"],
    "stray": ["rank", "stray.csv"],
    "file name": ["rank", f"{CLEAR}x.csv"],
}


@pytest.mark.parametrize("case", COMMANDS)
def test_nothing_from_data_commands_the_terminal(case, folder, monkeypatch):
    hostile(folder / "x.csv")
    if os.name == "posix":
        hostile(folder / f"{CLEAR}x.csv")
    numbers = "".join(f"{i},{'xy'[i % 2]}\n" for i in range(40))
    (folder / "stray.csv").write_text(f"a,kind\n{CLEAR},x\n{numbers}")
    names = [f"a{CLEAR}", "b\x9b31m", "c\u202e"]
    Selection(names[:2], names).save("s.json")
    out, err = Terminal(), Terminal()
    run_here(*COMMANDS[case], stdout=out, stderr=err)
    said = out.getvalue() + err.getvalue()
    # Escapes of our own, for colours and bars, are not for a dumb terminal.
    assert UNSAFE.sub("", said) == said
    assert said.strip()
    if case not in ("no option",):
        assert r"\x1b[2J" in said or r"\u001b[2J" in said


def test_hints_can_be_typed(folder):
    numbers = "".join(f"{i},{'xy'[i % 2]}\n" for i in range(40))
    for cell, hint in {
        "n. a.": " (--missing 'n. a.' takes it as missing, --categorical a takes",
        "it's": """ (--missing 'it'"'"'s' takes it as missing, --categorical""",
        CLEAR: " (--categorical a takes the column as categories).",
        "x" * 99: "x…' (--categorical a takes the column as categories).",
    }.items():
        (folder / "x.csv").write_text(f"a,kind\n0,y\n{cell},x\n{numbers}")
        assert hint in invoke("rank", "x.csv").stderr


@pytest.mark.parametrize("cell", ["n. a.", "n,a", "it's", 'a "b", c', '"x'])
@pytest.mark.parametrize("ending", ["csv", "arff"])
def test_what_a_hint_says_helps(folder, cell, ending):
    quoted = '"' + cell.replace('"', '""') + '"'
    rows = f"0,y\n{quoted},x\n" + "".join(f"{i},{'xy'[i % 2]}\n" for i in range(40))
    head = "a,kind\n"
    if ending == "arff":
        rows = rows.replace(quoted, "'" + cell.replace("'", r"\'") + "'")
        head = "@relation r\n@attribute a real\n@attribute kind {x,y}\n@data\n"
    name = f"x.{ending}"
    (folder / name).write_text(head + rows)
    said = invoke("rank", name).stderr
    hint = shlex.split(re.search(r"\((--missing .*?) (takes|treats) it", said)[1])
    helped = invoke("rank", name, *hint)
    assert helped.exit_code == 0, helped.stderr
    assert "1 of 42 cells are missing" in helped.stderr


def test_names_are_one_line_each(folder):
    y = np.arange(30) % 2
    frame = pd.DataFrame({"Age\n(years)": y + 0.1, "b": y * 2.5, "kind": y})
    frame.to_csv("x.csv", index=False)
    found = invoke("select", "x.csv", "-n", "2", "-q").stdout
    assert sorted(found.splitlines()) == [r"Age\n(years)", "b"]
    assert r"Age\n(years)" in invoke("rank", "x.csv", "-q").stdout


def test_json_keeps_every_name(folder):
    hostile(folder / "x.csv")
    found = json.loads(invoke("rank", "x.csv", "--json", "-q").stdout)
    assert {row["feature"] for row in found["features"]} == {
        f"a{CLEAR}",
        "b\x9b31m",
        "c\u202e",
    }


def test_data_in_a_pipe_are_as_they_are(folder):
    hostile(folder / "x.csv")
    Selection([f"a{CLEAR}"], [f"a{CLEAR}"]).save("s.json")
    assert CLEAR in invoke("apply", "s.json", "x.csv").stdout


def test_messages_are_short_lines():
    long = f"begin {'x' * 9000}\n{CLEAR} end"
    assert len(message(long)) == MOST
    assert message(long).startswith("begin x")
    assert message(long).endswith(" end")
    assert "\n" not in message(long)
    assert "\x1b" not in message(long)
    assert message("a  b\n c") == "a b c"
    assert printable("é 你好 a\tb\n\u200c") == "é 你好 a\tb\n\u200c"


def test_a_very_long_name_makes_no_long_message(folder):
    (folder / "x.csv").write_text(f"{'a' * 9000},kind\n1,x\n2,y\n1,x\n")
    for arguments in (["-t", "b" * 2000], ["-t", "b"], [], ["--drop", "kind"]):
        error = invoke("rank", "x.csv", *arguments).stderr
        assert all(len(line) <= 500 for line in error.splitlines())


def test_formulas_in_a_ranking_are_made_harmless(folder):
    y = np.arange(30) % 2
    pd.DataFrame({"=1+1": y + 0.1, "b": y * 2.5, "kind": y}).to_csv(
        "x.csv", index=False
    )
    result = invoke("rank", "x.csv", "-o", "r.csv", "-o", "r.json")
    assert "apostrophe before 1 cell of 'feature'" in result.stderr
    assert "'=1+1" in pd.read_csv("r.csv")["feature"].tolist()
    assert "=1+1" in [
        row["feature"] for row in json.loads(Path("r.json").read_text())["features"]
    ]
    invoke("rank", "x.csv", "-f", "-o", "r.csv", "--keep-formulas")
    assert "=1+1" in pd.read_csv("r.csv")["feature"].tolist()


@pytest.mark.processes
@posix
def test_closed_streams_are_told_or_not_missed(folder):
    pd.DataFrame({"a": range(30), "kind": [0, 1] * 15}).to_csv("x.csv", index=False)
    command = f"{sys.executable} -m widemargin"
    script = f"""
        {command} rank x.csv -q >&-; echo $?
        {command} rank x.csv -q -o r.csv >&- <&-; echo $?
        {command} rank - <&-; echo $?
        {command} rank none.csv >&- 2>&-; echo $?
    """
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["2", "0", "2", "2"]
    assert done.stderr.splitlines() == [
        "widemargin: cannot write the result: Bad file descriptor.",
        "widemargin: stdin cannot be read: Bad file descriptor.",
    ]
    assert len(pd.read_csv("r.csv")) == 1


@pytest.mark.processes
@posix
@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_request_to_end_leaves_nothing_half_written(name, code, folder):
    pd.DataFrame({"a": range(30), "kind": [0, 1] * 15}).to_csv("x.csv", index=False)
    kill = (
        "import os, signal, pandas\n"
        f"signal.signal(signal.{name}, signal.SIG_DFL)\n"  # nohup has it ignored
        "def write(frame, file, **how):\n"
        "    file.write('half')\n"
        "    assert os.path.basename(file.name).startswith('.')\n"
        f"    os.kill(os.getpid(), signal.{name})\n"
        "    raise AssertionError('the signal was not heard')\n"
        "pandas.DataFrame.to_csv = write\n"
    )
    result = run_main(kill, "rank", "x.csv", "-q", "-o", "r.csv", cwd=folder)
    assert result.stderr == "widemargin: interrupted\n"
    assert result.returncode == code
    assert os.listdir(folder) == ["x.csv"]


@posix
def test_handlers_are_put_back(folder):
    import signal

    before = signal.getsignal(signal.SIGTERM)
    run_here("--version", stdout=io.StringIO())
    assert signal.getsignal(signal.SIGTERM) is before


DEEP = "[" * 200_000
GOOD = {
    "widemargin": "selection",
    "format": 1,
    "features": ["a"],
    "kept": ["a"],
}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (DEEP, "is not JSON in UTF-8: maximum recursion depth"),
        ({**GOOD, "scores": ["a"]}, "not have one number per feature in scores"),
        ({**GOOD, "scores": [True]}, "not have one number per feature in scores"),
        ({**GOOD, "ranking": [None]}, "not have one number per feature in ranking"),
        ({**GOOD, "ranking": [10**30]}, "too large"),
        ({**GOOD, "scores": [10**400]}, "too large"),
    ],
)
def test_a_damaged_selection_is_one_line(text, words, folder):
    (folder / "x.csv").write_text("a,b\n1,2\n")
    (folder / "s.json").write_text(text if isinstance(text, str) else json.dumps(text))
    result = invoke("apply", "s.json", "x.csv")
    assert result.exit_code == 2
    assert words in result.stderr
    with pytest.raises(ValueError, match=re.escape(words)):
        Selection.load("s.json")


def test_a_selection_may_have_any_target(folder):
    (folder / "x.csv").write_text("a,b\n1,2\n")
    (folder / "s.json").write_text(json.dumps({**GOOD, "settings": {"target": [1]}}))
    assert invoke("apply", "s.json", "x.csv", "-q").stdout == "a\n1\n"


@pytest.mark.parametrize("text", [DEEP, '{"schema": 1}', '{"schema": 1, "answer": []}'])
def test_damaged_results_are_one_line(text, folder):
    (folder / "r.json").write_text(text)
    result = invoke("report", "r.json", "-o", "r.html")
    assert result.exit_code == 2
    assert result.stderr.startswith("widemargin: r.json is not ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("code", [0x110000, 0x7FFFFFFF, 0xD800])
@pytest.mark.parametrize("shape", ["records", "table", "npz", "swapped"])
def test_text_with_code_points_that_do_not_exist_is_refused(code, shape, folder):
    labels = np.array(["x", "y"] * 10)
    if shape == "records":
        found = np.zeros(20, [("a", "<f8"), ("kind", "<U1")])
        found["a"], found["kind"] = np.arange(20), labels
        found["kind"].view(np.uint32)[3] = code
    elif shape == "swapped":
        labels.view(np.uint32)[3] = code
        found = np.column_stack([labels, labels]).byteswap().view(">U1")
    else:
        labels.view(np.uint32)[3] = code
        found = np.column_stack([labels, labels])
    name = "x.npz" if shape == "npz" else "x.npy"
    if shape == "npz":
        np.savez(name, X=np.eye(20), y=labels)
    else:
        np.save(name, found)
    result = invoke("rank", name)
    assert result.exit_code == 2
    assert "its text has code points that do not exist" in result.stderr


def test_a_name_that_cannot_be_encoded_is_one_line(folder):
    from widemargin.cli.problem import Problem
    from widemargin.cli.writing import save_frame

    with pytest.raises(Problem, match=r"cannot write x.csv: utf-8 has no character"):
        save_frame("x.csv", pd.DataFrame({"\udc80": [1]}))
    assert os.listdir(folder) == []
