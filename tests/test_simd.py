"""Each operation on vectors does what NumPy does."""

import numpy as np
import pytest
from numba import TypingError, njit

from widemargin.kernels.simd import (
    any_lane,
    load,
    lowest_bit,
    mask_bits,
    min_lane,
    minimum,
    splat,
    store,
)

LANES = 8
KINDS = [np.float32, np.float64, np.int16, np.uint8]
kinds = pytest.mark.parametrize("kind", KINDS)


def numbers(kind, seed, size=LANES):
    """Numbers whose sums and products fit into any of the types."""
    return np.random.default_rng(seed).integers(0, 11, size).astype(kind)


def compiled(operation):
    """Write an operation's vector for the vectors at the beginning of two arrays."""

    @njit
    def run(x, y, out):
        store(operation(load(x, 0, LANES), load(y, 0, LANES)), out, 0)

    return run


@njit
def all_of_two(x, y, out):
    """Write what all operations make of two vectors; compiled once for each type."""
    a, b = load(x, 0, LANES), load(y, 0, LANES)
    store(a + b, out, 0)
    store(a * b, out, LANES)
    store(a - b, out, 2 * LANES)
    store(minimum(a, b), out, 3 * LANES)


@kinds
@pytest.mark.parametrize(
    ("place", "theirs"),
    [
        (0, np.add),
        (1, np.multiply),
        (2, np.subtract),
        (3, np.minimum),
    ],
    ids=["add", "multiply", "subtract", "minimum"],
)
def test_two_vectors(place, theirs, kind):
    x, y, out = numbers(kind, 1), numbers(kind, 2), np.zeros((4, LANES), kind)
    all_of_two(x, y, out)
    np.testing.assert_array_equal(out[place], theirs(x, y))


def test_a_vector_is_stored_as_what_it_is():
    with pytest.raises(TypingError):
        compiled(njit(lambda a, b: a))(np.ones(8), np.ones(8), np.ones(8, np.int64))


def test_in_place_addition():
    @njit
    def add_up(x, out):
        sums = splat(0.0, 4)
        for e in range(0, x.size, 4):
            sums += load(x, e, 4)
        store(sums, out, 0)

    x, out = np.random.default_rng(0).standard_normal(24), np.zeros(4)
    add_up(x, out)
    np.testing.assert_allclose(out, x.reshape(6, 4).sum(axis=0), rtol=1e-14)


@kinds
def test_load_and_store_count_places_row_by_row(kind):
    @njit
    def copy(x, place, out, there):
        store(load(x, place, LANES), out, there)

    x, out = numbers(kind, 4, 60).reshape(5, 12), np.zeros((6, 10), kind)
    copy(x, 13, out, 25)
    expected = np.zeros(60, kind)
    expected[25:33] = x.ravel()[13:21]
    np.testing.assert_array_equal(out.ravel(), expected)


@kinds
def test_splat(kind):
    @njit
    def run(x, out):
        store(splat(x[3], LANES), out, 0)

    x, out = numbers(kind, 5), np.zeros(LANES, kind)
    run(x, out)
    np.testing.assert_array_equal(out, np.full(LANES, x[3]))


@kinds
@pytest.mark.parametrize("lanes", [2, 8, 32])
def test_minimum_of_a_vector(lanes, kind):
    @njit
    def run(x, out):
        out[0] = min_lane(load(x, 0, lanes))

    x, out = numbers(kind, 6, lanes) % kind(7) + kind(1), np.zeros(1, kind)
    run(x, out)
    assert out[0] == x.min()


@njit
def min_of_sixteen(x):
    return min_lane(load(x, 0, 16))


@pytest.mark.parametrize("where", range(16))
def test_minimum_in_any_lane(where):
    x = np.arange(16.0)[::-1] + 1
    x[where] = -1.0
    assert min_of_sixteen(x) == -1.0


@pytest.mark.parametrize("lanes", [8, 16])
@kinds
def test_masks_become_bits(lanes, kind):
    @njit
    def run(x, border):
        mask = load(x, 0, lanes) < splat(border, lanes)
        return mask_bits(mask), any_lane(mask)

    x = numbers(kind, 7, lanes)
    for border in (0, 5, 12):
        bits, some = run(x, kind(border))
        below = x < border
        assert [bits >> c & 1 for c in range(lanes)] == below.tolist()
        assert bits >> lanes == 0
        assert some == below.any()


def test_masks_are_combined():
    @njit
    def run(x):
        low = load(x, 0, 8) < splat(3.0, 8)
        high = load(x, 0, 8) > splat(1.0, 8)
        return mask_bits(low & high), mask_bits(low | high)

    assert run(np.arange(8.0)) == (0b100, 0b11111111)


def test_nan_is_never_below_and_loses_the_minimum():
    @njit
    def run(x, y, out):
        a, b = load(x, 0, 2), load(y, 0, 2)
        store(minimum(a, b), out, 0)
        return mask_bits(a < b), mask_bits(a > b)

    out = np.zeros(2)
    assert run(np.array([np.nan, 1.0]), np.array([2.0, 3.0]), out) == (0b10, 0)
    assert out.tolist() == [2.0, 1.0]


def test_unsigned_numbers_are_compared_as_such():
    @njit
    def run(x):
        return mask_bits(load(x, 0, 8) < splat(np.uint8(128), 8))

    assert run(np.array([0, 1, 127, 128, 129, 200, 255, 3], np.uint8)) == 0b10000111


@njit
def zeros_below(bits):
    return lowest_bit(bits)


@pytest.mark.parametrize("bits", [1, 6, 2**40, 2**62 + 2**5, -1, -(2**63)])
def test_lowest_bit_of_a_number(bits):
    written = format(bits % 2**64, "b")
    assert zeros_below(bits) == len(written) - len(written.rstrip("0"))
