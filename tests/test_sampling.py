import numpy as np
import pytest
from hypothesis import given
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from cases import CASES, expected_failures, small_tables
from oracles.ordinal import o_relieff
from oracles.relief import relief, relieff
from oracles.sampling import sampled
from widemargin import OReliefF, Relief, ReliefF
from widemargin.base.sampling import Estimate, Means, batch_size

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
]

METHODS = {
    "Relief": (Relief(), lambda X, y, i: relief(X, y, samples=i)),
    "Relief squared": (
        Relief(squared=True),
        lambda X, y, i: relief(X, y, squared=True, samples=i),
    ),
    "ReliefF": (
        ReliefF(n_neighbors=3),
        lambda X, y, i: relieff(X, y, 3, samples=i),
    ),
    "ReliefF manhattan": (
        ReliefF(n_neighbors=3, metric="manhattan"),
        lambda X, y, i: relieff(X, y, 3, metric="manhattan", samples=i),
    ),
    "OReliefF": (
        OReliefF(n_neighbors=2),
        lambda X, y, i: o_relieff(X, y, 2, samples=i),
    ),
    "OReliefF directed": (
        OReliefF(n_neighbors=2, difference="directed"),
        lambda X, y, i: o_relieff(X, y, 2, difference="directed", samples=i),
    ),
    "OReliefF absolute": (
        OReliefF(difference="absolute"),
        lambda X, y, i: o_relieff(X, y, difference="absolute", samples=i),
    ),
    "OReliefF dominating": (
        OReliefF(n_neighbors=2, hits="dominating"),
        lambda X, y, i: o_relieff(X, y, 2, which="dominating", samples=i),
    ),
}
EACH = pytest.mark.parametrize("method", METHODS)


