"""Columns of objects go by their values, masks are missing values, and Arrow works."""

import datetime
from decimal import Decimal

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.datasets import load_iris

from widemargin import OReliefF, ReliefF, Simba
from widemargin.baselines import FisherScore, LaplacianScore
from widemargin.evaluation import (
    profile,
    redundancy,
    resample,
    selection_curve,
    signal,
    significance,
)
from widemargin.margin import hypothesis_margins

X, y = load_iris(return_X_y=True, as_frame=True)
y = y.to_numpy()
SELECTORS = [ReliefF(), Simba(random_state=0), OReliefF(), FisherScore()]
EACH = pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)


def with_gaps():
    holes = X.copy()
    holes.iloc[3, 0], holes.iloc[77, 2] = np.nan, np.nan
    return holes


def as_objects(frame, missing=None):
    return frame.astype(object).where(frame.notna(), missing)


@EACH
@pytest.mark.parametrize(
    "objects",
    [
        X.astype(object),
        X.T.assign(extra="text").drop(columns="extra").astype(object).T,
        X.map(lambda v: Decimal(str(v))),
        X.astype(object).assign(**{X.columns[0]: X.iloc[:, 0].astype(np.float32)}),
    ],
    ids=["objects", "turned twice", "decimals", "some"],
)
def test_objects_that_are_numbers_are_numbers(selector, objects):
    expected = selector.fit(objects.astype(float), y).scores_
    np.testing.assert_array_equal(selector.fit(objects, y).scores_, expected)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, Decimal("NaN")])
def test_missing_ones_among_them_are_missing(missing):
    expected = ReliefF().fit(with_gaps(), y).scores_
    objects = as_objects(with_gaps(), missing)
    np.testing.assert_array_equal(ReliefF().fit(objects, y).scores_, expected)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        FisherScore().fit(objects, y)


def test_objects_that_are_text_are_nominal():
    size = np.where(X.iloc[:, 0] > 6, "large", "small")
    objects = X.assign(size=pd.Series(size, dtype=object))
    category = X.assign(size=pd.Categorical(size))
    expected = ReliefF().fit(category, y).scores_
    np.testing.assert_array_equal(ReliefF().fit(objects, y).scores_, expected)
    flags = X.assign(size=pd.Series((size == "large").tolist(), dtype=object))
    np.testing.assert_array_equal(ReliefF().fit(flags, y).scores_, expected)


def test_a_mixture_of_numbers_and_text_is_nominal_and_said():
    mixture = X.astype(object)
    mixture.iloc[0, 1] = "?"
    name = X.columns[1]
    words = (
        rf"ReliefF: numbers and text are mixed in 1 column, .*'{name[:5]}.*to_numeric"
    )
    with pytest.warns(UserWarning, match=words):
        fitted = ReliefF().fit(mixture, y)
    told = ReliefF(categorical_features=[name]).fit(mixture, y)  # without a warning
    np.testing.assert_array_equal(fitted.scores_, told.scores_)
    with pytest.raises(ValueError, match="1 of 4 columns are not: 'sepal width"):
        FisherScore().fit(mixture, y)


def test_dates_among_objects_are_refused_as_dates_are():
    day = datetime.date(2020, 1, 1)
    dates = X.assign(day=pd.Series([day] * len(y), dtype=object))
    with pytest.raises(ValueError, match="1 of 5 columns are not: 'day'"):
        ReliefF().fit(dates, y)


def test_evaluation_reads_objects_alike():
    objects = X.astype(object)
    assert (profile(objects, y).kinds == "numeric").all()
    pd.testing.assert_frame_equal(redundancy(objects).frame, redundancy(X).frame)
    ours, theirs = (
        selection_curve("FisherScore", Z, y, cv=3, n_features=[1, 2], random_state=0)
        for Z in (objects, X)
    )
    np.testing.assert_array_equal(ours.frame["score"], theirs.frame["score"])


@pytest.mark.parametrize("text", [True, False])
def test_on_dask_objects_go_by_their_values(text):
    holes = as_objects(with_gaps())
    if text:
        holes["size"] = pd.Series(
            np.where(X.iloc[:, 0] > 6, "large", "small"), dtype=object
        )
    expected = ReliefF().fit(holes, y)
    with dask.config.set(
        {"scheduler": "synchronous", "dataframe.convert-string": False}
    ):
        there = dd.from_pandas(holes, npartitions=4, sort=False)
        assert str(there.dtypes.iloc[0]) == "object"
        ours = ReliefF().fit(there, y)
        np.testing.assert_allclose(ours.scores_, expected.scores_, rtol=1e-12)
        holes.iloc[5, 3] = "?"
        there = dd.from_pandas(holes, npartitions=4, sort=False)
        with pytest.warns(UserWarning, match="numbers and text are mixed in 1 column"):
            nominal = ReliefF().fit(there, y)
        with pytest.warns(UserWarning, match="numbers and text are mixed in 1 column"):
            in_memory = ReliefF().fit(holes, y)
        np.testing.assert_allclose(nominal.scores_, in_memory.scores_, rtol=1e-12)
        named = ReliefF(categorical_features=[X.columns[1]])
        np.testing.assert_allclose(
            named.fit(there.drop(columns=[X.columns[3]]), y).scores_,
            named.fit(holes.drop(columns=[X.columns[3]]), y).scores_,
            rtol=1e-12,
        )


