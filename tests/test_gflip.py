import numpy as np
import pytest
from hypothesis import given
from sklearn.exceptions import ConvergenceWarning

import widemargin.selectors.gflip
from cases import CASES, gaussian, small_tables
from oracles.gflip import gflip
from oracles.margin import evaluation
from settings_tools import changed_settings
from widemargin import GFlip
from widemargin.data.build import build
from widemargin.datasets import make_gaussian_relevant, make_xor
from widemargin.kernels.records import LINEAR, Utility
from widemargin.threads import Workers

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
    pytest.mark.filterwarnings("ignore:No features were selected:UserWarning"),
    pytest.mark.filterwarnings("ignore:GFlip ends in the empty set:UserWarning"),
]


def assert_same_flips(X, y, orders, **options):
    ours = GFlip(order=orders, **options).fit(X, y)
    assert_same(ours, gflip(X, y, orders, **options))
    return ours


def assert_same(ours, theirs):
    np.testing.assert_array_equal(ours.get_support(), theirs.selected)
    size = max(1.0, abs(theirs.margin))
    assert ours.margin_ == pytest.approx(theirs.margin, abs=1e-9 * size)
    assert ours.n_epochs_ == theirs.epochs
    np.testing.assert_allclose(ours.scores_, theirs.scores, atol=1e-9 * size)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("utility", ["linear", "sigmoid", "zero-one"])
def test_sets_and_scores_are_those_of_the_oracle(case, utility):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    orders = [rng.permutation(X.shape[1]) for _ in range(8)]
    assert_same_flips(X, y, orders, utility=utility)


@given(small_tables())
def test_any_small_table_gives_the_sets_of_the_oracle(table):
    X, y = table
    orders = [np.arange(X.shape[1])] * 6
    assert_same_flips(X, y, orders)


def test_more_rows_than_listed_with_and_without_distance_matrix(monkeypatch):
    rng = np.random.default_rng(5)
    X, y = make_gaussian_relevant(90, 12, random_state=0)
    X[:, 3:] += rng.standard_normal((90, 9)) / 3
    orders = [rng.permutation(12) for _ in range(10)]
    theirs = gflip(X, y, orders)
    assert theirs.epochs > 2
    for memory in ("1GiB", "0"):  # distances are kept, or not
        monkeypatch.setenv("WIDEMARGIN_MEMORY", memory)
        with changed_settings(listed_neighbors=4, flipped_rows=30):
            assert_same(GFlip(order=orders).fit(X, y), theirs)


@pytest.mark.parametrize("memory", ["1GiB", "0"])
def test_distances_follow_any_number_of_flips(memory, monkeypatch):
    # Most flips do not last, so that the log of them is cut again and again.
    monkeypatch.setenv("WIDEMARGIN_MEMORY", memory)
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 9)), np.repeat([0, 1], 15)
    with Workers(1) as workers:
        table = build(X, y, np.arange(2), scale=None, workers=workers)
        utility = Utility(LINEAR, 1.0)
        search = widemargin.selectors.gflip.FlipSearch(table, utility, workers)
        F = np.zeros(9)
        for f in rng.integers(0, 9, 150):
            search.e = -1e9  # any flip makes it larger
            search.epoch(np.array([f]))
            F[f] = 1 - F[f]
            np.testing.assert_array_equal(search.F, F == 1)
            if F.any():
                assert search.e == pytest.approx(evaluation(X, y, F, "linear"))


def test_cancelled_distances_are_summed_afresh():
    # Rows that coincide once a feature leaves: what is left of their distance is 0,
    # and would be a rounding error whose root is not small.
    rng = np.random.default_rng(6)
    X = rng.integers(0, 3, (60, 10)) / 3 + 0.1
    y = rng.integers(0, 2, 60)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        orders = [rng.permutation(10) for _ in range(12)]
        assert_same_flips(X, y, orders)


def test_distances_that_cancel_to_nothing_still_tell_the_classes():
    # All that tells the classes, once the first feature leaves, is a billionth of it.
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = np.c_[0.4 * y + 0.6 * rng.random(80), 1e-9 * (y + 0.1 * rng.random(80))]
    X[40:50, 0] = X[:10, 0]  # where the second feature helps at first
    X = np.vstack([X, [[0.0, 1.0], [0.01, 1.0]]])
    y = np.r_[y, 2, 2]
    together = GFlip(order=[[0, 1]], utility="zero-one").fit(X, y)
    assert together.get_support().all()
    assert together.margin_ < 82
    fitted = assert_same_flips(X, y, [[0, 1]] * 4, utility="zero-one")
    np.testing.assert_array_equal(fitted.get_support(), [False, True])
    assert fitted.margin_ == 82


def test_xor_is_found_and_is_a_local_maximum():
    X, y = make_xor(random_state=0)
    fitted = GFlip(n_starts=5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(fitted.get_support(indices=True), [0, 1, 2])
    assert (fitted.scores_[:3] > 0).all()
    assert (fitted.scores_[3:] <= 0).all()


def test_features_in_the_set_rank_first():
    X, y = gaussian(np.random.default_rng(0))
    fitted = GFlip(order=[np.arange(7)]).fit(X, y)  # cut short: no local maximum
    chosen = fitted.ranking_[fitted.support_]
    assert sorted(chosen) == list(range(1, fitted.support_.sum() + 1))
    two = GFlip(2, order=[np.arange(7)]).fit(X, y)
    np.testing.assert_array_equal(two.support_, fitted.ranking_ <= 2)


def test_the_sigmoid_adds_the_feature_visited_first_even_a_constant():
    X, y = make_gaussian_relevant(60, 8, random_state=0)
    X[:, 2] = 7
    orders = [[2, 0, 1, 3, 4, 5, 6, 7]] * 4
    fitted = GFlip(order=orders, utility="sigmoid").fit(X, y)
    assert_same(fitted, gflip(X, y, orders, utility="sigmoid"))
    assert fitted.support_[2]
    assert not GFlip(order=orders).fit(X, y).support_[2]


def test_restarts_keep_the_largest_margin():
    X, y = make_gaussian_relevant(100, 20, random_state=1)
    alone = [GFlip(random_state=s).fit(X, y).margin_ for s in range(3)]
    random = np.random.RandomState(0)
    best = GFlip(n_starts=8, random_state=random).fit(X, y).margin_
    assert best >= max(alone[0], np.mean(alone))


@pytest.mark.parametrize("utility", ["linear", "sigmoid", "zero-one"])
def test_same_seed_same_result_with_any_number_of_threads(utility):
    X, y = make_xor(700, random_state=0)
    options = {"utility": utility, "random_state": 3}
    one, *others = (GFlip(**options, n_jobs=n).fit(X, y) for n in (1, 2, 3, 5))
    for other in others:
        np.testing.assert_array_equal(one.scores_, other.scores_)
        assert (one.margin_, one.n_epochs_) == (other.margin_, other.n_epochs_)


def test_giving_up_is_said():
    X, y = make_gaussian_relevant(100, 20, random_state=1)
    with pytest.warns(ConvergenceWarning, match="after max_epochs=1"):
        GFlip(max_epochs=1, random_state=0).fit(X, y)


BAD_ORDERS = [[], [[0, 1, 1]], [[0, 1]], [[0.0, 1.0, 2.0]], [0, 1, 2]]


@pytest.mark.parametrize("order", BAD_ORDERS)
def test_a_bad_order_is_named(order):
    with pytest.raises(ValueError, match="list of permutations of 0 … 2"):
        GFlip(order=order).fit(np.eye(3), [0, 1, 1])
