"""A client that goes away; apart, so that no other client takes its place."""

from threading import Event, Thread

import dask.array as da
import numpy as np
import pytest

from cases import gaussian
from waiting import LONG
from widemargin import ReliefF

BEGUN, CLOSED = Event(), Event()


def until_closed(block):
    BEGUN.set()
    CLOSED.wait(LONG)
    return block


def test_a_client_that_goes_away_is_said():
    from distributed import Client, LocalCluster

    X, y = gaussian(np.random.default_rng(0))
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        client = Client(cluster)

        def close():
            BEGUN.wait(LONG)
            client.close()
            CLOSED.set()

        lazy = da.from_array(X, chunks=(20, -1)).map_blocks(until_closed, meta=X[:0])
        Thread(target=close, daemon=True).start()
        with pytest.raises(RuntimeError, match="ReliefF: the Dask cluster went away"):
            ReliefF().fit(lazy, y)
