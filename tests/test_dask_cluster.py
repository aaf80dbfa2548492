"""Fits on a cluster of processes, which is started once: it takes ten seconds."""

import dask.array as da
import numpy as np
import pytest

from settings_tools import distributed_settings
from test_dask import FITTED, uneven
from test_dask_mixed import agree, lazily
from test_mixed import credit, frame
from widemargin import FRLL, LMBA, OReliefF, OSimba, ReliefF, Simba
from widemargin.baselines import FisherScore, InformationGain

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def medium():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 3000)
    X = rng.standard_normal((3000, 12))
    X[:, :4] += y[:, None] * [1.0, 0.5, -0.5, 0.3]
    return X, y


@pytest.mark.parametrize("n_chunks", [1, 3, 17])
def test_the_same_as_in_memory(client, medium, n_chunks):
    X, y = medium
    lazy = da.from_array(X, chunks=(uneven(len(X), n_chunks), -1))
    labels = da.from_array(y, chunks=700)
    for method in (
        ReliefF(),
        ReliefF(n_samples=300, random_state=0),
        OReliefF(),
        FRLL(),
        FisherScore(),
        InformationGain(),
    ):
        expected = {k: getattr(method.fit(X, y), k) for k in FITTED}
        method.fit(lazy, labels)
        np.testing.assert_allclose(method.scores_, expected["scores_"], atol=1e-9)
        np.testing.assert_array_equal(method.ranking_, expected["ranking_"])


@pytest.mark.parametrize("as_frame", [False, True], ids=["array", "frame"])
def test_all_workers_search_rows_of_one_partition(client, medium, as_frame):
    # Dask leaves tasks to the worker that has the partition.
    from distributed import get_task_stream

    X, y = medium
    lazy = da.from_array(X, chunks=X.shape)
    with get_task_stream(client) as stream:
        ReliefF().fit(lazy.to_dask_dataframe() if as_frame else lazy, y)
    searched = [t["worker"] for t in stream.data if "find_queries" in str(t["key"])]
    assert len(searched) == len(set(searched)) == 2


def test_ascents(client, medium):
    X, y = (a[:600] for a in medium)
    lazy = da.from_array(X, chunks=(uneven(600, 3), -1))
    for method in (
        Simba(batch_size=200, n_starts=1, random_state=0),
        OSimba(batch_size=200, n_starts=1, random_state=0),
        LMBA(batch_size=200, random_state=0),
    ):
        expected = method.fit(X, y).scores_
        np.testing.assert_allclose(method.fit(lazy, y).scores_, expected, atol=1e-9)


@pytest.fixture
def small_blocks():
    """Blocks of a few hundred rows, and few features counted together."""
    with distributed_settings(
        min_block_rows=1,
        min_block_cells=1,
        max_block_cells=5000,
        max_query_cells=500,
        counted_values=120,
    ):
        yield


@pytest.mark.parametrize("n_chunks", [1, 7])
def test_mixed_tables(client, n_chunks, small_blocks):
    X, y = credit(np.random.default_rng(0), n=600, gaps=0.05)
    lazy = lazily(frame(X), uneven(600, n_chunks))
    agree(ReliefF(), frame(X), lazy, y)


def test_mixed_tables_where_nothing_is_kept(client, small_blocks):
    X, y = credit(np.random.default_rng(0), n=600, gaps=0.05)
    lazy = lazily(frame(X), (200, 300, 100))
    with distributed_settings(kept_share=10**6, max_query_cells=2**22):
        agree(ReliefF(n_samples=100, random_state=0), frame(X), lazy, y)
