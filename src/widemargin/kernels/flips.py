"""G-flip's visits."""

from typing import NamedTuple

import numpy as np

from widemargin.kernels._jit import inner, jit, tiny
from widemargin.kernels.choose import greater, lesser
from widemargin.kernels.constants import LANES, SIGMOID, TIE, ZERO_ONE
from widemargin.kernels.shortlists import ROOM, carry_flip, distance_row, list_nearest
from widemargin.kernels.team import claim, copy_into, fill, meet
from widemargin.kernels.trials import (
    FEWEST,
    OCTET,
    TRIED,
    Batch,
    search_list,
    settle_row,
)


class Tour(NamedTuple):
    """Features to visit."""

    features: np.ndarray
    low: np.ndarray  # (d,) ranges of all features
    high: np.ndarray  # (d,)
    accepting: bool  # whether a flip that makes e larger is kept


class Climb(NamedTuple):
    """Where G-flip is."""

    e: float  # e(F)
    length: int  # of the log
    removed: float  # squared ranges of the features that the log takes out
    accepted: int  # feature flipped last, if the lists have yet to learn of it, or −1
    lanes: int  # flips to try next
    changed: bool  # whether a flip was kept


class Choice(NamedTuple):
    """What one thread knows of the set, and of the flips that are tried."""

    F: np.ndarray  # (d,)
    members: np.ndarray  # (d,) room for its features
    tried: np.ndarray  # (TRIED,) features that are tried
    ranges: np.ndarray  # (3, TRIED) of a batch
    after: np.ndarray  # (TRIED,) e after each
    end: np.ndarray  # (6,) where it leads: the fields of a Climb

    @classmethod
    def of(cls, F):
        """All of it, not filled in but for the set; not compiled."""
        members, tried = np.empty(F.size, np.int64), np.empty(TRIED, np.int64)
        numbers = np.empty((3, TRIED)), np.empty(TRIED), np.empty(len(Climb._fields))
        return cls(F.copy(), members, tried, *numbers)

    def climb(self):
        """Where the visits have led, once they are over."""
        e, length, removed, accepted, lanes, changed = self.end.tolist()
        return Climb(e, int(length), removed, int(accepted), int(lanes), bool(changed))


class FlipRoom(NamedTuple):
    """Room for one thread to evaluate flips."""

    row: np.ndarray  # (n,) of D, if D is not kept
    tests: np.ndarray  # (5, TRIED) signs, slack, floors; nearest hits and misses
    part: np.ndarray  # (TRIED,) sums over a block of rows
    least: np.ndarray  # (LANES,) running minima
    values: np.ndarray  # (K + ROOM + 2 LANES,) distances
    ids: np.ndarray  # (K + ROOM + 2 LANES,) and rows, before they are sorted

    @classmethod
    def of(cls, n, length, kept):
        """Room for a table of n rows; made here, it needs not be compiled."""
        room = length + ROOM + 2 * LANES
        return cls(
            row=np.empty(0 if kept else n),
            tests=np.zeros((5, TRIED)),
            part=np.empty(TRIED),
            least=np.empty(LANES),
            values=np.empty(room),
            ids=np.empty(room, np.int64),
        )


SLACK = 32  # flips beyond twice those of F after which distances are summed anew


@inner
def _set_tests(i, values, ranges, removed, tests):
    """What flips may take off a squared distance of row i, and what is too little."""
    for b in range(np.uint64(TRIED)):
        sign, value = ranges[0, b], values[i, b]
        reach = greater(value - ranges[1, b], ranges[2, b] - value)
        slack = reach * reach if sign < 0 else 0.0
        tests[0, b], tests[1, b] = sign, slack
        tests[2, b] = 1e-8 * (removed + slack)


@inner
def _add_values(utility, tests, sums):
    """Add u(θ) for the hits and misses found."""
    kind, beta = utility.kind, utility.beta
    for b in range(np.uint64(TRIED)):
        near, far = (
            np.sqrt(greater(tests[3, b], 0.0)),
            np.sqrt(greater(tests[4, b], 0.0)),
        )
        value = 0.5 * (far - near)
        if kind == SIGMOID:
            value = 1 / (1 + np.exp(-beta * value))
        elif kind == ZERO_ONE:
            value = 1.0 if far - near > TIE * greater(near, far) else 0.0
        sums[b] += value


@inner
def _lay_out(first, F, tour, batch, XT, blocks, me, size):
    """Fill in the flips of the features from ``first`` on, for one's own rows."""
    features, ranges, values = batch.features, batch.ranges, batch.values
    count, order = batch.count, tour.features
    low, high = tour.low, tour.high
    for b in range(TRIED):
        f = order[first + lesser(b, count - 1)]
        features[b], ranges[0, b] = f, -1.0 if F[f] else 1.0
        ranges[1, b], ranges[2, b] = low[f], high[f]
    for k in range(me, blocks.size - 1, size):
        for b in range((count + OCTET - 1) & -OCTET):
            f = features[b]
            for i in range(blocks[k], blocks[k + 1]):
                values[i, b] = XT[f, i]


