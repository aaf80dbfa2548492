"""Each operation on vectors does what NumPy does."""

import numpy as np
import pytest
from numba import TypingError, njit

from widemargin.kernels.simd import (
    absolute,
    as_float64,
    below,
    load,
    lowest_bit,
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


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_absolute_values(kind):
    @njit
    def run(x, out):
        store(absolute(load(x, 0, LANES)), out, 0)

    x = np.array([-1.5, 2.0, -0.0, 0.0, -np.inf, np.nan, 7.0, -1e-30], kind)
    out = np.zeros(LANES, kind)
    run(x, out)
    np.testing.assert_array_equal(out, np.abs(x))
    assert not np.signbit(out[:5]).any()
    with pytest.raises(TypingError):
        run(np.ones(LANES, np.int32), np.ones(LANES, np.int32))


def test_whole_numbers_as_float64():
    @njit
    def run(x, out):
        store(as_float64(load(x, 0, LANES)), out, 0)

    x = np.array([0, 1, -1, 2**31 - 1, -(2**31), 5, 6, 7], np.int32)
    out = np.zeros(LANES)
    run(x, out)
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.uint8])
def test_lanes_that_are_less_set_bits(kind):
    @njit
    def run(x, y):
        return below(load(x, 0, 32), load(y, 0, 32))

    x, y = numbers(kind, 6, 32), numbers(kind, 7, 32)
    assert run(x, y) == sum(2**e for e in range(32) if x[e] < y[e])
    assert run(x, x) == 0
    assert run(x, x + kind(1)) == 2**32 - 1


def test_an_integer_has_bits_for_fewer_than_64_lanes():
    @njit
    def run(x):
        return below(load(x, 0, 64), load(x, 0, 64))

    with pytest.raises(TypingError):
        run(np.ones(64))


def test_lowest_bit():
    run = njit(lambda bits: lowest_bit(bits))
    for e in range(64):
        assert run(np.uint64(2**e)) == e
        assert run(np.uint64(2**64 - 2**e)) == e


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


def test_places_of_arrays_that_are_not_contiguous_are_refused():
    @njit
    def first(x, out):
        store(load(x, 0, LANES), out, 0)

    @njit
    def ones(out):
        store(splat(1.0, LANES), out, 0)

    spread = np.zeros(2 * LANES)[::2]
    with pytest.raises(TypingError):
        first(spread, np.zeros(LANES))
    with pytest.raises(TypingError):
        ones(spread)


@kinds
def test_splat(kind):
    @njit
    def run(x, out):
        store(splat(x[3], LANES), out, 0)

    x, out = numbers(kind, 5), np.zeros(LANES, kind)
    run(x, out)
    np.testing.assert_array_equal(out, np.full(LANES, x[3]))
