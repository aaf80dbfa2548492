"""Each file format, read by the command."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file, load_iris

from cli_tools import invoke, run
from widemargin import ReliefF

DATA = load_iris(as_frame=True)
X, CODES = DATA.data.set_axis(list("abcd"), axis=1), DATA.target.to_numpy()
LABELS = DATA.target_names[CODES]
FRAME = X.assign(kind=LABELS)


def as_csv(path, **options):
    FRAME.to_csv(path, index=False, **options)


def as_zstandard(path):
    pa = pytest.importorskip("pyarrow")
    with pa.output_stream(path, compression="zstd") as stream:
        stream.write(FRAME.to_csv(index=False).encode())


def as_parquet(path):
    pytest.importorskip("pyarrow")
    FRAME.to_parquet(path)


def as_feather(path):
    pytest.importorskip("pyarrow")
    FRAME.to_feather(path)


def as_excel(path):
    pytest.importorskip("openpyxl")
    FRAME.to_excel(path, index=False)


def as_arff(path):
    head = "% Iris\n@RELATION iris\n"
    head += "".join(f"@ATTRIBUTE {name} REAL\n" for name in "abcd")
    head += f"@attribute 'kind' {{{', '.join(DATA.target_names)}}}\n\n@data\n"
    path.write_text(head + FRAME.to_csv(index=False, header=False))


def as_matlab(path):
    from scipy.io import savemat

    savemat(path, {"X": X.to_numpy(), "Y": CODES[:, None].astype(np.uint8)})


def as_npz(path):
    np.savez(path, X=X.to_numpy(), y=CODES)


def as_npy(path):
    np.save(path, np.column_stack([X, CODES]))


def as_libsvm(path):
    dump_svmlight_file(X.to_numpy(), CODES, str(path))


def as_anndata(path):
    anndata = pytest.importorskip("anndata")
    # Of plain objects: not every version writes the text that pandas 3 has instead.
    rows = pd.Index([f"cell {i}" for i in range(len(X))], dtype=object)
    anndata.AnnData(
        X.to_numpy(),
        obs=pd.DataFrame({"kind": LABELS.astype(object)}, index=rows, dtype=object),
        var=pd.DataFrame(index=pd.Index(list("abcd"), dtype=object)),
    ).write_h5ad(path)


NAMED, NUMBERED = list("abcd"), ["x0", "x1", "x2", "x3"]
FORMATS = {
    "comma.csv": (as_csv, NAMED),
    "tab.tsv": (lambda path: as_csv(path, sep="\t"), NAMED),
    "bar.txt": (lambda path: as_csv(path, sep="|"), NAMED),
    "blank.dat": (lambda path: as_csv(path, sep=" "), NAMED),
    "german.csv": (lambda path: as_csv(path, sep=";", decimal=","), NAMED),
    "mark.csv": (lambda path: as_csv(path, encoding="utf-8-sig"), NAMED),
    "utf16.csv": (lambda path: as_csv(path, encoding="utf-16"), NAMED),
    "quoted.csv": (lambda path: as_csv(path, quoting=1), NAMED),
    "headless.data": (lambda path: as_csv(path, header=False), NUMBERED),
    "gzip.csv.gz": (as_csv, NAMED),
    "bzip2.csv.bz2": (as_csv, NAMED),
    "lzma.tsv.xz": (lambda path: as_csv(path, sep="\t"), NAMED),
    "zip.csv.zip": (as_csv, NAMED),
    "zstandard.csv.zst": (as_zstandard, NAMED),
    "table.parquet": (as_parquet, NAMED),
    "table.feather": (as_feather, NAMED),
    "book.xlsx": (as_excel, NAMED),
    "weka.arff": (as_arff, NAMED),
    "matlab.mat": (as_matlab, NUMBERED),
    "arrays.npz": (as_npz, NUMBERED),
    "array.npy": (as_npy, NUMBERED),
    "sparse.libsvm": (as_libsvm, NUMBERED),
    "cells.h5ad": (as_anndata, NAMED),
}
# Kinds of text differ in their first lines only, so one is enough.
READ = [
    name
    for name in FORMATS
    if not name.endswith((".txt", ".dat", ".data", ".csv", ".bz2", ".xz", ".zip"))
]


@pytest.fixture(scope="module")
def scores():
    return ReliefF().fit(X, CODES).scores_


def write(name, folder):
    writer, names = FORMATS[name]
    writer(folder / name)
    return names


@pytest.mark.parametrize("name", READ)
def test_command_reads(name, tmp_path, scores):
    names = write(name, tmp_path)
    result = invoke("rank", tmp_path / name, "-m", "ReliefF", "--json", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert list(found["classes"].values()) == [50, 50, 50]
    by_name = {row["feature"]: row["score"] for row in found["features"]}
    assert [by_name[n] for n in names] == pytest.approx(scores, abs=1e-6)


@pytest.mark.parametrize("name", FORMATS)
def test_reads_the_same_table(name, tmp_path):
    from widemargin.cli.prepare import DataOptions, load

    names = write(name, tmp_path)
    data = load(str(tmp_path / name), DataOptions())
    assert data.X.columns.tolist() == names
    np.testing.assert_allclose(data.X, X, rtol=1e-6)
    assert (pd.factorize(data.y)[0] == CODES).all()


@pytest.mark.parametrize("name", ["comma.csv", "table.parquet", "weka.arff"])
def test_stdin_is_told_by_its_content(name, tmp_path, monkeypatch):
    import io
    import sys
    from types import SimpleNamespace

    from widemargin.cli.prepare import DataOptions, load

    write(name, tmp_path)
    content = io.BytesIO((tmp_path / name).read_bytes())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=content))
    data = load("-", DataOptions())
    assert data.name == "stdin"
    np.testing.assert_array_equal(data.X, X)


@pytest.mark.processes
def test_command_reads_stdin(tmp_path):
    text = FRAME.to_csv(index=False)
    result = run("rank", "-", "--json", cwd=tmp_path, input=text)
    assert result.returncode == 0
    assert json.loads(result.stdout)["file"] == "stdin"
