"""The heat kernel S = exp(−‖x − z‖²/δ) that weights pairs by how near they are."""

from __future__ import annotations

import numpy as np

from widemargin.data.protocol import Floats
from widemargin.data.table import Table
from widemargin.engine.local import nearest
from widemargin.engine.relations import anyone
from widemargin.threads import Workers


def heat_width(table: Table, workers: Workers) -> float:
    """δ: the mean distance to the (⌊ln n⌋ + 1)-th nearest of all other rows.

    Where that is 0, since every row has so many duplicates, δ is 1.
    """
    n = len(table.X)
    i = int(np.log(n)) + 1
    reach = np.empty(n)
    slots = anyone(len(table.classes))
    for block in nearest(table, i, slots, distances=True, workers=workers):
        assert block.distances is not None
        reach[block.queries] = block.distances.reshape(-1, i).max(axis=1)
    return float(reach.mean()) or 1.0


def heat(distances: Floats, delta: float) -> Floats:
    """S of some distances."""
    return np.exp(-(distances**2) / delta)
