"""Calls that are made elsewhere, and neighbours that stay there."""

import gc
import weakref

import dask
import dask.array as da
import numpy as np
import pytest

import widemargin.engine.dask as engine
import widemargin.engine.distributed as distributed_tables
from cases import duplicates, gaussian, tied
from test_dask import assert_same
from widemargin import OReliefF, Relief, ReliefF
from widemargin.engine import each_class, nearest
from widemargin.engine.calls import Call, closure, run
from widemargin.engine.far_neighbors import FarNeighbors


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


def pair():
    return 3, 4


def weigh(values, more, factor):
    return factor * (sum(values) + sum(more[0]))


def test_results_are_put_where_they_are_used():
    cluster, made = engine.Cluster("test"), []
    both = cluster.call(lambda: made.append(1) or pair())
    weighed = cluster.call(weigh, [both[0], 5], ([both[1], both[1]],), 2)
    assert cluster.compute([weighed, both]) == [2 * (3 + 5 + 4 + 4), (3, 4)]
    assert len(made) == 1


def test_a_part_of_a_collection_is_a_result_like_others():
    cluster = engine.Cluster("test")
    parts = da.arange(6, chunks=3).to_delayed()
    (total,) = cluster.compute([cluster.call(np.add, *parts)])
    np.testing.assert_array_equal(total, [3, 5, 7])


def test_kept_results_are_not_computed_again():
    cluster, made = engine.Cluster("test"), []
    kept = cluster.call(lambda: made.append(1) or [[1], [2]])
    (again,) = cluster.keep([kept])
    assert closure([again]) == ([again], [])
    assert cluster.compute([again]) == [[[1], [2]]]
    assert cluster.compute([cluster.call(sum, again[1])]) == [2]
    assert len(made) == 1


def test_nothing_is_held_on_to_by_what_has_been_done():
    class Rows(list):
        pass

    gc.disable()
    try:
        rows = Rows([1, 2])
        gone = weakref.ref(rows)
        function, work, _ = Call(len, (Call(Rows, ()),)).entry
        assert function is run
        assert run(work, rows) == 2
        del rows, function, work
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("n_chunks", [1, 2, 7])
@pytest.mark.parametrize("case", [gaussian, tied, duplicates])
@pytest.mark.parametrize(
    "method",
    [
        Relief(squared=True),
        ReliefF(n_neighbors=3),
        ReliefF(metric="manhattan"),
        OReliefF(n_neighbors=2, difference="absolute"),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:.* n_neighbors=:UserWarning")
def test_neighbours_that_stay_give_the_same_sums(case, method, n_chunks, monkeypatch):
    monkeypatch.setattr(engine, "FEWEST", 1)
    X, y = case(np.random.default_rng(0))
    summed = []
    far = distributed_tables._far_sums
    monkeypatch.setattr(
        distributed_tables, "_far_sums", lambda *a: summed.append(a) or far(*a)
    )
    lazy = da.from_array(X, chunks=(-(-len(X) // n_chunks), -1))
    found = method.fit(lazy, y).scores_.copy()
    assert len(summed) == 1
    np.testing.assert_allclose(found, method.fit(X, y).scores_, rtol=0, atol=1e-9)


def test_neighbours_that_stay_can_be_seen():
    X, y = gaussian(np.random.default_rng(0))
    seen = []
    for data in (X, da.from_array(X, chunks=(17, -1))):

        class Look(ReliefF):
            def _mean(self, table, rows, workers):
                far = list(nearest(table, 3, each_class(3), workers=workers))
                caller = table.rows if len(table.rows) else np.arange(len(table.y))
                lists = {}
                for block in far:
                    ends = block.offsets.reshape(-1)
                    for q, row in enumerate(block.queries):
                        part = slice(ends[q * 3], ends[q * 3 + 3])
                        lists[caller[row]] = sorted(caller[block.rows[part]])
                    assert block.counts.shape == (len(block.queries), 3)
                seen.append((lists, type(far[0])))
                return np.zeros(X.shape[1])

        Look().fit(data, y)
    assert seen[0][0] == seen[1][0]
    assert seen[1][1] is FarNeighbors


def test_edges_are_summed_as_often_as_one_likes():
    X, y = gaussian(np.random.default_rng(0))
    searches = []

    class Twice(ReliefF):
        def _mean(self, table, rows, workers):
            ((_, edges),) = self._edges(table, rows, workers)
            sums = [
                distributed_tables.edge_sums(table, edges, workers=workers)
                for _ in range(2)
            ]
            here = type(edges.here)(*edges)
            sums.append(distributed_tables.edge_sums(table, here, workers=workers))
            searches.append(sums)
            return sums[0] / len(y)

    lazy = da.from_array(X, chunks=(13, -1))
    assert_same(Twice(n_neighbors=3).fit(lazy, y), ReliefF(n_neighbors=3).fit(X, y))
    ((once, twice, here),) = searches
    np.testing.assert_array_equal(once, twice)
    np.testing.assert_allclose(once, here, atol=1e-12)


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