def graded(n, d=6, shift=1.0, seed=0, classes=3):
    """The first two features rise with the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = rng.standard_normal((n, d))
    X[:, :2] += shift * y[:, None]
    return X, y


def auto(method, wanted=2, **parameters):
    selector, _ = METHODS[method]
    parameters = {"random_state": 0, **parameters}
    return clone(selector).set_params(
        n_features_to_select=wanted, n_samples="auto", **parameters
    )


def covers(fitted, scores):
    low, high = fitted.scores_interval_.T
    return bool(np.all((low <= scores) & (scores <= high)))


@EACH
@pytest.mark.parametrize("case", CASES)
def test_all_rows_visited_is_the_exact_score(method, case):
    X, y = case(np.random.default_rng(0))
    exact = clone(METHODS[method][0]).fit(X, y)
    fitted = auto(method, None, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(fitted.scores_, exact.scores_, rtol=0, atol=1e-13)
    if not fitted.scores_.any():  # nothing varies, or nobody has a neighbour
        return
    if fitted.n_samples_ == len(y):
        assert np.ptp(fitted.scores_interval_, axis=1).max() < 1e-12
        assert covers(fitted, exact.scores_)
        assert fitted.converged_


@EACH
def test_hard_data_are_visited_to_the_end(method):
    X, y = graded(300, shift=0.0)
    fitted = auto(method, tol=1e-12).fit(X, y)
    exact = clone(METHODS[method][0]).set_params(n_features_to_select=2).fit(X, y)
    assert fitted.n_samples_ == 300
    assert fitted.converged_
    np.testing.assert_allclose(fitted.scores_, exact.scores_, rtol=0, atol=1e-13)
    assert covers(fitted, exact.scores_)
    assert covers(fitted, fitted.scores_)
    np.testing.assert_array_equal(fitted.support_, exact.support_)


@EACH
@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_looks_and_intervals_are_those_of_the_oracle(method, shift):
    X, y = graded(150, shift=shift)
    X[:, 4] = 2.5
    _, score = METHODS[method]
    V = np.array([score(X, y, [i]) for i in range(len(y))])
    fitted = auto(method, tol=0.1, random_state=5).fit(X, y)
    order = np.random.RandomState(5).permutation(len(y))
    bound = {"directed": 4, "absolute": 2, "dominating": 4}
    reach = np.full(6, float(bound.get(method.split()[-1], 1)))
    reach[4] = 0
    mean, half, T, told = sampled(V, order, reach, 2, tol=0.1)
    assert fitted.n_samples_ == T
    assert fitted.converged_ == told
    np.testing.assert_allclose(fitted.scores_, mean, rtol=0, atol=1e-12)
    low, high = fitted.scores_interval_.T
    np.testing.assert_allclose(low, mean - half, rtol=0, atol=1e-11)
    np.testing.assert_allclose(high, mean + half, rtol=0, atol=1e-11)


@given(small_tables())
def test_any_small_table_has_exact_scores(table):
    X, y = table
    for method in METHODS:
        exact = clone(METHODS[method][0]).fit(X, y)
        fitted = auto(method, None).fit(X, y)
        assert fitted.n_samples_ == len(y)
        np.testing.assert_allclose(fitted.scores_, exact.scores_, rtol=0, atol=1e-13)
        assert covers(fitted, exact.scores_)


@EACH
def test_no_row_contributes_more_than_the_bound(method):
    for case in CASES:
        X, y = case(np.random.default_rng(3))
        _, score = METHODS[method]
        rows = range(min(12, len(y)))
        V = np.array([score(X, y, [i]) for i in rows])
        margins = min(2, len(np.unique(y)) - 1)
        bound = {"directed": 2, "absolute": 1, "dominating": 2}
        reach = margins * bound.get(method.split()[-1], 1 / margins)
        assert np.abs(V).max() <= reach + 1e-12


@EACH
def test_easy_data_need_few_rows(method):
    X, y = graded(6000, shift=4.0)
    fitted = auto(method).fit(X, y)
    assert fitted.n_samples_ < 3000
    assert fitted.converged_
    np.testing.assert_array_equal(fitted.get_support(indices=True), [0, 1])
    low, high = fitted.scores_interval_.T
    assert (low < fitted.scores_).all()
    assert (fitted.scores_ < high).all()
    assert low[:2].min() > high[2:].max()


@pytest.mark.parametrize("method", ["Relief", "ReliefF", "OReliefF"])
def test_noise_stops_at_the_tolerance(method):
    X, y = graded(4000, shift=0.0)
    fitted = auto(method, tol=0.08).fit(X, y)
    assert fitted.n_samples_ < 4000
    assert not fitted.converged_
    assert np.ptp(fitted.scores_interval_, axis=1).max() <= 0.16


def test_default_tolerance_follows_the_scale_of_the_features():
    X, y = graded(20000, d=4, shift=0.0)
    units = [1.0, 10.0, 1000.0, 0.001]
    fitted = auto("ReliefF", None, scale=None).fit(X * units, y)
    widths = np.ptp(fitted.scores_interval_, axis=1)
    assert fitted.n_samples_ < 20000
    assert (widths <= 0.005 * np.ptp(X * units, axis=0)).all()


def test_scores_are_what_counts_when_all_features_are_kept():
    X, y = graded(20000, d=4)
    for wanted in (4, 9):
        selector = auto("ReliefF", wanted, tol=0.01)
        if wanted > 4:
            with pytest.warns(UserWarning, match="X has 4 features"):
                selector.fit(X, y)
        else:
            selector.fit(X, y)
        assert selector.converged_
        assert selector.n_samples_ < 20000
        assert np.ptp(selector.scores_interval_, axis=1).max() <= 0.02


@pytest.mark.parametrize("threshold", [0.06, "chebyshev"])
def test_a_threshold_is_cleared_by_every_interval(threshold):
    X, y = graded(5000, shift=3.0, classes=2)
    fitted = auto("Relief", None, threshold=threshold).fit(X, y)
    low, high = fitted.scores_interval_.T
    tau = 1 / np.sqrt(0.05 * 5000) if threshold == "chebyshev" else threshold
    assert fitted.threshold_ == pytest.approx(tau)
    assert fitted.converged_
    assert fitted.n_samples_ < 5000
    assert ((low > tau) | (high <= tau)).all()
    exact = Relief(threshold=threshold).fit(X, y)
    np.testing.assert_array_equal(fitted.support_, exact.support_)
    number = auto("Relief", 2, threshold=threshold).fit(X, y)
    assert number.n_samples_ <= fitted.n_samples_


def sparse_flags(rng, n):
    """Features that are 0 in nearly all rows: most samples show no variation."""
    y = rng.integers(0, 2, n)
    X = (rng.random((n, 6)) < [0.5, 0.01, 0.005, 0.003, 0.3, 0.02]).astype(float)
    X[:, 0] = np.where(rng.random(n) < 0.8, y, X[:, 0])
    X[:, 1] *= y
    return X, y


def heavy_tails(rng, n):
    y = rng.integers(0, 2, n)
    X = np.exp(1.5 * rng.standard_normal((n, 6)))
    X[:, :2] *= 1 + y[:, None]
    return X, y


def rare_class(rng, n):
    y = (rng.random(n) < 0.02).astype(int)
    X = rng.standard_normal((n, 6))
    X[:, :3] += 2 * y[:, None]
    return X, y


def blobs(rng, n):
    y = rng.integers(0, 3, n)
    X = rng.standard_normal((n, 6))
    X[:, :3] += [2.0, 1.0, 0.5] * y[:, None]
    return X, y


@pytest.mark.simulated
@pytest.mark.parametrize(
    ("case", "method"),
    [
        (blobs, "Relief"),
        (blobs, "ReliefF"),
        (blobs, "OReliefF"),
        (sparse_flags, "ReliefF manhattan"),
        (heavy_tails, "ReliefF"),
        (rare_class, "Relief"),
    ],
)
def test_intervals_cover_the_exact_scores_together(case, method):
    X, y = case(np.random.default_rng(1), 600)
    exact = clone(METHODS[method][0]).fit(X, y).scores_
    runs = [auto(method, 3, tol=0.1, random_state=seed).fit(X, y) for seed in range(50)]
    assert np.mean([covers(run, exact) for run in runs]) >= 0.93
    assert np.mean([run.n_samples_ < len(y) for run in runs]) > 0.5


def test_lower_confidence_needs_no_more_rows():
    X, y = graded(8000, shift=0.8)
    rows = [
        auto("ReliefF", 2, confidence=c).fit(X, y).n_samples_ for c in (0.5, 0.95, 1e-9)
    ]
    assert rows[2] <= rows[0] <= rows[1]


@EACH
def test_result_depends_on_the_seed_only(method):
    X, y = graded(1500, shift=2.0)
    one = auto(method, n_jobs=1, tol=0.1).fit(X, y)
    three = auto(method, n_jobs=3, tol=0.1).fit(np.asfortranarray(X), y)
    np.testing.assert_array_equal(one.scores_, three.scores_)
    np.testing.assert_array_equal(one.scores_interval_, three.scores_interval_)
    assert one.n_samples_ == three.n_samples_
    other = auto(method, random_state=1, tol=0.1).fit(X, y)
    assert (other.scores_ != one.scores_).any()


def test_names_of_classes_do_not_change_which_rows_are_visited():
    X, y = graded(1500, shift=2.0)
    one = auto("ReliefF").fit(X, y)
    two = auto("ReliefF").fit(X, np.array(["c", "a", "b"])[y])
    assert one.n_samples_ == two.n_samples_
    np.testing.assert_allclose(one.scores_, two.scores_, rtol=0, atol=1e-13)


@pytest.mark.parametrize("hits", ["nearest", "dominating"])
@pytest.mark.parametrize("difference", ["directed", "absolute"])
def test_o_relieff_visits_the_samples_drawn(hits, difference):
    X, y = graded(60, d=3)
    drawn = np.random.RandomState(7).permutation(60)[:20]
    fitted = OReliefF(
        n_samples=20, n_neighbors=2, hits=hits, difference=difference, random_state=7
    ).fit(X, y)
    expected = o_relieff(X, y, 2, difference=difference, which=hits, samples=drawn)
    np.testing.assert_allclose(fitted.scores_, expected, atol=1e-12)
    assert fitted.n_samples_ == 20


def test_intervals_of_an_earlier_fit_do_not_survive():
    X, y = graded(400)
    selector = auto("ReliefF").fit(X, y)
    assert hasattr(selector, "scores_interval_")
    selector.set_params(n_samples=None).fit(X, y)
    assert selector.n_samples_ == 400
    assert not hasattr(selector, "scores_interval_")
    assert not hasattr(selector, "converged_")


@pytest.mark.parametrize(
    "parameters",
    [{"n_samples": "all"}, {"tol": 0.0}, {"confidence": 1.0}, {"confidence": 0}],
)
@pytest.mark.parametrize("selector", [Relief(), ReliefF(), OReliefF()])
def test_bad_parameters_are_named(selector, parameters):
    X, y = graded(20)
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The '{name}' parameter of "):
        clone(selector).set_params(**parameters).fit(X, y)


def test_progress_shows_rows_and_the_widest_half_width(capsys):
    X, y = graded(4000, shift=3.0)
    fitted = auto("ReliefF", verbose=1).fit(X, y)
    width = np.ptp(fitted.scores_interval_, axis=1).max() / 2
    assert capsys.readouterr().err == (
        f"ReliefF: {fitted.n_samples_} of 4000, widest half-width {width:.2g}\n"
    )


def test_a_memory_mapped_file_is_as_good_as_an_array(tmp_path):
    X, y = graded(3000, shift=2.0)
    for dtype in (np.float64, np.float32):
        np.save(tmp_path / "X.npy", X.astype(dtype))
        mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
        ours = auto("ReliefF").fit(mapped, y)
        theirs = auto("ReliefF").fit(np.array(mapped), y)
        np.testing.assert_array_equal(ours.scores_interval_, theirs.scores_interval_)


def test_means_are_stable_far_from_zero():
    rng = np.random.default_rng(0)
    V = 1e8 + rng.standard_normal((1000, 3)) * [1.0, 1e-3, 0.0]
    means = Means(np.ones(3))
    for part in np.array_split(V, 13):
        means.add(part)
    np.testing.assert_allclose(means.mean, V.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(means.squares[:2], V.var(axis=0)[:2] * 1000, rtol=1e-4)
    assert means.squares[2] == 0


def test_estimates_say_what_is_certain():
    known = Estimate(np.array([3.0, 1.0, 0.0]), np.array([0.5, 0.5, 0.2]), 10)
    first = np.array([True, False, False])
    second = np.array([True, True, False])
    assert known.separates(first, ~first)
    assert known.separates(second, ~second)
    third = np.array([True, False, True])
    assert not known.separates(third, ~third)
    assert known.clear_of(2.0)
    assert known.clear_of(0.2)
    assert not known.clear_of(0.1)


def test_batches_grow_with_the_table_up_to_a_point():
    assert [batch_size(n) for n in (2, 512, 4000, 10**6)] == [64, 64, 500, 1024]


@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@parametrize_with_checks(
    [Relief(n_samples="auto"), ReliefF(n_samples="auto"), OReliefF(n_samples="auto")],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
