import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import CASES, gaussian, small_tables, tied
from oracles.margin import (
    bound_excess,
    enclosing_radius,
    evaluation,
    gamma_error,
    hypothesis_margins,
    sample_margins,
)
from widemargin import margin

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*theorem is about 2 classes:UserWarning"),
]


def weightings(rng, d):
    return [None, rng.standard_normal(d), rng.integers(0, 2, d).astype(float)]


@pytest.mark.parametrize("case", CASES)
def test_margins_are_those_of_the_oracle(case):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    for w in weightings(rng, X.shape[1]):
        ours = margin.hypothesis_margins(X, y, w)
        np.testing.assert_allclose(ours, hypothesis_margins(X, y, w), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_sample_margins_are_those_of_alternating_projections(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((8, 2 + seed)), rng.permutation(8) % 2
    for w in (None, rng.standard_normal(2 + seed)):
        ours = margin.sample_margins(X, y, w)
        np.testing.assert_allclose(ours, sample_margins(X, y, w), rtol=1e-3)


@given(st.lists(st.tuples(st.integers(-20, 20), st.booleans()), min_size=4))
def test_sample_margins_on_a_line_end_halfway_between_the_classes(rows):
    x, y = (np.array(part) for part in zip(*rows, strict=True))
    if len(set(y.tolist())) < 2:
        return
    ours = margin.sample_margins(x[:, None].astype(float), y)
    for i in range(len(x)):
        near = np.unique(x[(y == y[i]) & (np.arange(len(x)) != i)])
        far = np.unique(x[y != y[i]])
        if not len(near):
            assert np.isnan(ours[i])
            continue
        sign = 1
        if abs(near - x[i]).min() > abs(far - x[i]).min():
            near, far, sign = far, near, -1
        # Halfway between any two rows, it is a tie if no other row is nearer.
        z = np.append(np.add.outer(near, far) / 2, x[i])
        to_near = abs(z[:, None] - near).min(axis=1)
        to_far = abs(z[:, None] - far).min(axis=1)
        assert ours[i] == pytest.approx(sign * abs(z - x[i])[to_far <= to_near].min())


@pytest.mark.parametrize("case", CASES)
def test_hypothesis_margin_bounds_the_sample_margin_from_below(case):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    for w in weightings(rng, X.shape[1]):
        theta, ours = margin.hypothesis_margins(X, y, w), margin.sample_margins(X, y, w)
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(theta))
        there = ~np.isnan(theta)
        theta, ours = theta[there], ours[there]
        assert (np.abs(ours) >= np.abs(theta) - 1e-9).all()
        assert (ours * theta >= -1e-9).all()


def test_label_is_the_same_within_the_sample_margin():
    rng = np.random.default_rng(0)
    X, y = gaussian(rng)
    ours = margin.sample_margins(X, y)
    for i in range(0, len(y), 5):
        others = np.delete(np.arange(len(y)), i)
        steps = rng.standard_normal((2000, X.shape[1]))
        steps *= abs(ours[i]) * (1 - 1e-9) / np.linalg.norm(steps, axis=1)[:, None]
        nearest = np.linalg.norm((X[i] + steps)[:, None] - X[others], axis=2).argmin(1)
        assert ((y[others][nearest] == y[i]) == (ours[i] > 0)).all()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("utility", ["linear", "sigmoid", "zero-one"])
@pytest.mark.parametrize("beta", ["auto", 3.0])
def test_evaluation_is_that_of_the_oracle(case, utility, beta):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    for w in weightings(rng, X.shape[1]):
        ours = margin.evaluation(X, y, w, utility, beta)
        assert ours == pytest.approx(evaluation(X, y, w, utility, beta), abs=1e-10)


def test_margins_far_from_zero_are_as_exact_as_differences():
    rng = np.random.default_rng(0)
    X, y = gaussian(rng)
    X, w = X + 1e8, rng.standard_normal(X.shape[1])
    ours = margin.hypothesis_margins(X, y, w)
    np.testing.assert_allclose(ours, hypothesis_margins(X, y, w), rtol=1e-11)


@given(small_tables())
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
    with pytest.raises(
        ValueError, match="evaluation needs utility to be one of 'linear'"
    ):
        margin.evaluation(X, y, utility="cubic")


@pytest.mark.parametrize("beta", [0, -1.0, np.inf, "steep"])
def test_bad_beta_is_named(beta):
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(ValueError, match="beta to be 'auto' or a positive number"):
        margin.evaluation(X, y, utility="sigmoid", beta=beta)


def two_blobs(n=600, d=4, seed=0):
    """Two classes, 20 apart on feature 0, in a random order of rows."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.uniform(size=(n, d))
    X[:, 0] += 20.0 * y
    return X, y


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("gamma", [0.01, 0.25, 1.0])
def test_gamma_error_and_radius_are_those_of_the_oracle(case, gamma):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    d = X.shape[1]
    for F in (np.arange(d), np.arange(d)[::2], np.array([d - 1])):
        bound = margin.generalization_bound(X, y, F, gamma)
        assert bound.error_gamma == gamma_error(X, y, F, gamma)
        assert bound.radius == pytest.approx(enclosing_radius(X))
        assert bound.n_selected == len(F)


@given(small_tables(), st.sampled_from([1 / 7, 0.5, 1.0]), st.data())
def test_any_small_table_has_the_gamma_error_of_the_oracle(table, gamma, data):
    X, y = table
    mask = data.draw(st.lists(st.booleans(), min_size=X.shape[1], max_size=X.shape[1]))
    mask[0] = True
    bound = margin.generalization_bound(X, y, mask, gamma)
    assert bound.error_gamma == gamma_error(X, y, np.flatnonzero(mask), gamma)


@pytest.mark.parametrize("delta", [0.01, 0.05, 0.5])
@pytest.mark.parametrize("radius", [1e-9, 0.002, 0.01, 0.02])
@pytest.mark.parametrize("F", [[0], [0, 2], [0, 1, 2, 3]])
def test_value_is_theorem_1_as_printed_where_that_rises_with_the_radius(
    F, radius, delta
):
    X, y = two_blobs()
    bound = margin.generalization_bound(X, y, F, 0.5, delta, radius=radius)
    excess = bound_excess(600, 4, len(F), radius, 0.5, delta)
    assert bound.value == pytest.approx(bound.error_gamma + excess, rel=1e-12)
    assert bound.vacuous == (bound.value >= 1)


def test_a_bound_below_1_is_found_and_stated():
    X, y = two_blobs()
    bound = margin.generalization_bound(X, y, [0], 1.0, radius=1 / 64)
    # D = 1: ln(34 e 600) log2(578 * 600), ln 160, and 2 ln 4, over 300.
    expected = math.sqrt((10.9234 * 18.4038 + 5.0752 + 2.7726) / 300)
    assert bound.error_gamma == 0
    assert bound.value == pytest.approx(expected, rel=1e-4)
    assert bound.vacuous is False
    assert str(bound) == (
        "with probability 0.95 the error of 1-NN on 1 feature is at most 0.834 (0.0% "
        "of the samples are misclassified or have a margin below 1)"
    )


def test_a_vacuous_bound_says_so():
    X, y = gaussian(np.random.default_rng(0))
    bound = margin.generalization_bound(X, y, [0, 1], 0.5)
    assert bound.vacuous is True
    assert bound.value > 1
    assert str(bound).startswith("vacuous: the bound on the error of 1-NN on 2 feature")
    assert "vacuous=True" in repr(bound)


@pytest.mark.parametrize("gamma", [1.0, 1e-300, np.float64(5e-324)])
def test_500_features_and_tiny_gammas_do_not_overflow(gamma):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 500)), np.arange(40) % 2
    with np.errstate(all="raise"):
        bound = margin.generalization_bound(X, y, np.ones(500, bool), gamma, 1e-300)
    assert math.isfinite(bound.value)
    assert bound.vacuous


def test_the_bound_never_falls_as_the_ball_grows():
    X, y = two_blobs(60)
    values = [
        margin.generalization_bound(X, y, [0, 1], 0.5, radius=R).value
        for R in [0, *np.geomspace(1e-4, 1e4, 60), 1e300]
    ]
    assert np.all(np.diff(values) >= 0)
    assert values[0] < 1 < values[-1]


def test_rows_at_the_margin_gamma_are_not_below_it():
    # (0.3 - 0.1) / 2 is less than 0.1 in floating point.
    X = np.array([[0.0], [0.1], [0.3], [0.9]])
    bound = margin.generalization_bound(X, [0, 0, 1, 1], [0], gamma=0.1)
    theta = margin.hypothesis_margins(X, [0, 0, 1, 1])
    np.testing.assert_allclose(theta, [0.1, 0.05, -0.2, 0.1])
    assert bound.error_gamma == 0.5


def test_numbers_and_masks_name_the_same_features():
    X, y = tied(np.random.default_rng(0))
    mask = np.array([True, False, False, True, False, False])
    expected = margin.generalization_bound(X, y, [3, 0], 0.5)
    assert margin.generalization_bound(X, y, mask, 0.5) == expected
    assert margin.generalization_bound(X, y, mask.tolist(), 0.5) == expected
    assert margin.generalization_bound(X, y, np.uint8([0, 3]), 0.5) == expected


def test_a_bound_cannot_be_changed():
    X, y = two_blobs(20)
    bound = margin.generalization_bound(X, y, [0], 0.5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        bound.value = 0.0


def test_more_than_two_classes_are_outside_the_theorem():
    X, y = gaussian(np.random.default_rng(0))
    with pytest.warns(UserWarning, match="theorem is about 2 classes, but y has 3"):
        margin.generalization_bound(X, y, [0], 0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gamma": 0}, r"gamma in \(0, 1\], got 0"),
        ({"gamma": 1.5}, r"gamma in \(0, 1\], got 1.5"),
        ({"gamma": "0.5"}, r"gamma in \(0, 1\], got '0.5'"),
        ({"gamma": math.nan}, r"gamma in \(0, 1\], got nan"),
        ({"delta": 0.0}, "delta between 0 and 1, got 0.0"),
        ({"delta": 1}, "delta between 0 and 1, got 1"),
        ({"delta": None}, "delta between 0 and 1, got None"),
        ({"radius": -1.0}, "finite radius of at least 0, got -1.0"),
        ({"radius": math.inf}, "finite radius of at least 0, got inf"),
        ({"features": []}, "distinct features from 0 to 3, got none"),
        ({"features": [False] * 4}, "distinct features from 0 to 3, got none"),
        ({"features": [0, 4]}, "distinct features from 0 to 3, got features 0, 4"),
        ({"features": [-1]}, "distinct features from 0 to 3, got features -1"),
        ({"features": [1, 1]}, "distinct features from 0 to 3, got features 1, 1"),
        ({"features": [True, False]}, r"mask of shape \(4,\), got an array of shape"),
        ({"features": [0.0]}, r"mask of shape \(4,\), got .* type float64"),
        ({"features": 2}, r"mask of shape \(4,\), got an array of shape \(\)"),
    ],
)
def test_a_bad_argument_of_the_bound_is_named(arguments, message):
    X, y = two_blobs(20)
    with pytest.raises(ValueError, match=f"generalization_bound needs .*{message}"):
        margin.generalization_bound(
            X, y, **{"features": [0], "gamma": 0.5, **arguments}
        )
