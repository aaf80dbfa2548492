"""Keys of the screens are never farther from the truth than their bounds say.

The bounds are derived in docs/exactness.md.
"""

import numpy as np
import pytest
from numba import njit

from widemargin.data.build import build
from widemargin.engine.radius import RoundedRows
from widemargin.engine.screens import WeightedScreen
from widemargin.engine.search import METRICS, Search
from widemargin.kernels.ascent import screen_cut, weigh
from widemargin.kernels.distances import measure_distances
from widemargin.kernels.records import EUCLIDEAN
from widemargin.kernels.search import key_error
from widemargin.threads import Workers

N = 24
# Around the limits of chunks (512).
DIMENSIONS = [1, 2, 17, 128, 129, 512, 513, 1300, 5000]


def uniform(rng, d):
    return rng.random((N, d))


def near_ties(rng, d):
    """Rows whose distances differ by little more than rounding."""
    return rng.random(d) + 1e-6 * rng.standard_normal((N, d))


def cancelling(rng, d):
    """Two far groups, whose rows are long and close to each other."""
    side = np.repeat([[-1.0], [1.0]], N // 2, axis=0)
    return side + 1e-5 * rng.standard_normal((N, d))


def far_from_zero(rng, d):
    return 1e6 + rng.random((N, d)) * 10.0 ** rng.integers(-2, 3, d)


def one_direction(rng, d):
    """All roundings of a sum go the same way."""
    return np.where(np.arange(N)[:, None] % 2, 1.0, -1.0) * np.full(d, 1 / 3 + 1e-4)


KINDS = [uniform, near_ties, cancelling, far_from_zero, one_direction]
data = pytest.mark.parametrize("kind", KINDS)
sizes = pytest.mark.parametrize("d", DIMENSIONS)


def make_table(X, workers, scale=None):
    y = np.arange(len(X)) % 2
    return build(X, y, np.arange(2), scale=scale, workers=workers)


def screened(search, n):
    """(n, n) keys as the search has them; NaN on the diagonal."""
    candidates = search.panels(np.arange(n), n)
    entries = candidates.entries.reshape(n, candidates.length)
    keys = np.full((n, n), np.nan)
    for q, count in enumerate(candidates.counts[0]):
        found = entries[q, :count]
        bits = (found >> 32).astype(np.int32)
        keys[q, found & (2**32 - 1)] = bits.view(np.float32)
    return keys


def one_by_one(search, n):
    """The same keys if every sum ran feature by feature, the order of most rounding."""
    packed = search.packed[:, :n]
    norms = search.norms[EUCLIDEAN, :n].astype(np.float32)
    keys = np.zeros((n, n), np.float32)
    for chunk in packed:
        if search.metric == EUCLIDEAN:
            terms = chunk[:, None] * chunk[None]
        else:
            terms = np.abs(chunk[:, None] - chunk[None])
        keys += np.add.accumulate(terms, axis=2)[:, :, -1]
    if search.metric == EUCLIDEAN:
        keys = np.maximum((norms[:, None] + norms) - (keys + keys), np.float32(0))
    np.fill_diagonal(keys, np.nan)
    return keys.astype(float)


def truth(search, X):
    """What the keys stand for, from the rows in extended precision."""
    X = X.astype(np.longdouble) * search.factor
    t = np.abs(X[:, None] - X[None])
    return (t**2 if search.metric == EUCLIDEAN else t).sum(axis=2)


@njit
def errors(metric, keys, norms, largest, depth):
    out = np.empty_like(keys)
    for q in range(len(keys)):
        for j in range(len(keys)):
            out[q, j] = key_error(metric, keys[q, j], norms[q], largest, depth)
    return out


def excess_over_bound(search, keys, true, depth=None):
    """By how much the worst key is farther from the truth than its bound says."""
    known = search._asked(np.arange(len(keys)))[2]
    depth = known.depth if depth is None else depth
    others = ~np.eye(len(keys), dtype=bool)
    keys = np.where(others, keys, 0.0)
    bound = errors(search.metric, keys, known.norms, known.largest, depth)
    beyond = np.abs(keys - true) - bound
    return float(beyond[others].max())


def search_of(X, metric, workers):
    table = make_table(X, workers)
    return Search(table, METRICS[metric], np.zeros((2, 2), np.int64), workers), table


@data
@sizes
@pytest.mark.parametrize("metric", METRICS)
def test_keys_are_within_their_bound(metric, d, kind):
    with Workers(1) as workers:
        X = kind(np.random.default_rng(d), d)
        search, table = search_of(X, metric, workers)
        true = truth(search, table.X)
        assert excess_over_bound(search, screened(search, N), true) <= 0
        assert excess_over_bound(search, one_by_one(search, N), true) <= 0


@pytest.mark.parametrize("metric", METRICS)
def test_without_its_term_in_d_the_bound_would_be_too_small(metric):
    with Workers(1) as workers:
        X = one_direction(np.random.default_rng(0), 5000)
        search, table = search_of(X, metric, workers)
        keys, true = one_by_one(search, N), truth(search, table.X)
        assert excess_over_bound(search, keys, true, depth=0.0) > 0


def test_the_depth_counts_the_sums_that_are_added_to_a_tile():
    """2000 features are four chunks of 504 columns, or 16 panels' widths, each."""
    with Workers(1) as workers:
        X = np.random.default_rng(0).standard_normal((N, 2000))
        searches = {metric: search_of(X, metric, workers)[0] for metric in METRICS}
    assert searches["manhattan"].width == 32
    assert searches["manhattan"].depth == 512 + 4 * 16 + 2
    assert searches["euclidean"].depth == 512 + 4 + 2


@njit
def all_distances(metric, X, n, out):
    everybody = np.arange(n)
    for i in range(n):
        measure_distances(metric, X, i, everybody, 0, n, out[i])


@pytest.mark.parametrize("d", [3, 40, 700])
@pytest.mark.parametrize("metric", METRICS)
def test_mixed_keys_are_within_their_bound(metric, d):
    rng = np.random.default_rng(d)
    X = rng.random((N, d)) + rng.integers(0, 3, d)
    X[rng.random(X.shape) < 0.1] = np.nan
    nominal = np.arange(0, d, 3)
    X[:, nominal] = rng.integers(0, 3, (N, len(nominal)))
    with Workers(1) as workers:
        y = np.arange(N) % 2
        table = build(
            X, y, np.arange(2), scale="minmax", workers=workers, nominal=nominal
        )
        assert table.mixed is not None
        search = Search(table, METRICS[metric], np.zeros((2, 2), np.int64), workers)
        true = np.empty((N, N))
        all_distances(search.metric, table.data, N, true)
        true *= search.factor
        if metric == "euclidean":
            true **= 2
        assert excess_over_bound(search, screened(search, N), true) <= 0


@njit
def cuts(w, screen, distances, weights, depth, out):
    under = weigh(w, screen, np.empty(w.size), weights)
    for i in range(len(out)):
        for j in range(len(out)):
            out[i, j] = screen_cut(distances[i, j], under.scale, under.slack, depth)


def weighted_truth(X, w):
    t = (X[:, None] - X[None]).astype(np.longdouble) * w
    return np.sqrt((t**2).sum(axis=2)).astype(float)


@data
@sizes
def test_no_row_within_reach_has_a_key_above_the_cut(d, kind):
    rng = np.random.default_rng(d)
    with Workers(1) as workers:
        table = make_table(kind(rng, d), workers)
    w = 10.0 ** rng.uniform(-3, 0, d)
    distances, cut = weighted_truth(table.X, w), np.empty((N, N), np.float32)
    screen = WeightedScreen(table).arranged(w)
    weights = np.zeros(screen.rows.shape[1], np.float32)
    cuts(w, screen, distances, weights, d, cut)
    t = screen.rows[:, None] - screen.rows[None]
    keys = np.add.accumulate(weights * t * t, axis=2)[:, :, -1]
    assert (keys <= cut).all()


def test_without_its_term_in_d_the_cut_would_be_too_low():
    d, w = 5000, np.ones(5000)
    with Workers(1) as workers:
        table = make_table(one_direction(np.random.default_rng(0), d), workers)
    distances, cut = weighted_truth(table.X, w), np.empty((N, N), np.float32)
    screen = WeightedScreen(table).arranged(w)
    weights = np.zeros(screen.rows.shape[1], np.float32)
    cuts(w, screen, distances, weights, -8, cut)
    t = screen.rows[:, None] - screen.rows[None]
    assert (np.add.accumulate(weights * t * t, axis=2)[:, :, -1] > cut).any()


@data
@sizes
def test_distances_of_rounded_rows(kind, d):
    """And they are off by more than half of the bound somewhere: it is not idle."""
    X = kind(np.random.default_rng(d), d)
    with Workers(1) as workers:
        table = make_table(X, workers)
        rounded = RoundedRows(table, workers)
    D = np.empty((N, rounded.width))
    rounded.measure(0, D)
    exact = np.array([[np.abs(a - b).sum() for b in table.X] for a in table.X])
    off = np.abs(D[:, :N] - exact)
    # What NumPy sums in double precision is rounded, too.
    assert np.all(off <= rounded.errors[:, None] + 1e-15 * d * exact.max())
    np.testing.assert_array_equal(D[:, :N], D[:, :N].T)
    if kind is near_ties and d > 1:
        assert off.max() > 0


@pytest.mark.parametrize("sign", [1, -1])
def test_limits_of_rounded_distances_are_off_by_one_and_a_half_errors_at_most(sign):
    """T ± D/2 of each row's own distances, as errors of one size move them most."""
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(200):
        D, size = rng.random(10), 10.0 ** rng.integers(-6, 0)
        moved = D + size * rng.choice([-1, 1, 1], 10) * np.where(D.mean() < D, 1, sign)
        limits = [a.mean() - a.std() / 2 for a in (D, moved)]
        worst = max(worst, abs(limits[1] - limits[0]) / size)
        assert abs(limits[1] - limits[0]) <= 1.5 * size * (1 + 1e-9)
    assert worst > 0.5


def test_sums_of_rounded_rows_fit_into_31_bits():
    """Features that are at their largest together, around powers of two."""
    for whole in (63.999999, 64.0, 64.0001, 1e-140, 1e140):
        X = np.full((N, 64), whole / 64)
        X[: N // 4] = 0
        with Workers(1) as workers:
            table = make_table(X, workers)
            rounded = RoundedRows(table, workers)
        D = np.empty((N, rounded.width))
        rounded.measure(0, D)
        exact = np.abs(table.X - table.X[0]).sum(axis=1)
        assert exact.max() > 0
        np.testing.assert_allclose(D[0, :N], exact, rtol=1e-7, atol=0)
