"""Sparse files in the command: LIBSVM and AnnData stay sparse if they are large."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from cli_tools import invoke
from widemargin.cli.reading import arrays

N, D = 90, 40


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.arange(N) % 2
    X = sp.random_array((N, D), density=0.08, random_state=rng, format="csr")
    tells = sp.csr_array(1.0 * (rng.random((N, 2)) < 0.1 + 0.8 * y[:, None]))
    return sp.hstack([tells, X[:, 2:]]).tocsr(), y


@pytest.fixture
def never_dense(monkeypatch):
    monkeypatch.setattr(arrays, "SPARSE_BYTES", 0)
    monkeypatch.setattr(arrays, "_dense", None)


@pytest.mark.usefixtures("never_dense")
@pytest.mark.parametrize("method", ["ReliefF", "KernelRFE", None])
def test_a_libsvm_file_stays_sparse(table, tmp_path, method):
    path = tmp_path / "words.svm"
    dump_svmlight_file(*table, str(path), zero_based=False)
    chosen = [] if method is None else ["-m", method, "-n", "2"]
    result = invoke("rank", str(path), *chosen)
    assert result.exit_code == 0, result.output
    assert "x0" in result.stdout
    assert "x1" in result.stdout


@pytest.mark.usefixtures("never_dense")
def test_sparse_layers_of_anndata_stay_sparse(table, tmp_path):
    anndata = pytest.importorskip("anndata")
    X, y = table
    genes = pd.DataFrame(index=[f"g{i}" for i in range(D)])
    cells = pd.DataFrame({"kind": np.where(y, "b", "t")}, index=map(str, range(N)))
    path = tmp_path / "cells.h5ad"
    anndata.AnnData(sp.csr_matrix(X), obs=cells, var=genes).write_h5ad(path)
    result = invoke("select", str(path), "-t", "kind", "-m", "ReliefF", "-n", "2")
    assert result.exit_code == 0, result.output
    assert "g0" in result.output
    assert "g1" in result.output


@pytest.mark.usefixtures("never_dense")
def test_compare_leaves_a_libsvm_file_sparse(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dump_svmlight_file(*table, "words.svm", zero_based=False)
    result = invoke("compare", "words.svm", "--json", "-o", "page.html")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert {"x0", "x1"} <= {*found["selected"]}
    assert "Pairs were not tested: X is sparse." in found["notes"]


def test_methods_that_need_dense_tables_get_them_in_the_command(
    table, tmp_path, monkeypatch
):
    monkeypatch.setattr(arrays, "SPARSE_BYTES", 0)
    path = tmp_path / "words.svm"
    dump_svmlight_file(*table, str(path), zero_based=False)
    for command in (["rank", "-n", "2"], ["compare", "-o", str(tmp_path / "p.html")]):
        result = invoke(command[0], str(path), "-m", "Simba", *command[1:])
        assert result.exit_code == 0, result.output
