"""Damaged, hostile and oversized files: one line each, and no memory taken for them."""

import gzip
import io
import random
import subprocess
import sys
import zipfile
from itertools import islice

import numpy as np
import pandas as pd
import pytest

from cli_tools import invoke
from evidence.safety import damaged_files
from test_cli_formats import FORMATS as WRITERS
from test_cli_formats import write
from widemargin.cli.prepare import DataOptions, load
from widemargin.cli.problem import Problem
from widemargin.cli.reading import guards
from widemargin.memory import available

NAMES = [n for n in WRITERS if n not in ("bar.txt", "blank.dat", "mark.csv", "tab.tsv")]


@pytest.fixture(autouse=True)
def small_memory(monkeypatch):
    """So that a file that claims much is refused, and not tried."""
    monkeypatch.setenv(guards.VARIABLE, "256M")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The bytes of one good file of each kind."""
    folder = tmp_path_factory.mktemp("good")
    found = {}
    for name in WRITERS:
        write(name, folder)
        found[name] = (folder / name).read_bytes()
    return found


def mutations(data, seed):
    """Bytes that are nearly those of a good file."""
    draw = random.Random(seed)
    for cut in (0, 1, 7, 64, len(data) // 3, len(data) // 2, len(data) - 1):
        yield data[:cut]
    yield draw.randbytes(300)
    yield data[:16] + draw.randbytes(300)
    for _ in range(12):
        changed = bytearray(data)
        # Headers are at the beginning or at the end.
        ends = draw.choice([(0, 400), (len(data) - 400, len(data)), (0, len(data))])
        for _ in range(draw.choice([1, 4, 40])):
            place = draw.randrange(*ends) % len(data)
            changed[place] = draw.choice([0, 1, 127, 255, draw.randrange(256)])
        yield bytes(changed)
    start = draw.randrange(len(data))
    yield data[:start] + bytes(50) + data[start + 50 :]
    yield data + data


def complaint(path):
    """What is said against a file; nothing if it can be read."""
    try:
        load(str(path), DataOptions())
    except Problem as problem:
        return str(problem)
    return ""


def each_of(names):
    """Parameters; libraries that may crash look at some files in a process."""
    apart = ("mat", "h5ad")
    marks = {name: [pytest.mark.processes] * name.endswith(apart) for name in names}
    return [pytest.param(name, marks=marks[name]) for name in names]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", each_of(NAMES))
def test_a_damaged_file_is_read_or_refused(name, good, tmp_path):
    every = 5 if name == "cells.h5ad" else 1  # each takes a process
    for seed, data in enumerate(islice(mutations(good[name], name), 0, None, every)):
        path = tmp_path / f"{seed}-{name}"
        path.write_bytes(data)
        assert len(complaint(path)) < 1000


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", each_of(NAMES))
def test_a_format_under_the_name_of_another_is_read_or_refused(name, good, tmp_path):
    for other, data in good.items():
        path = tmp_path / f"{other.replace('.', '-')}-{name}"
        path.write_bytes(data)
        assert len(complaint(path)) < 1000


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("kind", each_of(damaged_files.FORMATS))
def test_the_command_ends_in_one_line(kind, tmp_path):
    """A few of the files of evidence/safety/damaged_files.py."""
    needed = {"h5ad": "anndata", "xlsx": "openpyxl"}
    needed |= dict.fromkeys(["parquet", "feather", "arrow", "zst"], "pyarrow")
    if module := needed.get(kind.rpartition(".")[2]):
        pytest.importorskip(module)
    codes = set()
    for number in range(4 if kind == "x.h5ad" else 12):
        case = damaged_files.case(number, 0, [kind])
        outcome = damaged_files.tried(case, tmp_path)
        assert outcome.fault == "", (number, outcome)
        codes.add(outcome.code)
    assert 2 in codes


def test_damaged_files_are_the_same_every_time():
    cases = [damaged_files.case(n, 3, ["x.csv", "x.npy"]) for n in range(20)]
    assert cases == [damaged_files.case(n, 3, ["x.csv", "x.npy"]) for n in range(20)]
    assert damaged_files.case(0, 4, ["x.csv"]) != cases[0]


@pytest.mark.parametrize(
    ("outcome", "fault"),
    [
        ((0, "fine", "note: a"), ""),
        ((2, "", "widemargin: a"), ""),
        ((1, "", ""), "exit code 1"),
        ((2, "", "widemargin: a\nb"), "2 lines"),
        ((2, "a", "widemargin: a"), "1 lines and 1 letters"),
        ((0, "\x1b[2J", ""), "control character"),
        ((0, "", "x" * 501), "a message of 501 letters"),
        ((2, "", "Error"), "not a message"),
    ],
)
def test_faults_of_the_command_are_noticed(outcome, fault):
    found = damaged_files.fault(damaged_files.Outcome(*outcome))
    assert found.startswith(fault) if fault else found == ""


def test_a_huge_exponent_is_text(tmp_path):
    """pandas.to_numeric ends the process at it."""
    rows = "".join(f"{i},{'xy'[i % 2]}\n" for i in range(40))
    (tmp_path / "x.csv").write_text(f"a,kind\n0.61e999767829160855068,x\n{rows}")
    assert "text where numbers are needed" in refused(tmp_path / "x.csv")


def refused(path, *options):
    """The one line by which the command refuses a file."""
    result = invoke("rank", path, *options)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_a_short_file_under_the_name_of_matlab_is_one_line(tmp_path):
    (tmp_path / "x.mat").write_bytes(bytes(64))
    assert "is not a readable MATLAB file" in refused(tmp_path / "x.mat")


ROWS = b"a,b,kind\n" + b"1,2,x\n3,1,y\n" * 400_000


def gzipped(path):
    path.write_bytes(gzip.compress(ROWS))


def zipped(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.csv", ROWS)


def bzipped(path):
    import bz2

    path.write_bytes(bz2.compress(ROWS))


def xzipped(path):
    import lzma

    path.write_bytes(lzma.compress(ROWS, preset=0))


def zstandard(path):
    pa = pytest.importorskip("pyarrow")
    with pa.output_stream(path, compression="zstd") as stream:
        stream.write(ROWS)


def claim(shape):
    """An array in NumPy's format that has no more than a header."""
    stream = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue()


