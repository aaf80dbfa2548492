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
# Features after which an ascent asks whether a row is out. With fewer, the compiler
# finds no vectors in the loop over them, and a fit takes twice as long.
STEP = np.uint64(64)
# Of searches within a radius.
FIXED_ROWS = 32  # rows side by side
FIXED_QUERIES = 4  # rows measured from together; divides FIXED_ROWS
FIXED_FEATURES = 32  # features whose sum has to fit into 31 bits
BAND = 32  # features that are summed at once, in registers
PANEL = 128  # rows of a panel, whose BAND features stay in the fastest cache


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


class Mixed(NamedTuple):
    """Nominal features and missing cells, which rows of numbers leave out.

    In the rows, a nominal feature is 0 throughout, and where the value of a numeric
    feature is missing there is the mean of its class. The mean is never farther from a
    value than that class is on the average, so what is stored here only adds to the
    differences of the rows, and nothing is lost to cancellation.
    """

    codes: np.ndarray  # (n, M) float32, nominal values; NaN, where missing, equals all
    nominal: np.ndarray  # (M,) which feature each column of codes is
    starts: np.ndarray  # (n + 1,) cells that row i lacks: starts[i] … starts[i+1]−1
    features: np.ndarray  # (m,) feature of each missing cell
    pairs: np.ndarray  # (m,) the row of ``expected`` for its feature and class
    expected: np.ndarray  # (P, n) difference to expect between such a cell and a row
    excess: np.ndarray  # (2, P, n) float32, what it adds to |.| and (.)², see `Extras`
    absent: np.ndarray  # (n, d) which cells are missing
    weights: np.ndarray  # (d,) what the rows have been multiplied by


class MixedRows(NamedTuple):
    """Rows of numbers, with their nominal features and missing cells."""

    X: np.ndarray
    mixed: Mixed


class Extras(NamedTuple):
    """The same for the screen, in its units: what is added to tiles."""

    codes: np.ndarray  # (chunks, rows, length) float32, NaN where missing
    sizes: np.ndarray  # (chunks, length) what a difference of codes counts
    starts: np.ndarray  # (rows + 1,)
    pairs: np.ndarray  # (m,)
    excess: np.ndarray  # (P, rows of the other side) what a missing cell adds


class MixedNorms(NamedTuple):
    """Norms of both sides of a tile, or None, and the extras of both."""

    norms: tuple
    ours: Extras
    theirs: Extras


class Cells(NamedTuple):
    """Stored cells, row after row; or those of columns, column after column."""

    starts: np.ndarray  # (n + 1,) int64, row i has cells starts[i] … starts[i+1]−1
    places: np.ndarray  # (m,) int32, column of each, ascending in a row
    values: np.ndarray  # (m,)


class Sorted(NamedTuple):
    """Features in ascending order of their values, one per row."""

    values: np.ndarray  # (d, n)
    labels: np.ndarray  # (d, n) class of the sample that each value belongs to
    logs: np.ndarray  # (n + 1,) c · ln c in fixed point
    one: float  # what 1 is in that fixed point


class VisitRoom(NamedTuple):
    """Room for visits of rows."""

    found: tuple  # (n,) rows that are near, and (n,) their distances
    delta: np.ndarray  # (d,) Σ Δ_f / w_f over the rows of a batch
    squares: np.ndarray  # (d,) of a `Weighting`, as the next
    weights: np.ndarray  # (D,) float32
    r: np.ndarray  # (1, 2) distances to a hit and a miss under w
    c: np.ndarray  # (1, 2) what their squared differences count

    @classmethod
    def of(cls, w, n, width):
        """Room for n rows and a screen of ``width`` columns; not compiled."""
        found = np.empty(n, np.int64), np.empty(n)
        delta, squares = np.zeros((2, w.size))
        weights = np.zeros(width, np.float32)
        return cls(found, delta, squares, weights, *np.empty((2, 1, 2)))


class Wanted(NamedTuple):
    """Which neighbours a query has, by its class, and what they count."""

    slots: np.ndarray  # (C, C) slot of [query class, row class], −1 for none
    counts: np.ndarray  # (C, S) neighbours wanted, of which there are enough
    coefficients: np.ndarray  # (C, S) what each wanted neighbour counts
    prefix: int  # how many nearest rows of any class hold them, nearly always


class Touched(NamedTuple):
    """Weighted neighbours of some queries under all permutations."""

    offsets: np.ndarray  # (m·B + 1,) entries of query q, permutation b: q·B + b
    places: np.ndarray  # place of each entry's row among the rows of its query
    weights: np.ndarray
    rows: np.ndarray  # rows that are a neighbour of a query under any permutation
    ends: np.ndarray  # (m + 1,) where the rows of each query begin and end


class RadiusLists(NamedTuple):
    """Near, and far, rows of some queries."""

    ids: np.ndarray  # (m, n) int32
    sides: np.ndarray  # (m, n) int8, 1 where a row is far
    counts: np.ndarray  # (m, 2, C) near and far rows of each class
    unsure: np.ndarray  # (m,) bool, whether an error may have put a row on another side


class Targets(NamedTuple):
    """What LMBA fixes in the original space."""

    ids: np.ndarray  # (n, k) target neighbours
    counts: np.ndarray  # (n,) how many there are
    theta: np.ndarray  # (n,) margins
    weights: np.ndarray  # (n,) what the loss of each row counts


class DescentRoom(NamedTuple):
    """Room for the work of one thread."""

    edges: Edges  # from a row to others
    limits: np.ndarray  # (k,) squared distances up to which targets are invaded
    pulls: np.ndarray  # (k,)
    sums: np.ndarray  # (d,) gradient over 2w
    gradient: np.ndarray  # (d,)
    squares: np.ndarray  # (d,) of a `Weighting`, as the next
    weights: np.ndarray  # (D,) float32

    @classmethod
    def of(cls, d, n, k, width):
        """Room for n rows of d features, k targets and a screen's columns."""
        edges = Edges(*np.empty((2, n + k), np.int64), np.empty(n + k))
        limits, pulls = np.empty((2, k))
        sums, gradient, squares = np.empty((3, d))
        weights = np.zeros(width, np.float32)
        return cls(edges, limits, pulls, sums, gradient, squares, weights)
