import numpy as np
import pytest
from hypothesis import given

from cases import CASES, gaussian, small_tables
from oracles.margin import evaluation
from oracles.neighbours import scaled
from oracles.simba import normalised, simba
from widemargin import Simba
from widemargin.datasets import make_gaussian_relevant, make_xor

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
    pytest.mark.filterwarnings("ignore:Simba. all weights fell to 0:UserWarning"),
]


def assert_same_weights(ours, theirs):
    size = max(1.0, np.abs(theirs).max())
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-8 * size)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("utility", ["linear", "sigmoid"])
@pytest.mark.parametrize("batch_size", [1, 4])
def test_weights_are_those_of_the_oracle(case, utility, batch_size):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    order = rng.permutation(len(y))
    options = {"utility": utility, "batch_size": batch_size}
    ours = Simba(order=order, **options).fit(X, y)
    theirs = simba(X, y, [order], **options)
    assert_same_weights(ours.weights_, theirs)


def test_many_rows_and_features_and_passes():
    # More features than the search sums at once, and features rearranged on the way.
    X, y = make_gaussian_relevant(300, 150, random_state=0)
    order = np.random.default_rng(0).permutation(300)
    ours = Simba(order=order, max_iter=2).fit(X, y)
    assert_same_weights(ours.weights_, simba(X, y, [order, order]))


# A single weight can land on 0, or as near to it as rounding puts it, and then stays or
# goes on.
@given(small_tables(min_features=2))
def test_any_small_table_gives_the_weights_of_the_oracle(table):
    X, y = table
    order = np.arange(len(y))[::-1]
    ours = Simba(order=order).fit(X, y)
    assert_same_weights(ours.weights_, simba(X, y, [order]))


@pytest.mark.parametrize("scale", ["standard", None])
def test_other_scales(scale):
    X, y = gaussian(np.random.default_rng(1))
    order = np.arange(len(y))
    ours = Simba(order=order, scale=scale).fit(X, y)
    assert_same_weights(ours.weights_, simba(X, y, [order], scale=scale))


def test_order_may_repeat_rows_or_leave_some_out():
    X, y = gaussian(np.random.default_rng(2))
    order = [3, 3, 10, 59, 3]
    ours = Simba(order=order).fit(X, y)
    assert_same_weights(ours.weights_, simba(X, y, [order]))


def test_the_start_of_the_highest_margin_is_kept():
    X, y = make_xor(200, random_state=1)
    fitted = Simba(n_starts=4, max_iter=3, random_state=0).fit(X, y)
    assert fitted.history_.shape == (4, 3)
    assert fitted.margin_ == fitted.history_[:, -1].max()
    assert fitted.n_iter_ == 3
    w = fitted.weights_ / np.abs(fitted.weights_).max()
    assert fitted.margin_ == pytest.approx(evaluation(scaled(X, "minmax"), y, w))
    np.testing.assert_allclose(fitted.scores_, normalised(fitted.weights_))


def test_same_seed_same_result_with_any_number_of_threads():
    X, y = make_xor(200, random_state=1)
    one = Simba(random_state=3, n_jobs=1).fit(X, y)
    two = Simba(random_state=3, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.weights_, two.weights_)
    np.testing.assert_array_equal(one.history_, two.history_)


def test_constant_features_score_zero_and_rank_last():
    X, y = gaussian(np.random.default_rng(0))
    X[:, [1, 5]] = 4.0
    fitted = Simba(random_state=0).fit(X, y)
    assert (fitted.scores_[[1, 5]] == 0).all()
    assert sorted(fitted.ranking_[[1, 5]]) == [6, 7]


@pytest.mark.parametrize("order", [[0, 1, 60], [-1], [0.5], [[0, 1]], ["a"]])
def test_a_bad_order_is_named(order):
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(ValueError, match="Simba: order must be a list of row numbers"):
        Simba(order=order).fit(X, y)
