"""AnnData's observations, features as rows, and labels in a second file."""

import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from cli_tools import invoke
from widemargin.cli.prepare import DataOptions, load
from widemargin.cli.reading.guards import probe

N = 60
Y = np.arange(N) % 2
rng = np.random.default_rng(0)
X = rng.normal(size=(N, 5)) + 3 * Y[:, None] * (np.arange(5) == 1)
GENES = [f"gene{j}" for j in range(5)]
CELLS = [f"cell{i}" for i in range(N)]
OBS = pd.DataFrame(
    {
        "kind": pd.Series(np.array(["B", "T"], object)[Y], dtype=object),
        "n_counts": rng.random(N),
        "batch": pd.Series([f"b{i % 3}" for i in range(N)], dtype=object),
        "patient": pd.Series([f"p{i // 2}" for i in range(N)], dtype=object),
    }
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_cells(columns, genes=GENES, path="x.h5ad"):
    anndata = pytest.importorskip("anndata")
    obs = OBS[columns].set_axis(pd.Index(CELLS, dtype=object))
    var = pd.DataFrame(index=pd.Index(genes, dtype=object))
    anndata.AnnData(X, obs=obs, var=var).write_h5ad(path)


def write_matrix(path="x.csv"):
    """Genes as rows, samples as columns."""
    frame = pd.DataFrame(X.T, columns=CELLS, index=pd.Index(GENES, name="gene"))
    frame.to_csv(path)


def write_labels(path="labels.csv", **columns):
    frame = pd.DataFrame({"cell": CELLS, **{c: OBS[c] for c in OBS}, **columns})
    frame.iloc[::-1].to_csv(path, index=False)


def ranked(*arguments):
    result = invoke("rank", *arguments, "--json", "-q")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    return {row["feature"]: row["score"] for row in found["features"]}, found


@pytest.fixture
def plain():
    """Scores of the same rows in a plain table."""
    pd.DataFrame(X, columns=GENES).assign(kind=OBS["kind"]).to_csv(
        "plain.csv", index=False
    )
    return ranked("plain.csv")[0]


def refused(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_columns_of_obs_are_no_features_and_are_named(plain):
    write_cells(list(OBS))
    scores, found = ranked("x.h5ad", "-t", "kind")
    assert scores == pytest.approx(plain)
    assert any(
        "not used as features: 'n_counts', 'batch', 'patient'" in n
        for n in found["notes"]
    )


def test_groups_may_be_any_column_of_obs():
    write_cells(list(OBS))
    data = load("x.h5ad", DataOptions(target="kind", groups="patient", keep=("batch",)))
    assert data.groups.tolist() == OBS["patient"].tolist()
    assert data.features == GENES
    assert data.kept == ("batch",)
    assert any("not used as features: 'n_counts' (" in note for note in data.notes)


def test_without_a_target_the_candidates_of_obs_are_listed():
    write_cells(list(OBS))
    error = refused("rank", "x.h5ad")
    assert "'kind' (2 values), 'batch' (3 values), 'patient' (30 values)" in error
    assert "n_counts" not in error
    assert "Did you mean 'kind'? The columns are: 'obs_names', 'kind'," in refused(
        "rank", "x.h5ad", "-t", "kinds"
    )


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        (["kind", "n_counts"], {}),
        (["kind", "patient"], {"groups": "patient"}),
        (["kind", "patient", "batch"], {"groups": "patient", "keep": ("batch",)}),
        (["kind", "batch"], {"drop": ("batch",)}),
    ],
)
def test_the_only_candidate_of_obs_is_the_target(columns, options):
    write_cells(columns)
    data = load("x.h5ad", DataOptions(**options))
    assert data.target == "kind"
    assert "the target is 'kind' (--target names another)." in data.notes


def test_observations_without_columns_have_no_target():
    write_cells([])
    assert "no target: there is no column about the rows" in refused("rank", "x.h5ad")


def test_a_gene_with_the_name_of_a_column_of_obs_keeps_apart():
    write_cells(["kind", "batch"], ["gene0", "batch", "kind", "obs_names", "gene4"])
    data = load("x.h5ad", DataOptions(target="kind"))
    names = [f"{n} (feature)" for n in ("batch", "kind", "obs_names")]
    assert data.features == ["gene0", *names, "gene4"]
    assert set(data.y) == {"B", "T"}


def test_names_of_cells_and_columns_of_obs_can_be_kept():
    write_cells(["kind", "batch"])
    arguments = ("-t", "kind", "-n", "1", "--keep", "obs_names,batch", "-o", "few.csv")
    assert invoke("select", "x.h5ad", *arguments, "--save", "s.json").exit_code == 0
    few = pd.read_csv("few.csv")
    assert list(few) == ["obs_names", "batch", "gene1", "kind"]
    assert few["obs_names"].tolist() == CELLS
    write_cells([], path="new.h5ad")  # needs no target
    new = invoke("apply", "s.json", "new.h5ad", "-q").stdout
    assert new.splitlines()[0] == "gene1"


