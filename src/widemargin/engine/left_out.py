"""Scores of the Relief family when some rows are left out, with one search for all.

Leaving rows out takes neighbours away and adds none but those next in line. So a few
more neighbours than wanted are listed once, and each set of rows that is left out (each
fold) takes the nearest that remain of the list. Where too few remain, the rows are
searched again. Most lists lose no entry: the sums of all rows serve all sets, and only
what a set changes is summed for it.

The scores are those of a fit to the remaining rows of the same table: distances are
measured as the table is scaled, by all rows; those left out have a part in that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import binom

from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import Table
from widemargin.engine.nearest_rows import SCIPY_METRICS, nearest, shares
from widemargin.engine.neighbors import Neighbors, slot_members
from widemargin.engine.sums import edge_sums, group_sums
from widemargin.kernels.records import Edges
from widemargin.threads import Workers, spans

SHORT = 1e-3  # share of lists that may turn out to be too short
ENTRIES = 2**22  # of padded lists that are worked on at once


class ReliefRule(NamedTuple):
    """What a method's neighbours are and count."""

    k: int
    slots: Ints  # (C, C) the relation, see `widemargin.engine.neighbors`
    coefficients: Floats  # (C, S) for a query of each class and each slot
    metric: str = "euclidean"


class _Lists(NamedTuple):
    """Neighbours of queries, padded; one list for each query and slot."""

    heads: Ints  # (G,) the query
    slots: Ints  # (G,)
    rows: Ints  # (G, L)
    distances: Floats  # (G, L), ∞ beyond the end

    def some(self, which: Ints) -> _Lists:
        """Some of the lists."""
        heads, slots = self.heads[which], self.slots[which]
        return _Lists(heads, slots, self.rows[which], self.distances[which])


class _Plan(NamedTuple):
    """One set of rows that is left out; −1 for none."""

    v: int
    rule: ReliefRule
    members: Ints  # (C, S) others in each slot, for a row of each class

    def wanted(self, table: Table, lists: _Lists, part: Ints) -> Ints:
        """Neighbours that each list is to give."""
        members = self.members[table.y[lists.heads], lists.slots].clip(max=self.rule.k)
        return np.where(_out(part[lists.heads], self.v), 0, members)


def scores_without(
    table: Table,
    left_out: Sequence[Ints],
    rule_of: Callable[[Ints], ReliefRule],
    power: int,
    workers: Workers,
) -> Floats:
    """Scores without each of some disjoint sets of rows, (V, d).

    ``rule_of`` makes the rule from the number of remaining rows of each class.
    """
    n, d = table.X.shape
    part = np.full(n, -1)
    for v, rows in enumerate(left_out):
        part[rows] = v
    whole, *plans = (
        _plan(
            v,
            table.counts - np.bincount(table.y[r], minlength=len(table.classes)),
            rule_of,
        )
        for v, r in enumerate([np.empty(0, np.int64), *left_out], -1)
    )
    # What the weights of a class and slot change by, as the priors change.
    ratios = [plan.rule.coefficients / whole.rule.coefficients for plan in plans]
    k, share = max(p.rule.k for p in plans), max(map(len, left_out)) / n
    base = np.zeros((whole.members.size, d))
    sums = np.zeros((len(plans), d))
    for block in nearest(
        table,
        _enough(k, share),
        whole.rule.slots,
        metric=whole.rule.metric,
        share_ties=True,
        distances=True,
        workers=workers,
    ):
        for lists in _padded(block):
            W = _weights(table, lists, part, whole)[0]
            base += _group_sums(table, lists, W, whole, power, workers)
            for v, plan in enumerate(plans):
                edges = _changes(table, lists, part, plan, whole, ratios[v], W)
                sums[v] += edge_sums(table, edges, power=power, workers=workers)
    for v, ratio in enumerate(ratios):
        sums[v] += ratio.ravel() @ base
    return sums / np.array([n - len(rows) for rows in left_out])[:, None]


def _plan(v: int, counts: Ints, rule_of: Callable[[Ints], ReliefRule]) -> _Plan:
    rule = rule_of(counts)
    return _Plan(v, rule, slot_members(rule.slots, counts))


def _out(part: Ints, v: int) -> NDArray[np.bool_]:
    """Which rows set v leaves out."""
    return (part == v) & (part >= 0)


