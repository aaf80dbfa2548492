"""Relief and ReliefF under many permutations of the labels, with one search.

Distances do not depend on labels, so that for each query all permutations choose their
neighbours from the same sorted list, and share the differences |x_f − z_f| that are
summed. The scores are those of a refit with permuted labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.engine.left_out import ReliefRule
from widemargin.engine.search import METRICS
from widemargin.evaluation._encoded import Encoded
from widemargin.selectors.relief import Relief
from widemargin.selectors.relieff import ReliefF
from widemargin.threads import Workers, spans

ENTRY = 12  # bytes of one such neighbour
SPARE_NEIGHBORS = (
    2  # neighbours to make room for beyond those wanted; ties may need more
)


def permuted_scores(
    selector: Relief | ReliefF,
    table: Table,
    permutations: list[Ints],
    workers: Workers,
    features: Ints | None = None,
) -> Floats:
    """Scores of each permutation of the caller's rows: one refit each, in effect.

    Of some features, if told; neighbours are found by all of them nevertheless.
    """
    rule, power = selector._rule(table.counts, table.classes), selector._power
    queries = _visited(selector, table)
    labels = shuffled(table.y, table, permutations)
    wanted = _wanted(rule, table)
    X = table.X
    if features is not None and len(features) < X.shape[1]:
        X = np.ascontiguousarray(X[:, features])
    sums = np.zeros((len(permutations), X.shape[1]))
    settings = table.settings
    few = settings.permutation_queries
    # Were all rows tied, all of them would be neighbours.
    most = settings.permutation_bytes // (ENTRY * len(table.X) * len(permutations))
    # Differences and sums of a tile of features stay in cache.
    tiles = spans(X.shape[1], settings.permutation_features)
    for block in spans(len(queries), max(few, most)):
        parts = [queries[block][p] for p in spans(block.stop - block.start, few)]
        touched = _neighbors(rule, table, parts, labels, wanted, workers)
        _add(X, parts, touched, power, tiles, sums, workers)
    return sums / len(queries)


def one_search(selector: Any, data: Encoded) -> bool:
    """Whether one search serves all permutations: distances are free of labels.

    Those of missing values are not, nor is the number of samples that a criterion of
    convergence asks for. Neighbours that count the same need not be put in order.
    """
    if type(selector) not in (Relief, ReliefF) or selector.n_samples == "auto":
        return False
    if isinstance(selector, Relief) and selector.order is not None:
        return False
    if isinstance(selector, ReliefF) and selector.weights != "uniform":
        return False
    rows = data.read(selector)
    nominal = rows.nominal is not None and len(rows.nominal) > 0
    return not nominal and bool(np.isfinite(rows.X).all())


def _n_visited(selector: Relief | ReliefF, n: int) -> int:
    """How many rows a refit visits."""
    assert selector.n_samples != "auto"
    return min(n, int(selector.n_samples or n))


def _visited(selector: Relief | ReliefF, table: Table) -> Ints:
    """Rows of the table that every refit visits; a clone draws the same ones."""
    n = len(table.X)
    wanted = _n_visited(selector, n)
    if wanted == n:
        return np.arange(n)
    drawn = check_random_state(clone(selector).random_state).permutation(n)[:wanted]
    return np.sort(table.positions(drawn))


def shuffled(
    target: NDArray[Any], table: Table, permutations: list[Ints]
) -> NDArray[Any]:
    """What the rows of a table have as their target under each permutation."""
    caller = np.empty_like(target)
    caller[table.rows] = target
    return np.array([caller[order][table.rows] for order in permutations])


def _wanted(rule: ReliefRule, table: Table) -> kernels.Wanted:
    """How many neighbours of each slot there are to find, and how far to look."""
    n, counts = len(table.X), table.counts
    n_classes, n_slots = rule.coefficients.shape
    members = np.zeros((n_classes, n_slots), np.int64)
    for a in range(n_classes):
        np.add.at(members[a], rule.slots[a], counts - (np.arange(n_classes) == a))
    wanted = np.minimum(rule.k, members)
    # Among random labels, so many of the nearest rows hold the wanted ones of a slot
    # but for a chance of about one in a million.
    length = (wanted + 5 * np.sqrt(wanted) + 8) * n / np.maximum(members, 1)
    prefix = min(n, int(np.max(length, where=wanted > 0, initial=1)))
    coefficients = rule.coefficients / np.maximum(wanted, 1)
    return kernels.Wanted(rule.slots, wanted, coefficients, prefix)


def _neighbors(
    rule: ReliefRule,
    table: Table,
    parts: list[Ints],
    labels: Ints,
    wanted: kernels.Wanted,
    workers: Workers,
) -> list[kernels.Touched]:
    """Neighbours of the queries of each part under all permutations."""
    n_permutations, n = labels.shape
    touched: list[Any] = [None] * len(parts)

    def search(number: int) -> None:
        queries = parts[number]
        groups = len(queries) * n_permutations
        room = int(wanted.counts.sum(axis=1).max()) + SPARE_NEIGHBORS
        while True:
            found = _room_for(len(queries), groups, min(room, n), n)
            kernels.permuted_neighbors(
                METRICS[rule.metric], table.X, queries, labels, wanted, found
            )
            if found.offsets[-1] >= 0:
                break
            room *= 2
        touched[number] = found

    workers.run(search, range(len(parts)))
    return touched


def _room_for(n_queries: int, groups: int, room: int, n: int) -> kernels.Touched:
    return kernels.Touched(
        np.empty(groups + 1, np.int64),
        np.empty(groups * room, np.int32),
        np.empty(groups * room),
        np.empty(n_queries * n, np.int32),
        np.empty(n_queries + 1, np.int64),
    )


def _add(
    X: Floats,
    parts: list[Ints],
    touched: list[kernels.Touched],
    power: int,
    tiles: list[slice],
    sums: Floats,
    workers: Workers,
) -> None:
    """Add what the queries of all parts contribute, in their order."""
    n_permutations = len(sums)
    most = max(int(np.diff(t.ends).max()) for t in touched)
    # Narrow tables have to give every thread some permutations.
    share = -(-n_permutations // max(1, 4 * workers.n_threads // len(tiles)))
    pieces = [(tile, group) for tile in tiles for group in spans(n_permutations, share)]

    def add(piece: tuple[slice, slice]) -> None:
        tile, group = piece
        differences = np.empty((most, tile.stop - tile.start))
        for queries, found in zip(parts, touched, strict=True):
            kernels.permuted_sums(
                X,
                queries,
                found,
                power,
                (group.start, group.stop),
                (tile.start, tile.stop),
                differences,
                sums,
            )

    workers.run(add, pieces)
