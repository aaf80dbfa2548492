"""G-flip's evaluation function after flips of single features."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.constants import LANES, SIGMOID, TIE, ZERO_ONE
from widemargin.kernels.shortlists import ROOM, carry_flip, distance_row, list_nearest
from widemargin.kernels.trials import OCTET, TRIED, search_list, settle_row


class Flipped(NamedTuple):
    """What the rows of D and the lists have yet to learn of."""

    length: int  # of the log
    removed: float  # squared ranges of the features that the log takes out
    feature: int  # flipped since the lists were made or brought up to date, or −1
    sign: float  # 1 if that is in F now, −1 if not
    low: float  # its range
    high: float


class FlipRoom(NamedTuple):
    """Room for one thread to evaluate flips."""

    row: np.ndarray  # (n,) of D, if D is not kept
    tests: np.ndarray  # (5, TRIED) signs, slack, floors; nearest hits and misses
    values: np.ndarray  # (K + ROOM + 2 LANES,) distances
    ids: np.ndarray  # (K + ROOM + 2 LANES,) and rows, before they are sorted

    @classmethod
    def of(cls, n, length, kept):
        """Room for a table of n rows."""
        room = length + ROOM + 2 * LANES
        return cls(
            row=np.empty(0 if kept else n),
            tests=np.zeros((5, TRIED)),
            values=np.empty(room),
            ids=np.empty(room, np.int64),
        )


@inner
def _set_tests(i, values, ranges, removed, tests):
    """What flips may take off a squared distance of row i, and what is too little."""
    for b in range(TRIED):
        sign, value = ranges[0, b], values[i, b]
        reach = max(value - ranges[1, b], ranges[2, b] - value)
        slack = reach * reach if sign < 0 else 0.0
        tests[0, b], tests[1, b] = sign, slack
        tests[2, b] = 1e-8 * (removed + slack)


@inner
def _add_utilities(utility, tests, sums):
    """Add u(θ) for the hits and misses found."""
    kind, beta = utility.kind, utility.beta
    for b in range(TRIED):
        near, far = np.sqrt(max(tests[3, b], 0.0)), np.sqrt(max(tests[4, b], 0.0))
        value = 0.5 * (far - near)
        if kind == SIGMOID:
            value = 1 / (1 + np.exp(-beta * value))
        elif kind == ZERO_ONE:
            value = 1.0 if far - near > TIE * max(near, far) else 0.0
        sums[b] += value


@inner
def _find_nearest(i, h, lane, flips, shortlist, batch, length, room):
    """Distances of row i to its nearest hit or miss after OCTET flips.

    Its list settles that if the best listed row is nearer, after the flip, than any
    other can be. A list that does not is made anew, and if that does not help, all rows
    are looked at.
    """
    tests, versions = room.tests, flips.versions
    label = flips.labels[i]
    span = flips.starts[label], flips.starts[label + 1]
    if search_list(i, h, lane, shortlist, batch.values, tests):
        return
    outdated = versions[i] < length
    row = distance_row(i, flips, length, room.row)
    if outdated:
        list_nearest(i, span, shortlist, row, room.values, room.ids)
        if search_list(i, h, lane, shortlist, batch.values, tests):
            return
    settle_row(i, h, lane, span, flips.XT, row, shortlist, batch, tests)


@jit
def evaluate_flips(flips, shortlist, batch, flipped, utility, blocks, sums, room):
    """sums[k, b] = Σ u(θ) over block k of the rows, after flip b of a batch."""
    XT, labels, starts = flips.XT, flips.labels, flips.starts
    tests, feature = room.tests, flipped.feature
    for k in range(blocks.size - 1):
        sums[k] = 0.0
        for i in range(blocks[k], blocks[k + 1]):
            if starts[labels[i] + 1] - starts[labels[i]] < 2:
                continue
            if feature >= 0:
                x = XT[feature, i]
                reach = max(x - flipped.low, flipped.high - x)
                carry_flip(
                    i,
                    XT[feature],
                    flipped.sign,
                    reach,
                    shortlist,
                    room.values,
                    room.ids,
                )
            if flips.D.size == 0:
                flips.versions[i] = -1
            _set_tests(i, batch.values, batch.ranges, flipped.removed, tests)
            for h in range(2):
                for lane in range(0, batch.count, OCTET):
                    _find_nearest(
                        i, h, lane, flips, shortlist, batch, flipped.length, room
                    )
            _add_utilities(utility, tests, sums[k])
