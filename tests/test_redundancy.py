import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

from oracles.evaluation import absolute_correlation, leaders, symmetrical_uncertainty
from settings_tools import changed_settings
from widemargin import ReliefF
from widemargin.evaluation import redundancy
from widemargin.judging.copies import (
    Correlation,
)


def by_correlation(X, order, threshold):
    return leaders(
        list(order), lambda a, b: absolute_correlation(X[:, a], X[:, b]), threshold
    )


def blocks_of_copies(rng, n=40, sources=5, d=25):
    X = rng.standard_normal((n, sources))[:, rng.integers(0, sources, d)]
    return X * rng.choice([-3, 1], d) + 0.4 * rng.standard_normal((n, d))


@pytest.mark.parametrize("threshold", [0.5, 0.8, 0.9, 1.0])
@pytest.mark.parametrize("missing", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("block", [1, 4, 256])
def test_groups_are_the_oracle(threshold, missing, block):
    rng = np.random.default_rng(0)
    X, scores = blocks_of_copies(rng), rng.random(25)
    X[:, 5] = X[:, 11]
    X[rng.random(X.shape) < missing] = np.nan
    X[:, 7] = 3.3
    with changed_settings(correlation_block=block):
        found = redundancy(X, threshold=threshold, scores=scores)
    order = [f for f in np.argsort(-scores) if f != 7]
    assert found.groups == by_correlation(X, order, threshold)
    for group in found.groups:
        for f in group[1:]:
            assert found.similarities[f] == pytest.approx(
                absolute_correlation(X[:, group[0]], X[:, f])
            )
    assert found.kept.sum() == 25 - sum(len(g) - 1 for g in found.groups)


small = st.integers(1, 5).flatmap(
    lambda d: st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 2.0, 1e6, np.nan]), min_size=d, max_size=d),
        min_size=2,
        max_size=8,
    )
)


@given(small)
def test_correlations_of_any_small_table_are_the_oracle(rows):
    X = np.array(rows)
    likeness = Correlation(X)
    every = np.arange(X.shape[1])
    ours = likeness(every, every)
    for a in every:
        for b in every:
            if likeness.usable[a] and likeness.usable[b]:
                expected = absolute_correlation(X[:, a], X[:, b])
                assert ours[a, b] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.95])
def test_uncertainty_groups_are_the_oracle(threshold):
    rng = np.random.default_rng(1)
    values = np.array(["red", "green", "blue", None], dtype=object)
    source = rng.integers(0, 4, (60, 4))
    names = [values[(source[:, f % 4] + f) % 4] for f in range(8)]
    for column in names[5:]:
        column[rng.random(60) < 0.1] = "grey"
    X = np.array(names, dtype=object).T
    found = redundancy(X, measure="uncertainty", threshold=threshold)
    expected = leaders(
        range(8),
        lambda a, b: symmetrical_uncertainty(X[:, a].tolist(), X[:, b].tolist()),
        threshold,
    )
    assert found.groups == expected
    assert expected


def test_uncertainty_finds_what_correlation_cannot():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 4, 200)
    X = np.c_[codes, np.array([2, 0, 3, 1])[codes], rng.integers(0, 4, 200)]
    assert redundancy(X).groups == []
    assert redundancy(X, measure="uncertainty").groups == [[0, 1]]


def test_bins_follow_the_order_of_values_only():
    rng = np.random.default_rng(3)
    x = rng.standard_normal(300)
    rare = (rng.random(300) < 0.02) * 1.0  # one bin of quantiles would hold it all
    X = np.c_[x, np.exp(x), -(x**3), rare, 5 * rare, rng.standard_normal(300)]
    found = redundancy(X, measure="uncertainty")
    assert found.groups == [[0, 1, 2], [3, 4]]


def test_groups_do_not_chain():
    """Each is like the next, the ends are not alike."""
    rng = np.random.default_rng(4)
    steps = rng.standard_normal((500, 9)).cumsum(axis=1)
    found = redundancy(steps[:, 3:], threshold=0.88)
    r = np.abs(np.corrcoef(steps[:, 3:].T))
    assert (np.diag(r, 1) >= 0.88).all()
    assert found.groups == [[0, 1], [2, 3], [4, 5]]
    for group in found.groups:
        assert (r[group[0], group[1:]] >= 0.88).all()
    firsts = [group[0] for group in found.groups]
    assert (np.triu(r[np.ix_(firsts, firsts)], 1) < 0.88).all()


