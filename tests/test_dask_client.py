"""A client that goes away; apart, so that no other client takes its place."""

import dask.array as da
import numpy as np
import pytest

from cases import gaussian
from widemargin import ReliefF
from widemargin.engine.dask.source import Source


def test_a_client_that_goes_away_is_said(monkeypatch):
    from distributed import Client, LocalCluster

    X, y = gaussian(np.random.default_rng(0))
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        client = Client(cluster)
        lazy = da.from_array(X, chunks=(20, -1)).persist()
        survey_blocks = Source.survey_blocks

        def and_close(self, blocks):
            result = survey_blocks(self, blocks)
            client.close()
            return result

        monkeypatch.setattr(Source, "survey_blocks", and_close)
        with pytest.raises(RuntimeError, match="ReliefF: the Dask cluster went away"):
            ReliefF().fit(lazy, y)
