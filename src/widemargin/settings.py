"""Sizes and thresholds that choose between code paths.

Apart from `EffortSettings`, none changes a score, except for the last digits where sums
are added up in other blocks.

A fit reads the current settings once, when it begins, and passes them on. `using`
replaces them for the calls that are made inside it:

>>> from widemargin.settings import DistributedSettings, Settings, using
>>> with using(Settings(distributed=DistributedSettings(max_query_rows=1024))):
...     pass  # selector.fit(X, y)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(frozen=True)
class DistributedSettings:
    """Sizes and waiting times of fits to Dask collections.

    Parameters
    ----------
    min_block_cells, max_block_cells : int, default=2**18 and 2**24
        Cells of a block of rows, 2 to 128 MB when scaled.
    bytes_per_block_cell : int, default=512
        Between these limits, a block has one cell per this many bytes of a worker
        thread's memory.
    min_block_rows : int, default=256
        Rows of a block, unless X has fewer.
    kept_share : int, default=6
        X is kept on the workers if it takes at most 1/kept_share of their memory.
    assumed_memory : int, default=2**31
        Bytes of memory of a scheduler that does not say how much it has.
    inline_bytes : int, default=2**14
        Values up to this size are sent with each task instead of being a task.
    merge_fan_in : int, default=8
        Results that one task of a tree of merges takes.
    max_query_rows, max_query_cells : int, default=8192 and 2**22
        Query rows, and their cells, that are sent to the blocks together.
    max_neighbors : int, default=2**24
        Neighbours that are listed at once, in all blocks together.
    max_block_neighbors : int, default=2**22
        Neighbours that one block lists (80 MB), before fewer rows are sent at once.
    max_categories : int, default=2**24
        Different values of a nominal column. Codes are stored in single precision.
    max_texts : int, default=2**20
        Different texts of a column of a file that is read part by part.
    counted_values : int, default=2**22
        Values that are counted together to find expected differences.
    fetched_cells : int, default=2**25
        Cells that are fetched at once to be worked on in memory.
    partition_bytes : int, default=2**26
        Bytes of a file that become a partition.
    connection_timeout : float, default=10.0
        Seconds that a scheduler may take to answer.
    status_interval : float, default=2.0
        Seconds between two looks at the state of the cluster.
    no_workers_warning : float, default=30.0
        Seconds without workers after which a warning says so.
    paused_timeout : float, default=20.0
        Seconds that paused workers may keep the whole cluster idle.
    """

    min_block_cells: int = 2**18
    max_block_cells: int = 2**24
    bytes_per_block_cell: int = 512
    min_block_rows: int = 256
    kept_share: int = 6
    assumed_memory: int = 2**31
    inline_bytes: int = 2**14
    merge_fan_in: int = 8
    max_query_rows: int = 8192
    max_query_cells: int = 2**22
    max_neighbors: int = 2**24
    max_block_neighbors: int = 2**22
    max_categories: int = 2**24
    max_texts: int = 2**20
    counted_values: int = 2**22
    fetched_cells: int = 2**25
    partition_bytes: int = 2**26
    connection_timeout: float = 10.0
    status_interval: float = 2.0
    no_workers_warning: float = 30.0
    paused_timeout: float = 20.0


@dataclass(frozen=True)
class EffortSettings:
    """Limits of the work that is done by default.

    These decide how many rows are sampled and which methods are compared by default.
    Unlike the other settings, they affect results. Work is counted in differences
    between values, of which 10**9 take about a second.

    Parameters
    ----------
    all_starts_work, one_start_work : int, default=10**9 and 10**10
        n² d up to which Simba makes all its starts, and one, among the default methods.
    all_rows_work : int, default=4 * 10**10
        n² d up to which the default methods visit every row.
    forest_work : int, default=10**7
        n log n √d up to which a forest is among the default methods.
    signal_sums : int, default=2 * 10**9
        Differences that the test for a signal sums over under all permutations.
    min_signal_rows, max_signal_rows : int, default=200 and 1000
        Rows for what, in that test, compares all of them.
    drawn_rows, drawn_cells : int, default=5000 and 2**25
        Rows, and their cells, that are drawn from a Dask collection for what is done in
        memory.
    min_drawn_rows : int, default=600
        Rows that are drawn whatever their cells.
    """

    all_starts_work: int = 10**9
    one_start_work: int = 10**10
    all_rows_work: int = 4 * 10**10
    forest_work: int = 10**7
    signal_sums: int = 2 * 10**9
    min_signal_rows: int = 200
    max_signal_rows: int = 1000
    drawn_rows: int = 5000
    drawn_cells: int = 2**25
    min_drawn_rows: int = 600


@dataclass(frozen=True)
class Settings:
    """Sizes and thresholds of all fits.

    Parameters
    ----------
    small_table_rows, small_table_cells : int, default=256 and 2**21
        Tables of up to this many rows, and cells in all pairs of rows, are searched by
        NumPy instead of compiled code.
    single_thread_work : int, default=10**7
        Differences between rows below which threads cost more than they save.
    pair_block : int, default=2**21
        Pairs of rows that are listed, or whose distances are held, at once by methods
        that need all of them; a few arrays of as many numbers, for each thread.
    search_bytes : int, default=2**28
        Working memory for the candidate lists of a search.
    prototype_pairs : int, default=2**20
        Pairs of rows of a class that IPCMSR and IPICSR look at together.
    listed_neighbors : int, default=16
        Nearest hits and misses that G-flip keeps in the list of each row.
    flipped_rows : int, default=128
        Rows for which G-flip uses another thread.
    kept_distance_bytes, kept_distance_share : int, default=2**32 and 2
        G-flip keeps the distances of all rows if they take at most this many bytes, and
        at most 1/kept_distance_share of the available memory.
    correlation_block, uncertainty_block : int, default=256 and 16
        Features whose similarity to all others is computed at once.
    permutation_bytes : int, default=2**28
        Memory for the neighbours of rows under all permutations of the labels.
    permutation_queries, permutation_features : int, default=8 and 128
        Rows that are searched, and features that are summed, at once for all
        permutations.
    max_permutations : int, default=2**15
        Permutations that are drawn at once.
    product_cells : int, default=2**22
        Cells of products of features and labels that are held at once.
    announced_file_bytes : int, default=5_000_000
        Files of at least this size, which may take seconds to read, are announced by
        the commands.
    effort : EffortSettings, default=EffortSettings()
        Limits of the work that is done by default.
    distributed : DistributedSettings, default=DistributedSettings()
        Those of fits to Dask collections.
    """

    small_table_rows: int = 256
    small_table_cells: int = 2**21
    single_thread_work: int = 10**7
    pair_block: int = 2**21
    search_bytes: int = 2**28
    prototype_pairs: int = 2**20
    listed_neighbors: int = 16
    flipped_rows: int = 128
    kept_distance_bytes: int = 2**32
    kept_distance_share: int = 2
    correlation_block: int = 256
    uncertainty_block: int = 16
    permutation_bytes: int = 2**28
    permutation_queries: int = 8
    permutation_features: int = 128
    max_permutations: int = 2**15
    product_cells: int = 2**22
    announced_file_bytes: int = 5_000_000
    effort: EffortSettings = field(default_factory=EffortSettings)
    distributed: DistributedSettings = field(default_factory=DistributedSettings)

    def is_small_table(self, n_rows: int, n_features: int) -> bool:
        """Say whether a table of numbers is searched by NumPy.

        Parameters
        ----------
        n_rows, n_features : int
            Shape of the table.

        Returns
        -------
        small : bool
            Whether both limits are kept.
        """
        cells = n_rows * n_rows * n_features
        return n_rows <= self.small_table_rows and cells <= self.small_table_cells


_in_force: ContextVar[Settings] = ContextVar("widemargin_settings")
_defaults = Settings()


def current() -> Settings:
    """Return the current settings.

    Returns
    -------
    settings : Settings
        The defaults, unless `using` has replaced them.
    """
    return _in_force.get(_defaults)


@contextmanager
def using(settings: Settings) -> Iterator[None]:
    """Use other settings for the calls made inside, in this thread only.

    Parameters
    ----------
    settings : Settings
        Those that the fits inside read.

    Yields
    ------
    None
        Nothing.
    """
    token = _in_force.set(settings)
    try:
        yield
    finally:
        _in_force.reset(token)