def test_the_best_feature_represents_its_group():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = ReliefF().fit(X, y)
    found = redundancy(X, scores=selector)
    for group in found.groups:
        assert selector.ranking_[group].tolist() == sorted(selector.ranking_[group])
    assert found.groups == redundancy(X, scores=selector.scores_).groups
    frame = found.frame
    assert list(frame) == ["group", "feature", "representative", "similarity"]
    assert frame["feature"][0] == frame["representative"][0]
    assert (frame["similarity"] >= 0.9).all()
    assert frame["group"].nunique() == len(found.groups)


def test_classes_say_which_is_best_if_there_are_no_scores():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    good = y + 0.3 * rng.standard_normal(300)
    X = np.c_[good + 0.15 * rng.standard_normal(300), good]
    assert redundancy(X).groups == [[0, 1]]
    assert redundancy(X, y).groups == [[1, 0]]


def mixed():
    rng = np.random.default_rng(6)
    size = rng.choice(["s", "m", "l"], 100)
    return pd.DataFrame(
        {
            "size": size,
            "number": pd.Series(size).map({"s": 0, "m": 1, "l": 2}),
            "ordered": pd.Categorical(size, ["s", "m", "l"], ordered=True),
            "whole": pd.array(rng.integers(0, 50, 100), dtype="Int64"),
            "yes": rng.random(100) < 0.5,
            "id": [f"customer {i}" for i in range(100)],
            "empty": np.nan,
        }
    )


def test_a_numeric_target_says_which_is_best():
    rng = np.random.default_rng(0)
    y = rng.standard_exponential(300)
    blurred = y + 0.4 * rng.standard_normal(300)
    X = np.column_stack([rng.standard_normal(300), blurred, y])
    found = redundancy(X, y, threshold=0.7)
    assert found.groups == [[2, 1]]
    bins = pd.qcut(y, 5, labels=False)
    assert redundancy(X, bins, threshold=0.7).groups == found.groups
    assert redundancy(X, np.exp(y), threshold=0.7).groups == found.groups
    with pytest.raises(ValueError, match="a label for each of 300 rows, got 299"):
        redundancy(X, y[:-1], threshold=0.7)


def test_frames_with_text_and_missing_values():
    X = mixed()
    X.loc[::9, ["size", "number"]] = None
    X["number"] = X["number"].astype("Int64")
    assert redundancy(X).groups == [[1, 2]]
    assert redundancy(X, measure="uncertainty").groups == [[0, 1]]
    whole = mixed()
    for frame in (whole, pl.from_pandas(whole.drop(columns="ordered"))):
        found = redundancy(frame, measure="uncertainty")
        groups = [found.names[g].tolist() for g in found.groups]
        expected = ["size", "number", "ordered"]
        assert groups == [[c for c in expected if c in frame.columns]]
    assert redundancy(whole["id"].to_frame()).groups == []


def test_many_categories_are_no_trouble():
    ids = np.array([[f"{i}", f"{i % 7}"] for i in range(1000)], dtype=object)
    assert redundancy(ids, measure="uncertainty").groups == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 0}, "threshold above 0 and up to 1, got 0"),
        ({"threshold": 1.5}, "got 1.5"),
        ({"measure": "distance"}, "got 'distance'"),
        ({"scores": [1.0, 2.0]}, r"one score for each of 4 features, got shape \(2,\)"),
        ({"scores": [1.0, np.nan, 1, 1]}, "with NaN"),
        ({"y": [0, 1]}, "a label for each of 150 rows, got 2"),
        ({"n_bins": 1}, "n_bins to be an integer of at least 2"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    X, _ = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        redundancy(X, **options)


def test_no_matrix_of_all_pairs():
    """No more than a block of similarities is in memory."""
    d, block = 2000, 16
    X = np.random.default_rng(0).standard_normal((20, d))
    tracemalloc.start()
    try:
        with changed_settings(correlation_block=block):
            redundancy(X, threshold=0.99)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 8 * block * d < peak < 8 * d * d / 4
