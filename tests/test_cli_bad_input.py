"""Bad input: one clear line, exit code 2, no traceback, nothing written."""

import gzip
import os
import sys

import numpy as np
import pytest

from cli_tools import invoke, run, run_main

ROWS = "a,b,kind\n1,2,x\n2,1,y\n3,5,x\n4,4,y\n5,7,x\n6,1,y\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(ROWS)
    return tmp_path


def refusal(folder, *arguments):
    """The one line by which the command refuses; sure that it leaves no trace."""
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("widemargin: ")
    assert result.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    return result.stderr.removeprefix("widemargin: ").rstrip()


FILES = {
    "empty.csv": (b"", "is empty"),
    "blank.csv": (b"\n \n\n", "is empty"),
    "header.csv": (b"a,b,c\n", "3 columns but no rows"),
    "one_column.csv": (b"a\n1\n2\n3\n", "only one column"),
    "one_class.csv": (b"a,b,c\n1,2,x\n2,3,x\n3,5,x\n", "only one class, 'x'"),
    "two_rows.csv": (b"a,b,c\n1,2,x\n2,3,y\n", "2 rows, each of a different class"),
    "constant.csv": (
        b"a,b,c\n1,2,x\n1,2,y\n1,2,x\n1,2,y\n",
        "all 2 features are constant",
    ),
    "text.csv": (
        b"a,b,c\n1,2,x\n2,oops,y\n3,4,x\n4,6,y\n",
        "text where numbers are needed: column 'b', row 2 is 'oops' (--missing oops",
    ),
    "binary.csv": (bytes(range(256)) * 20, "is not a text file"),
    "png.csv": (b"\x89PNG\r\n\x1a\n" + b"\x00\x01\x02" * 99, "is not a text file"),
    "brackets.csv": (b'{"a":' * 30_000, "no line that can be read as a row"),
    "quote.csv": (b'a,b,c\n1,2,x\n"2,3,y\n3,4,x\n', "never closed, about line 3: "),
    "ragged.csv": (b"a,b,c\n1,2,x\n2,3,y,9\n3,4,x\n", "line 3 has 4 fields where 3"),
    "infinite.csv": (b"a,c\n1,x\ninf,y\n3,x\n4,y\n", "infinite value in column 'a'"),
    "no_target.csv": (b"a,c\n1,\n2,\n3,\n", "'c', is missing in every row"),
    "ids.csv": (b"a,c\n1,p\n2,q\n3,r\n4,s\n", "a different value in each of 4"),
    "only_ids.csv": (b"id,c\np,x\nq,y\nr,x\ns,y\n", "no features left"),
    "cut.csv.gz": (gzip.compress(ROWS.encode())[:-12], "is damaged"),
    "bad.arff": (b"hello\nworld\n", "line 1 is 'hello'"),
    "no_data.arff": (b"@relation r\n@attribute a real\n", "it has no @data"),
    "no_type.arff": (b"@relation r\n@attribute a\n@data\n1\n", "lacks the name or"),
    "no_attribute.arff": (b"@relation r\n@data\n1\n", "no @attribute before"),
    "short.arff": (
        b"@relation r\n@attribute a real\n@attribute c {p,q}\n@data\n1,p\n2\n",
        "row 2 has 1 values for 2 attributes",
    ),
    "undeclared.arff": (
        b"@relation r\n@attribute a real\n@attribute c {p,q}\n@data\n1,p\n2,r\n",
        "'c' has the value 'r' in row 2",
    ),
    "text.arff": (
        b"@relation r\n@attribute a real\n@attribute c {p,q}\n@data\n1,p\nuh,q\n",
        "'a' is real, but row 2 has 'uh'",
    ),
    "lines.jsonl": (
        b'{"a": 1, "c": "x"}\n' * 4,
        "JSON is not supported; save the table as CSV",
    ),
    "bad.mat": (b"no MATLAB at all" * 20, "is not a readable MATLAB file"),
    "bad.npz": (b"\x93NUMPY and no more", "is not a readable NumPy file"),
    "bad.parquet": (b"PAR1 and no more", "is not a readable Parquet file"),
    "bad.feather": (b"ARROW1 and no more", "is not a readable Feather file"),
    "bad.xlsx": (b"no Excel", "is not a readable Excel file"),
    "bad.libsvm": (b"1 2:3 nonsense\n", "is not a readable LIBSVM file"),
}


@pytest.mark.parametrize("name", FILES)
def test_file(folder, name):
    content, words = FILES[name]
    (folder / name).write_bytes(content)
    assert words in refusal(folder, "rank", name)


