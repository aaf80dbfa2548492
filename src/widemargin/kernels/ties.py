"""Ties: what rows count whose distance is that of the k-th nearest.

Distances are the same if they differ by no more than TIE, relatively. Of the rows that
are wanted, those nearer than the border, the distance of the last one, count 1. What is
left is shared by all rows at the border, or goes to those of lowest rank.
"""

from widemargin.kernels._jit import inner, tiny
from widemargin.kernels.constants import TIE


@tiny
def is_nearer(distance, border):
    """Whether a distance is less than another, and not a tie."""
    return distance < border * (1 - TIE)


@tiny
def is_within(distance, border):
    """Whether a distance is less than another, or a tie."""
    return distance <= border * (1 + TIE)


@inner
def kth_smallest(values, k):
    """The k-th smallest value, k from 1; the values are put in another order.

    Hoare's selection. `np.partition` and `np.sort` do the same, but take seconds to
    compile.
    """
    first, last = 0, values.size - 1
    while first < last:
        pivot, low, high = values[(first + last) // 2], first, last
        while low <= high:
            while values[low] < pivot:
                low += 1
            while values[high] > pivot:
                high -= 1
            if low <= high:
                values[low], values[high] = values[high], values[low]
                low += 1
                high -= 1
        # Those up to ``high`` are no larger than the pivot, those from ``low`` on no
        # smaller, and between the two it is the pivot itself.
        if k - 1 <= high:
            last = high
        elif k - 1 >= low:
            first = low
        else:
            return pivot
    return values[k - 1]


@inner
def share_ties(distances, first, last, wanted, border, weights):
    """Weights of entries first … last−1, of which ``wanted`` count.

    ``border`` is the distance of the last one of these. Entries are in any order.
    """
    nearer, tied = 0, 0
    for e in range(first, last):
        if is_nearer(distances[e], border):
            nearer += 1
        elif is_within(distances[e], border):
            tied += 1
    for e in range(first, last):
        weights[e] = 0.0
        if is_nearer(distances[e], border):
            weights[e] = 1.0
        elif is_within(distances[e], border):
            weights[e] = (wanted - nearer) / tied


@inner
def rank_ties(ranks, first, last, weights):
    """Give what entries share to those of lowest rank; ranks[e] is that of entry e."""
    left = 0.0
    for e in range(first, last):
        left += weights[e] if weights[e] < 1.0 else 0.0
    for _ in range(round(left)):
        lowest = -1
        for e in range(first, last):
            if 0.0 < weights[e] < 1.0 and (lowest < 0 or ranks[e] < ranks[lowest]):
                lowest = e
        weights[lowest] = 1.0
    for e in range(first, last):
        if weights[e] < 1.0:
            weights[e] = 0.0
