"""Estimators give on Dask collections what they give in memory."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import (
    duplicates,
    gaussian,
    lonely,
    lopsided,
    small_tables,
    spread_over,
    tied,
)
from settings_tools import distributed_settings
from widemargin import (
    FRLL,
    IPCMSR,
    LMBA,
    GFlip,
    OReliefF,
    OSimba,
    Relief,
    ReliefF,
    Simba,
)
from widemargin.baselines import (
    FCBF,
    MRMR,
    FeatureSimilarity,
    FisherScore,
    InformationGain,
    LaplacianScore,
    PearsonScore,
    TraceRatio,
)
from widemargin.engine.dask import search
from widemargin.engine.dask.cluster import Cluster

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
]

METHODS = [
    Relief(),
    Relief(squared=True, scale="standard"),
    Relief(n_samples=15, random_state=0),
    Relief(n_samples="auto", random_state=0),
    ReliefF(n_neighbors=3),
    ReliefF(metric="manhattan", scale=None),
    ReliefF(n_samples=20, random_state=0),
    OReliefF(n_neighbors=2),
    OReliefF(difference="directed"),
    OReliefF(difference="absolute"),
    FRLL(),
    FRLL(neighbors="global", criterion="difference"),
    # Several batches, the last of them smaller: each is a search on its own.
    Simba(batch_size=16, n_starts=2, random_state=0),
    Simba(batch_size=13, n_starts=1, max_iter=2, utility="sigmoid", random_state=0),
    OSimba(batch_size=16, n_starts=1, random_state=0),
    OSimba(batch_size=16, n_starts=1, difference="absolute", random_state=0),
    LMBA(batch_size=16, random_state=0),
    LMBA(batch_size=50, active="original", step="constant", random_state=0),
    FisherScore(),
    PearsonScore(),
    InformationGain(),
    InformationGain(bins="equal-width"),
]


@pytest.fixture
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def small_blocks():
    """Blocks as small as the chunks of tests, which would else be put together."""
    with distributed_settings(
        min_block_rows=1, min_block_cells=1, max_block_cells=40, max_query_cells=40
    ):
        yield


def test_many_features_whose_distances_are_counted_in_memory(synchronous, small_blocks):
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 150)), rng.integers(0, 2, 30)
    expected = ReliefF(metric="manhattan").fit(X, y)
    lazy = da.from_array(X, chunks=((7, 15, 8), -1))
    assert_same(ReliefF(metric="manhattan").fit(lazy, y), expected)


def test_of_many_equal_rows_small_batches_are_searched_for(monkeypatch, synchronous):
    X = np.random.default_rng(0).integers(0, 2, (700, 3))
    y = np.arange(700) % 2
    lazy = da.from_array(X, chunks=(200, -1))
    asked = []
    in_all_blocks = search._in_all_blocks
    monkeypatch.setattr(
        search,
        "_in_all_blocks",
        lambda *a: asked.append(len(a[1])) or in_all_blocks(*a),
    )
    options = {"n_samples": "auto", "tol": 0.3, "random_state": 0}
    with distributed_settings(max_block_neighbors=2**14):
        fitted = ReliefF(n_neighbors=1).fit(lazy, y)
        assert asked[0] > 16 * asked[1]
        assert sum(asked) == 700 + asked[0]
        here, there = (ReliefF(**options).fit(a, y) for a in (X, lazy))
    assert_same(fitted, ReliefF(n_neighbors=1).fit(X, y))
    assert here.n_samples_ == there.n_samples_ < 700
    assert_same(there, here)


def uneven(n, n_chunks, seed=0):
    """Chunks of any size, some of them empty."""
    cuts = np.random.default_rng(seed).integers(0, n + 1, n_chunks - 1)
    return tuple(np.diff([0, *np.sort(cuts), n]).tolist())


def assert_same(ours, theirs):
    np.testing.assert_allclose(ours.scores_, theirs.scores_, rtol=0, atol=1e-9)
    # Scores that are equal up to rounding may rank either way.
    if len(np.unique(theirs.scores_.round(9))) == len(theirs.scores_):
        np.testing.assert_array_equal(ours.ranking_, theirs.ranking_)


# Tables in a few chunks, and some of them in one and in many, mostly empty ones.
CHUNKED = [(c, 3) for c in (gaussian, tied, duplicates, lopsided, lonely)]
CHUNKED += [(gaussian, 1), (lonely, 1), (tied, 17), (lopsided, 17)]


def case_name(value):
    """Without addresses, which are others in another process."""
    if not isinstance(value, tuple):
        return repr(value)
    make, chunks = value
    return f"{make.__name__}-{chunks}"


@pytest.mark.parametrize(
    ("method", "chunked"), spread_over(METHODS, CHUNKED), ids=case_name
)
def test_the_same_as_in_memory(method, chunked, synchronous, small_blocks):
    case, n_chunks = chunked
    X, y = case(np.random.default_rng(0))
    theirs = method.fit(X, y)
    theirs.scores_ = theirs.scores_.copy()
    expected = type("Fitted", (), {k: getattr(theirs, k) for k in FITTED})
    lazy = da.from_array(X, chunks=(uneven(len(X), n_chunks), -1))
    assert_same(method.fit(lazy, da.from_array(y, chunks=9)), expected)


FITTED = ("scores_", "ranking_")


@given(small_tables(max_rows=20), st.data())
def test_any_table_in_any_chunks(table, data):
    X, y = table
    cuts = data.draw(st.lists(st.integers(0, len(X)), max_size=5))
    chunks = tuple(np.diff([0, *sorted(cuts), len(X)]).tolist())
    lazy = da.from_array(X, chunks=(chunks, -1))
    with (
        dask.config.set(scheduler="synchronous"),
        distributed_settings(min_block_rows=data.draw(st.integers(1, 8))),
    ):
        for method in (ReliefF, FRLL, FisherScore):
            expected = method().fit(X, y)
            assert_same(method().fit(lazy, y), expected)
        options = {"batch_size": 4, "order": np.arange(len(X))[::-1]}
        expected = Simba(**options).fit(X, y).weights_
        found = Simba(**options).fit(lazy, y).weights_
        size = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * size)


@pytest.mark.parametrize("few", [3, 10])
def test_size_of_batches_changes_nothing(few, synchronous, small_blocks):
    X, y = (a[:24] for a in gaussian(np.random.default_rng(0)))
    lazy = da.from_array(X, chunks=(7, -1))
    options = {"batch_size": 9, "random_state": 0}
    # Nothing is kept: all rows in batches.
    with distributed_settings(max_query_rows=few, assumed_memory=0):
        for method in (ReliefF, FRLL, OReliefF):
            assert_same(method().fit(lazy, y), method().fit(X, y))
        assert_same(LMBA(**options).fit(lazy, y), LMBA(**options).fit(X, y))


@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_no_client_means_the_configured_scheduler(scheduler, small_blocks):
    X, y = gaussian(np.random.default_rng(0))
    with dask.config.set(scheduler=scheduler):
        fitted = ReliefF().fit(da.from_array(X, chunks=(13, -1)), y)
    assert_same(fitted, ReliefF().fit(X, y))


@pytest.fixture
def frame():
    X, y = gaussian(np.random.default_rng(0))
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(7)])
    frame.insert(3, "grade", y)
    return frame


def test_labels_inside_a_frame(frame, synchronous):
    lazy = dd.from_pandas(frame, npartitions=4)
    X, y = frame.drop(columns="grade"), frame["grade"]
    expected = ReliefF().fit(X, y)
    for fitted in (
        ReliefF().fit(lazy, "grade"),
        ReliefF().fit(lazy.drop(columns="grade"), lazy["grade"]),
        ReliefF().fit(lazy.drop(columns="grade"), y),
        ReliefF().fit(lazy.drop(columns="grade"), y.to_numpy()),
    ):
        assert_same(fitted, expected)
        assert list(fitted.feature_names_in_) == list(X.columns)
        assert list(fitted.get_feature_names_out()) == list(
            expected.get_feature_names_out()
        )


def test_unknown_divisions_and_empty_partitions(frame, synchronous, small_blocks):
    lazy = dd.from_pandas(frame, npartitions=5, sort=False)
    lazy = lazy[lazy["f0"] > lazy["f0"].compute().median()]
    kept = frame[frame["f0"] > frame["f0"].median()]
    assert not lazy.known_divisions or (lazy.map_partitions(len).compute() < 12).any()
    expected = ReliefF(n_neighbors=3).fit(kept.drop(columns="grade"), kept["grade"])
    assert_same(ReliefF(n_neighbors=3).fit(lazy, "grade"), expected)


def test_chunks_of_unknown_size(synchronous, small_blocks):
    X, y = gaussian(np.random.default_rng(0))
    lazy, labels = da.from_array(X, chunks=(17, -1)), da.from_array(y, chunks=23)
    few = lazy[:, 1] > 0
    assert np.isnan(lazy[few].shape[0])
    expected = ReliefF(n_neighbors=2).fit(X[X[:, 1] > 0], y[X[:, 1] > 0])
    fitted = ReliefF(n_neighbors=2).fit(lazy[few], labels[few])
    assert_same(fitted, expected)


def test_features_in_several_chunks(synchronous):
    X, y = gaussian(np.random.default_rng(0))
    fitted = ReliefF().fit(da.from_array(X, chunks=(20, 2)), y)
    assert_same(fitted, ReliefF().fit(X, y))


def test_a_class_that_lives_in_one_partition(synchronous, small_blocks):
    X, y = gaussian(np.random.default_rng(0))
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    lazy = da.from_array(X, chunks=(tuple(np.bincount(y).tolist()), -1))
    for method in (ReliefF, FRLL, PearsonScore):
        assert_same(method().fit(lazy, da.from_array(y, chunks=9)), method().fit(X, y))


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.float16, bool, ">f8"])
def test_number_types(dtype, synchronous, small_blocks):
    X, y = tied(np.random.default_rng(0))
    X = X.astype(dtype)
    fitted = ReliefF().fit(da.from_array(X, chunks=(13, -1)), y)
    assert_same(fitted, ReliefF().fit(X, y))


@pytest.mark.parametrize("kind", ["text", "category", "ordered", "bool"])
def test_kinds_of_labels(kind, synchronous, small_blocks):
    X, y = gaussian(np.random.default_rng(0))
    grades = np.array(["low", "middle", "high"])
    y = pd.Series(grades[y])
    if kind == "category":
        y = y.astype("category")
    elif kind == "ordered":
        y = y.astype(pd.CategoricalDtype(grades, ordered=True))
    elif kind == "bool":
        y = y == "low"
    lazy = dd.from_pandas(y, npartitions=5)
    method = OReliefF() if kind in ("ordered", "bool") else ReliefF()
    expected = type(method)().fit(X, y)
    assert_same(method.fit(da.from_array(X, chunks=(13, -1)), lazy), expected)


def test_many_labels_that_hardly_repeat(synchronous):
    X = np.random.default_rng(0).standard_normal((60, 3))
    y = np.arange(60) // 2
    lazy = da.from_array(X, chunks=(13, -1))
    fitted = ReliefF(n_neighbors=1).fit(lazy, da.from_array(y, chunks=7))
    assert_same(fitted, ReliefF(n_neighbors=1).fit(X, y))


def test_transform_stays_lazy(frame, synchronous):
    lazy = dd.from_pandas(frame, npartitions=3)
    fitted = ReliefF(n_features_to_select=2).fit(lazy, "grade")
    kept = fitted.transform(lazy)
    assert dask.is_dask_collection(kept)
    assert list(kept.columns) == list(fitted.get_feature_names_out())
    X = frame.drop(columns="grade").to_numpy()
    fitted = ReliefF(n_features_to_select=2).fit(X, frame["grade"])
    found = fitted.transform(da.from_array(X, chunks=(9, -1)))
    np.testing.assert_array_equal(found.compute(), fitted.transform(X))


@pytest.mark.parametrize(
    ("method", "instead"),
    [
        (GFlip(), "Simba with a batch_size"),
        (IPCMSR(), "FRLL"),
        (TraceRatio(), "FisherScore"),
        (LaplacianScore(), "FRLL"),
        (MRMR(), "InformationGain"),
        (FCBF(), "InformationGain"),
        (FeatureSimilarity(), "PearsonScore"),
        (Simba(), "batch_size"),
        (OSimba(), "batch_size"),
        (LMBA(), "batch_size"),
        (OReliefF(hits="dominating"), 'hits="nearest"'),
        (OReliefF(directions="auto"), "directions as an array"),
        (InformationGain(bins="mdl"), 'bins="three"'),
        (ReliefF(scale="rank"), '"minmax"'),
    ],
    ids=repr,
)
def test_what_does_not_run_names_what_does(method, instead, synchronous):
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(ValueError, match=f"{type(method).__name__}.*Dask.*{instead}"):
        method.fit(da.from_array(X, chunks=(20, -1)), y)


X, y = gaussian(np.random.default_rng(0))
GAP = X.copy()
GAP[[3, 50], 4] = np.nan
ENDLESS = X.copy()
ENDLESS[7, 2] = np.inf


def lazily(X):
    return da.from_array(X, chunks=(17, -1))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (lazily(X), y[:-1], "X has 60 rows and y has 59"),
        (lazily(X), lazily(y[:, None])[:50, 0], "X has 60 rows and y has 50"),
        (lazily(ENDLESS), y, "infinity 1 times in column 2"),
        (lazily(X)[:0], y[:0], "at least 2 rows, got 0"),
        (lazily(X)[:, 0], y, "shape"),
        (lazily(X), np.zeros(60), "at least 2 classes in y, got 1"),
        (lazily(X), lazily(np.where(y, 1.0, np.nan)[:, None])[:, 0], "missing value"),
        (lazily(X), None, "requires y"),
        (lazily(X), "grade", "y='grade' is not the name of a column of X, an array"),
        (
            dd.from_pandas(pd.DataFrame(X).rename(columns=str), npartitions=2),
            "grade",
            "y='grade' is not the name of a column of X, whose columns are '0'",
        ),
    ],
)
def test_bad_input_is_named(X, y, message, synchronous):
    with pytest.raises(ValueError, match=f"ReliefF.*{message}"):
        ReliefF().fit(X, y)


@pytest.mark.parametrize("method", [FRLL(), LMBA(batch_size=9), FisherScore()])
def test_methods_for_numbers_name_those_for_mixed_tables(method, synchronous):
    name = type(method).__name__
    with pytest.raises(ValueError, match=f"{name}.*NaN 2 times in column 4.*ReliefF"):
        method.fit(lazily(GAP), y)
    text = dd.from_pandas(pd.DataFrame({"a": ["x", "y"] * 30}), npartitions=2)
    with pytest.raises(
        ValueError, match=f"{name}.*1 of 1 columns are not: 'a'.*ReliefF"
    ):
        method.fit(text, y)


@pytest.mark.processes
@pytest.mark.slow
def test_a_worker_that_dies_costs_time_only(monkeypatch):
    from distributed import Client, LocalCluster

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30_000, 40)), rng.integers(0, 2, 30_000)
    X[:, :3] += y[:, None]
    expected = ReliefF().fit(X, y).scores_
    killed, ends = [], []
    in_all_blocks, compute = search._in_all_blocks, Cluster.compute

    def and_kill(table, rows, request):
        monkeypatch.setattr(search, "_in_all_blocks", in_all_blocks)
        monkeypatch.setattr(Cluster, "compute", and_look_at_the_clock)
        pid = next(iter(table.cluster.client.run(os.getpid).values()))

        def kill():
            os.kill(pid, signal.SIGKILL)
            killed.append((pid, time.monotonic()))

        threading.Timer(0.5, kill).start()
        return in_all_blocks(table, rows, request)

    def and_look_at_the_clock(self, results):
        value = compute(self, results)
        ends.append(time.monotonic())
        return value

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        lazy = da.from_array(X, chunks=(4_000, -1))
        ReliefF(n_samples=10).fit(lazy, y)
        monkeypatch.setattr(search, "_in_all_blocks", and_kill)
        scores = ReliefF().fit(lazy, y).scores_
        ((pid, death),) = killed
        assert death < ends[-1], "the search was over before the worker was killed"
        assert pid not in client.run(os.getpid).values()
    np.testing.assert_allclose(scores, expected, atol=1e-9)


@pytest.mark.processes
@pytest.mark.slow
def test_more_rows_than_fit_in_the_workers():
    script = Path(__file__).parents[1] / "evidence" / "speed" / "dask_memory.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
@pytest.mark.parametrize(
    "selector",
    [OReliefF(n_neighbors=3), Simba(order=range(300), batch_size=50)],
    ids=lambda s: type(s).__name__,
)
def test_scores_far_from_zero_are_those_in_memory(selector, scale, synchronous):
    rng = np.random.default_rng(0)
    X, y = 1e8 + rng.standard_normal((300, 6)), rng.integers(0, 3, 300)
    selector.set_params(scale=scale)
    ours = selector.fit(da.from_array(X, chunks=(70, 6)), da.from_array(y, chunks=70))
    scores = ours.scores_
    np.testing.assert_allclose(scores, selector.fit(X, y).scores_, rtol=0, atol=1e-12)