OPTIONS = {
    "missing file": (["nothing.csv"], "there is no file 'nothing.csv'"),
    "folder": (["."], "is a folder"),
    "no such target": (["good.csv", "-t", "kimd"], "no column 'kimd'. Did you mean 'k"),
    "no such place": (["good.csv", "-t", "3"], "there are 3 columns, 0 to 2"),
    "no such column": (["good.csv", "--drop", "z"], "--drop: there is no column 'z'"),
    "target dropped": (["good.csv", "--drop", "kind"], "cannot be dropped"),
    "k too large": (["good.csv", "-k", "3"], "--neighbors 3 is too large"),
    "k not positive": (
        ["good.csv", "-k", "0"],
        "'0' is neither a positive integer",
    ),
    "no such method": (
        ["good.csv", "-m", "Relif"],
        "Did you mean 'Relief', 'ReliefF' or 'IRelief'?",
    ),
    "no such parameter": (["good.csv", "-m", "Simba", "-k", "1"], "no --neighbors"),
    "bad parameter": (["good.csv", "-p", "k"], "'k' is not like"),
    "unknown parameter": (
        ["good.csv", "-p", "k=1"],
        "KernelRFE has no --param k; the parameters are alpha, cat",
    ),
    "bad count": (["good.csv", "-n", "2.5"], "'2.5' is not a number of features"),
    "ordinal": (["good.csv", "--ordinal", "x,z"], "leaves out 'y'"),
    "bins of text": (["good.csv", "--bins", "3"], "'kind' is text"),
    "image": (["good.csv", "--image-shape", "3x3"], "9 pixels, but the data have 2"),
    "bad image": (["good.csv", "--image-shape", "nine"], "'nine' is not like 32x32"),
    "ending": (["good.csv", "-o", "x.doc"], "the file extension must be one of"),
    "exists": (["good.csv", "-o", "old.csv"], "old.csv exists already; --force"),
    "no folder": (["good.csv", "-o", "no/x.csv"], "there is no folder 'no'"),
    "no such option": (["good.csv", "--taget", "a"], "Did you mean '--target'?"),
    "no file": ([], "Missing argument 'FILE'"),
    "ordered": (["good.csv", "-m", "OReliefF"], "classes that have an order"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_option(folder, case):
    arguments, words = OPTIONS[case]
    # What is wrong with the data comes out before the notes; what a method finds
    # wrong, after them.
    quiet = ["--quiet"] if case == "ordered" else []
    (folder / "old.csv").touch()
    assert words in refusal(folder, "rank", *arguments, *quiet)


def test_only_options_and_commands_that_are_nearly_the_same_are_suggested():
    """Click suggests --folds for --methods, and --no-header for --no-formulas."""
    found = invoke("compare", "x.csv", "--methods", "ReliefF").stderr
    assert "there is no option '--methods'. Did you mean '--method'? " in found
    assert "'--no-formulas'. widemargin compare --help lists them." in (
        invoke("compare", "x.csv", "--no-formulas").stderr
    )
    assert "no command 'ranc'. Did you mean 'rank'? " in invoke("ranc", "x.csv").stderr
    assert "no command 'x.csv'. widemargin --help lists" in invoke("x.csv").stderr


def test_a_format_under_the_wrong_name_is_recognised(folder):
    np.savez(folder / "x.npz", X=np.eye(3), y=[0, 1, 0])
    (folder / "x.npz").rename(folder / "x.csv")
    assert "looks like numpy, try --format numpy" in refusal(folder, "rank", "x.csv")


def test_matlab_v7_3_says_how_to_save_instead(folder):
    head = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    (folder / "x.mat").write_bytes(head + b"\x89HDF\r\n\x1a\n" + bytes(500))
    assert "'-v7'" in refusal(folder, "rank", "x.mat")


def test_arrays_without_classes_are_listed(folder):
    np.savez(folder / "x.npz", X=np.eye(3), extra=np.zeros((7, 2)))
    message = refusal(folder, "rank", "x.npz")
    assert "a class for each of the 3 rows" in message
    assert "X 3×3, extra 7×2" in message


@pytest.mark.parametrize("module", ["pyarrow", "openpyxl", "anndata"])
def test_missing_library_is_one_line_that_says_what_to_install(
    folder, module, monkeypatch
):
    monkeypatch.setitem(sys.modules, module, None)
    name = {"pyarrow": "x.parquet", "openpyxl": "x.xlsx", "anndata": "x.h5ad"}[module]
    (folder / name).write_bytes(b"anything")
    message = refusal(folder, "rank", name)
    assert f"needs the package {module}: pip install" in message


def test_methods_for_numbers_name_those_for_categories(folder):
    (folder / "x.csv").write_text("a,b,c\np,1,x\nq,,y\np,3,x\nq,4,y\np,5,x\n")
    message = refusal(folder, "rank", "x.csv", "-m", "FisherScore")
    assert "categories in 1 column: 'a'" in message
    assert "ReliefF" in message
    message = refusal(folder, "rank", "x.csv", "-m", "FisherScore", "--drop", "a")
    assert "missing values, but there are some in 1 column: 'b'" in message


@pytest.mark.parametrize("command", ["rank", "select", "compare", "report"])
def test_every_command_refuses_alike(folder, command):
    assert "no file 'gone.csv'" in refusal(folder, command, "gone.csv")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_full_disk(folder):
    os.symlink("/dev/full", folder / "full.csv")
    result = invoke("rank", "good.csv", "--quiet", "-k", "1", "-o", "full.csv")
    assert result.exit_code == 2
    message = "widemargin: cannot write full.csv: No space left on device.\n"
    assert result.stderr == message
    assert sorted(os.listdir()) == ["full.csv", "good.csv"]


def test_disk_that_fills_up_on_the_way_leaves_nothing(folder, monkeypatch):
    import pandas as pd

    def half_written(frame, file, **options):
        file.write("rank,fea")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_csv", half_written)
    (folder / "old.csv").write_text("what was there")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = invoke("rank", "good.csv", "-k", "1", "--force", "-o", "old.csv")
    assert result.exit_code == 2
    assert result.stderr.endswith("cannot write old.csv: No space left on device.\n")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.processes
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_full_stdout(folder):
    with open("/dev/full", "w") as full:
        result = run("methods", stdout=full)
    assert result.returncode == 2
    assert result.stderr == (
        "widemargin: cannot write the result: No space left on device.\n"
    )


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_interrupt_is_one_line_and_leaves_nothing(folder):
    result = run_main(
        "import os, signal, time\n"
        "from widemargin import KernelRFE\n"
        "def interrupted(*_):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(60)\n"
        "KernelRFE._score = interrupted",
        *["rank", "good.csv", "-q", "-o", "out.csv"],
    )
    assert result.returncode == 130
    assert result.stdout == ""
    assert result.stderr == "widemargin: interrupted\n"
    assert os.listdir() == ["good.csv"]
