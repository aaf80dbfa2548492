"""How many features to keep for a numeric target, judged in folds by k-NN."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from oracles.judge import fold_predictions, r_squared
from widemargin import MultiSURF, RReliefF
from widemargin.base import MarginSelector
from widemargin.baselines import ForestImportance, FRegression, MutualInformation
from widemargin.judging.folds import plain_folds

NUMERIC = [
    RReliefF(),
    MultiSURF(task="regression"),
    FRegression(),
    ForestImportance(task="regression", n_estimators=10, random_state=0),
    MutualInformation(task="regression", random_state=0),
]


class Given(MarginSelector):
    """Ranks features as it is told."""

    _mixed = True
    _task = "regression"

    def __init__(
        self,
        scores,
        n_features_to_select="auto",
        scale="minmax",
        redundancy=None,
        categorical_features=None,
        n_jobs=None,
        verbose=0,
    ):
        self.scores = scores
        self.n_features_to_select = n_features_to_select
        self.scale = scale
        self.redundancy = redundancy
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _score(self, table, workers):
        return np.asarray(self.scores, float)


def given_order(order, **settings):
    """A selector that ranks features in that order."""
    return Given(-np.argsort(order), **settings)


def folds_of(X, y, nominal=None):
    """The folds of "auto"."""
    return plain_folds(X, np.asarray(y, float), min(10, len(y)), nominal=nominal)


def tables():
    rng = np.random.default_rng(0)
    smooth = rng.standard_normal((60, 5))
    yield smooth, smooth[:, 1] + 0.3 * rng.standard_normal(60)
    tied = rng.integers(0, 3, (47, 4)).astype(float)
    yield tied, (tied[:, 0] * tied[:, 2]) + rng.integers(0, 2, 47)
    yield np.repeat(smooth[:9], 3, axis=0), rng.standard_normal(27)
    yield smooth[:6], 1e6 + smooth[:6, 0]
    yield np.column_stack([np.ones(30), smooth[:30]]), smooth[:30, 0] ** 2


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
@pytest.mark.parametrize("table", range(5))
def test_scores_are_the_oracles(table, scale):
    X, y = list(tables())[table]
    order = np.random.default_rng(1).permutation(X.shape[1])
    constant = np.ptp(X[:, order], axis=0) == 0
    order = order[np.argsort(constant, kind="stable")]  # as all selectors rank them
    fitted = given_order(order, scale=scale).fit(X, y)
    folds = folds_of(X, y)
    found = [
        fold_predictions(X.tolist(), list(y), fold, order.tolist(), scale=scale)
        for fold in folds
    ]
    tests = [test for _, test in folds]
    expected = [
        r_squared(list(y), tests, [f[size] for f in found])
        for size in range(len(order))
    ]
    found = fitted.prefix_scores_ + fitted.optimism_
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_nominal_and_missing_values_are_the_oracles():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.integers(0, 4, 50), rng.standard_normal((50, 2))])
    X[rng.random(50) < 0.2, 0] = np.nan
    X[rng.random(50) < 0.2, 1] = np.nan
    y = np.nan_to_num(X[:, 0]) + rng.standard_normal(50)
    fitted = given_order([0, 1, 2], categorical_features=[0]).fit(X, y)
    folds = folds_of(X, y, np.array([0]))
    rows = [[None if np.isnan(v) else v for v in row] for row in X]
    found = [
        fold_predictions(rows, list(y), fold, [0, 1, 2], nominal=[True, False, False])
        for fold in folds
    ]
    tests = [test for _, test in folds]
    expected = [r_squared(list(y), tests, [f[s] for f in found]) for s in range(3)]
    found = fitted.prefix_scores_ + fitted.optimism_
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_with_all_features_it_is_scikit_learns_regressor():
    X, y = load_diabetes(return_X_y=True)
    X = X + np.random.default_rng(3).standard_normal(X.shape) / 1e6  # no ties
    fitted = Given(np.arange(10.0)).fit(X, y)
    knn, folds = make_pipeline(MinMaxScaler(), KNeighborsRegressor(5)), folds_of(X, y)
    predicted = cross_val_predict(knn, X, y, cv=folds)
    errors = [np.mean((y[test] - predicted[test]) ** 2) for _, test in folds]
    expected = 1 - np.mean(errors) / y.var()
    assert fitted.prefix_scores_[-1] + fitted.optimism_ == pytest.approx(expected)


@pytest.mark.parametrize("n", [24, 80, 300])
def test_the_order_of_the_rows_does_not_count(n):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, (n, 5)).astype(float)
    y = X[:, 0] - X[:, 3] + rng.integers(0, 2, n)
    one = RReliefF("auto", redundancy="auto").fit(X, y)
    for _ in range(3):
        order = rng.permutation(n)
        two = RReliefF("auto", redundancy="auto").fit(X[order], y[order])
        np.testing.assert_allclose(one.prefix_scores_, two.prefix_scores_, atol=1e-9)
        np.testing.assert_array_equal(one.support_, two.support_)


def test_units_of_the_target_do_not_count():
    X, y = load_diabetes(return_X_y=True)
    one = FRegression("auto").fit(X, y)
    for other in (1e200 * y, 1e-200 * y, y + 1e6):
        two = FRegression("auto").fit(X, other)
        np.testing.assert_allclose(one.prefix_scores_, two.prefix_scores_, atol=1e-6)


@pytest.mark.parametrize("selector", NUMERIC, ids=lambda s: type(s).__name__)
def test_every_method_finds_a_number(selector):
    X, y = make_friedman1(200, 8, noise=0.5, random_state=0)
    fitted = selector.set_params(n_features_to_select="auto").fit(X, y)
    assert fitted.n_features_ == fitted.support_.sum()
    assert 0.4 < fitted.prefix_scores_[fitted.n_features_ - 1] < 0.95
    assert fitted.get_support()[[3]].all()  # the strongest
    assert len(fitted.prefix_scores_) == 8
    assert fitted.optimism_ >= 0


def test_noise_scores_no_better_than_the_mean():
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((200, 10)), rng.standard_normal(200)
    fitted = RReliefF("auto").fit(X, y)
    assert fitted.prefix_scores_[fitted.n_features_ - 1] < 0.05
    assert fitted.prefix_scores_.min() < 0  # and is not cut off there


def test_near_copies_are_skipped_where_the_folds_say_so():
    rng = np.random.default_rng(7)
    base = rng.standard_normal((300, 3))
    copies = [base[:, [0]] + 0.05 * rng.standard_normal((300, 1)) for _ in range(4)]
    X = np.hstack([base, *copies])
    y = 2 * base[:, 0] + base[:, 1] + base[:, 2]
    fitted = FRegression(3, redundancy="auto").fit(X, y)
    assert fitted.redundancy_ is not None
    kept = fitted.get_support(indices=True)
    assert {1, 2} < set(kept.tolist())
    skipped = np.flatnonzero(fitted.redundant_with_ >= 0)
    assert len(skipped) == 4


def test_a_fold_whose_training_rows_are_all_alike():
    X = np.random.default_rng(8).standard_normal((12, 3))
    y = np.zeros(12)
    y[4] = 1.0
    for selector in (RReliefF("auto"), MultiSURF("auto", task="regression")):
        assert np.isfinite(selector.fit(X, y).prefix_scores_).all()


def test_plain_folds_share_out_the_rows():
    rng = np.random.default_rng(9)
    X, y = rng.integers(0, 2, (53, 2)).astype(float), rng.integers(0, 3, 53)
    folds = plain_folds(X, y.astype(float), 5)
    tests = np.concatenate([test for _, test in folds])
    assert sorted(tests) == list(range(53))
    assert {len(test) for _, test in folds} == {10, 11}
    order = rng.permutation(53)
    again = plain_folds(X[order], y[order].astype(float), 5)
    for (_, one), (_, two) in zip(folds, again, strict=True):
        mine = np.column_stack([X, y])
        left, right = mine[one].tolist(), mine[order][two].tolist()
        assert sorted(left) == sorted(right)