def claimed_npz(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", claim((10**8, 10**7)))
        archive.writestr("y.npy", claim((10**8,)))


def packed_npz(path):
    X = np.zeros((30_000, 100))
    np.savez_compressed(path, X=X, y=np.arange(30_000) % 2)


def matlab(path):
    from scipy.io import savemat

    X = np.zeros((30_000, 100))
    y = np.arange(30_000) % 2
    savemat(path, {"X": X, "Y": y}, do_compression=True)


def alike(rows=3_000_000):
    return pd.DataFrame({"a": np.zeros(rows), "kind": np.zeros(rows)})


def parquet(path):
    pytest.importorskip("pyarrow")
    alike().to_parquet(path)


def feather(path):
    pytest.importorskip("pyarrow")
    alike().to_feather(path, compression="zstd")


def libsvm(path):
    path.write_text("1 1:1\n0 90000000:1\n1 2:1\n")


def sparse_arff(path):
    head = "".join(f"@attribute a{j} real\n" for j in range(3000))
    path.write_text(f"@relation r\n{head}@data\n" + "{}\n" * 3000)


def anndata(path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file.create_dataset("X", (10**7, 10**7), "f8", chunks=(100, 100))


def wide_cells(path):
    path.write_bytes(b"a,b,c,d\n" + b"1,2,3,4\n" * 200_000)


OVERSIZED = {
    "x.csv.gz": (gzipped, "unpacks to more than 4.0 MiB"),
    "x.csv.bz2": (bzipped, "unpacks to more than 4.0 MiB"),
    "x.csv.xz": (xzipped, "unpacks to more than 4.0 MiB"),
    "x.csv.zst": (zstandard, "unpacks to more than 4.0 MiB"),
    "x.csv.zip": (zipped, "unpacks to more than 4.0 MiB"),
    "claimed.npz": (claimed_npz, "it claims"),
    "packed.npz": (packed_npz, "needs 22.9 MiB of memory"),
    "x.mat": (matlab, "unpacks to more than 4.0 MiB"),
    "x.parquet": (parquet, "needs 45.8 MiB of memory"),
    "x.feather": (feather, "needs 45.8 MiB of memory"),
    "x.libsvm": (libsvm, "90000000 sparse columns, needs 100.6 GiB of memory"),
    "x.arff": (sparse_arff, "needs 68.7 MiB of memory"),
    "x.h5ad": (anndata, "needs 727.6 TiB of memory"),
    "cells.csv": (wide_cells, "needs 13.0 MiB of memory"),
}


@pytest.mark.parametrize("name", OVERSIZED)
def test_a_file_that_does_not_fit_is_refused_before_it_is_read(
    name, tmp_path, monkeypatch
):
    make, words = OVERSIZED[name]
    make(tmp_path / name)
    if name.endswith("h5ad"):
        pytest.importorskip("anndata")
    monkeypatch.setenv(guards.VARIABLE, "8M")
    assert words in refused(tmp_path / name)


def test_a_workbook_that_does_not_fit_is_refused(tmp_path, good, monkeypatch):
    """Whatever a part unpacks to."""
    path = tmp_path / "x.xlsx"
    path.write_bytes(good["book.xlsx"])
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/media/image.png", bytes(2**23))
    monkeypatch.setenv(guards.VARIABLE, "8M")
    assert "needs 8." in refused(path)


def test_rows_that_a_sheet_does_not_have_cost_nothing(tmp_path):
    """A cell far below and far to the right makes a sheet of 2³⁴ cells, mostly gaps."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["a", "b", "kind"])
    for i in range(6):
        sheet.append([i, i * i % 5, "xy"[i % 2]])
    sheet.cell(200_000, 3, "x")
    book.save(tmp_path / "x.xlsx")
    assert load(str(tmp_path / "x.xlsx"), DataOptions()).n_lines == 7


def test_the_limit_is_half_of_what_is_available(monkeypatch):
    monkeypatch.delenv(guards.VARIABLE)
    # Others take and give memory meanwhile.
    assert guards.memory_limit() == pytest.approx(available() / 2, rel=0.4)
    with pytest.raises(Problem, match=r"more than .* half of the memory that is"):
        guards.check_room("x.npz", 2**60)


def test_the_limit_is_half_of_what_the_environment_allows(monkeypatch):
    monkeypatch.setenv(guards.VARIABLE, "1G")
    with pytest.raises(Problem, match=r"512.0 MiB, half of what WIDEMARGIN_MEMORY"):
        guards.check_room("x.npz", 2**40)
    monkeypatch.setenv(guards.VARIABLE, "much")
    with pytest.raises(Problem, match=r"must be a number of bytes, .*, got 'much'"):
        guards.memory_limit()


@pytest.mark.processes
@pytest.mark.skipif(sys.platform != "linux", reason="asks the system for the peak")
@pytest.mark.parametrize("line", ["1,2,3,x", "0.123456789,0.5,0.25,y", "abc,de,fgh,z"])
def test_a_text_takes_no_more_memory_than_was_asked_for(line, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b,c,kind\n" + f"{line}\n" * 500_000)
    script = f"""if True:
        import pandas
        from widemargin.cli.reading import text
        from widemargin.cli.reading.files import load
        from widemargin.cli.reading.source import Request
        def peak():
            with open("/proc/self/status") as file:
                (line,) = (line for line in file if line.startswith("VmHWM"))
            return int(line.split()[1]) * 1024
        asked, before = [], peak()
        text.check_room = lambda name, needed, hint: asked.append(needed)
        text.read_text(load({str(path)!r}), Request())
        took = peak() - before
        print(took / asked[0])
        """
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert 1 < float(done.stdout) < 2.2


def test_pickles_are_not_opened(tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    X = np.array([[Trap(), 1], [1, 2]], dtype=object)
    np.save(tmp_path / "x.npy", X, allow_pickle=True)
    np.savez(tmp_path / "x.npz", X=X, y=[0, 1])
    for name in ("x.npy", "x.npz"):
        assert "is not a readable NumPy file" in refused(tmp_path / name)
    assert not (tmp_path / "sprung").exists()
