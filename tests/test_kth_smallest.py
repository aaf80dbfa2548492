"""The k-th smallest of some values, which decides how far neighbours reach."""

import numpy as np
import pytest
from numba import njit

from widemargin.kernels.distances import kth_smallest


@njit
def select_each(values, found):
    """found[k − 1] = the k-th smallest, for every k."""
    for k in range(1, values.size + 1):
        found[k - 1] = kth_smallest(values.copy(), k)


@pytest.mark.parametrize("different", [1, 2, 5, 1000])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 57])
def test_every_place_is_that_of_the_sorted_values(n, different):
    rng = np.random.default_rng(n)
    for values in (
        rng.integers(0, different, n) / 7,
        np.sort(rng.integers(0, different, n) / 7)[::-1].copy(),
        np.append(rng.random(n), np.inf),  # a row is infinitely far from itself
    ):
        found = np.empty(values.size)
        select_each(values, found)
        np.testing.assert_array_equal(found, np.sort(values))