@pytest.mark.skipif(os.name != "posix", reason="starts a script")
def test_a_crash_of_a_library_is_one_line(monkeypatch, tmp_path):
    write_cells(["kind"])
    savemat("x.mat", {"X": np.eye(4), "y": [0, 1, 0, 1]})
    python = tmp_path / "python"  # which looks at files in a process of its own
    python.write_text("#!/bin/sh\nexit 139\n")
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))
    assert "not a readable AnnData file: the HDF5 library crashes." in refused(
        "rank", "x.h5ad"
    )
    assert "MATLAB file: SciPy crashes." in refused("rank", "x.mat")


def test_a_library_that_does_not_end_is_not_waited_for():
    endless = "import time; time.sleep(600)"
    with pytest.raises(ValueError, match="SciPy does not come to an end"):
        probe("SciPy", endless, b"", patience=0.1)


def test_rows_and_columns_exchanged_give_the_same_scores(plain):
    write_matrix()
    write_labels()
    scores, found = ranked(
        "x.csv", "--transpose", "--labels", "labels.csv", "-t", "kind"
    )
    assert scores == pytest.approx(plain)
    assert found["n_samples"] == N


def test_an_index_that_pandas_stored_names_features_and_rows(plain):
    pytest.importorskip("pyarrow")
    write_matrix()
    pd.read_csv("x.csv", index_col=0).to_parquet("x.parquet")
    write_labels()
    pd.read_csv("labels.csv", index_col=0).to_feather("labels.feather")
    shape = ("--transpose", "--labels", "labels.feather", "-t", "kind")
    assert ranked("x.parquet", *shape)[0] == pytest.approx(plain)


def test_a_target_may_be_a_row_of_an_exchanged_table(plain):
    """A row of text makes text of all columns, whose numbers are exact nevertheless."""
    write_matrix()
    with Path("x.csv").open("a") as file:
        file.write(",".join(["kind", *OBS["kind"]]) + "\n")
    assert ranked("x.csv", "--transpose", "-t", "kind")[0] == plain
    assert "no target: there is no column about" in refused(
        "rank", "x.csv", "--transpose"
    )


def test_a_selection_is_applied_to_an_exchanged_table():
    write_matrix()
    write_labels()
    shape = ("x.csv", "--transpose", "--keep", "sample")
    more = ("--labels", "labels.csv", "-t", "kind", "-n", "1", "--save", "s.json")
    invoke("select", *shape, *more, "-o", "few.csv")
    few = pd.read_csv("few.csv")
    assert list(few) == ["sample", "gene1", "kind"]
    assert few["sample"].tolist() == CELLS
    applied = invoke("apply", "s.json", *shape, "-q").stdout.splitlines()
    assert applied[0] == "sample,gene1"
    assert len(applied) == N + 1


def test_formats_that_keep_classes_apart_are_not_exchanged():
    np.savez("x.npz", X=X, y=Y)
    assert "--transpose is for one table" in refused("rank", "x.npz", "--transpose")


def test_labels_are_joined_by_name(plain):
    pd.DataFrame(X, columns=GENES).assign(id=CELLS)[["id", *GENES]].to_csv(
        "x.csv", index=False
    )
    write_labels()
    assert ranked("x.csv", "--labels", "labels.csv", "-t", "kind")[0] == plain
    data = load(
        "x.csv", DataOptions(target="kind", groups="patient", labels="labels.csv")
    )
    assert data.groups.tolist() == OBS["patient"].tolist()
    assert data.features == GENES
    write_cells([])
    assert ranked("x.h5ad", "--labels", "labels.csv", "-t", "kind")[0] == pytest.approx(
        plain
    )


def test_names_may_be_numbers():
    pd.DataFrame({"id": range(N), "a": X[:, 1], "b": X[:, 2]}).to_csv(
        "x.csv", index=False
    )
    labels = pd.DataFrame({"id": [float(i) for i in range(N)], "kind": OBS["kind"]})
    labels.to_csv("labels.csv", index=False)
    data = load("x.csv", DataOptions(labels="labels.csv"))
    assert (data.n_rows, data.target, data.features) == (N, "kind", ["a", "b"])


def test_rows_that_match_nothing_are_reported():
    write_matrix()
    frame = pd.DataFrame(
        {"cell": [*CELLS[2:], "other"], "kind": [*OBS["kind"][2:], "B"]}
    )
    frame.to_csv("labels.csv", index=False)
    _, found = ranked("x.csv", "--transpose", "--labels", "labels.csv")
    assert (
        "labels.csv has no entry for 2 of 60 rows: 'cell0', 'cell1'." in found["notes"]
    )
    assert "1 of 59 rows of labels.csv are not in x.csv: 'other'." in found["notes"]
    assert found["n_samples"] == N - 2


