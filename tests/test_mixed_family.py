"""Nominal features and missing values in SURF to MultiSURF*, RReliefF and IRelief."""

import numpy as np
import pytest

from oracles import mixed_family as oracle
from test_mixed import NOMINAL, credit, frame, whole_class_missing
from widemargin import SURF, IRelief, MultiSURF, MultiSURFStar, RReliefF, SURFStar
from widemargin.data.build import build
from widemargin.engine.radius import as_numbers
from widemargin.threads import Workers

pytestmark = pytest.mark.filterwarnings("ignore:.*has one member:UserWarning")

RADIUS = {
    SURF: {"own": False, "star": False},
    SURFStar: {"own": False, "star": True},
    MultiSURF: {"own": True, "star": False},
    MultiSURFStar: {"own": True, "star": True},
}


def complete(rng):
    """Nominal features, no gaps."""
    return credit(rng, n=24, gaps=0.0)


def gaps(rng):
    return credit(rng, n=24, n_classes=2)


def nobody(rng):
    """A feature that a class lacks altogether, and one that nobody has."""
    X, y = whole_class_missing(rng)
    return X[:24], y[:24]


TABLES = [complete, gaps, nobody]


def many_values(rng, sizes):
    """Numbers and, without gaps, nominal features with so many values each."""
    y = rng.integers(0, 2, 40)
    y[:2] = 0, 1
    codes = [rng.integers(0, size, 40) for size in sizes]
    codes[0] = np.where(rng.random(40) < 0.6, y, codes[0])
    return np.column_stack([rng.random((40, 3)).round(2), *codes]), y


def target(rng, X):
    """Numbers that go by the income, where it is known, and by nothing else."""
    income = np.array([0.0 if row[0] is None else row[0] for row in X])
    return income + rng.standard_normal(len(X))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("method", RADIUS)
def test_scores_for_classes_are_the_oracles(method, table):
    X, y = table(np.random.default_rng(0))
    metric = "euclidean" if table is gaps else "manhattan"
    scores = method(metric=metric).fit(frame(X), y).scores_
    theirs = oracle.radius(X, y, NOMINAL, metric=metric, **RADIUS[method])
    np.testing.assert_allclose(scores, theirs, atol=1e-12)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("method", RADIUS)
def test_scores_for_a_numeric_target_are_the_oracles(method, table):
    rng = np.random.default_rng(1)
    X, _ = table(rng)
    y = target(rng, X)
    scores = method(task="regression").fit(frame(X), y).scores_
    theirs = oracle.numeric_radius(X, y, NOMINAL, **RADIUS[method])
    np.testing.assert_allclose(scores, theirs, atol=1e-12)


@pytest.mark.parametrize("sizes", [range(2, 9), [30, 40, 40]])
@pytest.mark.parametrize("method", RADIUS)
def test_any_number_of_nominal_values_gives_the_scores_of_the_oracle(method, sizes):
    """As columns of numbers, and where there would be too many of these."""
    X, y = many_values(np.random.default_rng(4), sizes)
    nominal = np.arange(X.shape[1]) >= 3
    rows = X.tolist()
    scores = method(categorical_features=nominal).fit(X, y).scores_
    theirs = oracle.radius(rows, y.tolist(), nominal, **RADIUS[method])
    np.testing.assert_allclose(scores, theirs, atol=1e-12)
    selector = method(categorical_features=nominal, task="regression").fit(X, X[:, 0])
    theirs = oracle.numeric_radius(rows, X[:, 0], nominal, **RADIUS[method])
    np.testing.assert_allclose(selector.scores_, theirs, atol=1e-12)


def test_columns_of_a_nominal_feature_differ_by_0_or_1_together():
    X, y = many_values(np.random.default_rng(5), [3, 4, 7])
    nominal = np.arange(3, 6)
    workers = Workers(1)
    table = build(X, y, np.arange(2), scale="minmax", workers=workers, nominal=nominal)
    numbers, features = as_numbers(table)
    assert numbers.mixed is None
    assert features.tolist() == [0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 5]
    sorted_X = X[table.rows]
    for f in nominal:
        columns = numbers.X[:, features == f]
        apart = np.abs(columns[:, None] - columns).sum(axis=2)
        assert (apart == (sorted_X[:, None, f] != sorted_X[:, f])).all()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("weights", ["rank", "uniform", "distance"])
def test_rrelieff_is_the_oracle(table, weights):
    rng = np.random.default_rng(2)
    X, _ = table(rng)
    y = target(rng, X)
    metric = "euclidean" if table is gaps else "manhattan"
    options = {"weights": weights, "sigma": 4.0, "metric": metric}
    scores = RReliefF(n_neighbors=8, **options).fit(frame(X), y).scores_
    theirs = oracle.rrelieff(X, y, NOMINAL, 8, **options)
    np.testing.assert_allclose(scores, theirs, atol=1e-12)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("sigma", [0.3, 1.0])
def test_irelief_is_the_oracle(table, sigma):
    X, y = table(np.random.default_rng(3))
    selector = IRelief(sigma=sigma, max_iter=3, tol=0.0).fit(frame(X), y)
    theirs = oracle.irelief(X, y, NOMINAL, sigma=sigma, steps=3)
    np.testing.assert_allclose(selector.scores_, theirs, atol=1e-10)
