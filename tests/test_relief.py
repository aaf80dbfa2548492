import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_iris

from cases import CASES, small_tables, tied
from oracles.relief import relief, relieff
from widemargin import Relief, ReliefF, Simba
from widemargin.datasets import make_xor

pytestmark = [
    pytest.mark.filterwarnings("ignore:ReliefF. n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("squared", [False, True])
def test_relief_is_the_oracle(case, squared):
    X, y = case(np.random.default_rng(0))
    scores = Relief(squared=squared).fit(X, y).scores_
    np.testing.assert_allclose(scores, relief(X, y, squared=squared), atol=1e-12)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("k", [1, 2, 5, 10, 100])
def test_relieff_is_the_oracle(case, metric, k):
    X, y = case(np.random.default_rng(1))
    scores = ReliefF(n_neighbors=k, metric=metric).fit(X, y).scores_
    np.testing.assert_allclose(scores, relieff(X, y, k, metric=metric), atol=1e-12)


@pytest.mark.parametrize("scale", ["standard", None])
def test_other_scales(scale):
    X, y = tied(np.random.default_rng(2))
    X = X * [1, 2, 3, 4, 5, 6]
    for ours, theirs in (
        (Relief(scale=scale), relief(X, y, scale=scale)),
        (ReliefF(3, n_neighbors=3, scale=scale), relieff(X, y, 3, scale=scale)),
    ):
        np.testing.assert_allclose(ours.fit(X, y).scores_, theirs, atol=1e-12)


@given(small_tables())
def test_any_small_table_gives_the_scores_of_the_oracle(table):
    X, y = table
    np.testing.assert_allclose(Relief().fit(X, y).scores_, relief(X, y), atol=1e-12)
    for metric in ("euclidean", "manhattan"):
        scores = ReliefF(n_neighbors=3, metric=metric).fit(X, y).scores_
        np.testing.assert_allclose(scores, relieff(X, y, 3, metric=metric), atol=1e-12)


def test_iris_has_the_scores_that_matlab_documents():
    X, y = load_iris(return_X_y=True)
    scores = ReliefF(n_neighbors=10, metric="manhattan").fit(X, y).scores_
    np.testing.assert_array_equal(scores.round(4), [0.1399, 0.1226, 0.3590, 0.3754])


@pytest.fixture
def snp():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    X = rng.integers(0, 3, (200, 20))
    X[:, 0] = np.where(rng.random(200) < 0.8, 2 * y, X[:, 0])
    return X, y


@pytest.mark.parametrize("selector", [Relief(), ReliefF(), ReliefF(metric="manhattan")])
def test_order_of_rows_changes_nothing(snp, selector):
    X, y = snp
    scores = selector.fit(X, y).scores_
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(y))
        again = selector.fit(X[order], y[order]).scores_
        np.testing.assert_allclose(again, scores, rtol=0, atol=1e-13)


@pytest.mark.parametrize("selector", [Relief(), ReliefF(), ReliefF(metric="manhattan")])
def test_columns_and_label_names_go_along(snp, selector):
    X, y = snp
    scores = selector.fit(X, y).scores_
    order = np.random.default_rng(0).permutation(X.shape[1])
    np.testing.assert_allclose(selector.fit(X[:, order], y).scores_, scores[order])
    names = np.array(["case", "control"])[y]
    np.testing.assert_allclose(selector.fit(X, names).scores_, scores, atol=1e-13)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_visited_samples_are_those_drawn(metric):
    X, y = load_iris(return_X_y=True)
    drawn = np.random.RandomState(7).permutation(len(y))[:20]
    ours = ReliefF(n_samples=20, metric=metric, random_state=7).fit(X, y).scores_
    np.testing.assert_allclose(
        ours, relieff(X, y, 10, metric=metric, samples=drawn), atol=1e-12
    )
    ours = Relief(n_samples=20, random_state=7).fit(X, y).scores_
    np.testing.assert_allclose(ours, relief(X, y, samples=drawn), atol=1e-12)


def test_more_samples_than_rows_is_said():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="n_samples=500 but X has 150 rows"):
        scores = Relief(n_samples=500).fit(X, y).scores_
    np.testing.assert_array_equal(scores, Relief().fit(X, y).scores_)


def test_log_neighbors():
    X, y = load_iris(return_X_y=True)
    np.testing.assert_array_equal(
        ReliefF(n_neighbors="log").fit(X, y).scores_,
        ReliefF(n_neighbors=5).fit(X, y).scores_,  # ln 150 = 5.01
    )


def test_chebyshev_threshold_keeps_what_is_above_it():
    X, y = load_iris(return_X_y=True)
    fitted = Relief(threshold="chebyshev", alpha=0.5).fit(X, y)
    assert fitted.threshold_ == pytest.approx(1 / np.sqrt(0.5 * 150))
    np.testing.assert_array_equal(fitted.support_, fitted.scores_ > fitted.threshold_)
    assert 0 < fitted.support_.sum() < 4
    assert Relief(threshold=0.1).fit(X, y).support_.sum() == 3
    assert Relief().fit(X, y).threshold_ is None


@pytest.mark.filterwarnings("default:ReliefF. n_neighbors=:UserWarning")
def test_too_many_neighbors_says_what_is_done():
    X, y = load_iris(return_X_y=True)
    keep = np.r_[0:50, 50:54, 100:150]
    with pytest.warns(UserWarning, match=r"n_neighbors=10, but class 1 has 4 members"):
        ReliefF().fit(X[keep], y[keep])


def test_simba_separates_xor_and_relief_less_so():
    X, y = make_xor(random_state=0)
    w = Simba(random_state=0).fit(X, y).scores_
    assert (w[:3] > 0.5).all()
    assert (w[3:] < 0.1).all()
    r = Relief().fit(X, y).scores_
    assert (r / r.max())[3:].max() > w[3:].max()
