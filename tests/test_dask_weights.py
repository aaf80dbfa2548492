"""Weights of rows on Dask collections: the same as in memory."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from cases import gaussian, lonely, spread_over, tied
from settings_tools import distributed_settings
from test_dask import METHODS, assert_same, case_name, uneven
from test_dask_mixed import lazily
from test_mixed import CASES, frame
from widemargin import OSimba, ReliefF, RReliefF, Simba
from widemargin.baselines import FisherScore, InformationGain

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*each row is visited once:UserWarning"),
]


@pytest.fixture(autouse=True)
def small_blocks():
    """Blocks as small as the chunks of tests, which would else be put together."""
    with (
        dask.config.set(scheduler="synchronous"),
        distributed_settings(
            min_block_rows=1,
            min_block_cells=1,
            max_block_cells=80,
            max_query_cells=80,
            counted_values=120,
        ),
    ):
        yield


def weights_of(n, seed=1):
    """Of which every fifth or so is zero."""
    rng = np.random.default_rng(seed)
    return rng.random(n) * (rng.random(n) > 0.2)


def agree(method, X, y, w, lazy, lazy_y=None, lazy_w=None):
    """Fit in memory and on Dask, and compare."""
    expected = type(method)(**method.get_params()).fit(X, y, sample_weight=w)
    lazy_y, lazy_w = (y if lazy_y is None else lazy_y), w if lazy_w is None else lazy_w
    fitted = type(method)(**method.get_params()).fit(lazy, lazy_y, sample_weight=lazy_w)
    assert_same(fitted, expected)
    for history in ("loss_", "margin_"):  # with weights of the rows in it
        if hasattr(expected, history):
            found, known = getattr(fitted, history), getattr(expected, history)
            assert found == pytest.approx(known, rel=1e-9)
    return fitted


CHUNKED = [(gaussian, 3), (tied, 3), (lonely, 2), (gaussian, 9), (tied, 1)]


@pytest.mark.parametrize(
    ("method", "chunked"), spread_over(METHODS, CHUNKED), ids=case_name
)
def test_every_method_gives_what_it_gives_in_memory(method, chunked):
    case, n_chunks = chunked
    X, y = case(np.random.default_rng(0))
    w = weights_of(len(y))
    lazy = da.from_array(X, chunks=(uneven(len(X), n_chunks), -1))
    agree(method, X, y, w, lazy, da.from_array(y, chunks=9), da.from_array(w, chunks=7))


MIXED = [
    ReliefF(n_neighbors=3),
    ReliefF(scale="standard"),
    Simba(batch_size=16, n_starts=2, random_state=0),
    OSimba(batch_size=16, difference="absolute", n_starts=1, random_state=0),
]


@pytest.mark.parametrize(("method", "case"), spread_over(MIXED, [*CASES]), ids=repr)
def test_nominal_and_missing_values(method, case):
    X, y = CASES[case](np.random.default_rng(0))
    w = weights_of(len(y))
    if case == "two rows":
        w[:] = 1, 3
    table = frame(X)
    lazy = lazily(table, uneven(len(y), 3))
    agree(method, table, y, w, lazy, lazy_w=pd.Series(w, range(9, 9 + len(w))))


def test_columns_of_objects_have_weighted_spreads():
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 9, 60)
    X = pd.DataFrame({"a": pd.Series(numbers, dtype=object), "b": rng.random(60)})
    y, w = (X["b"] > 0.5).to_numpy(), weights_of(60)
    with dask.config.set({"dataframe.convert-string": False}):
        lazy = lazily(X, (20, 0, 40))
        agree(ReliefF(scale="standard"), X, y, w, lazy)


def test_numeric_targets():
    X, y = gaussian(np.random.default_rng(0))
    y, w = y + X[:, 1], weights_of(len(y))
    lazy = da.from_array(X, chunks=(13, -1))
    for scale in ("minmax", "standard"):
        agree(RReliefF(scale=scale), X, y, w, lazy, da.from_array(y, chunks=9))


def test_a_row_of_weight_zero_is_not_there():
    X, y = gaussian(np.random.default_rng(0))
    labels, w = np.where(y, "yes", "no").astype(object), weights_of(len(y))
    kept = w > 0
    expected = ReliefF().fit(X[kept], labels[kept], sample_weight=w[kept])
    # What cannot be worked on does not matter where it counts nothing.
    X[~kept], labels[~kept] = np.inf, None
    table = pd.DataFrame(X).rename(columns=str).assign(y=labels, w=w)
    lazy = dd.from_pandas(table, npartitions=3)
    columns = lazy.drop(columns="w")
    assert_same(ReliefF().fit(columns, "y", sample_weight=lazy["w"]), expected)
    array = da.from_array(X, chunks=(17, -1))
    assert_same(ReliefF().fit(array, labels, sample_weight=w), expected)


def test_equal_weights_are_none():
    X, y = gaussian(np.random.default_rng(0))
    lazy = da.from_array(X, chunks=(13, -1))
    for method in (ReliefF(), FisherScore(), InformationGain()):
        expected = type(method)().fit(lazy, y).scores_
        equal = da.full(len(y), 0.3, chunks=11)
        found = method.fit(lazy, y, sample_weight=equal).scores_
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (np.ones(59), r"shape \(60,\), got an array of shape \(59,\)"),
        (da.ones(61, chunks=7), r"shape \(60,\), got an array of shape \(61,\)"),
        (da.zeros(60, chunks=7), "but all are zero"),
        (np.arange(60.0) - 3, "not negative, got -3 in row 0"),
    ],
    ids=["short", "long", "zeros", "negative"],
)
def test_wrong_weights_get_a_sentence(wrong, words):
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(ValueError, match=f"^ReliefF needs sample_weight.*{words}"):
        ReliefF().fit(da.from_array(X, chunks=(13, -1)), y, sample_weight=wrong)


def test_labels_of_another_length_are_named_with_weights_too():
    X, y = gaussian(np.random.default_rng(0))
    lazy, w = da.from_array(X, chunks=(13, -1)), weights_of(60)
    for short in (y[:-1], da.from_array(y[:-1], chunks=7)):
        with pytest.raises(ValueError, match="X has 60 rows and y has 59"):
            ReliefF().fit(lazy, short, sample_weight=w)
