import numpy as np
import pytest

from widemargin import ReliefF
from widemargin.datasets import (
    append_noise,
    make_gaussian_relevant,
    make_ordinal,
    make_quadrants,
    make_xor,
)

MAKERS = [make_xor, make_quadrants, make_gaussian_relevant]


@pytest.mark.parametrize("make", MAKERS)
def test_types_and_shapes(make):
    X, y = make(n_samples=37, n_features=8, random_state=0)
    assert X.shape == (37, 8)
    assert y.shape == (37,)
    assert X.dtype == np.float64
    assert y.dtype == np.int64


@pytest.mark.parametrize("make", [*MAKERS, make_ordinal])
def test_same_seed_same_data(make):
    X, y = make(random_state=3)
    X_again, y_again = make(random_state=3)
    X_instance, _ = make(random_state=np.random.RandomState(3))
    X_other, _ = make(random_state=4)
    np.testing.assert_array_equal(X, X_again)
    np.testing.assert_array_equal(y, y_again)
    np.testing.assert_array_equal(X, X_instance)
    assert not np.array_equal(X, X_other)


@pytest.mark.parametrize("make", [*MAKERS, make_ordinal])
def test_global_random_state_is_left_alone_by_a_seed(make):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    make(random_state=0)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("n_relevant", [1, 2, 3, 5])
def test_xor_class_is_parity_of_positive_signs(n_relevant):
    X, y = make_xor(400, 5, n_relevant, random_state=0)
    assert np.abs(X).max() <= 1
    parity = [sum(value > 0 for value in row[:n_relevant]) % 2 for row in X]
    np.testing.assert_array_equal(y, parity)
    assert 0.4 < y.mean() < 0.6


def test_flipping_a_relevant_xor_feature_flips_the_class():
    X, y = make_xor(200, random_state=0)
    flipped = X.copy()
    flipped[:, 1] *= -1
    parity = (flipped[:, :3] > 0).sum(axis=1) % 2
    np.testing.assert_array_equal(parity, 1 - y)


def test_quadrant_class_is_read_from_first_two_signs():
    X, y = make_quadrants(200, random_state=0)
    expected = [int(f"{int(row[0] > 0)}{int(row[1] > 0)}", base=2) for row in X]
    np.testing.assert_array_equal(y, expected)
    assert set(y) == {0, 1, 2, 3}


def test_gaussian_features_have_the_documented_means_and_noise_has_none():
    X, y = make_gaussian_relevant(4000, 12, random_state=0)
    low, high = X[y == 0], X[y == 1]
    np.testing.assert_allclose(low[:, :6].mean(axis=0), -1.5, atol=0.1)
    np.testing.assert_allclose(high[:, :6].mean(axis=0), 1.5, atol=0.1)
    np.testing.assert_allclose(low[:, :6].std(axis=0), 1.0, atol=0.1)
    np.testing.assert_allclose(low[:, 6:].mean(axis=0), 0.0, atol=0.1)
    assert np.abs(X[:, 6:]).max() <= 1


