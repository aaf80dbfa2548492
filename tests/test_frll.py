import numpy as np
import pytest
from hypothesis import given

from cases import CASES, gaussian, small_tables
from oracles.frll import frll
from widemargin import FRLL

pytestmark = [
    pytest.mark.filterwarnings("ignore:FRLL. n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("neighbors", ["class", "global"])
@pytest.mark.parametrize("k", [1, 5])
def test_sums_are_the_quadratic_forms_of_the_laplacians(case, neighbors, k):
    X, y = case(np.random.default_rng(0))
    fitted = FRLL(n_neighbors=k, neighbors=neighbors).fit(X, y)
    within, between = frll(X, y, k, neighbors=neighbors)
    np.testing.assert_allclose(fitted.within_, within, atol=1e-10)
    np.testing.assert_allclose(fitted.between_, between, atol=1e-10)


@given(small_tables())
def test_any_small_table_has_the_sums_of_the_oracle(table):
    X, y = table
    fitted = FRLL(n_neighbors=2).fit(X, y)
    within, between = frll(X, y, 2)
    np.testing.assert_allclose(fitted.within_, within, atol=1e-10)
    np.testing.assert_allclose(fitted.between_, between, atol=1e-10)


def test_scores_are_quotient_or_difference():
    X, y = gaussian(np.random.default_rng(0))
    within, between = frll(X, y)
    quotient = FRLL().fit(X, y).scores_
    np.testing.assert_allclose(quotient, between / within)
    difference = FRLL(criterion="difference").fit(X, y).scores_
    np.testing.assert_allclose(difference, between - within)


@pytest.mark.parametrize("criterion", ["quotient", "difference"])
def test_perfect_features_rank_first_and_empty_ones_last(criterion):
    X, y = gaussian(np.random.default_rng(0))
    X[:, 5] = y == 1  # perfect, and differs on fewer edges than the next
    X[:, 2] = y
    X[:, 4] = 0.0
    fitted = FRLL(criterion=criterion, scale=None).fit(X, y)
    assert fitted.within_[2] == fitted.within_[5] == 0
    assert np.isfinite(fitted.scores_).all()
    assert fitted.ranking_[4] == 7
    assert fitted.scores_[4] < np.delete(fitted.scores_, 4).min()
    if criterion == "quotient":
        best = np.argsort(-fitted.between_[[2, 5]])
        np.testing.assert_array_equal(fitted.ranking_[np.array([2, 5])[best]], [1, 2])


def test_number_of_threads_changes_nothing():
    X, y = gaussian(np.random.default_rng(0))
    one, two = (FRLL(n_jobs=n).fit(X, y).scores_ for n in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.filterwarnings("default:FRLL. n_neighbors=:UserWarning")
def test_too_many_neighbors_says_what_is_done():
    X, y = gaussian(np.random.default_rng(0))
    with pytest.warns(UserWarning, match="n_neighbors=50, but class"):
        FRLL(n_neighbors=50).fit(X, y)