def test_text_that_dask_made_of_numbers_is_said():
    with dask.config.set(
        {"scheduler": "synchronous", "dataframe.convert-string": True}
    ):
        there = dd.from_pandas(X.astype(object), npartitions=4, sort=False)
        with pytest.warns(UserWarning, match=r"reads as numbers.*X.astype\(float\)"):
            ReliefF().fit(there, y)
        ReliefF(categorical_features=list(X.columns)).fit(there, y)
        codes = dd.from_pandas(X.round().astype(int).astype(str), npartitions=4)
        ReliefF().fit(codes, y)  # few whole numbers may be names


def test_masked_cells_are_missing():
    holes = with_gaps().to_numpy()
    masked = np.ma.masked_invalid(holes)
    masked.data[masked.mask] = 1e6
    for selector in (ReliefF(), Simba(random_state=0)):
        expected = selector.fit(holes, y).scores_
        fitted = selector.fit(masked, y)
        np.testing.assert_array_equal(fitted.scores_, expected)
        kept = fitted.get_support()
        np.testing.assert_array_equal(fitted.transform(masked), holes[:, kept])
    whole = np.ma.array((10 * X).to_numpy(int), mask=masked.mask)
    np.testing.assert_array_equal(
        ReliefF().fit(whole, y).scores_, ReliefF().fit(np.rint(10 * holes), y).scores_
    )
    plain = np.ma.array(X.to_numpy())
    np.testing.assert_array_equal(
        FisherScore().fit(plain, y).scores_, FisherScore().fit(X, y).scores_
    )


@pytest.mark.parametrize(
    "ask", [FisherScore().fit, LaplacianScore().fit, hypothesis_margins]
)
def test_masked_cells_are_refused_where_nothing_may_be_missing(ask):
    masked = np.ma.masked_invalid(with_gaps().to_numpy())
    with pytest.raises(ValueError, match=r"2 of 600 cells of X are masked.*ReliefF"):
        ask(masked, y)


def test_labels_in_arrow_arrays():
    pa = pytest.importorskip("pyarrow")
    names = [f"kind {c}" for c in y]
    expected = ReliefF().fit(X, y).scores_
    for labels in (
        pa.array(y),
        pa.array(names),
        pa.chunked_array([names[:70], names[70:]]),
        pa.array(names).dictionary_encode(),
    ):
        np.testing.assert_array_equal(ReliefF().fit(X, labels).scores_, expected)
    with pytest.raises(ValueError, match="y has 1 missing value"):
        ReliefF().fit(X, pa.array([None, *names[1:]]))


def test_arrow_tables_are_frames():
    pa = pytest.importorskip("pyarrow")
    frame = X.assign(size=pd.Categorical(np.where(X.iloc[:, 0] > 6, "large", "small")))
    table = pa.Table.from_pandas(frame)
    ours, theirs = ReliefF().fit(table, y), ReliefF().fit(frame, y)
    np.testing.assert_array_equal(ours.scores_, theirs.scores_)
    np.testing.assert_array_equal(ours.feature_names_in_, frame.columns)
    np.testing.assert_array_equal(ours.transform(table), theirs.transform(frame))
    with pytest.raises(ValueError, match="1 of 5 columns are not: 'size'"):
        FisherScore().fit(table, y)


@EACH
def test_a_lazy_frame_is_told_to_collect(selector):
    with pytest.raises(TypeError, match=r"polars LazyFrame. Call X.collect\(\) first"):
        selector.fit(pl.DataFrame(X).lazy(), y)


def test_evaluation_tells_a_lazy_frame_too():
    with pytest.raises(TypeError, match=r"selection_curve .*X.collect\(\)"):
        selection_curve("ReliefF", pl.DataFrame(X).lazy(), y)


TAKE_SPARSE = {"signal", "profile", "selection_curve"}
JUDGES = {
    "signal": lambda X, y: signal(X, y, n_permutations=19, random_state=0),
    "redundancy": lambda X, _: redundancy(X),
    "profile": profile,
    "selection_curve": lambda X, y: selection_curve("FisherScore", X, y),
    "significance": lambda X, y: significance(FisherScore(), X, y),
    "resample": lambda X, y: resample(FisherScore(), X, y),
    "hypothesis_margins": hypothesis_margins,
}


@pytest.mark.parametrize("name", JUDGES)
def test_evaluation_refuses_what_is_no_table_of_numbers(name):
    cells = X.to_numpy()
    if name not in TAKE_SPARSE:
        with pytest.raises(TypeError, match=rf"{name} .*X is sparse"):
            JUDGES[name](scipy.sparse.csr_matrix(cells), y)
    with pytest.raises(ValueError, match=rf"{name} .*Complex data not supported"):
        JUDGES[name](cells + 1j, y)
    with pytest.raises(ValueError, match=r"\(0, 4\)|got none"):
        JUDGES[name](cells[:0], y[:0])


@pytest.mark.parametrize("name", sorted(set(JUDGES) - {"redundancy"}))
def test_a_target_that_was_not_passed_is_told(name):
    with pytest.raises(ValueError, match="requires y to be passed"):
        JUDGES[name](X, None)


def test_more_folds_than_rows_are_refused():
    told = r"selection_curve needs at most as many folds as rows.* 50; got cv=51"
    with pytest.raises(ValueError, match=told):
        selection_curve("FisherScore", X, y, cv=51)
