"""Frames of any library are read with their names, nominal columns and gaps."""

import sys

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import widemargin
from widemargin import AutoSelector, OReliefF, ReliefF, Selection, Simba, TuRF
from widemargin.compat import fast_select, skrebate
from widemargin.evaluation import compare, profile, redundancy

rng = np.random.default_rng(0)
N = 60
Y = np.repeat([0, 1], N // 2)
COLUMNS = {
    "size": (rng.normal(size=N) + Y).tolist(),
    "count": [None, *rng.integers(0, 9, N - 1).tolist()],
    "colour": [*np.where(rng.random(N - 1) < 0.4 + 0.3 * Y[1:], "red", "blue"), None],
    "grade": rng.choice(["low", "high"], N).tolist(),
    "flag": [None, *(rng.random(N - 1) < 0.5).tolist()],
}
PANDAS = pd.DataFrame(COLUMNS).astype(
    {"grade": pd.CategoricalDtype(["low", "high"], ordered=True)}
)
POLARS = pl.DataFrame(COLUMNS).with_columns(
    pl.col("grade").cast(pl.Enum(["low", "high"]))
)
ARROW = pa.Table.from_pandas(PANDAS)


class Relation:
    """What a database hands out: names, types, and Arrow's interface."""

    def __init__(self, table):
        self.table = table
        self.columns = table.column_names
        self.dtypes = [str(field.type) for field in table.schema]

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


FRAMES = {
    "polars": POLARS,
    "arrow": ARROW,
    "batch": ARROW.to_batches()[0],
    "relation": Relation(ARROW),
    "narwhals of pandas": nw.from_native(PANDAS),
    "narwhals of polars": nw.from_native(POLARS),
    "narwhals of arrow": nw.from_native(ARROW),
}
each_frame = pytest.mark.parametrize("X", FRAMES.values(), ids=FRAMES)


@each_frame
@pytest.mark.parametrize(
    "selector",
    [
        ReliefF(3, n_neighbors=5, redundancy=0.9),
        TuRF(ReliefF(n_neighbors=5), 3),
        AutoSelector("ReliefF", cv=2, n_features_to_select=3, random_state=0),
    ],
    ids=lambda s: type(s).__name__,
)
@pytest.mark.filterwarnings("ignore:AutoSelector. no signal")
def test_scores_names_and_columns_are_those_of_pandas(selector, X):
    expected = selector.fit(PANDAS, Y)
    scores, kept = expected.scores_, expected.get_feature_names_out().tolist()
    fitted = selector.fit(X, Y)
    np.testing.assert_array_equal(fitted.scores_, scores)
    assert fitted.feature_names_in_.tolist() == list(PANDAS)
    for library, make in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        reduced = fitted.set_output(transform=library).transform(X)
        assert isinstance(reduced, make)
        assert list(reduced.columns) == kept
        numbers = reduced["size"].to_numpy()
        assert numbers.dtype == np.float64
        np.testing.assert_array_equal(numbers, PANDAS["size"])
    assert isinstance(fitted.set_output(transform="default").transform(X), np.ndarray)


@each_frame
def test_selections_and_evaluations_take_them(X):
    selection = Selection(["size", "grade"], list(PANDAS)).set_output(
        transform="pandas"
    )
    reduced = selection.fit(X).transform(X)
    assert reduced.dtypes.astype(str).tolist() == ["float64", "category"]
    assert profile(X, Y).names.tolist() == list(PANDAS)
    assert redundancy(X).names.tolist() == list(PANDAS)
    found = compare(X, Y, ["ReliefF"], random_state=0)
    assert set(found.features["feature"]) == set(PANDAS)
    page = widemargin.report(ReliefF().fit(X, Y), X=X, y=Y)
    assert "colour" in page.html


@each_frame
@pytest.mark.parametrize(
    "wrapper", [fast_select.ReliefF(2), skrebate.ReliefF(2, n_neighbors=5)]
)
def test_wrappers_for_other_packages_take_them(wrapper, X):
    expected = wrapper.fit(PANDAS, Y).feature_importances_
    np.testing.assert_array_equal(wrapper.fit(X, Y).feature_importances_, expected)
    assert wrapper.transform(X).shape == (N, 2)


@pytest.mark.parametrize(
    "y",
    [
        nw.from_native(pl.Series(["low", "high"] * 30), series_only=True),
        nw.from_native(pd.Series(["low", "high"] * 30), series_only=True),
        pa.table({"y": ["low", "high"] * 30}),
    ],
    ids=["polars", "pandas", "table"],
)
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_labels(y):
    expected = ReliefF().fit(PANDAS, ["low", "high"] * 30).scores_
    np.testing.assert_array_equal(ReliefF().fit(PANDAS, y).scores_, expected)


def test_labels_in_narwhals_keep_their_order():
    grades = pl.Series(["low", "mid", "high"] * 20)
    grades = grades.cast(pl.Enum(["low", "mid", "high"]))
    X = PANDAS[["size"]]
    fitted = OReliefF().fit(X, nw.from_native(grades, series_only=True))
    np.testing.assert_array_equal(
        fitted.scores_, OReliefF().fit(X, [0, 1, 2] * 20).scores_
    )


@pytest.mark.parametrize("X", [POLARS.lazy(), nw.from_native(POLARS.lazy())])
def test_lazy_frames_are_refused(X):
    for selector in (ReliefF(), TuRF(ReliefF()), Selection(["size"])):
        with pytest.raises(TypeError, match=r"needs a table in memory.*X\.collect\(\)"):
            selector.fit(X, Y)


def test_streams_that_can_be_read_once_are_refused():
    with pytest.raises(TypeError, match=r"RecordBatchReader.*X\.read_all\(\) first"):
        ReliefF().fit_transform(ARROW.to_reader(), Y)


def test_what_is_missing_to_read_arrow_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="ReliefF reads X, a Relation, by pandas and"):
        ReliefF().fit(Relation(ARROW), Y)


def test_advice_for_sparse_input_works_in_a_pipeline():
    words = [f"{c} {w}" for c, w in zip(COLUMNS["colour"], "ab" * 30, strict=True)]
    chain = make_pipeline(TfidfVectorizer(token_pattern=r"\w+"), Simba())
    with pytest.raises(TypeError, match="needs dense features") as refused:
        chain.fit(words, Y)
    message = str(refused.value)
    assert len(message) < 500
    assert "sparse_output=False of OneHotEncoder" in message
    assert make_pipeline(chain[0], ReliefF(1)).fit_transform(words, Y).shape == (N, 1)
    one_hot = make_pipeline(OneHotEncoder(sparse_output=False), ReliefF())
    assert one_hot.fit_transform(PANDAS[["grade"]], Y).shape == (N, 1)
    stacked = ColumnTransformer([("", OneHotEncoder(), ["grade"])], sparse_threshold=0)
    assert make_pipeline(stacked, ReliefF()).fit_transform(PANDAS, Y).shape == (N, 1)