def test_labels_that_cannot_be_joined_are_refused():
    write_matrix()
    write_labels()
    error = refused("rank", "x.csv", "--labels", "labels.csv", "-t", "kind")
    assert "labels.csv has no row of x.csv, where 'gene' is 'gene0', 'gene1'" in error
    assert error.endswith("--transpose makes rows of them.\n")
    arguments = ("rank", "x.csv", "--transpose", "--labels", "labels.csv", "-t", "kind")
    write_labels(cell=[f"other{i}" for i in range(N)])
    assert "labels.csv has no row of x.csv" in refused(*arguments)
    write_labels(cell=["cell1", "cell1", *CELLS[2:]])
    assert "has more than one row for 'cell1'" in refused(*arguments)
    write_labels(gene1=1)
    assert "both have 'gene1'; rename" in refused(*arguments)
    assert "there is no file 'none.csv'" in refused(
        "rank", "x.csv", "--labels", "none.csv"
    )


def test_labels_are_not_written_to():
    write_matrix()
    write_labels()
    before = Path("labels.csv").read_text()
    arguments = ("--transpose", "--labels", "labels.csv", "-t", "kind", "-f")
    for command in ("rank", "select"):
        assert "is the file that is read" in refused(
            command, "x.csv", *arguments, "-o", "labels.csv"
        )
    assert Path("labels.csv").read_text() == before


@pytest.mark.parametrize("option", [["--transpose"], ["--labels", "labels.csv"]])
def test_dask_says_what_to_do_instead(option):
    pytest.importorskip("distributed")
    write_matrix()
    write_labels()
    error = refused("rank", "x.csv", *option, "--engine", "dask")
    assert f"{option[0]} does not work with --engine dask; store" in error


HINT = "--transpose exchanges them"


@pytest.mark.parametrize(
    ("names", "hinted"),
    [
        (["GSM001", "GSM002", "GSM003"], True),
        (["ctrl1", "ctrl2", "case1", "case2"], True),
        (["TCGA-A1-01", "TCGA-B2-02", "TCGA-C3-03"], True),
        (["height", "weight", "age"], False),
        (["x1", "x2", "grade"], False),
    ],
)
def test_rows_that_may_be_features_are_hinted_at(names, hinted):
    rows = 20 * len(names)
    frame = pd.DataFrame(rng.normal(size=(rows, len(names))), columns=names)
    frame.insert(0, "gene", [f"g{i}x" for i in range(rows)])
    frame.to_csv("x.csv", index=False)
    notes = " ".join(load("x.csv", DataOptions()).notes)
    assert (HINT in notes) == hinted
    frame.iloc[:-1].to_csv("x.csv", index=False)  # fewer than 20 to 1
    assert HINT not in " ".join(load("x.csv", DataOptions()).notes)


def test_dates_of_sensors_are_no_features():
    frame = pd.DataFrame(rng.normal(size=(80, 3)), columns=["s1", "s2", "s3"])
    frame.insert(0, "day", pd.date_range("2024-01-01", periods=80).strftime("%Y-%m-%d"))
    frame.to_csv("x.csv", index=False)
    assert HINT not in " ".join(load("x.csv", DataOptions()).notes)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("shape", ["transposed", "labelled", "anndata"])
def test_the_code_of_the_report_reads_the_same_table(shape):
    from widemargin.cli.reading_code import reading_code

    write_labels()
    options = DataOptions(target="kind", groups="patient", labels="labels.csv")
    if shape == "transposed":
        write_matrix()
        options, name = DataOptions(**{**vars(options), "transpose": True}), "x.csv"
    elif shape == "labelled":
        frame = pd.DataFrame(X, columns=GENES)
        frame.insert(0, "id", CELLS)
        frame.to_csv(name := "x.csv", index=False)
    else:
        write_cells(list(OBS))
        options, name = DataOptions(target="kind", groups="patient"), "x.h5ad"
    data = load(name, options)
    found = {"pd": pd}
    exec("\n".join(reading_code(data, options)), found)
    pd.testing.assert_frame_equal(
        found["X"].reset_index(drop=True).rename_axis(columns=None), data.X
    )
    assert found["y"].astype(str).tolist() == data.y.tolist()
    assert found["groups"].tolist() == data.groups.tolist()


def test_help_lists_the_options():
    for command in ("rank", "select", "compare", "report"):
        text = invoke(command, "--help").stdout
        assert re.search(r"--labels FILE", text)
        assert re.search(r"--transpose", text)
    assert "--transpose" in invoke("apply", "--help").stdout
