"""KernelRFE against its oracle, and what must not change its ranking."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cases import CASES, gaussian, labels, small_tables
from oracles.kernel_rfe import (
    block,
    fixed_scales,
    kernel,
    kernel_rfe,
    loss_of,
    loss_with,
    pairs,
    target_columns,
)
from widemargin import KernelRFE
from widemargin.datasets import make_xor
from widemargin.judging.auto import Tried, choose


def wide(rng):
    """More features than one step drops, some of them copies of others."""
    y = labels(rng, 40, 3)
    X = rng.standard_normal((40, 57))
    X[:, 20:25] += y[:, None]
    X[:, [3, 50]] = X[:, [21, 22]]
    X[:, 40] = -X[:, 23]
    return X, y


def duplicated_columns(rng):
    X, y = gaussian(rng)
    return np.hstack([X, X[:, ::-1], X[:, :2]]), y


def long(rng):
    X = rng.standard_normal((1000, 5))
    return X, (X[:, 1] * X[:, 3] > 0).astype(int)


TABLES = [*CASES, wide, duplicated_columns]


def fitted(X, y, **how):
    return KernelRFE(max_rows=max(2, len(X)), **how).fit(X, y)


@pytest.mark.parametrize("table", [*TABLES, pytest.param(long, marks=pytest.mark.slow)])
def test_ranking_and_gradient_are_the_oracles(table):
    X, y = table(np.random.default_rng(0))
    ours = fitted(X, y)
    ranking, gradient, _ = kernel_rfe(X, y)
    np.testing.assert_array_equal(ours.ranking_, ranking)
    np.testing.assert_allclose(
        ours.gradient_, gradient, rtol=1e-6, atol=1e-9 * np.abs(gradient).max()
    )


@pytest.mark.parametrize("how", [{"gamma": 0.5}, {"linear": 0.6}, {"alpha": 0.1}])
def test_parameters_are_the_oracles(how):
    X, y = wide(np.random.default_rng(1))
    ranking, gradient, _ = kernel_rfe(X, y, **how)
    np.testing.assert_array_equal(fitted(X, y, **how).ranking_, ranking)
    np.testing.assert_allclose(fitted(X, y, **how).gradient_, gradient, rtol=1e-6)


def test_numeric_targets_are_the_oracles():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((50, 14))
    y = X[:, 4] * X[:, 9] + X[:, 2] + 0.1 * rng.standard_normal(50)
    ours = fitted(X, y, task="regression")
    ranking, gradient, errors = kernel_rfe(X, y, numeric=True, with_errors=True)
    np.testing.assert_array_equal(ours.ranking_, ranking)
    np.testing.assert_allclose(ours.gradient_, gradient, rtol=1e-6)
    np.testing.assert_allclose(ours.loss_path_, errors)


def test_gradient_is_that_of_differences():
    X, y = gaussian(np.random.default_rng(3))
    features, Y = [pairs(block(x, False)) for x in X.T], target_columns(y, False)
    m, t = fixed_scales(features)

    def loss(f, change):
        w = np.ones(len(features))
        w[f] += change
        return loss_of(kernel(features, w, m, t, 2.0, 0.1), Y, 1.0) / np.sum(Y**2)

    slopes = [(loss(f, -1e-5) - loss(f, 1e-5)) / 2e-5 for f in range(len(features))]
    np.testing.assert_allclose(fitted(X, y).gradient_, slopes, rtol=1e-6)


def test_errors_are_those_of_rows_left_out():
    X, y = wide(np.random.default_rng(4))
    _, _, errors = kernel_rfe(X, y, with_errors=True)
    np.testing.assert_allclose(fitted(X, y).loss_path_, errors)
    assert np.isnan(errors).any()


def credit(rng):
    """Numbers, nominal values of unequal frequency, and gaps in both."""
    y = labels(rng, 60, 2)
    X = rng.standard_normal((60, 5))
    X[:, 0] += y
    X[:, 2] = rng.choice(4, 60, p=[0.7, 0.1, 0.1, 0.1]) + 2 * y
    X[:, 3] = rng.integers(0, 2, 60)
    X[rng.random(X.shape) < 0.15] = np.nan
    return X, y


def test_nominal_and_missing_values_are_the_oracles():
    X, y = credit(np.random.default_rng(5))
    ours = fitted(X, y, categorical_features=[2, 3])
    ranking, gradient, errors = kernel_rfe(X, y, nominal=[2, 3], with_errors=True)
    np.testing.assert_array_equal(ours.ranking_, ranking)
    np.testing.assert_allclose(ours.gradient_, gradient, rtol=1e-6)
    np.testing.assert_allclose(ours.loss_path_, errors)


def test_a_nominal_feature_of_two_values_counts_like_a_number():
    X, y = credit(np.random.default_rng(6))
    named = fitted(X, y, categorical_features=[3])
    np.testing.assert_allclose(named.scores_, fitted(X, y).scores_)


def test_missing_values_say_nothing_about_the_class():
    """The mean of the class in their place would."""
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((200, 8)), labels(rng, 200, 2)
    X[:, 0] += 0.8 * y
    X[rng.random(200) < 0.9, 5] = np.nan
    assert fitted(X, y).ranking_[0] == 1


@given(small_tables(max_features=14), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(table, random):
    X, y = table
    order = random.sample(range(len(X)), len(X))
    np.testing.assert_array_equal(
        fitted(X, y).ranking_, fitted(X[order], y[order]).ranking_
    )


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_the_order_of_rows_does_not_matter_far_from_zero(scale):
    """Heavy tails and copies in other units, where rounding errors are largest."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_cauchy((90, 20)), labels(rng, 90, 3)
        X = np.hstack([X, X[:, :8], 1e6 - 1e-3 * X[:, :5]])
        order = rng.permutation(90)
        here, there = fitted(X, y, scale=scale), fitted(X[order], y[order], scale=scale)
        np.testing.assert_array_equal(here.ranking_, there.ranking_)
        differ = np.abs(here.gradient_ - there.gradient_).max()
        assert differ < 1e-9 * np.abs(here.gradient_).max()


