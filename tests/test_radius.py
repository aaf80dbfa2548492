"""SURF and its kin against their oracles."""

import numpy as np
import pytest
from hypothesis import given

from cases import CASES, gaussian, small_tables, tied
from oracles.radius import numeric_radius, radius
from widemargin import SURF, MultiSURF, MultiSURFStar, SURFStar
from widemargin.settings import Settings, using

pytestmark = pytest.mark.filterwarnings("ignore:.*has one member:UserWarning")

# Whether each sample has a radius of its own, and whether far rows count.
KIN = {
    SURF: {"own": False, "star": False},
    SURFStar: {"own": False, "star": True},
    MultiSURF: {"own": True, "star": False},
    MultiSURFStar: {"own": True, "star": True},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("method", KIN)
def test_scores_for_classes_are_the_oracles(method, metric, case):
    X, y = case(np.random.default_rng(0))
    scores = method(metric=metric).fit(X, y).scores_
    expected = radius(X, y, metric=metric, **KIN[method])
    np.testing.assert_allclose(scores, expected, atol=1e-12)


@pytest.mark.parametrize("case", [c for c in CASES if c.__name__ != "all_equal"])
@pytest.mark.parametrize("method", KIN)
def test_scores_for_a_numeric_target_are_the_oracles(method, case):
    rng = np.random.default_rng(1)
    X, y = case(rng)
    y = y + rng.standard_normal(len(y)).round(1)
    scores = method(task="regression").fit(X, y).scores_
    np.testing.assert_allclose(scores, numeric_radius(X, y, **KIN[method]), atol=1e-12)


def several_panels(rng):
    """More rows than a panel or a block has, more features than a band or a chunk."""
    X, y = rng.standard_normal((150, 70)), rng.integers(0, 3, 150)
    X[:, :5] += y[:, None]
    return X.round(1), y


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("method", KIN)
def test_tables_of_several_panels_give_the_scores_of_the_oracle(method, metric):
    X, y = several_panels(np.random.default_rng(6))
    kind = {"metric": metric, **KIN[method]}
    scores = method(metric=metric).fit(X, y).scores_
    np.testing.assert_allclose(scores, radius(X, y, **kind), atol=1e-13)
    scores = method(metric=metric, task="regression").fit(X, X[:, 0] + y).scores_
    expected = numeric_radius(X, X[:, 0] + y, **kind)
    np.testing.assert_allclose(scores, expected, atol=1e-13)


@pytest.mark.parametrize("method", KIN)
def test_differences_below_the_unit_of_rounding_count(method):
    """One value that is far from all others makes the unit larger than most features.

    Limits are then decided by what is rounded away.
    """
    rng = np.random.default_rng(7)
    X, y = 1e-6 * rng.standard_normal((60, 5)), rng.integers(0, 2, 60)
    X[3, 0] = 2.0**30
    scores = method(scale=None).fit(X, y).scores_
    expected = radius(X, y, scale=None, **KIN[method])
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)


@given(small_tables())
def test_any_small_table_gives_the_scores_of_the_oracle(table):
    X, y = table
    for method, kind in KIN.items():
        scores = method().fit(X, y).scores_
        np.testing.assert_allclose(scores, radius(X, y, **kind), atol=1e-12)


@pytest.mark.parametrize("method", KIN)
def test_the_order_of_the_rows_does_not_count(method):
    rng = np.random.default_rng(2)
    X, y = tied(rng)
    scores = method().fit(X, y).scores_
    for _ in range(5):
        order = rng.permutation(len(y))
        again = method().fit(X[order], y[order]).scores_
        np.testing.assert_allclose(again, scores, atol=1e-13)


@pytest.mark.parametrize("method", KIN)
def test_blocks_and_threads_do_not_count(method):
    X, y = gaussian(np.random.default_rng(3))
    scores = method().fit(X, y).scores_
    with using(Settings(pair_block=500, single_thread_work=0)):
        again = [method(n_jobs=n).fit(X, y).scores_ for n in (1, 2, 3)]
    np.testing.assert_allclose(again[0], scores, atol=1e-14)
    np.testing.assert_array_equal(again[0], again[1])
    np.testing.assert_array_equal(again[0], again[2])


@pytest.mark.parametrize("method", KIN)
def test_a_numeric_target_has_a_number_of_features(method):
    X = np.random.default_rng(4).standard_normal((40, 3))
    fitted = method("auto", task="regression").fit(X, X[:, 0])
    assert fitted.n_features_ == fitted.support_.sum() >= 1


def test_numbers_as_y_of_a_classification_are_refused():
    X = np.random.default_rng(5).standard_normal((40, 3))
    with pytest.raises(ValueError, match="y looks like a measurement"):
        MultiSURF().fit(X, X[:, 0])
