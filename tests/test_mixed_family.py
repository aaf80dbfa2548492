"""Nominal features and missing values in SURF to MultiSURF*, RReliefF and IRelief."""

import numpy as np
import pytest

from oracles import mixed_family as oracle
from test_mixed import NOMINAL, credit, frame, whole_class_missing
from widemargin import SURF, IRelief, MultiSURF, MultiSURFStar, RReliefF, SURFStar

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