@tiny
def _evaluate(
    labels,
    starts,
    flips,
    shortlist,
    batch,
    climb,
    last,
    utility,
    blocks,
    board,
    sums,
    room,
):
    """Sums of u(θ) over blocks of rows, after each flip; blocks go to who is free.

    ``last`` are the sign and the range of the feature that was flipped last.

    The lists of a row settle where its nearest hit and miss are if the best listed row
    is nearer, after the flip, than any other can be. A list that does not is made anew,
    and if that does not help, all rows are looked at.
    """
    XT, versions = flips.XT, flips.versions
    near, ids = shortlist.near, shortlist.ids
    held, bounds = shortlist.held, shortlist.bounds
    values, ranges = batch.values, batch.ranges
    tests, part = room.tests, room.part
    distances, rows = room.values, room.ids
    sign, low, high = last
    # Everyone fails to get one block at each step.
    claims = blocks.size - 1 + board.shape[0]
    k = claim(board) % claims
    while k < blocks.size - 1:
        fill(part, 0.0)
        for i in range(blocks[k], blocks[k + 1]):
            span = starts[labels[i]], starts[labels[i] + 1]
            if span[1] - span[0] < 2:
                continue
            if climb.accepted >= 0:
                f, x = climb.accepted, XT[climb.accepted, i]
                reach = greater(x - low, high - x)
                carry_flip(i, XT[f], sign, reach, shortlist, distances, rows)
            if flips.D.size == 0:
                versions[i] = -1
            _set_tests(i, values, ranges, climb.removed, tests)
            for side in range(0, 2 * TRIED, OCTET):
                h, lane = side // TRIED, side % TRIED
                for _ in range(2 if lane < batch.count else 0):
                    kind = 2 * i + h
                    listed = kind * shortlist.length, held[kind], bounds[kind]
                    ours = i * TRIED + lane
                    if search_list(listed, ours, lane, h, near, ids, values, tests):
                        break
                    outdated = versions[i] < climb.length
                    row = distance_row(i, flips, climb.length, room.row)
                    if outdated:
                        list_nearest(i, span, shortlist, row, distances, rows)
                    else:
                        least = room.least
                        settle_row(
                            i, h, lane, span, XT, row, shortlist, batch, tests, least
                        )
                        break
            _add_values(utility, tests, part)
        copy_into(sums[k], part)
        k = claim(board) % claims


@inner
def _members(F, members):
    """Put the features of a set into the room that is given; returns how many."""
    count = 0
    for f in range(F.size):
        if F[f]:
            members[count] = f
            count += 1
    return count


@inner
def _keep_flip(feature, span, F, size, log, versions, climb, me):
    """Flip a feature that ranges over ``span``; the first of a team writes it down.

    Returned are the length of the log and what it has removed.
    """
    length, removed = climb.length, climb.removed
    F[feature] = not F[feature]
    sign = 1 if F[feature] else -1
    if me == 0:
        log[0, length], log[1, length] = feature, sign
    length += 1
    if sign < 0:
        removed += span * span
    size += sign
    if length > 2 * size + SLACK:
        # Start anew from F, so that neither the log nor its rounding grows.
        length, removed, count = size, 0.0, 0
        for f in range(F.size if me == 0 else 0):
            log[0, count], log[1, count] = f, 1
            count += F[f]
        for i in range(versions.size if me == 0 else 0):
            versions[i] = -1
    return length, removed


@inner
def _first_better(e, after, count):
    """Place of the first flip after which e is larger, −1 if there is none."""
    for b in range(count):
        if after[b] - e > TIE * greater(greater(1.0, abs(e)), abs(after[b])):
            return b
    return -1


@inner
def _add_up(F, features, size, sums, after):
    """Value of e after each flip of a set, from the sums over blocks of rows."""
    for b in range(TRIED):
        total = 0.0
        for k in range(sums.shape[0]):
            total += sums[k, b]
        last = F[features[b]] and size == 1
        after[b] = 0.0 if last else total  # e(∅) = 0


@jit
def flip_features(
    labels,
    starts,
    flips,
    shortlist,
    tour,
    climb,
    utility,
    blocks,
    team,
    choice,
    room,
    evaluated,
):
    """Visit features in turn, keep flips that make e larger; choice.end says the end.

    Several flips are tried at once, in the hope that none but the last is kept. Each
    of the team has some of the blocks of rows, whose sums are added up in order, and
    decides for itself; the first writes down what all have decided, and values of e in
    ``evaluated``.
    """
    me, board = team.me, team.board
    values, sums = team.shares
    features, low, high = tour.features, tour.low, tour.high
    F, members, tried = choice.F, choice.members, choice.tried
    ranges, after = choice.ranges, choice.after
    # With a literal 0, a type of its own, all that is called would be compiled twice.
    first, meetings = np.int64(0), 0
    while first < features.size:
        count = lesser(climb.lanes, features.size - first)
        size = _members(F, members)
        batch = Batch(count, tried, values, ranges, members, size)
        _lay_out(first, F, tour, batch, flips.XT, blocks, me, board.shape[0])
        meet(me, board, meetings + 1)
        f = greater(climb.accepted, 0)
        last = 1.0 if F[f] else -1.0, low[f], high[f]
        _evaluate(
            labels,
            starts,
            flips,
            shortlist,
            batch,
            climb,
            last,
            utility,
            blocks,
            board,
            sums,
            room,
        )
        meet(me, board, meetings + 2)
        meetings += 2
        _add_up(F, tried, size, sums, after)
        for b in range(count if me == 0 else 0):
            evaluated[tried[b]] = after[b]
        b = _first_better(climb.e, after, count) if tour.accepting else -1
        if b >= 0:
            f = tried[b]
            span = high[f] - low[f]
            log, versions = flips.log, flips.versions
            length, removed = _keep_flip(f, span, F, size, log, versions, climb, me)
            # Flips are as dense as this, as a rule.
            lanes = greater(FEWEST, (b + OCTET) // OCTET * OCTET)
            climb = Climb(after[b], length, removed, f, lanes, True)
            first += b + 1
        else:
            lanes = lesser(TRIED, 2 * climb.lanes)
            e, length, removed = climb.e, climb.length, climb.removed
            climb = Climb(e, length, removed, -1, lanes, climb.changed)
            first += count
    end = choice.end
    end[0], end[1], end[2] = climb.e, climb.length, climb.removed
    end[3], end[4], end[5] = climb.accepted, climb.lanes, climb.changed
