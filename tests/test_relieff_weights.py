"""ReliefF with neighbours that count by rank or distance, and with given priors."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from cases import CASES, gaussian, lopsided, tied
from oracles.relief import relieff, weighted_relieff
from widemargin import ReliefF, evaluation
from widemargin.data.read import read_dataset
from widemargin.evaluation._null_scores import summed_neighbors

pytestmark = [
    pytest.mark.filterwarnings("ignore:ReliefF. n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("weights", ["rank", "distance"])
@pytest.mark.parametrize("k", [1, 4, 30])
def test_scores_are_the_oracles(case, weights, k):
    X, y = case(np.random.default_rng(4))
    for metric, sigma in (("euclidean", 20.0), ("manhattan", 2.0)):
        ours = ReliefF(n_neighbors=k, metric=metric, weights=weights, sigma=sigma)
        theirs = weighted_relieff(X, y, k, weights=weights, sigma=sigma, metric=metric)
        np.testing.assert_allclose(ours.fit(X, y).scores_, theirs, atol=1e-12)


@pytest.mark.parametrize("weights", ["uniform", "rank", "distance"])
@pytest.mark.parametrize("case", [gaussian, lopsided])
def test_given_priors_are_the_oracles(case, weights):
    X, y = case(np.random.default_rng(5))
    priors = {0: 0.2, 1: 0.3, 2: 0.5}
    theirs = weighted_relieff(X, y, 5, weights=weights, priors=priors)
    for given in (priors, [0.2, 0.3, 0.5], np.array([2, 3, 5])):
        ours = ReliefF(n_neighbors=5, weights=weights, priors=given).fit(X, y)
        np.testing.assert_allclose(ours.scores_, theirs, atol=1e-12)
    third = dict.fromkeys(range(3), 1 / 3)
    theirs = weighted_relieff(X, y, 5, weights=weights, priors=third)
    ours = ReliefF(n_neighbors=5, weights=weights, priors="uniform").fit(X, y)
    np.testing.assert_allclose(ours.scores_, theirs, atol=1e-12)


def test_priors_go_by_label():
    X, y = lopsided(np.random.default_rng(6))
    names = np.array(["low", "mid", "high"])[y]
    by_name = {"high": 0.6, "low": 0.3, "mid": 0.1}
    scores = ReliefF(priors=by_name).fit(X, names).scores_
    # In an array, in the order of the sorted labels: high, low, mid.
    again = ReliefF(priors=[0.6, 0.3, 0.1]).fit(X, names).scores_
    np.testing.assert_array_equal(scores, again)
    np.testing.assert_allclose(
        scores, ReliefF(priors=[0.3, 0.1, 0.6]).fit(X, y).scores_, atol=1e-15
    )


def test_priors_as_frequent_as_the_classes_change_nothing():
    X, y = lopsided(np.random.default_rng(6))
    counts = np.bincount(y)
    np.testing.assert_allclose(
        ReliefF(priors=counts).fit(X, y).scores_, ReliefF().fit(X, y).scores_
    )


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ([0.5, 0.5], r"one prior for each of 3 classes, in the order 0, 1, 2"),
        ({0: 0.5, 1: 0.5}, r"priors has none for 2"),
        ([0.5, 0.5, 0.0], r"finite, positive priors"),
        ([0.5, np.nan, 0.5], r"finite, positive priors"),
        ("balanced", r"The 'priors' parameter"),
    ],
)
def test_priors_that_say_nothing_are_refused(priors, message):
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(ValueError, match=message):
        ReliefF(priors=priors).fit(X, y)


def test_a_wide_sigma_is_uniform_and_a_narrow_one_takes_the_nearest():
    X, y = gaussian(np.random.default_rng(7))
    uniform = relieff(X, y, 8)
    wide = ReliefF(n_neighbors=8, weights="rank", sigma=1e6).fit(X, y).scores_
    np.testing.assert_allclose(wide, uniform, atol=1e-9)
    narrow = ReliefF(n_neighbors=8, weights="rank", sigma=0.01).fit(X, y).scores_
    np.testing.assert_allclose(narrow, relieff(X, y, 1), atol=1e-12)


@pytest.mark.parametrize("weights", ["rank", "distance"])
def test_the_order_of_the_rows_does_not_count(weights):
    X, y = tied(np.random.default_rng(8))
    selector = ReliefF(n_neighbors=5, weights=weights, sigma=3.0)
    scores = selector.fit(X, y).scores_
    order = np.random.default_rng(9).permutation(len(y))
    again = selector.fit(X[order], y[order]).scores_
    np.testing.assert_allclose(again, scores, rtol=0, atol=1e-13)


@pytest.mark.parametrize("weights", ["rank", "distance"])
def test_sampled_rows_are_those_drawn_and_auto_covers(weights):
    X, y = load_iris(return_X_y=True)
    drawn = np.random.RandomState(7).permutation(len(y))[:20]
    ours = ReliefF(n_samples=20, weights=weights, random_state=7).fit(X, y).scores_
    theirs = weighted_relieff(X, y, 10, weights=weights, samples=drawn)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    auto = ReliefF(n_samples="auto", weights=weights, random_state=0).fit(X, y)
    low, high = auto.scores_interval_.T
    exact = ReliefF(weights=weights).fit(X, y).scores_
    assert (low <= exact).all()
    assert (exact <= high).all()


@pytest.mark.parametrize("weights", ["uniform", "rank"])
def test_permuted_labels_are_scored_as_by_refits(weights):
    X, y = load_iris(return_X_y=True)
    selector = ReliefF(weights=weights, priors=[0.2, 0.3, 0.5])
    options = {"n_permutations": 99, "random_state": 0}
    found = evaluation.significance(selector, X, y, **options)
    assert found.significant().all()
    labels = np.random.default_rng(0).permutation(y)
    noise = evaluation.significance(selector, X, labels, **options)
    assert not noise.significant().all()


def test_one_search_serves_permutations_only_if_neighbours_count_the_same():
    data = read_dataset(*load_iris(return_X_y=True), "here")
    assert summed_neighbors(ReliefF(), data) == 30
    assert summed_neighbors(ReliefF(weights="rank"), data) is None


@pytest.mark.parametrize("weights", ["rank", "distance"])
def test_dask_gives_the_same_scores(weights):
    da = pytest.importorskip("dask.array")
    X, y = tied(np.random.default_rng(10))
    selector = ReliefF(n_neighbors=4, weights=weights, sigma=3.0, priors=[0.3, 0.7])
    here = selector.fit(X, y).scores_
    there = selector.fit(
        da.from_array(X, chunks=(20, X.shape[1])), da.from_array(y, chunks=20)
    ).scores_
    np.testing.assert_allclose(there, here, atol=1e-13)