def test_the_order_of_columns_does_not_matter():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((60, 70)), labels(rng, 60, 3)
        order = rng.permutation(70)
        moved = fitted(X[:, order], y)
        np.testing.assert_array_equal(fitted(X, y).ranking_[order], moved.ranking_)


@pytest.mark.parametrize("d", [6, 30])
def test_of_copies_the_first_columns_stay(d):
    rng = np.random.default_rng(8)
    X, y = rng.standard_normal((50, d)), labels(rng, 50, 2)
    X[:, 1] += y
    ours = fitted(np.hstack([X, X]), y)
    np.testing.assert_allclose(ours.gradient_[:d], ours.gradient_[d:], rtol=1e-9)
    assert np.all(ours.ranking_[:d] < ours.ranking_[d:])


@pytest.mark.parametrize("table", TABLES)
def test_scores_agree_with_the_ranking(table):
    X, y = table(np.random.default_rng(9))
    ours = fitted(X, y)
    constant = np.ptp(X, axis=0) == 0
    order = np.lexsort((-ours.scores_, constant))
    np.testing.assert_array_equal(np.argsort(ours.ranking_), order)
    assert np.isfinite(ours.scores_).all()
    assert ours.n_iter_ == np.count_nonzero(~np.isnan(ours.loss_path_))


def test_scores_of_few_features_are_losses_added():
    X, y = gaussian(np.random.default_rng(10))
    ours, Y = fitted(X, y), target_columns(y, False)
    best = [pairs(block(X[:, f], False)) for f in np.argsort(ours.ranking_)]
    losses = [loss_with(best[:k], Y, 2.0, 0.1, 1.0) for k in range(8)]
    added = -np.diff(losses)[::-1] / np.sum(Y**2)
    np.testing.assert_allclose(np.sort(ours.scores_), np.maximum.accumulate(added))


