import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import check_grad
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from cases import CASES, gaussian, one_feature, small_tables
from oracles.lmba import gradient, lmba, loss, sample_loss
from oracles.neighbours import scaled
from widemargin import LMBA
from widemargin.datasets import make_gaussian_relevant, make_quadrants
from widemargin.margin import lmba_loss

pytestmark = [
    pytest.mark.filterwarnings("ignore:(LMBA|lmba_loss). n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
]


def assert_same_weights(ours, theirs):
    size = max(1.0, np.abs(theirs).max())
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-8 * size)


# With one feature a normalised gradient is only a sign, and the first step ends at 0,
# or wherever rounding puts it.
@pytest.mark.parametrize("case", [c for c in CASES if c is not one_feature])
@pytest.mark.parametrize(
    ("active", "step"), [("weighted", "sqrt"), ("original", "constant")]
)
@pytest.mark.parametrize("batch_size", [1, 7])
def test_weights_and_loss_are_those_of_the_oracle(case, active, step, batch_size):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    order = rng.permutation(len(y))[:40]
    options = {"active": active, "step": step, "batch_size": batch_size}
    ours = LMBA(order=order, **options).fit(X, y)
    theirs = lmba(X, y, [order], **options)
    assert_same_weights(ours.weights_, theirs)
    expected = loss(scaled(X, "minmax"), y, ours.weights_)
    assert ours.loss_ == pytest.approx(expected, rel=1e-8, abs=1e-10)


@given(small_tables(max_rows=14, min_features=2))
def test_any_small_table_gives_the_weights_of_the_oracle(table):
    X, y = table
    order = np.arange(len(y))
    ours = LMBA(order=order, n_neighbors=2, c=0.5).fit(X, y)
    assert_same_weights(ours.weights_, lmba(X, y, [order], k=2, c=0.5))


def test_many_features_and_passes():
    X, y = make_gaussian_relevant(60, 130, random_state=0)
    order = np.arange(60)[::-1]
    for batch_size in (1, 9):
        ours = LMBA(order=order, max_iter=2, batch_size=batch_size).fit(X, y)
        theirs = lmba(X, y, [order, order], batch_size=batch_size)
        assert_same_weights(ours.weights_, theirs)


def test_the_gradient_of_the_oracle_is_that_of_its_loss():
    rng = np.random.default_rng(0)
    X, y = gaussian(rng)
    for i in range(10):
        w = rng.uniform(0.5, 1.5, 7)
        error = check_grad(
            lambda w, i=i: sample_loss(X, y, i, w),
            lambda w, i=i: gradient(X, y, i, w),
            w,
        )
        assert error < 1e-4 * np.abs(gradient(X, y, i, w)).max()


def test_a_step_of_no_finite_length_is_named():
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"step\(3\) must be a finite number, got nan"):
        LMBA(step=lambda t: np.nan if t == 3 else 1.0).fit(X, y)
    with pytest.raises(ValueError, match=r"step\(1\) must be a finite number, got 'a'"):
        LMBA(step=lambda _: "a").fit(X, y)


def test_a_step_may_be_a_function_of_the_visit():
    X, y = gaussian(np.random.default_rng(0))
    ours = LMBA(order=range(60), step=lambda t: 1 / t**0.5).fit(X, y)
    assert_same_weights(ours.weights_, LMBA(order=range(60)).fit(X, y).weights_)


def test_descent_lowers_the_loss():
    X, y = gaussian(np.random.default_rng(0))
    start = loss(scaled(X, "minmax"), y, np.ones(7))
    assert LMBA(random_state=0).fit(X, y).loss_ < start


@pytest.mark.parametrize("case", CASES)
def test_the_loss_of_any_weights_is_that_of_the_oracle(case):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    for w in (None, rng.uniform(-1, 2, X.shape[1]), np.zeros(X.shape[1])):
        v = rng.uniform(0.5, 2, len(y))
        ours = lmba_loss(X, y, w, n_neighbors=2, c=0.5, sample_weight=v)
        used = np.ones(X.shape[1]) if w is None else w
        theirs = loss(X, y, used, k=2, c=0.5, row_weights=v / v.mean())
        assert ours == pytest.approx(theirs, rel=1e-8, abs=1e-10)


def test_history_has_the_loss_after_each_pass():
    X, y = make_gaussian_relevant(60, 20, random_state=0)
    order = np.arange(60)
    long = LMBA(order=order, max_iter=3).fit(X, y)
    for passes, e in enumerate(long.history_, start=1):
        short = LMBA(order=order, max_iter=passes).fit(X, y)
        assert short.loss_ == e
        assert lmba_loss(minmax_scale(X), y, short.weights_) == pytest.approx(e)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors to be an integer of at least 1, got 0"),
        ({"n_neighbors": 1.5}, "n_neighbors to be an integer of at least 1, got 1.5"),
        ({"c": -1}, "c to be a number of at least 0, got -1"),
        ({"c": np.nan}, "c to be a number of at least 0, got nan"),
        ({"weights": [1]}, r"one finite weight per feature, so shape \(7,\)"),
    ],
)
def test_the_loss_names_options_out_of_range(options, message):
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(ValueError, match=f"lmba_loss needs {message}"):
        lmba_loss(X, y, **options)


def test_iris_ranks_as_in_table_1():
    # The printed algorithm. The other reading puts the petals first just as surely, but
    # tells the sepals' length from their width no better than a coin.
    X, y = load_iris(return_X_y=True)
    ranked = 0
    for seed in range(20):
        printed = LMBA(active="original", step="constant", random_state=seed)
        ranking = printed.fit(X, y).ranking_
        ranked += set(ranking[2:]) == {1, 2} and list(ranking[:2]) == [4, 3]
        assert set(LMBA(random_state=seed).fit(X, y).ranking_[2:]) == {1, 2}
    assert ranked > 12


def test_artificial_data_rank_as_in_table_1():
    for seed in range(5):
        X, y = make_quadrants(random_state=seed)
        ranking = LMBA(random_state=seed).fit(X, y).ranking_
        assert set(ranking[:2]) == {1, 2}
        X, y = make_gaussian_relevant(random_state=seed)
        ranking = LMBA(random_state=seed).fit(X, y).ranking_
        assert set(ranking[:6]) == set(range(1, 7))


@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("active", ["weighted", "original"])
def test_number_of_threads_changes_nothing(active, batch_size):
    rng = np.random.default_rng(0)
    # Large enough for threads that share each visit; classes end within a group.
    X, y = rng.standard_normal((700, 200)), np.repeat([0, 1, 2], (130, 560, 10))
    X[:, :5] += y[:, None]
    options = {"active": active, "batch_size": batch_size, "random_state": 0}
    one, *others = (LMBA(**options, n_jobs=n).fit(X, y) for n in (1, 2, 3, 4, 7))
    for other in others:
        np.testing.assert_array_equal(one.weights_, other.weights_)
        assert one.loss_ == other.loss_
