"""The search finds what direct measurement of all pairs finds, however it is cut up."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_classification

import widemargin
from cases import CASES
from settings_tools import changed_settings
from widemargin import Relief, ReliefF, methods
from widemargin.data.build import build
from widemargin.engine import (
    Edges,
    each_class,
    edge_sums,
    group_sums,
    hits_and_misses,
    nearest,
    nearest_rows,
)
from widemargin.settings import Settings
from widemargin.threads import Workers

# Before a fixture makes no table small.
SMALL = {"small_table_rows": Settings().small_table_rows}


@pytest.fixture(params=["1 thread", "2 threads", "small"])
def workers(request):
    with (
        changed_settings(**(SMALL if request.param == "small" else {})),
        Workers(2 if request.param == "2 threads" else 1) as workers,
    ):
        yield workers


def make_table(X, y, workers, scale=None):
    classes, y = np.unique(y, return_inverse=True)
    return build(np.asarray(X, dtype=float), y, classes, scale=scale, workers=workers)


def brute_force(table, d, i, k, slots, slot):
    """The k nearest rows of a slot; ties go to the caller's lowest row number."""
    rows = np.flatnonzero(slots[table.y[i], table.y] == slot)
    rows = rows[rows != i]
    if len(rows) <= k:
        return rows.tolist()
    border = np.sort(d[rows])[k - 1]
    inside = rows[d[rows] < border * (1 - 1e-10)]
    tied = rows[np.abs(d[rows] - border) <= 1e-10 * border]
    tied = tied[np.argsort(table.rows[tied])]
    return sorted([*inside.tolist(), *tied[: k - len(inside)].tolist()])


def distances_from(x, X, metric):
    if metric == "euclidean":
        return np.sqrt(np.sum((X - x) ** 2, axis=1))
    return np.sum(np.abs(X - x), axis=1)


def assert_nearest(table, k, slots, metric, workers, queries=None):
    seen = []
    for block in nearest(
        table, k, slots, metric=metric, queries=queries, distances=True, workers=workers
    ):
        for q, i in enumerate(block.queries):
            seen.append(i)
            d = distances_from(table.X[i], table.X, metric)
            for slot in range(block.n_slots):
                g = q * block.n_slots + slot
                part = slice(block.offsets[g], block.offsets[g + 1])
                found = block.rows[part].tolist()
                assert found == brute_force(table, d, i, k, slots, slot)
                np.testing.assert_allclose(block.distances[part], d[found], rtol=1e-13)
                assert (block.share[part] == 1).all()
    expected = np.arange(len(table.X)) if queries is None else queries
    np.testing.assert_array_equal(seen, expected)


def spread_out(rng, n, d):
    return rng.standard_normal((n, d))


def on_a_grid(rng, n, d):
    return rng.integers(0, 2, (n, d)) / 3


def far_from_the_origin(rng, n, d):
    return 1e8 + rng.standard_normal((n, d))


