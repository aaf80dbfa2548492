import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist

from cases import CASES, gaussian, small_tables
from oracles.frll import frll
from oracles.neighbours import scaled
from settings_tools import changed_settings
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


@pytest.mark.parametrize("case", CASES)
def test_sums_within_a_radius_are_those_of_the_oracle(case):
    X, y = case(np.random.default_rng(0))
    some = pdist(scaled(X, "minmax"))
    for radius in {np.median(some), some.max(), 9.0} - {0.0}:  # some that occur
        with changed_settings(pair_block=5 * len(y)):  # several blocks
            fitted = FRLL(radius=float(radius)).fit(X, y)
        within, between = frll(X, y, radius=radius)
        np.testing.assert_allclose(fitted.within_, within, atol=1e-9)
        np.testing.assert_allclose(fitted.between_, between, atol=1e-9)


def test_a_radius_without_neighbours_says_how_far_rows_are():
    X, y = gaussian(np.random.default_rng(0))
    message = r"no two rows within radius=1e-06. The mean distance .* is 0\.\d+"
    with pytest.raises(ValueError, match=message):
        FRLL(radius=1e-6).fit(X, y)


def test_a_sparse_table_has_the_same_neighbours_within_a_radius():
    X, y = gaussian(np.random.default_rng(0))
    X[X < 0] = 0
    options = {"radius": 0.9, "scale": "maxabs"}
    dense = FRLL(**options).fit(X, y)
    sparse = FRLL(**options).fit(csr_array(X), y)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, rtol=1e-9)


def test_radius_is_refused_on_dask():
    array = pytest.importorskip("dask.array")
    X, y = gaussian(np.random.default_rng(0))
    X, y = (array.from_array(a, chunks=(30, -1)[: a.ndim]) for a in (X, y))
    with pytest.raises(ValueError, match="needs radius=None"):
        FRLL(radius=0.5).fit(X, y)


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