def _group_sums(
    table: Table, lists: _Lists, W: Floats, whole: _Plan, power: int, workers: Workers
) -> Floats:
    """Weighted differences of all rows, for each class and slot, (C·S, d)."""
    C, S = whole.members.shape
    group = table.y[lists.heads] * S + lists.slots
    order = np.argsort(group, kind="stable")
    W, heads, rows = W[order], lists.heads[order], lists.rows[order]
    edges = _listed(heads, rows, W)
    ends = np.concatenate([[0], np.cumsum(np.count_nonzero(W, axis=1))])
    offsets = ends[np.searchsorted(group[order], np.arange(C * S + 1))]
    return group_sums(table, edges, offsets, power=power, workers=workers)


def _listed(heads: Ints, rows: Ints, W: Floats) -> Edges:
    """Edges of lists with these weights, as far as they are not 0."""
    g, e = np.nonzero(W)
    return Edges(heads[g], rows[g, e], W[g, e])


def _changes(
    table: Table,
    lists: _Lists,
    part: Ints,
    plan: _Plan,
    whole: _Plan,
    ratio: Floats,
    W: Floats,
) -> Edges:
    """What leaving a set out changes of the weights of all rows, W times the ratio."""
    gone = (_out(part[lists.rows], plan.v) & (W != 0)).any(axis=1)
    wanted = plan.wanted(table, lists, part), whole.wanted(table, lists, part)
    touched = np.flatnonzero(gone | (wanted[0] != wanted[1]))
    some = lists.some(touched)
    new, again = _weights(table, some, part, plan)
    old = W[touched] * ratio[table.y[some.heads], some.slots][:, None]
    parts = [_listed(some.heads, some.rows, new - old), *again]
    return Edges(*map(np.concatenate, zip(*parts, strict=True)))


def _enough(k: int, share: float) -> int:
    """Neighbours of which k remain, mostly, if that share of the rows is left out."""
    listed = k + 1
    while binom.cdf(k - 1, listed, 1 - share) > SHORT:
        listed += 1
    return listed


def _padded(block: Neighbors) -> list[_Lists]:
    """Lists of a block of queries, some at a time."""
    assert block.distances is not None
    counts, n_slots = np.diff(block.offsets), block.n_slots
    heads = np.repeat(block.queries, n_slots)
    slots = np.tile(np.arange(n_slots), len(block.queries))
    lists = []
    for part in spans(len(counts), max(1, ENTRIES // max(1, counts.max()))):
        lengths = counts[part]
        there = np.arange(max(1, lengths.max())) < lengths[:, None]
        entries = slice(block.offsets[part.start], block.offsets[part.stop])
        rows = np.zeros(there.shape, np.int64)
        distances = np.full(there.shape, np.inf)
        rows[there] = block.rows[entries]
        distances[there] = block.distances[entries]
        lists.append(_Lists(heads[part], slots[part], rows, distances))
    return lists


def _weights(
    table: Table, lists: _Lists, part: Ints, plan: _Plan
) -> tuple[Floats, list[Edges]]:
    """Weights of the listed neighbours, and edges of the lists that are too short."""
    wanted = plan.wanted(table, lists, part)
    D = np.where(_out(part[lists.rows], plan.v), np.inf, lists.distances)
    short = np.isfinite(D).sum(axis=1) < wanted
    wanted[short] = 0
    coefficients = plan.rule.coefficients[table.y[lists.heads], lists.slots]
    W = shares(D, wanted) * (coefficients / np.maximum(wanted, 1))[:, None]
    again = [
        _searched(table, int(lists.heads[g]), int(lists.slots[g]), part, plan)
        for g in np.flatnonzero(short)
    ]
    return W, again


def _searched(table: Table, i: int, slot: int, part: Ints, plan: _Plan) -> Edges:
    """Edges of row i, from all rows that remain in a slot."""
    label, rule = table.y[i], plan.rule
    there = (rule.slots[label, table.y] == slot) & ~_out(part, plan.v)
    there[i] = False
    rows = np.flatnonzero(there)
    wanted = min(rule.k, len(rows))
    D = cdist(table.X[[i]], table.X[rows], SCIPY_METRICS[rule.metric])
    W = shares(D, np.array([wanted])) * (rule.coefficients[label, slot] / wanted)
    return _listed(np.array([i]), rows[None], W)
