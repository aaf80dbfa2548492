"""How far a key may be from the truth."""

import numpy as np

from widemargin.kernels._jit import inner, tiny
from widemargin.kernels.constants import EUCLIDEAN, TIE, UNIT


@inner
def key_error(metric, key, norm, largest, depth):
    """How far a key near ``key`` may be from the true value, whatever its row.

    A row b whose norm exceeds ‖a‖ + reach is truly farther than any distance in
    question, so only smaller norms matter.
    """
    key = max(key, 0.0)
    if metric == EUCLIDEAN:
        unit = (0.5 * depth + 8) * UNIT
        reach = 2 * np.sqrt(key + 16 * unit * norm * norm)
        size = norm + min(largest, norm + reach)
        return unit * size * size + 1e-30
    reach = 2 * key + 8 * UNIT * norm
    size = norm + min(largest, norm + reach)
    return depth * UNIT * key + 2 * UNIT * size + 1e-30


@tiny
def _key(entry):
    """The key of an entry, as the number it is."""
    return np.float64(np.int32(entry >> 32).view(np.float32))


@inner
def uncertain_entries(metric, ordered, held, wanted, q, bound):
    """Entries first … last−1 that may or may not be among the ``wanted`` nearest.

    Those before are surely inside. ``last`` is −1 if rows that are not listed, whose
    keys are at least that of ordered[held], might be inside as well.
    """
    middle, norm = _key(ordered[wanted - 1]), bound.norms[q]
    error = key_error(metric, middle, norm, bound.largest, bound.depth)
    low, high = middle - error, (middle + error) * (1 + 4 * TIE)
    low -= 4 * TIE * abs(low)
    first = 0
    while first < wanted - 1 and _key(ordered[first]) + error < low:
        first += 1
    last = wanted
    if _surely_at_least(metric, _key(ordered[held]), q, bound) <= high:
        return first, -1
    while (
        last < held and _surely_at_least(metric, _key(ordered[last]), q, bound) <= high
    ):
        last += 1
    return first, last


@inner
def _surely_at_least(metric, key, q, bound):
    """What the distance to a row with this key is not below."""
    if key == np.inf:
        return key
    return key - key_error(metric, key, bound.norms[q], bound.largest, bound.depth)