def test_draws_depend_on_the_seed_alone():
    rng = np.random.default_rng(11)
    X, y = rng.standard_normal((900, 80)), labels(rng, 900, 3)
    X[:, 4] += y
    how = {"max_rows": 200, "random_state": 3}
    one, many = (KernelRFE(n_jobs=k, **how).fit(X, y) for k in (1, 3))
    np.testing.assert_array_equal(one.scores_, many.scores_)
    np.testing.assert_array_equal(one.loss_path_, many.loss_path_)
    other = KernelRFE(max_rows=200, random_state=4).fit(X, y)
    assert (other.ranking_ != one.ranking_).any()
    assert other.ranking_[4] == one.ranking_[4] == 1


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_draws_are_stratified_and_fresh(task):
    """Every class, and every part of the target's range, has its share of the rows."""
    drawn = []

    class Watched(KernelRFE):
        def _step(self, data, rows, Y, w, workers):
            drawn.append((rows, Y))
            return super()._step(data, rows, Y, w, workers)

    rng = np.random.default_rng(12)
    X, y = rng.standard_normal((1000, 12)), np.repeat([0, 1, 2], [100, 300, 600])
    if task == "regression":
        y = rng.exponential(size=1000)
    Watched(task=task, max_rows=100, random_state=0).fit(X, y)
    for rows, Y in drawn:
        assert len(np.unique(rows)) == len(Y) == 100
        if task == "classification":  # rows of the table are sorted by class
            np.testing.assert_allclose(Y.mean(axis=0), 0.0, atol=1e-12)
            counts = np.histogram(rows, [0, 100, 400, 1000])[0]
            np.testing.assert_array_equal(counts, [10, 30, 60])
        else:
            parts = np.searchsorted(np.sort(y)[::10], y[rows], side="right")
            np.testing.assert_array_equal(np.sort(parts), np.arange(1, 101))
    assert not np.array_equal(drawn[0][0], drawn[1][0])


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_auto_takes_the_lowest_error_and_claims_what_the_folds_find(task):
    rng = np.random.default_rng(14)
    X = rng.standard_normal((120, 15))
    y = X[:, 3] + X[:, 8] + 0.5 * rng.standard_normal(120)
    if task == "classification":
        y = (y > 0).astype(int)
    ours = KernelRFE("auto", task=task).fit(X, y)
    best = int(np.nanargmin(ours.loss_path_)) + 1
    assert ours.n_features_ == best
    assert {3, 8} <= set(ours.get_support(indices=True))
    assert ours.prefix_scores_.shape == (15,)
    fixed = KernelRFE(best, task=task).fit(X, y)
    np.testing.assert_array_equal(fixed.support_, ours.support_)


def test_each_fold_is_judged_at_its_own_size():
    shares = np.array([[1, 4, 5], [3, 2, 5]]) / 5  # with 1, 2 and 3 features
    for size, own, excess in [
        (3, [2, 1], 1.0 - 0.7),
        (3, [3, None], 0.0),
        (2, [3, 3], 0.0),  # the claim is not raised
    ]:
        tried = Tried(shares[:, None], np.array([5, 5]), own)
        which, kept, too_high = choose(tried, size, shares=True)
        assert (which, kept) == (0, size)
        assert too_high == pytest.approx(excess)


@pytest.mark.simulated
def test_noise_is_not_claimed_to_predict():
    rng = np.random.default_rng(15)
    claims = []
    for _ in range(5):
        X, y = rng.standard_normal((60, 12)), rng.permutation(np.arange(60) % 2)
        ours = KernelRFE("auto").fit(X, y)
        claims.append(ours.prefix_scores_[ours.n_features_ - 1])
    assert np.mean(claims) < 0.6


def test_a_penalty_that_vanishes_is_refused():
    X = np.repeat(np.random.default_rng(13).standard_normal((20, 3)), 2, axis=0)
    with pytest.raises(ValueError, match=r"KernelRFE: alpha=1e-30 is too small"):
        fitted(X, np.arange(40) % 2, alpha=1e-30)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "d", "k"), [(300, 300, 2), (600, 60, 3)])
def test_parity_is_found(n, d, k):
    for seed in range(10):
        X, y = make_xor(n, d, k, random_state=seed)
        assert KernelRFE().fit(X, y).ranking_[:k].max() <= 5


@pytest.mark.slow
def test_madelon_is_found():
    from evidence.data import load

    try:
        X, y = load("madelon", return_X_y=True, as_frame=False)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    train, test = train_test_split(
        np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=0
    )
    ranking = KernelRFE(random_state=0).fit(X[train], y[train]).ranking_
    found = []
    for k in (5, 10, 20):
        judge = make_pipeline(StandardScaler(), KNeighborsClassifier(1))
        best = X[:, ranking <= k]
        found.append(judge.fit(best[train], y[train]).score(best[test], y[test]))
    assert np.mean(found) >= 0.83
