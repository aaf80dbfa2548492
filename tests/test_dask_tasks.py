"""Tasks and their graph, and sums of edges on blocks of rows."""

import gc
import weakref

import dask
import dask.array as da
import numpy as np
import pytest

from cases import gaussian
from test_dask import assert_same
from widemargin import ReliefF
from widemargin.engine import each_class, edge_sums, nearest
from widemargin.engine.dask.cluster import Cluster, Task, closure


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


def weigh(values, more, factor):
    return factor * (sum(values) + sum(more[0]))


def test_results_are_put_where_they_are_used():
    cluster, made = Cluster("test"), []
    three = cluster.call(lambda: made.append(1) or 3)
    weighed = cluster.call(weigh, [three, 5], ([three, three],), 2)
    assert cluster.compute([weighed, three]) == [2 * (3 + 5 + 3 + 3), 3]
    assert len(made) == 1


def test_a_part_of_a_collection_is_a_result_like_others():
    cluster = Cluster("test")
    parts = da.arange(6, chunks=3).to_delayed()
    (total,) = cluster.compute([cluster.call(np.add, *parts)])
    np.testing.assert_array_equal(total, [3, 5, 7])


def test_kept_results_are_not_computed_again():
    cluster, made = Cluster("test"), []
    kept = cluster.call(lambda: made.append(1) or [1, 2])
    (again,) = cluster.keep([kept])
    assert closure([again]) == ([again], [])
    assert cluster.compute([again]) == [[1, 2]]
    assert cluster.compute([cluster.call(sum, again)]) == [3]
    assert len(made) == 1


def test_nothing_is_held_on_to_by_what_has_been_done():
    class Rows(list):
        pass

    gc.disable()
    try:
        rows = Rows([1, 2])
        gone = weakref.ref(rows)
        call, _ = Task(len, (Task(Rows, ()),)).entry
        assert call(rows) == 2
        del rows, call
        assert gone() is None
    finally:
        gc.enable()


def test_neighbours_are_those_in_memory():
    X, y = gaussian(np.random.default_rng(0))
    seen = []

    class Look(ReliefF):
        def _mean(self, table, rows, workers):
            caller = getattr(table, "rows", np.arange(table.n_rows))
            lists = {}
            for block in nearest(table, 3, each_class(3), workers=workers):
                ends = block.offsets.reshape(-1)
                for q, row in enumerate(block.queries):
                    part = slice(ends[q * 3], ends[q * 3 + 3])
                    lists[caller[row]] = sorted(caller[block.rows[part]])
                assert block.counts.shape == (len(block.queries), 3)
            seen.append(lists)
            return np.zeros(X.shape[1])

    for data in (X, da.from_array(X, chunks=(17, -1))):
        Look().fit(data, y)
    assert seen[0] == seen[1]


def test_edges_are_summed_as_often_as_one_likes():
    X, y = gaussian(np.random.default_rng(0))
    found = []

    class Twice(ReliefF):
        def _mean(self, table, rows, workers):
            ((_, edges),) = self._edges(table, rows, workers)
            found.extend(edge_sums(table, edges, workers=workers) for _ in range(2))
            return found[0] / len(y)

    lazy = da.from_array(X, chunks=(13, -1))
    assert_same(Twice(n_neighbors=3).fit(lazy, y), ReliefF(n_neighbors=3).fit(X, y))
    np.testing.assert_array_equal(*found)


def test_collections_that_are_computed_already():
    from distributed import Client

    X, y = gaussian(np.random.default_rng(0))
    lazy = da.from_array(X, chunks=(13, -1))
    expected = ReliefF(n_neighbors=3).fit(X, y)
    with (
        Client(processes=False, n_workers=2, dashboard_address=":0"),
        dask.config.set(scheduler=None),
    ):
        kept, labels = lazy.persist(), da.from_array(y, chunks=9).persist()
        for data in (kept, kept.rechunk((20, -1)), kept.map_blocks(np.copy)):
            assert_same(ReliefF(n_neighbors=3).fit(data, labels), expected)


def test_a_chunk_is_made_once():
    X, y = gaussian(np.random.default_rng(0))
    made = []

    def make(block_info=None):
        (start, stop), _ = block_info[None]["array-location"]
        made.append(start)
        return X[start:stop]

    for size in (5, 60):
        sizes = tuple(min(size, 60 - s) for s in range(0, 60, size))
        lazy = da.map_blocks(
            make, chunks=(sizes, (X.shape[1],)), dtype=float, meta=np.empty((0, 0))
        )
        made.clear()
        assert_same(ReliefF().fit(lazy, y), ReliefF().fit(X, y))
        assert sorted(made) == list(range(0, 60, size))


def test_partitions_are_not_kept_beside_blocks():
    from distributed import Client

    X, y = gaussian(np.random.default_rng(0))
    lazy, alive = da.from_array(X, chunks=(13, -1)), []

    class Watched(ReliefF):
        def _score(self, table, workers):
            scores = super()._score(table, workers)
            alive.append([k for k in client.futures if isinstance(k, tuple)])
            return scores

    weights = np.arange(60) > 7
    with (
        Client(processes=False, n_workers=1, dashboard_address=":0") as client,
        dask.config.set(scheduler=None),
    ):
        for w in (None, weights):
            Watched().fit(lazy, y, sample_weight=w)
    assert alive == [[], []]
