"""Information of discrete features, and cuts that make them."""

import numpy as np

from widemargin.kernels._jit import inner, jit
from widemargin.kernels.records import TIE


@jit
def joint_sums(codes, features, other, shape, logs, first, last, sums):
    """sums[e] = Σ c · ln c over the cells of feature features[e] against ``other``.

    ``logs`` holds c · ln c in fixed point: a sum of integers does not depend on the
    order of the cells, so that relabelled codes give the same information to the bit.
    """
    n, width = other.size, shape[1]
    counts = np.zeros(shape[0] * width, np.int64)
    for e in range(first, last):
        f = features[e]
        for cell in range(counts.size):
            counts[cell] = 0
        for i in range(n):
            counts[codes[f, i] * width + other[i]] += 1
        total = np.int64(0)
        for cell in range(counts.size):
            total += logs[counts[cell]]
        sums[e] = total


@inner
def _best_cut(f, start, stop, order, left, right):
    """Where to cut values start … stop−1 of feature f for the purest two parts.

    Returns the first value of the right part (``start`` if there is no cut), and
    Σ c · ln c over the classes of the whole, the left and the right part. Cuts that are
    as good as another up to rounding do not replace it. ``left`` and ``right`` are
    left with the counts of the classes at the cut.
    """
    values, labels, logs = order.values, order.labels, order.logs
    for c in range(left.size):
        left[c], right[c] = 0, 0
    for i in range(start, stop):
        right[labels[f, i]] += 1
    below, above, whole = np.int64(0), np.int64(0), np.int64(0)
    for c in range(right.size):
        above += logs[right[c]]
    whole = above
    margin = TIE * (stop - start) * order.one
    cut, best, best_below, best_above = start, -np.inf, below, above
    for i in range(start, stop - 1):
        c = labels[f, i]
        below += logs[left[c] + 1] - logs[left[c]]
        above += logs[right[c] - 1] - logs[right[c]]
        left[c] += 1
        right[c] -= 1
        if values[f, i + 1] - values[f, i] > TIE:
            purity = below - logs[i + 1 - start] + above - logs[stop - i - 1]
            if purity > best + margin:
                best, cut, best_below, best_above = purity, i + 1, below, above
    for c in range(left.size):
        right[c] += left[c]
        left[c] = 0
    for i in range(start, cut):
        left[labels[f, i]] += 1
        right[labels[f, i]] -= 1
    return cut, whole, best_below, best_above


@inner
def _cut_pays(sizes, sums, order, left, right):
    """Whether a cut saves more bits than it takes to describe (Fayyad and Irani)."""
    logs, one = order.logs, order.one
    m, m_1, m_2 = sizes
    # n · entropy of the whole and of its parts, in nats as all that follows
    H = (logs[m] - sums[0]) / one
    H_1, H_2 = (logs[m_1] - sums[1]) / one, (logs[m_2] - sums[2]) / one
    k, k_1, k_2 = 0, 0, 0
    for c in range(left.size):
        k += left[c] + right[c] > 0
        k_1 += left[c] > 0
        k_2 += right[c] > 0
    choices = np.log(3.0**k - 2) if k < 30 else k * np.log(3.0)
    price = np.log(m - 1.0) + choices - (k * H / m - k_1 * H_1 / m_1 - k_2 * H_2 / m_2)
    saved = H - H_1 - H_2
    return saved > price + TIE * m


@jit
def mdl_cuts(order, n_classes, first, last, cuts):
    """Mark the first value of each interval of features first … last−1 but the lowest.

    No more than 255 cuts are made, so that the intervals can be counted in a byte.
    """
    n = order.values.shape[1]
    left, right = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    stack = np.empty((n + 1, 2), np.int64)
    for f in range(first, last):
        stack[0, 0], stack[0, 1] = 0, n
        held, made = 1, 0
        while held > 0 and made < 255:
            held -= 1
            start, stop = stack[held, 0], stack[held, 1]
            cut, whole, below, above = _best_cut(f, start, stop, order, left, right)
            sizes = stop - start, cut - start, stop - cut
            sums = whole, below, above
            if cut > start and _cut_pays(sizes, sums, order, left, right):
                cuts[f, cut] = True
                made += 1
                stack[held, 0], stack[held, 1] = start, cut
                stack[held + 1, 0], stack[held + 1, 1] = cut, stop
                held += 2
