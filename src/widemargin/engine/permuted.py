"""Scores of Relief and ReliefF under many permutations of the labels, with one search.

Distances do not depend on labels. So for each query, all permutations choose their
neighbours from the same sorted list and share the differences |x_f − z_f| that are
summed. The scores are those of a refit to the permuted labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin import kernels
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.engine.neighbors import ReliefRule, slot_members
from widemargin.engine.pairs import distances_to_all
from widemargin.kernels.records import Touched, Wanted
from widemargin.threads import Workers, spans

ENTRY_BYTES = 12  # of one neighbour under one permutation
SPARE_NEIGHBORS = 2  # room for ties beyond the wanted neighbours, doubled if too small


def permuted_scores(
    table: Table,
    rule: ReliefRule,
    labels: Ints,
    queries: Ints | None,
    features: Ints,
    workers: Workers,
    *,
    power: int = 1,
) -> Floats:
    """Scores of some features under each of several labellings of the rows.

    Parameters
    ----------
    table : Table
        Numbers without gaps. Neighbours are found by all of its features.
    rule : ReliefRule
    labels : array of int of shape (B, n)
        Class codes; each class has as many rows as in the table.
    queries : array of int or None
        Rows that are visited; None for all.
    features : array of int
    workers : Workers
    power : int
        Power of the differences.

    Returns
    -------
    scores : array of shape (B, len(features))
    """
    queries = np.arange(len(table.X)) if queries is None else queries
    wanted = _wanted(rule, table)
    X = table.X
    if len(features) < X.shape[1]:
        X = np.ascontiguousarray(X[:, features])
    sums = np.zeros((len(labels), X.shape[1]))
    settings = table.settings
    few = settings.permutation_queries
    # Were all rows tied, all of them would be neighbours.
    most = settings.permutation_bytes // (ENTRY_BYTES * len(table.X) * len(labels))
    # Differences and sums of a tile of features stay in cache.
    tiles = spans(X.shape[1], settings.permutation_features)
    for block in spans(len(queries), max(few, most)):
        parts = [queries[block][p] for p in spans(block.stop - block.start, few)]
        touched = _neighbors(rule, table, parts, labels, wanted, workers)
        _add(X, parts, touched, power, tiles, sums, workers)
    return sums / len(queries)


def _wanted(rule: ReliefRule, table: Table) -> Wanted:
    """How many neighbours of each slot there are to find, and how far to look."""
    n, members = len(table.X), slot_members(rule.slots, table.counts)
    wanted = np.minimum(rule.k, members)
    # Among random labels, this many of the nearest rows hold the wanted ones of a slot
    # except with a probability of about one in a million.
    length = (wanted + 5 * np.sqrt(wanted) + 8) * n / np.maximum(members, 1)
    prefix = min(n, int(np.max(length, where=wanted > 0, initial=1)))
    coefficients = rule.coefficients / np.maximum(wanted, 1)
    return Wanted(rule.slots, wanted, coefficients, prefix)


def _neighbors(
    rule: ReliefRule,
    table: Table,
    parts: list[Ints],
    labels: Ints,
    wanted: Wanted,
    workers: Workers,
) -> list[Touched]:
    """Neighbours of the queries of each part under all permutations."""
    n_permutations, n = labels.shape
    touched: list[Any] = [None] * len(parts)

    def search(number: int) -> None:
        queries = parts[number]
        groups, length = len(queries) * n_permutations, wanted.prefix
        D = distances_to_all(table, queries, rule.metric, alone)
        D[np.arange(len(queries)), queries] = np.inf
        room = int(wanted.counts.sum(axis=1).max()) + SPARE_NEIGHBORS
        complete = False
        while not complete:
            found = Touched(
                np.empty(groups + 1, np.int64),
                np.empty(groups * min(room, n), np.int32),
                np.empty(groups * min(room, n)),
                np.empty(len(queries) * n, np.int32),
                np.empty(len(queries) + 1, np.int64),
            )
            near, distances = _nearest_first(D, min(length, n))
            kernels.permutations.permuted_neighbors(
                near, distances, queries, labels, wanted, found
            )
            complete = found.offsets[-1] >= 0
            room, length = 2 * room, 2 * length
        touched[number] = found

    with Workers(1) as alone:
        workers.run(search, range(len(parts)))
    return touched


def _nearest_first(D: Floats, length: int) -> tuple[Ints, Floats]:
    """The columns with the smallest numbers of each row of D, in order, and these."""
    near = np.sort(np.argpartition(D, length - 1, axis=1)[:, :length], axis=1)
    values = np.take_along_axis(D, near, axis=1)
    order = np.argsort(values, axis=1, kind="stable")
    in_order: Any = (np.take_along_axis(a, order, axis=1) for a in (near, values))
    return tuple(in_order)


def _add(
    X: Floats,
    parts: list[Ints],
    touched: list[Touched],
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
            kernels.permutations.permuted_sums(
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