def closer_than_float32_can_tell(rng, n, d):
    return np.repeat(rng.standard_normal((n // 5 + 1, d)), 5, axis=0)[:n] + (
        1e-9 * rng.standard_normal((n, d))
    )


def one_huge_feature(rng, n, d):
    X = rng.standard_normal((n, d))
    X[:, 0] = rng.integers(0, 2, n) * 1e7
    return X


def one_far_row(rng, n, d):
    X = rng.standard_normal((n, d))
    X[3] += 1e6
    return X


def tiny_values(rng, n, d):
    return 1e-30 * rng.standard_normal((n, d))


KINDS = [
    spread_out,
    on_a_grid,
    far_from_the_origin,
    closer_than_float32_can_tell,
    one_huge_feature,
    one_far_row,
    tiny_values,
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_neighbours_are_those_of_brute_force(kind, metric, workers):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 130)
    table = make_table(kind(rng, 130, 6), y, workers)
    assert_nearest(table, 1, hits_and_misses(3), metric, workers)
    assert_nearest(table, 4, each_class(3), metric, workers)


@pytest.mark.parametrize("d", [1, 7, 8, 65, 511, 513, 1100])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_any_number_of_features(d, metric, workers):
    rng = np.random.default_rng(d)
    table = make_table(rng.random((60, d)), rng.integers(0, 2, 60), workers)
    assert_nearest(table, 3, hits_and_misses(2), metric, workers)


@pytest.mark.parametrize("n", [2, 3, 31, 64, 65, 129, 257])
def test_any_number_of_rows(n, workers):
    rng = np.random.default_rng(n)
    y = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    table = make_table(rng.random((n, 3)), y, workers)
    assert_nearest(table, 2, each_class(2), "euclidean", workers)


def test_many_classes_and_a_lopsided_one(workers):
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(100, int), np.repeat(np.arange(1, 31), 3)]
    table = make_table(rng.random((190, 5)), rng.permutation(y), workers)
    assert_nearest(table, 5, each_class(31), "manhattan", workers)
    assert_nearest(table, 5, hits_and_misses(31), "euclidean", workers)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_some_queries_only(metric, workers):
    rng = np.random.default_rng(0)
    table = make_table(rng.random((150, 5)), rng.integers(0, 2, 150), workers)
    queries = np.array([149, 0, 3, 77, 76])
    assert_nearest(table, 3, each_class(2), metric, workers, queries)


def test_all_rows_as_queries_in_another_order(workers):
    rng = np.random.default_rng(4)
    table = make_table(rng.standard_normal((90, 4)), np.arange(90) % 3, workers)
    assert_nearest(
        table, 3, each_class(3), "euclidean", workers, queries=rng.permutation(90)
    )


def test_a_relation_may_leave_classes_out(workers):
    rng = np.random.default_rng(0)
    table = make_table(rng.random((90, 4)), rng.integers(0, 3, 90), workers)
    higher_only = np.triu(np.zeros((3, 3), int), 1) - np.tril(np.ones((3, 3), int))
    assert_nearest(table, 2, higher_only, "euclidean", workers)


@pytest.mark.parametrize("selector", [Relief(), ReliefF(), ReliefF(metric="manhattan")])
def test_scores_are_the_same_to_the_last_bit_however_work_is_cut_up(
    monkeypatch, selector
):
    X, y = make_classification(700, 30, n_informative=9, n_classes=3, random_state=0)
    X[:, ::3] = X[:, ::3].round()
    scores = selector.set_params(n_jobs=2).fit(X, y).scores_
    np.testing.assert_array_equal(
        selector.set_params(n_jobs=1).fit(X, y).scores_, scores
    )
    np.testing.assert_array_equal(
        selector.set_params(n_jobs=3).fit(X, y).scores_, scores
    )
    with changed_settings(search_bytes=0):
        np.testing.assert_array_equal(selector.fit(X, y).scores_, scores)


@pytest.mark.parametrize("metric", nearest_rows.METRICS)
@pytest.mark.parametrize("d", [3, 150, 511, 513, 1100])
def test_what_fills_up_the_panels_is_zero(d, metric, monkeypatch):
    table = make_table(np.random.default_rng(0).random((37, d)), [0] * 37, Workers(1))
    monkeypatch.setattr(np, "empty", lambda shape, kind=float: np.full(shape, 7, kind))
    search = nearest_rows.Search(
        table, nearest_rows.METRICS[metric], np.zeros((1, 1), int), Workers(1)
    )
    cells = np.concatenate(search.packed, axis=1)
    assert cells[:37, :d].any(axis=0).all()
    assert not cells[37:].any()
    assert not cells[:, d:].any()


def test_rows_that_are_tied_up_to_rounding_share_a_place(workers):
    X = np.array([0.0, 1.0 + 1e-12, 1.0, 1.0 + 2e-12, 7.0, 9.0])[:, None]
    table = make_table(X, [0, 1, 1, 1, 1, 0], workers)
    slots = each_class(2)
    (block,) = nearest(table, 2, slots, share_ties=True, workers=workers)
    # After the rows of its own class, the first row finds those of the other.
    part = slice(block.offsets[1], block.offsets[2])
    assert table.rows[block.rows[part]].tolist() == [1, 2, 3]
    np.testing.assert_allclose(block.share[part], 2 / 3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    "method", [m for m in methods() if m.home == "widemargin" and m.name != "TuRF"]
)
def test_small_tables_score_as_with_the_search(method, case):
    X, y = case(np.random.default_rng(3))
    selector = getattr(widemargin, method.name)()
    if "random_state" in selector.get_params():
        selector.set_params(random_state=0)
    searched = selector.fit(X, y).scores_
    with changed_settings(**SMALL):
        np.testing.assert_allclose(selector.fit(X, y).scores_, searched, 1e-9, 1e-12)


def test_tied_lists_grow_beyond_any_length(workers):
    # All rows of a class are tied, so that every list has to hold all of them.
    rng = np.random.default_rng(0)
    table = make_table(np.ones((300, 4)), rng.integers(0, 2, 300), workers)
    counts = table.counts
    for block in nearest(table, 2, each_class(2), share_ties=True, workers=workers):
        own = table.y[block.queries][:, None] == np.arange(2)
        np.testing.assert_array_equal(block.counts, counts - own)
        np.testing.assert_allclose(np.add.reduceat(block.share, block.offsets[:-1]), 2)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("d", [1, 31, 32, 33, 700, 1300])
@pytest.mark.parametrize("in_order", [True, False], ids=["runs of heads", "any order"])
def test_edge_sums(power, d, in_order, workers):
    rng = np.random.default_rng(0)
    table = make_table(rng.random((40, d)), rng.integers(0, 2, 40), workers)
    heads, tails = rng.integers(0, 40, (2, 9000))
    if in_order:
        heads.sort()
    coefficients = rng.standard_normal(9000)
    edges = Edges(heads, tails, coefficients)
    expected = coefficients @ np.abs(table.X[heads] - table.X[tails]) ** power
    sums = edge_sums(table, edges, power=power, workers=workers)
    np.testing.assert_allclose(sums, expected, rtol=1e-10)


def test_edges_of_any_strides(workers):
    # Numba 0.60 called the code for contiguous ones, too (its issue 9097).
    rng = np.random.default_rng(0)
    table = make_table(rng.random((40, 5)), rng.integers(0, 2, 40), workers)
    both, c = rng.integers(0, 40, (300, 2)), rng.standard_normal(300)
    heads, tails = both.T
    expected = c @ np.abs(table.X[heads] - table.X[tails])
    strided, contiguous = Edges(heads, tails, c), Edges(heads.copy(), tails.copy(), c)
    for _ in range(200):
        for edges in (contiguous, strided):
            sums = edge_sums(table, edges, workers=workers)
            np.testing.assert_allclose(sums, expected, rtol=1e-10)


@pytest.mark.parametrize("options", [{}, {"power": 2}, {"signed": True}])
def test_group_sums(options, workers):
    rng = np.random.default_rng(6)
    X = rng.standard_normal((40, 7))
    table = make_table(X, np.arange(40) % 2, workers)
    heads, tails = rng.integers(0, 40, (2, 300))
    c = rng.standard_normal(300)
    offsets = np.array([3, 3, 10, 11, 200, 299])
    edges = Edges(heads, tails, c)
    sums = group_sums(table, edges, offsets, workers=workers, **options)
    t = table.X[tails] - table.X[heads]
    power = options.get("power", 1)
    t = c[:, None] * (t if options.get("signed") else np.abs(t) ** power)
    expected = [t[a:b].sum(axis=0) for a, b in pairwise(offsets)]
    np.testing.assert_allclose(sums, expected, atol=1e-12)


def test_an_error_in_a_thread_reaches_the_caller():
    def fail(piece):
        if piece == 3:
            raise RuntimeError("piece 3")

    with Workers(2) as workers, pytest.raises(RuntimeError, match="piece 3"):
        workers.run(fail, range(10))
