"""G-flip from another set than the empty one, and what it says if it ends there."""

import numpy as np
import pytest
from hypothesis import given

from cases import CASES, small_tables
from oracles.gflip import gflip
from test_gflip import assert_same
from widemargin import GFlip
from widemargin.datasets import make_gaussian_relevant, make_xor

EMPTY = "GFlip ends in the empty set"
quiet = pytest.mark.filterwarnings(
    "ignore:.*has one member:UserWarning",
    f"ignore:{EMPTY}:UserWarning",
    "ignore:No features were selected:UserWarning",
)


@quiet
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("utility", ["linear", "sigmoid", "zero-one"])
def test_flips_from_all_features_are_those_of_the_oracle(case, utility):
    rng = np.random.default_rng(1)
    X, y = case(rng)
    orders = [rng.permutation(X.shape[1]) for _ in range(8)]
    varying = np.flatnonzero(np.ptp(X, axis=0))
    ours = GFlip(start="full", order=orders, utility=utility).fit(X, y)
    assert_same(ours, gflip(X, y, orders, utility=utility, start=varying))


@quiet
@given(small_tables())
def test_any_start_of_any_small_table_is_that_of_the_oracle(table):
    X, y = table
    d = X.shape[1]
    orders, mask = [np.arange(d)] * 6, np.arange(d) % 2 == 0
    theirs = gflip(X, y, orders, start=np.flatnonzero(mask))
    for start in (mask, np.flatnonzero(mask), mask.tolist()):
        assert_same(GFlip(start=start, order=orders).fit(X, y), theirs)


@quiet
def test_a_start_with_many_rows_and_flips_is_that_of_the_oracle():
    rng = np.random.default_rng(5)
    X, y = make_gaussian_relevant(90, 12, random_state=0)
    X[:, 3:] += rng.standard_normal((90, 9)) / 3
    orders = [rng.permutation(12) for _ in range(10)]
    theirs = gflip(X, y, orders, start=range(12))
    assert len(theirs.flips) > 2
    assert_same(GFlip(start="full", order=orders).fit(X, y), theirs)


def test_an_empty_array_is_the_empty_start():
    X, y = make_xor(120, random_state=0)
    empty = GFlip(random_state=0).fit(X, y)
    same = GFlip(start=[], random_state=0).fit(X, y)
    np.testing.assert_array_equal(same.scores_, empty.scores_)


def people():
    """Many classes that differ in all features together, and hardly in any alone."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 4)
    X = rng.standard_normal((30, 12))[y] + 0.3 * rng.standard_normal((120, 12))
    X[:, 5] = 1.0
    return X, y


def test_many_classes_end_in_the_empty_set_and_say_so():
    X, y = people()
    with pytest.warns(UserWarning, match=f'{EMPTY}.*No feature.*start="full"'):
        fitted = GFlip(random_state=0).fit(X, y)
    assert fitted.n_features_ == 0
    assert not fitted.support_.any()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert fitted.transform(X).shape == (120, 0)


def test_a_number_of_features_is_kept_all_the_same():
    X, y = people()
    with pytest.warns(UserWarning, match=f"{EMPTY}.*Scores are those of single"):
        fitted = GFlip(5, random_state=0).fit(X, y)
    assert fitted.transform(X).shape == (120, 5)


def test_the_full_start_finds_a_set_of_positive_margin():
    X, y = people()
    fitted = GFlip(start="full", random_state=0).fit(X, y)
    assert 0 < fitted.n_features_ < 12
    assert fitted.margin_ > 0
    assert not fitted.support_[np.ptp(X, axis=0) == 0].any()


@pytest.mark.parametrize(
    "start", [[0, 3], [-1], [0.5], [True, False], [[0, 1]], ["a"]], ids=str
)
def test_a_bad_start_is_named(start):
    with pytest.raises(ValueError, match=r"start must be .* mask of shape \(3,\)"):
        GFlip(start=start).fit(np.eye(4, 3), [0, 1, 1, 0])


def test_another_word_is_no_start():
    with pytest.raises(ValueError, match="'start' parameter of GFlip must be"):
        GFlip(start="half").fit(np.eye(4, 3), [0, 1, 1, 0])
