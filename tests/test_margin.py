import numpy as np
import pytest
from hypothesis import given, settings

from cases import CASES, gaussian, small_tables
from oracles.margin import evaluation, hypothesis_margins
from widemargin import margin

pytestmark = pytest.mark.filterwarnings("ignore:.*has one member:UserWarning")


def weightings(rng, d):
    return [None, rng.standard_normal(d), rng.integers(0, 2, d).astype(float)]


@pytest.mark.parametrize("case", CASES)
def test_margins_are_those_of_the_oracle(case):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    for w in weightings(rng, X.shape[1]):
        ours = margin.hypothesis_margins(X, y, w)
        np.testing.assert_allclose(ours, hypothesis_margins(X, y, w), atol=1e-12)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("utility", ["linear", "sigmoid", "zero-one"])
@pytest.mark.parametrize("beta", ["auto", 3.0])
def test_evaluation_is_that_of_the_oracle(case, utility, beta):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    for w in weightings(rng, X.shape[1]):
        ours = margin.evaluation(X, y, w, utility, beta)
        assert ours == pytest.approx(evaluation(X, y, w, utility, beta), abs=1e-10)


@given(small_tables())
@settings(max_examples=40, deadline=None)
def test_any_small_table_has_the_margins_of_the_oracle(table):
    X, y = table
    ours = margin.hypothesis_margins(X, y)
    np.testing.assert_allclose(ours, hypothesis_margins(X, y), atol=1e-12)


def test_empty_set_is_worth_nothing():
    X, y = gaussian(np.random.default_rng(0))
    for utility in ("linear", "sigmoid", "zero-one"):
        assert margin.evaluation(X, y, np.zeros(7), utility) == 0.0


def test_single_member_has_no_margin_and_is_named():
    with pytest.warns(
        UserWarning, match=r"hypothesis_margins: class 'b' has one member"
    ):
        theta = margin.hypothesis_margins([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    np.testing.assert_array_equal(np.isnan(theta), [False, False, True])


@pytest.mark.parametrize("w", [np.ones(3), np.ones((7, 1)), np.full(7, np.nan)])
def test_bad_weights_are_named(w):
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"one finite weight per feature.*\(7,\)"):
        margin.hypothesis_margins(X, y, w)


def test_bad_utility_is_named():
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(ValueError, match="utility must be one of 'linear'"):
        margin.evaluation(X, y, utility="cubic")
