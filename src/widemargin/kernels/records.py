"""Constants and named tuples of arrays that several kernels share."""

from typing import NamedTuple

import numpy as np

EUCLIDEAN, MANHATTAN = 0, 1
LINEAR, SIGMOID, ZERO_ONE = 0, 1, 2
UNIT = 2.0**-24  # unit roundoff of float32
TIE = 1e-10  # distances this close, relatively, are the same distance
CHUNK = 512  # features summed in float32 before the sum is carried on
LINE = 16  # numbers of single precision in a cache line; panels are a multiple of it
NEVER = np.float32(np.inf).view(np.int32)  # the key of a row that is not to be found
MAX_INT64 = np.int64(2**63 - 1)
ROW_BITS = np.int64(2**32 - 1)  # of an entry of a candidate list; those above are a key


class Layout(NamedTuple):
    """Where the classes lie, and which slot of the relation a pair falls into."""

    labels: np.ndarray  # (n,) class of each row; rows are sorted by it
    starts: np.ndarray  # (C + 1,) first row of each class
    slots: np.ndarray  # (C, C) slot of [query class, row class], −1 for none


class Queries(NamedTuple):
    """Rows whose neighbours are sought."""

    rows: np.ndarray  # (m,) position of each query among the rows
    labels: np.ndarray  # (m,) its class


class Candidates(NamedTuple):
    """The smallest keys of each query and slot: all below the border, unsorted."""

    entries: np.ndarray  # (S · m · L,) int64, key · 2³² + row
    length: int  # L, places of a list
    wanted: int  # entries that a list that is full is cut to, and a few more
    counts: np.ndarray  # (S, m) filled places
    borders: np.ndarray  # (S, m) int32; rows that are not listed have no smaller key


class Tile(NamedTuple):
    """Room for the keys of a panel of rows against another."""

    values: np.ndarray  # (width, width) float32
    turned: np.ndarray  # the same, for work on it and for its transpose
    keys: np.ndarray  # the bits of the values; those of numbers ≥ 0 compare like them
    turned_keys: np.ndarray

    @classmethod
    def empty(cls, width):
        """Room for panels of ``width`` rows; made here, it needs not be compiled."""
        both = np.empty((2, width, width), np.float32)
        return cls(*both, *both.view(np.int32))


class ErrorBound(NamedTuple):
    """What is needed to bound the error of a key."""

    norms: np.ndarray  # (m,) norm of each query, in the units of the screen
    largest: float  # largest norm of any row
    depth: float  # most float32 roundings that any summand goes through


class Rule(NamedTuple):
    """What counts as a neighbour."""

    metric: int
    k: int
    members: np.ndarray  # (C, S) rows in each slot of a query of each class
    rank: np.ndarray  # (n,) tie-breaker, lowest wins; empty: tied rows share
    measure: bool  # exact distances are wanted


class Scratch(NamedTuple):
    """Room to sort the entries of a list."""

    ids: np.ndarray  # (L,) int64; entries at first
    ranks: np.ndarray  # (L,) int64
    weight: np.ndarray  # (L,) float64
    exact: np.ndarray  # (L,) float64

    @classmethod
    def empty(cls, places):
        """Room for lists with that many places."""
        return cls(*np.empty((2, places), np.int64), *np.empty((2, places)))


class Lists(NamedTuple):
    """Resolved neighbours of each query and slot."""

    counts: np.ndarray  # (m, S) length, or −1 where a list was too short to be sure
    ids: np.ndarray  # (m, S, K) ascending row numbers
    share: np.ndarray  # (m, S, K) weight of each
    distances: np.ndarray  # (m, S, K) exact distances; (m, S, 0) if not asked for

    def part(self, queries):
        """Lists of some queries, one behind the other, as compiled code wants them."""
        counts, *lists = (a[queries] for a in self)
        return Lists(counts, *(a.reshape(-1) for a in lists))


class Edges(NamedTuple):
    """Pairs of rows with a coefficient each."""

    heads: np.ndarray
    tails: np.ndarray
    coefficients: np.ndarray


class Screen(NamedTuple):
    """Single-precision rows, features with the largest share of distances first."""

    rows: np.ndarray  # (n, D) float32, centred; D is d filled up to whole steps
    columns: np.ndarray  # (d,) feature of each column
    largest: float  # largest absolute value


class Utility(NamedTuple):
    """What a margin is worth: LINEAR, SIGMOID with slope beta, or ZERO_ONE."""

    kind: int
    beta: float
