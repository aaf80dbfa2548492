"""G-flip's evaluation function after flips of single features."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.constants import SIGMOID, TIE, ZERO_ONE
from widemargin.kernels.flip_distances import (
    FLOOR,
    NEAREST,
    SIGN,
    SLACK,
    search_list,
    search_row,
)
from widemargin.kernels.shortlists import carry_flip, distance_row, list_nearest


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
    trials: np.ndarray  # (NEAREST + 2, B), see `widemargin.kernels.flip_distances`

    @classmethod
    def of(cls, n, kept, flips):
        """Room for a table of n rows and as many flips."""
        return cls(np.empty(0 if kept else n), np.empty((NEAREST + 2, flips)))


@inner
def _begin_trials(i, values, ranges, removed, trials):
    """What flips may take off a squared distance of row i, and what is too little."""
    for b in range(values.shape[1]):
        sign, value = ranges[0, b], values[i, b]
        reach = max(value - ranges[1, b], ranges[2, b] - value)
        slack = reach * reach if sign < 0 else 0.0
        trials[SIGN, b], trials[SLACK, b] = sign, slack
        trials[FLOOR, b] = 1e-8 * (removed + slack)


@inner
def _add_utilities(utility, trials, sums):
    """Add u(θ) for the hits and misses found."""
    kind, beta = utility.kind, utility.beta
    for b in range(sums.size):
        near = np.sqrt(max(trials[NEAREST, b], 0.0))
        far = np.sqrt(max(trials[NEAREST + 1, b], 0.0))
        value = 0.5 * (far - near)
        if kind == SIGMOID:
            value = 1 / (1 + np.exp(-beta * value))
        elif kind == ZERO_ONE:
            value = 1.0 if far - near > TIE * max(near, far) else 0.0
        sums[b] += value


@inner
def _find_nearest(i, h, flips, shortlist, batch, length, room):
    """Distances of row i to its nearest hit or miss after each flip.

    Its list settles that if the best listed row is nearer, after the flip, than any
    other can be. A list that does not is made anew, and if that does not help, all rows
    are looked at.
    """
    trials, versions = room.trials, flips.versions
    label = flips.labels[i]
    span = flips.starts[label], flips.starts[label + 1]
    if search_list(i, h, shortlist, batch.values, trials):
        return
    outdated = versions[i] < length
    row = distance_row(i, flips, length, room.row)
    if outdated:
        list_nearest(i, span, shortlist, row)
        if search_list(i, h, shortlist, batch.values, trials):
            return
    search_row(i, h, span, flips.XT, row, shortlist, batch, trials)


@jit
def evaluate_flips(flips, shortlist, batch, flipped, utility, blocks, sums, room):
    """sums[k, b] = Σ u(θ) over block k of the rows, after flip b of a batch."""
    XT, labels, starts = flips.XT, flips.labels, flips.starts
    trials, feature = room.trials, flipped.feature
    for k in range(blocks.size - 1):
        sums[k] = 0.0
        for i in range(blocks[k], blocks[k + 1]):
            if starts[labels[i] + 1] - starts[labels[i]] < 2:
                continue
            if feature >= 0:
                x = XT[feature, i]
                reach = max(x - flipped.low, flipped.high - x)
                carry_flip(i, XT[feature], flipped.sign, reach, shortlist)
            if flips.D.size == 0:
                flips.versions[i] = -1
            _begin_trials(i, batch.values, batch.ranges, flipped.removed, trials)
            for h in range(2):
                _find_nearest(i, h, flips, shortlist, batch, flipped.length, room)
            _add_utilities(utility, trials, sums[k])