@pytest.mark.parametrize("n_samples", [2, 51, 100])
def test_gaussian_classes_are_balanced(n_samples):
    _, y = make_gaussian_relevant(n_samples, random_state=0)
    n_low, n_high = np.bincount(y, minlength=2)
    assert 0 <= n_low - n_high <= 1


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (make_xor, {"n_samples": 0}, "make_xor needs n_samples of at least 1, got 0"),
        (
            make_xor,
            {"n_features": 2},
            "make_xor needs n_features of at least n_relevant=3, got 2",
        ),
        (make_xor, {"n_relevant": 0}, "make_xor needs n_relevant of at least 1, got 0"),
        (
            make_quadrants,
            {"n_features": 1},
            "make_quadrants needs n_features of at least 2, got 1",
        ),
        (
            make_gaussian_relevant,
            {"n_samples": 1},
            "make_gaussian_relevant needs n_samples of at least 2, got 1",
        ),
        (
            make_gaussian_relevant,
            {"n_features": 5},
            "make_gaussian_relevant needs n_features of at least n_relevant=6, got 5",
        ),
        (
            make_ordinal,
            {"n_samples_per_class": 0},
            "make_ordinal needs n_samples_per_class of at least 1, got 0",
        ),
        (
            make_ordinal,
            {"n_features": 1},
            "make_ordinal needs n_features of at least 2, got 1",
        ),
    ],
)
def test_a_count_out_of_range_is_named(make, arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("value", [10.0, "10", None, True])
def test_a_count_that_is_no_integer_is_named(make, value):
    with pytest.raises(TypeError, match=f"{make.__name__} needs an integer n_samples"):
        make(n_samples=value)


def test_numpy_integers_are_counts():
    X, _ = make_xor(np.int64(5), np.int32(4), random_state=0)
    assert X.shape == (5, 4)


def test_ordinal_types_and_shapes():
    X, y = make_ordinal(7, 5, random_state=0)
    assert X.shape == (21, 5)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    assert make_ordinal(random_state=0)[0].shape == (300, 52)


@pytest.mark.parametrize("n", [1, 10, 100])
def test_ordinal_classes_are_balanced_and_shuffled(n):
    _, y = make_ordinal(n, random_state=0)
    np.testing.assert_array_equal(np.bincount(y), [n, n, n])
    assert n == 1 or not np.array_equal(y, np.sort(y))


@pytest.mark.parametrize("seed", range(5))
def test_first_ordinal_feature_is_monotone_and_second_goes_up_and_down(seed):
    X, y = make_ordinal(50, random_state=seed)
    assert np.all(np.diff(y[np.argsort(X[:, 0])]) >= 0)
    low, middle, high = (X[y == c, 1] for c in (2, 0, 1))
    assert low.max() < middle.min()
    assert middle.max() < high.min()


def test_ordinal_features_are_uniform_and_only_two_know_the_class():
    X, y = make_ordinal(2000, random_state=0)
    for f in range(X.shape[1]):
        shares, _ = np.histogram(X[:, f], bins=6, range=(0, 1))
        assert shares.sum() == len(y)
        np.testing.assert_allclose(shares / len(y), 1 / 6, atol=0.02)
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])
    np.testing.assert_allclose(means[:, 0], [1 / 6, 3 / 6, 5 / 6], atol=0.01)
    np.testing.assert_allclose(means[:, 1], [3 / 6, 5 / 6, 1 / 6], atol=0.01)
    np.testing.assert_allclose(means[:, 2:], 0.5, atol=0.03)


@pytest.mark.parametrize("n", [20, 100])
def test_distances_alone_find_both_ordinal_features_but_not_their_order(n):
    ranks = [ReliefF().fit(*make_ordinal(n, random_state=s)).ranking_ for s in range(5)]
    both = np.array(ranks)[:, :2]
    assert set(both.ravel()) == {1, 2}
    assert both[:, 0].mean() >= 1.5


@pytest.mark.parametrize("value", [10.0, "10", None, True])
def test_an_ordinal_count_that_is_no_integer_is_named(value):
    with pytest.raises(TypeError, match="make_ordinal needs an integer n_samples_per"):
        make_ordinal(value)


def test_noise_is_a_copy_of_each_column_in_another_order():
    X = np.random.default_rng(0).standard_normal((40, 3)) * [1, 10, 100]
    noisy = append_noise(X, 7, random_state=1)
    assert noisy.shape == (40, 10)
    np.testing.assert_array_equal(noisy[:, :3], X)
    values = {tuple(np.sort(column)): f for f, column in enumerate(X.T)}
    copied = [values[tuple(np.sort(column))] for column in noisy.T[3:]]
    assert sorted(copied[:3]) == sorted(copied[3:6]) == [0, 1, 2]
    for f, column in zip(copied, noisy.T[3:], strict=True):
        assert not np.array_equal(column, X[:, f])
    np.testing.assert_array_equal(noisy, append_noise(X, 7, random_state=1))


def test_noise_may_be_uniform_or_none():
    X = np.ones((500, 2))
    noisy = append_noise(X, 3, kind="uniform", random_state=0)
    assert 0 <= noisy[:, 2:].min() < 0.05 < 0.95 < noisy[:, 2:].max() <= 1
    np.testing.assert_array_equal(append_noise(X, 0), X)
    with pytest.raises(ValueError, match=r"kind to be .* got 'normal'"):
        append_noise(X, kind="normal")
