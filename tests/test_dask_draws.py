"""Rows that are drawn from Dask collections, to be worked on in memory."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from cases import gaussian
from settings_tools import distributed_settings, effort_settings
from test_dask import assert_same, uneven
from test_dask_mixed import lazily
from test_mixed import credit, frame
from widemargin import AutoSelector, KernelRFE, Relief, ReliefF
from widemargin.baselines import FisherScore
from widemargin.data.table import some_rows
from widemargin.evaluation import compare
from widemargin.selectors import kernel_rfe

pytestmark = pytest.mark.filterwarnings("ignore:.* n_neighbors=:UserWarning")


@pytest.fixture(autouse=True)
def small_blocks():
    """Blocks as small as the chunks of tests, which would else be put together."""
    with (
        dask.config.set(scheduler="synchronous"),
        distributed_settings(min_block_rows=1, min_block_cells=1, max_block_cells=400),
    ):
        yield


def table_of(n, d=6, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    X = rng.standard_normal((n, d))
    X[:, 0] += 2 * y
    X[:, 2] = X[:, 0] + 0.01 * X[:, 2]
    X[:, 3] += y
    return X, y


# KernelRFE: rows drawn anew in each step.


def agree(X, y, lazy, lazy_y=None, *, w=None, lazy_w=None, **how):
    expected = KernelRFE(random_state=3, **how).fit(X, y, sample_weight=w)
    method = KernelRFE(random_state=3, **how)
    labels = y if lazy_y is None else lazy_y
    fitted = method.fit(lazy, labels, sample_weight=w if lazy_w is None else lazy_w)
    assert_same(fitted, expected)
    np.testing.assert_allclose(fitted.loss_path_, expected.loss_path_, atol=1e-9)
    np.testing.assert_allclose(fitted.gradient_, expected.gradient_, atol=1e-9)
    return fitted


@pytest.mark.parametrize("n_chunks", [1, 3, 17])
@pytest.mark.parametrize("max_rows", [40, 600])
def test_kernel_rfe_is_that_in_memory(n_chunks, max_rows):
    X, y = table_of(200, 20)
    X[:, 7] = 3.0
    lazy = da.from_array(X, chunks=(uneven(200, n_chunks), -1))
    for scale in ("standard", "minmax", None):
        agree(X, y, lazy, da.from_array(y, chunks=90), max_rows=max_rows, scale=scale)


@pytest.mark.parametrize("scale", ["standard", "minmax", None])
def test_kernel_rfe_takes_nominal_and_missing_values(scale):
    X, y = credit(np.random.default_rng(0), n=300, gaps=0.05)
    table = frame(X)
    w = np.random.default_rng(1).random(300).round(1)
    lazy = lazily(table, uneven(300, 5))
    agree(table, y, lazy, max_rows=60, scale=scale)
    agree(table, y, lazy, w=w, lazy_w=da.from_array(w, chunks=99), scale=scale)


def test_kernel_rfe_predicts_numbers_and_weighs_classes():
    X, y = table_of(200)
    lazy, target = da.from_array(X, chunks=(45, -1)), X[:, 1] + y
    lazy_y = da.from_array(target, chunks=30)
    agree(X, target, lazy, lazy_y, task="regression", max_rows=50)
    w = np.random.default_rng(1).random(200).round(1)
    for weights in ("balanced", {0: 1, 1: 7}):
        agree(X, y, lazy, w=w, class_weight=weights, max_rows=50)
    with pytest.raises(ValueError, match="needs classes for class_weight"):
        KernelRFE(task="regression", class_weight="balanced").fit(lazy, target)


def test_few_cells_at_once_change_nothing(monkeypatch):
    X, y = table_of(300, 30)
    lazy, loads = da.from_array(X, chunks=(100, -1)), []
    loaded = kernel_rfe.loaded
    monkeypatch.setattr(kernel_rfe, "loaded", lambda *a: loads.append(1) or loaded(*a))
    agree(X, y, lazy, max_rows=50)
    assert len(loads) == 2  # one in memory, one on Dask
    with distributed_settings(fetched_cells=50 * 30 * 3):
        agree(X, y, lazy, max_rows=50)
    # As features are dropped, more steps fit into one.
    assert 2 < len(loads) - 3 < agree(X, y, lazy, max_rows=50).n_iter_ / 3


# "auto" and near copies.


@pytest.mark.parametrize("method", [ReliefF, FisherScore, KernelRFE])
def test_auto_and_redundancy_are_those_in_memory_if_all_rows_fit(method):
    X, y = table_of(300)
    lazy = da.from_array(X, chunks=(70, -1))
    for how in (
        {"n_features_to_select": "auto"},
        {"n_features_to_select": 2, "redundancy": 0.9},
        {"n_features_to_select": "auto", "redundancy": "auto"},
    ):
        expected, fitted = method(**how).fit(X, y), method(**how)
        fitted.fit(lazy, da.from_array(y, chunks=41))
        assert_same(fitted, expected)
        np.testing.assert_array_equal(fitted.support_, expected.support_)
        for name in ("redundant_with_", "prefix_scores_", "optimism_", "redundancy_"):
            found, known = getattr(fitted, name), getattr(expected, name)
            np.testing.assert_array_equal(found, known)


def test_rows_that_are_drawn_do_not_depend_on_partitions():
    X, y = table_of(900)
    scores = FisherScore().fit(X, y).scores_
    seen = []
    for chunks, of_labels in ((900, 900), (100, 450), (uneven(900, 7), 77)):
        lazy = da.from_array(X, chunks=(chunks, -1))
        fitted = FisherScore("auto", redundancy=0.9)
        with (
            effort_settings(drawn_rows=200, min_drawn_rows=2),
            pytest.warns(UserWarning, match="judged by 200 of 900 rows, drawn"),
        ):
            fitted.fit(lazy, da.from_array(y, chunks=of_labels))
        np.testing.assert_allclose(fitted.scores_, scores, rtol=1e-9)
        seen.append(fitted.prefix_scores_)
    np.testing.assert_array_equal(seen, [seen[0]] * 3)
    assert fitted.redundant_with_[[0, 2]].tolist() in ([-1, 0], [2, -1])


def test_a_threshold_of_relief_still_decides():
    X, y = table_of(120)
    lazy = da.from_array(X, chunks=(50, -1))
    method = Relief("auto", threshold=0.05, redundancy=0.9)
    expected = Relief("auto", threshold=0.05, redundancy=0.9).fit(X, y)
    np.testing.assert_array_equal(method.fit(lazy, y).support_, expected.support_)


def test_many_classes_of_few_drawn_rows_stay_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 20)
    X = rng.standard_normal((600, 3)) + y[:, None]
    lazy = da.from_array(X, chunks=(100, -1))
    with (
        effort_settings(drawn_rows=310, min_drawn_rows=2),
        pytest.warns(UserWarning, match="drawn"),
    ):
        assert FisherScore("auto").fit(lazy, y).n_features_ >= 1


# AutoSelector and compare.


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 240)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, 240) + 9 * y,
            "noise": rng.standard_normal(240),
            "town": pd.Categorical(np.array(["A", "B", "C"])[rng.integers(0, 3, 240)]),
            "rented": np.array(["yes", "no"], object)[y ^ (rng.random(240) < 0.1)],
            "grade": np.array(["bad", "good"], object)[y],
            "w": rng.integers(0, 3, 240).astype(float),
            "patient": np.arange(240) // 2,
        }
    )


def same_answer(found, expected):
    np.testing.assert_array_equal(found.support_, expected.support_)
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    assert (found.score_, found.stability_) == (expected.score_, expected.stability_)


def test_auto_selector_does_what_it_does_in_memory(people):
    X, extra = people.drop(columns=["grade", "w", "patient"]), people[["w", "patient"]]
    expected = AutoSelector(random_state=0).fit(
        X, people["grade"], groups=extra["patient"], sample_weight=extra["w"]
    )
    lazy = dd.from_pandas(people, npartitions=5)
    found = AutoSelector(random_state=0).fit(
        lazy.drop(columns=["w", "patient"]),
        "grade",
        groups=lazy["patient"],
        sample_weight=extra["w"],
    )
    same_answer(found, expected)
    assert found.get_feature_names_out().tolist() == [*expected.get_feature_names_out()]


def test_auto_selector_draws_and_says_so(people):
    table = people.drop(columns=["w", "patient"])
    weights, answers = people["w"].to_numpy(), []
    for n in (2, 7):
        lazy = dd.from_pandas(table, npartitions=n)
        with (
            effort_settings(drawn_rows=100, min_drawn_rows=2),
            pytest.warns(UserWarning, match=r"AutoSelector works on \d+ of \d+ rows"),
        ):
            auto = AutoSelector(random_state=0).fit(lazy, "grade", None, weights)
        answers.append(auto)
    same_answer(*answers)


def test_compare_draws_and_says_so(people):
    lazy = dd.from_pandas(people.drop(columns=["w", "patient"]), npartitions=3)
    methods = ["ReliefF", "KernelRFE"]
    with (
        effort_settings(drawn_rows=100, min_drawn_rows=2),
        pytest.warns(UserWarning, match="compare works on 100 of 240 rows, drawn"),
    ):
        found = compare(lazy, "grade", methods, random_state=0)
    assert found.profile.n_samples == 100


def test_what_auto_selector_needs_is_said():
    X, y = gaussian(np.random.default_rng(0))
    lazy = da.from_array(X, chunks=(17, -1))
    with pytest.raises(ValueError, match="AutoSelector requires y"):
        AutoSelector().fit(lazy, None)
    with pytest.raises(ValueError, match="X has 60 rows and y has 59"):
        AutoSelector().fit(lazy, y[:-1])
    with pytest.raises(ValueError, match="not the name of a column"):
        AutoSelector().fit(lazy, "grade")


# Which rows are drawn.


def test_rows_are_drawn_in_proportion_and_at_least_two_of_each_class():
    codes = np.repeat([0, 1, 2, 3], [9000, 900, 3, 1])
    rows = some_rows(codes, 500, np.random.RandomState(0))
    assert len(np.unique(rows)) == len(rows) <= 500
    assert (np.diff(rows) > 0).all()
    counts = np.bincount(codes[rows])
    assert counts[2:].tolist() == [2, 1]
    assert counts[0] / counts[1] == pytest.approx(10, rel=0.1)


def test_numbers_are_drawn_from_their_whole_range():
    target = np.random.default_rng(0).permutation(10_000)
    rows = some_rows(target, 500, np.random.RandomState(0))
    assert len(np.unique(rows)) == 500
    assert (np.bincount(target[rows] // 1000) == 50).all()


def test_each_row_is_as_likely_as_others_of_its_class():
    codes = np.repeat([0, 1], [40, 20])
    drawn = np.zeros(60)
    for seed in range(2000):
        drawn[some_rows(codes, 30, np.random.RandomState(seed))] += 1
    for of_class in (drawn[:40], drawn[40:]):
        assert np.ptp(of_class) < 0.2 * of_class.mean()
