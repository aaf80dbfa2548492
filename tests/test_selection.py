"""A selection as a file, and as a fitted selector."""

import json
import os
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import widemargin
from widemargin import ReliefF, Selection
from widemargin.baselines import FisherScore


@pytest.fixture
def X():
    values = np.random.default_rng(0).normal(size=(30, 5))
    return pd.DataFrame(values, columns=["a", "größe", "c,d", "=e", "0"])


@pytest.fixture
def y():
    return np.arange(30) % 2


@pytest.fixture
def selector(X, y):
    X["größe"] += 3 * y
    X["0"] -= 3 * y
    return FisherScore(2).fit(X, y)


def test_file_gives_back_the_selector(selector, X, tmp_path):
    path = Selection.from_selector(selector, file="x.csv").save(tmp_path / "s.json")
    again = Selection.load(path)
    np.testing.assert_array_equal(again.get_support(), selector.get_support())
    np.testing.assert_array_equal(again.scores_, selector.scores_)
    np.testing.assert_array_equal(again.ranking_, selector.ranking_)
    np.testing.assert_array_equal(again.transform(X), selector.transform(X))
    names = selector.get_feature_names_out()
    np.testing.assert_array_equal(again.get_feature_names_out(), names)
    assert (again.method, again.file) == ("FisherScore", "x.csv")
    assert again.parameters["n_features_to_select"] == 2
    assert repr(again) == "Selection(2 of 5 features by FisherScore)"


def test_file_is_plain_and_says_what_it_is(selector, tmp_path):
    path = Selection.from_selector(selector).save(tmp_path / "s.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["widemargin"] == "selection"
    assert (data["format"], data["version"]) == (1, widemargin.__version__)
    assert data["features"] == ["a", "größe", "c,d", "=e", "0"]
    assert data["kept"] == ["größe", "0"]
    assert os.listdir(tmp_path) == ["s.json"]


def test_frames_are_read_by_name(selector, X):
    selection = Selection.from_selector(selector)
    expected = X[["größe", "0"]].to_numpy()
    for other in (X[X.columns[::-1]], X[["0", "größe"]], X.assign(extra="text")):
        np.testing.assert_array_equal(selection.transform(other), expected)
        np.testing.assert_array_equal(
            selection.transform(pl.from_pandas(other)), expected
        )


def test_missing_columns_are_named(selector, X):
    renamed = X.rename(columns={"größe": "grösse"})
    with pytest.raises(ValueError, match=r"lacks 1: 'größe'. 'größe' may be 'grösse'"):
        Selection.from_selector(selector).transform(renamed)


def test_arrays_have_all_columns(selector, X):
    selection = Selection.from_selector(selector)
    expected = X[["größe", "0"]].to_numpy()
    np.testing.assert_array_equal(selection.transform(X.to_numpy()), expected)
    sparse = selection.transform(csr_array(X.to_numpy()))
    np.testing.assert_array_equal(sparse.toarray(), expected)
    with pytest.raises(ValueError, match="5 columns of the original table, got 2"):
        selection.transform(expected)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_output_is_a_frame_on_request(selector, X, library):
    X["0"] = X["0"].round().astype(int)
    selection = Selection.from_selector(selector).set_output(transform=library)
    source = X if library == "pandas" else pl.from_pandas(X)
    found = selection.transform(source)
    assert list(found.columns) == ["größe", "0"]
    assert str(found["0"].dtype).lower() == "int64"
    other = selection.transform(pl.from_pandas(X) if library == "pandas" else X)
    assert type(other) is type(found)


def test_clones_and_pickles_are_the_same(selector, X):
    selection = Selection.from_selector(selector, settings={"target": "y"})
    for copy in (clone(selection), pickle.loads(pickle.dumps(selection))):
        np.testing.assert_array_equal(copy.transform(X), selection.transform(X))
        assert copy.settings == {"target": "y"}


def test_stands_in_a_pipeline(selector, X, y):
    selection = Selection.from_selector(selector)
    model = make_pipeline(selection, KNeighborsClassifier(1)).fit(X, y)
    assert model.score(X[X.columns[::-1]], y) == 1
    with pytest.raises(ValueError, match="lacks"):
        clone(model).fit(X[["a"]], y)


def test_names_alone_will_do(X):
    selection = Selection(["0", "a"])
    np.testing.assert_array_equal(selection.transform(X), X[["0", "a"]])
    assert repr(selection) == "Selection(2 features)"


def test_other_selectors_and_arrays(X, y):
    found = Selection.from_selector(SelectKBest(k=1).fit(X.to_numpy(), y))
    assert found.features == ["x0", "x1", "x2", "x3", "x4"]
    assert len(found.kept) == 1
    named = Selection.from_selector(
        ReliefF(1).fit(X.to_numpy(), y), feature_names=X.columns
    )
    assert named.features == list(X.columns)
    with pytest.raises(ValueError, match="name for each of 5"):
        Selection.from_selector(ReliefF(1).fit(X, y), feature_names=["a"])


def test_scores_that_are_not_numbers_survive(tmp_path):
    selection = Selection(["a"], ["a", "b"], scores=[1.0, np.nan], ranking=[1, 2])
    again = Selection.load(selection.save(tmp_path / "s.json"))
    np.testing.assert_array_equal(again.scores_, [1.0, np.nan])


GOOD = {
    "widemargin": "selection",
    "version": "1",
    "format": 1,
    "features": ["a", "b"],
    "kept": ["a"],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"widemargin": "report"}, "is not a selection"),
        ({"format": 2}, "has format 2, written by widemargin 1"),
        ({"kept": ["z"]}, "keeps 'z', which is not one of its features"),
        ({"kept": ["a", "a"]}, "'a' twice in kept"),
        ({"features": ["a", "b", "b"]}, "'b' twice in features"),
        ({"features": [1, 2]}, "no list of names in features"),
        ({"kept": None}, "no list of names in kept"),
        ({"scores": [1.0]}, "one number per feature in scores"),
        ({"settings": []}, "no object in settings"),
    ],
)
def test_damaged_files_are_refused(tmp_path, change, message):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(GOOD), encoding="utf-8")
    assert Selection.load(path).kept == ["a"]
    path.write_text(json.dumps(GOOD | change), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        Selection.load(path)


@pytest.mark.parametrize("content", [b"\x80\x04N.", b"{", b"[]", b"null"])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "s.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"Selection\.load"):
        Selection.load(path)
