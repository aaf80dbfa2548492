"""Weights of rows: what they mean, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from widemargin.baselines import FisherScore, PearsonScore, TraceRatio

X, y = load_iris(return_X_y=True)
W = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)

# Methods without neighbours, with what a score grows by if all rows come twice.
MOMENTS = [FisherScore(), PearsonScore(), FisherScore(scale="rank")]


@pytest.mark.parametrize("selector", MOMENTS, ids=repr)
def test_whole_numbers_are_repeated_rows(selector):
    weighted = selector.fit(X, y, sample_weight=W).scores_
    times = W.astype(int)
    repeated = selector.fit(X.repeat(times, axis=0), y.repeat(times)).scores_
    np.testing.assert_allclose(weighted, repeated, rtol=1e-12)


def test_sums_over_rows_are_in_units_of_the_mean_weight():
    times = W.astype(int)
    weighted = TraceRatio().fit(X, y, sample_weight=W)
    repeated = TraceRatio().fit(X.repeat(times, axis=0), y.repeat(times))
    mean = W[W > 0].mean()
    np.testing.assert_allclose(weighted.scores_ * mean, repeated.scores_, rtol=1e-10)
    assert weighted.ratio_ == pytest.approx(repeated.ratio_, rel=1e-12)


@pytest.mark.parametrize("container", [list, pd.Series, np.float32])
def test_weights_come_in_any_container(container):
    expected = FisherScore().fit(X, y, sample_weight=W).scores_
    given = container(W.tolist())
    np.testing.assert_array_equal(
        FisherScore().fit(X, y, sample_weight=given).scores_, expected
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (W[:-1], r"shape \(150,\), got an array of shape \(149,\)"),
        (np.zeros(len(y)), "but all are zero"),
        (np.where(W == 3, -1, W), "not negative, got -1 in row"),
        (np.where(W == 3, np.nan, W), "finite.* got nan in row"),
        (np.where(W == 3, np.inf, W), "finite.* got inf in row"),
        (["a"] * len(y), "to be a number for each of 150 rows: could not convert"),
    ],
    ids=["short", "zeros", "negative", "nan", "infinite", "text"],
)
def test_wrong_weights_get_a_sentence(wrong, words):
    with pytest.raises(ValueError, match=f"^FisherScore needs sample_weight.*{words}"):
        FisherScore().fit(X, y, sample_weight=wrong)


def test_a_class_of_weight_zero_is_not_there():
    weights = (y > 0).astype(float)
    fitted = FisherScore().fit(X, y, sample_weight=weights)
    expected = FisherScore().fit(X[y > 0], y[y > 0])
    np.testing.assert_array_equal(fitted.scores_, expected.scores_)
    with pytest.raises(ValueError, match="at least 2 classes in y, got 1"):
        FisherScore().fit(X, y, sample_weight=(y == 1).astype(float))
