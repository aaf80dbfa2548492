"""RReliefF against its oracle, and by hand."""

import numpy as np
import pytest

from cases import CASES, gaussian, tied
from oracles.regression import rrelieff
from widemargin import MultiSURF, RReliefF
from widemargin.baselines import ForestImportance


def target(case, seed):
    rng = np.random.default_rng(seed)
    X, y = case(rng)
    return X, y + rng.standard_normal(len(y)).round(1)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("weights", ["rank", "uniform", "distance"])
@pytest.mark.parametrize("k", [1, 3, 10, 100])
def test_scores_are_the_oracles(case, weights, k):
    X, y = target(case, 0)
    scores = RReliefF(n_neighbors=k, weights=weights).fit(X, y).scores_
    np.testing.assert_allclose(scores, rrelieff(X, y, k, weights=weights), atol=1e-12)


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_metric_scale_and_sigma(metric, scale):
    X, y = target(gaussian, 1)
    ours = RReliefF(n_neighbors=7, sigma=2.5, metric=metric, scale=scale).fit(X, y)
    theirs = rrelieff(X, y, 7, sigma=2.5, metric=metric, scale=scale)
    np.testing.assert_allclose(ours.scores_, theirs, atol=1e-12)


def test_an_example_by_hand():
    """Three rows on a line, k = 1, f = y: each row's neighbour is the next one.

    Scaled, x = y = 0, 1/4, 1. Neighbours: 0 → 1/4, 1/4 → 0, 1 → 1/4, so diff = 1/4,
    1/4, 3/4 in both: N_C = N_f = 5/4, N_fC = 1/16 + 1/16 + 9/16 = 11/16, m = 3, and
    w = (11/16)/(5/4) − (5/4 − 11/16)/(3 − 5/4) = 11/20 − 9/28 = 8/35.
    """
    X = np.array([[0.0], [1.0], [4.0]])
    scores = RReliefF(1, n_neighbors=1).fit(X, X[:, 0]).scores_
    np.testing.assert_allclose(scores, [8 / 35], atol=1e-15)


def test_weights_by_rank_and_a_nominal_feature_by_hand():
    """Three rows, k = 2, and weights 2^(−r²), so 8/9 and 1/9 for the two neighbours.

    Scaled, x = 0, 1/3, 1 and y = 0, 1, 1/2; the nominal feature is a, a, b. Differences
    of rows 12, 13, 23 are 1/3, 1, 2/3 in x, 0, 1, 1 in the nominal feature, together
    1/3, 2, 5/3, and 1, 1/2, 1/2 in y. Neighbours: 1 → 2, 3; 2 → 1, 3; 3 → 2, 1.

        N_C  = (8 + 1/2)/9 + (8 + 1/2)/9 + (4 + 1/2)/9 = 43/18, m − N_C = 11/18
        x:       N = (8/3 + 1)/9 + (8/3 + 2/3)/9 + (16/3 + 1)/9 = 40/27,
                 N_C = (8/3 + 1/2)/9 + (8/3 + 1/3)/9 + (8/3 + 1/2)/9 = 28/27
                 w = (28/27)/(43/18) − (12/27)/(11/18) = 56/129 − 8/11
        nominal: N = 1/9 + 1/9 + 1 = 11/9, N_C = 1/18 + 1/18 + 1/2 = 11/18
                 w = (11/18)/(43/18) − (11/18)/(11/18) = 11/43 − 1
    """
    X = np.array([[0.0, 0], [1.0, 0], [3.0, 1]])
    sigma = 1 / np.sqrt(np.log(2))
    selector = RReliefF(n_neighbors=2, sigma=sigma, categorical_features=[1])
    scores = selector.fit(X, [0.0, 2.0, 1.0]).scores_
    np.testing.assert_allclose(scores, [56 / 129 - 8 / 11, 11 / 43 - 1], atol=1e-15)


@pytest.mark.parametrize("weights", ["rank", "uniform", "distance"])
def test_the_order_of_the_rows_does_not_count(weights):
    rng = np.random.default_rng(2)
    X, y = tied(rng)
    y = y + rng.integers(0, 9, len(y))
    scores = RReliefF(weights=weights).fit(X, y).scores_
    for _ in range(5):
        order = rng.permutation(len(y))
        again = RReliefF(weights=weights).fit(X[order], y[order]).scores_
        np.testing.assert_allclose(again, scores, atol=1e-13)


def test_two_relevant_features_come_first():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((400, 20))
    y = X[:, 4] * X[:, 11] + 0.1 * rng.standard_normal(400)
    assert set(RReliefF(2).fit(X, y).get_support(indices=True)) == {4, 11}


def test_nominal_and_missing_values_are_taken():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    colour = rng.choice(["red", "green", "blue"], 300)
    X = pd.DataFrame({"noise": rng.standard_normal(300), "colour": colour})
    X.loc[rng.random(300) < 0.1, "noise"] = np.nan
    X.loc[rng.random(300) < 0.1, "colour"] = None
    y = (colour == "red") + 0.1 * rng.standard_normal(300)
    assert RReliefF(1).fit(X, y).get_feature_names_out() == ["colour"]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.ones(10), "needs a target that varies, but y is 1 in every row"),
        ([*range(9), np.nan], "needs a number for every row, but y has 1 missing"),
        (list("abcdefghij"), "needs numbers in y"),
        (np.ones((10, 2)), "needs a target that varies, but y is \\[1.0, 1.0\\] in"),
        (np.arange(9.0), "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
    ],
)
def test_a_target_that_is_no_number_is_refused(y, message):
    X = np.random.default_rng(5).standard_normal((10, 3))
    with pytest.raises(ValueError, match=message):
        RReliefF().fit(X, y)


@pytest.mark.parametrize(
    "selector", [MultiSURF(task="regression"), ForestImportance(task="regression")]
)
def test_a_dask_collection_is_refused_with_what_to_do(selector):
    da = pytest.importorskip("dask.array")
    X = da.ones((10, 3), chunks=5)
    with pytest.raises(ValueError, match=r"on Dask.*Use RReliefF, or .*compute"):
        selector.fit(X, X[:, 0])
