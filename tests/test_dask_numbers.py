"""Numeric targets on Dask collections: the same as in memory."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from cases import duplicates, gaussian, lonely, spread_over, tied
from settings_tools import distributed_settings
from test_dask import assert_same, uneven
from widemargin import ReliefF, RReliefF

METHODS = [
    RReliefF(),
    RReliefF(n_neighbors=3, weights="distance", metric="euclidean", scale="standard"),
    RReliefF(n_neighbors=100, weights="uniform", scale=None),
    RReliefF(n_samples=15, random_state=0),
    RReliefF(n_samples="auto", tol=1.0, random_state=0),
]
EACH = pytest.mark.parametrize("method", METHODS, ids=repr)


@pytest.fixture(autouse=True)
def small_blocks():
    """Blocks as small as the chunks of tests, which would else be put together."""
    with (
        dask.config.set(scheduler="synchronous"),
        distributed_settings(
            min_block_rows=1, min_block_cells=1, max_block_cells=80, max_query_cells=80
        ),
    ):
        yield


def numbers(case, seed=0):
    rng = np.random.default_rng(seed)
    X, y = case(rng)
    return X, y + rng.standard_normal(len(y)).round(1)


def agree(method, X, y, lazy, lazy_y):
    """Fit in memory and on Dask, and compare."""
    expected = type(method)(**method.get_params()).fit(X, y)
    fitted = type(method)(**method.get_params()).fit(lazy, lazy_y)
    assert_same(fitted, expected)
    assert fitted.n_samples_ == expected.n_samples_
    return fitted, expected


CHUNKED = [
    (case, n) for case in (gaussian, tied, duplicates, lonely) for n in (3, 17, 1)
]


def named(value):
    """The method, or the table and its chunks: no address, which differs by process."""
    return (
        f"{value[0].__name__}-{value[1]}" if isinstance(value, tuple) else repr(value)
    )


@pytest.mark.parametrize(
    ("method", "chunked"), spread_over(METHODS, CHUNKED, 4), ids=named
)
def test_the_same_as_in_memory(method, chunked):
    case, n_chunks = chunked
    X, y = numbers(case)
    lazy = da.from_array(X, chunks=(uneven(len(X), n_chunks), -1))
    agree(method, X, y, lazy, da.from_array(y, chunks=9))


@pytest.mark.parametrize("n", [60, 900])
def test_intervals_are_those_in_memory(n):
    rng = np.random.default_rng(1)
    X, y = rng.random((n, 4)), rng.random(n)
    method = RReliefF(2, n_samples="auto", tol=0.3, random_state=0)
    with distributed_settings():
        lazy = da.from_array(X, chunks=(n // 3, -1))
        there, here = agree(method, X, y, lazy, y)
    np.testing.assert_allclose(
        there.scores_interval_, here.scores_interval_, rtol=0, atol=1e-9
    )
    assert there.converged_ == here.converged_
    assert (there.n_samples_ < n) == (n == 900)


def people(n=60):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "colour": rng.choice(["red", "green", "blue"], n),
            "income": rng.exponential(1.0, n),
        }
    )
    frame.loc[rng.random(n) < 0.2, "age"] = np.nan
    frame.loc[rng.random(n) < 0.2, "colour"] = None
    frame["price"] = (frame["colour"] == "red") + frame["income"]
    return frame


@EACH
def test_nominal_and_missing_values_and_a_target_in_the_frame(method):
    frame = people()
    lazy = dd.from_pandas(frame, npartitions=4)
    if method.scale is None:
        method = type(method)(n_neighbors=4)
    agree(method, frame.drop(columns="price"), frame["price"], lazy, "price")


@pytest.mark.parametrize("dtype", ["float32", "int64", "Float64", "Int64", "bool"])
def test_types_of_targets(dtype):
    frame = people()
    X = frame[["income"]]
    y = (frame["price"] * 7).round()
    y = (y > y.median()) if dtype == "bool" else y.astype(dtype)
    lazy_X, lazy_y = (dd.from_pandas(part, npartitions=3) for part in (X, y))
    agree(RReliefF(), X, y, lazy_X, lazy_y)


def test_nothing_is_kept_and_batches_are_small():
    X, y = numbers(gaussian)
    lazy = da.from_array(X, chunks=(11, -1))
    with distributed_settings(max_query_rows=7, assumed_memory=0):
        agree(RReliefF(), X, y, lazy, y)


X, y = numbers(gaussian)


def lazily(a):
    return da.from_array(a, chunks=(17, -1) if a.ndim == 2 else 13)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (lazily(np.ones(60)), "needs a target that varies, but y is 1 in every row"),
        (lazily(np.where(y > 0, y, np.nan)), "needs a number for every row"),
        (lazily(np.where(y > 0, y, np.inf)), "infinity"),
        (lazily(np.array(list("ab") * 30)), "needs numbers in y"),
        (lazily(y)[:50], "X has 60 rows and y has 50"),
        (y[:50], "X has 60 rows and y has 50"),
        (None, "requires y to be passed"),
    ],
)
def test_a_target_that_is_no_number_is_refused(target, message):
    with pytest.raises(ValueError, match=message):
        RReliefF().fit(lazily(X), target)


def test_missing_targets_of_a_frame_are_counted():
    frame = people()
    frame["price"] = frame["price"].astype("Float64")
    frame.loc[[3, 40], "price"] = pd.NA
    with pytest.raises(ValueError, match="y has 2 missing values"):
        RReliefF().fit(dd.from_pandas(frame, npartitions=3), "price")


def test_methods_for_classes_still_refuse_numbers():
    with pytest.raises(ValueError, match="ReliefF needs classes"):
        ReliefF().fit(lazily(X), lazily(y))
