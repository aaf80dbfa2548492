"""RReliefF from a sample of the rows: exact at the end, and honest before."""

import numpy as np
import pytest
from sklearn.base import clone

from cases import CASES
from oracles.regression import contributions, quotient_intervals, rrelieff
from widemargin import RReliefF
from widemargin.base.sampling import Quotients

METHODS = [
    RReliefF(n_neighbors=5),
    RReliefF(n_neighbors=3, weights="distance"),
    RReliefF(n_neighbors=4, metric="euclidean", scale="standard"),
]
EACH = pytest.mark.parametrize("method", METHODS, ids=repr)


def auto(method, wanted=2, **parameters):
    parameters = {"n_samples": "auto", "random_state": 0, **parameters}
    return clone(method).set_params(n_features_to_select=wanted, **parameters)


def covers(fitted, scores):
    low, high = fitted.scores_interval_.T
    return bool(np.all((low <= scores) & (scores <= high)))


def plane(rng, n, d=6):
    X = rng.standard_normal((n, d))
    return X, 2 * X[:, 0] + X[:, 1] + rng.standard_normal(n)


@EACH
@pytest.mark.parametrize("case", CASES)
def test_all_rows_visited_is_the_exact_score(method, case):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    y = y + rng.standard_normal(len(y)).round(1)
    exact = clone(method).fit(X, y).scores_
    fitted = auto(method, None, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(fitted.scores_, exact, rtol=0, atol=1e-12)
    assert fitted.n_samples_ == len(y)
    assert fitted.converged_
    assert covers(fitted, exact)
    assert np.ptp(fitted.scores_interval_, axis=1).max() < 1e-10


@EACH
def test_a_number_of_samples_is_visited(method):
    X, y = plane(np.random.default_rng(1), 60)
    drawn = np.random.RandomState(7).permutation(60)[:20]
    fitted = clone(method).set_params(n_samples=20, random_state=7).fit(X, y)
    options = method.get_params()
    expected = rrelieff(
        X,
        y,
        options["n_neighbors"],
        weights=options["weights"],
        metric=options["metric"],
        scale=options["scale"],
        samples=drawn,
    )
    np.testing.assert_allclose(fitted.scores_, expected, rtol=0, atol=1e-12)
    assert fitted.n_samples_ == 20
    assert not hasattr(fitted, "scores_interval_")


def test_more_samples_than_rows_is_all_of_them():
    X, y = plane(np.random.default_rng(1), 50)
    with pytest.warns(UserWarning, match="each row is visited once"):
        fitted = RReliefF(n_samples=51).fit(X, y)
    np.testing.assert_array_equal(fitted.scores_, RReliefF().fit(X, y).scores_)


def test_intervals_are_the_oracles():
    """The influences of single rows, recomputed at a look, without any moments."""
    X, y = plane(np.random.default_rng(2), 150)
    X[:, 3] = 1.5
    a, b, c = contributions(X, y, 5)
    seen = np.random.default_rng(3).permutation(150)[:120]
    ranges = np.array([1.0, 1, 1, 0, 1, 1])
    ours = Quotients(ranges)
    for part in np.array_split(seen, [1, 40, 90]):
        ours.add(np.column_stack([a[part], b[part], c[part]]))
    scores, half = quotient_intervals(a[seen], b[seen], c[seen], ranges, 150, 0.05)
    np.testing.assert_allclose(ours.scores(), scores, rtol=0, atol=1e-13)
    np.testing.assert_allclose(ours.half_widths(150, 0.05), half, rtol=1e-9)
    assert half[3] == 0
    assert np.isfinite(half).all()


@pytest.mark.parametrize("case", CASES)
def test_no_row_has_more_influence_than_the_bound(case):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    a, b, c = contributions(X, y + rng.standard_normal(len(y)).round(1), 3)
    tiny = 1e-12
    assert (b <= c[:, None] + tiny).all()
    assert (a - b <= 1 - c[:, None] + tiny).all()
    assert (b >= 0).all()
    assert (a - b >= -tiny).all()


def test_little_is_claimed_while_the_target_has_hardly_differed():
    """With N_C near 0, a quotient may be anything."""
    ours = Quotients(np.ones(2))
    ours.add(np.column_stack([np.full((64, 2), 0.3), np.zeros((64, 2)), np.zeros(64)]))
    assert np.isinf(ours.half_widths(1000, 0.05)).all()


def test_easy_data_need_few_rows():
    rng = np.random.default_rng(4)
    X = rng.random((8000, 5))
    y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
    fitted = RReliefF(2, n_samples="auto", random_state=0).fit(X, y)
    assert fitted.n_samples_ <= 5000
    assert fitted.converged_
    np.testing.assert_array_equal(fitted.get_support(indices=True), [0, 1])
    low, high = fitted.scores_interval_.T
    assert low[:2].min() > high[2:].max()


def test_noise_stops_at_the_tolerance():
    rng = np.random.default_rng(5)
    X, y = rng.random((4000, 4)), rng.random(4000)
    fitted = RReliefF(2, n_samples="auto", tol=0.05, random_state=0).fit(X, y)
    assert fitted.n_samples_ < 4000
    assert not fitted.converged_
    assert np.ptp(fitted.scores_interval_, axis=1).max() <= 0.1


def uniform(rng, n):
    X = rng.random((n, 6))
    return X, X[:, 0] + np.abs(X[:, 1] - 0.5) + 0.2 * rng.random(n)


def flags(rng, n):
    """Features that are 0 in nearly all rows, some of which raise the target."""
    X = (rng.random((n, 6)) < [0.5, 0.01, 0.005, 0.003, 0.3, 0.02]).astype(float)
    return X, X[:, 0] + X[:, 1] + 2 * rng.random(n)


def outliers(rng, n):
    """A few targets far from all others make most of N_C."""
    X = rng.random((n, 6))
    return X, X[:, 0] + np.where(rng.random(n) < 0.03, 5.0, 0.0)


def skewed(rng, n):
    X = np.exp(1.5 * rng.standard_normal((n, 6)))
    return X, np.log(X[:, 0]) + X[:, 1] ** 0.3


@pytest.mark.simulated
@pytest.mark.parametrize(
    ("case", "n", "tol"),
    [(uniform, 800, 0.3), (flags, 400, 0.5), (outliers, 800, 0.9), (skewed, 800, 0.5)],
)
def test_intervals_cover_the_exact_scores_together(case, n, tol):
    X, y = case(np.random.default_rng(1), n)
    exact = RReliefF(n_neighbors=5).fit(X, y).scores_
    method = RReliefF(n_neighbors=5, tol=tol)
    runs = [auto(method, 3, random_state=seed).fit(X, y) for seed in range(100)]
    assert np.mean([covers(run, exact) for run in runs]) >= 0.93
    assert np.mean([run.n_samples_ < n for run in runs]) > 0.5


@EACH
def test_result_depends_on_the_seed_only(method):
    X, y = plane(np.random.default_rng(6), 1500)
    one = auto(method, n_jobs=1, tol=0.2).fit(X, y)
    three = auto(method, n_jobs=3, tol=0.2).fit(np.asfortranarray(X), y)
    np.testing.assert_array_equal(one.scores_, three.scores_)
    np.testing.assert_array_equal(one.scores_interval_, three.scores_interval_)
    assert one.n_samples_ == three.n_samples_ < 1500
    other = auto(method, random_state=1, tol=0.2).fit(X, y)
    assert (other.scores_ != one.scores_).any()
