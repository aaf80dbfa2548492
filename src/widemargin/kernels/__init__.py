"""All compiled code, one subject per file.

A file is imported when one of its functions is first used, `kernels.sums.add_edge_sums`
for example, and Numba with it: what needs no compiled code starts without. Nothing
compiles at import. The functions release the GIL and are single-threaded; threads
belong to the engine, which hands each of them its own rows, panels or restarts.

How neighbours are found
------------------------
Rows are sorted by class and copied in single precision. A *panel* is a run of b rows;
the block of distances between two panels is a *tile* (`tiles`): one matrix product for
squared Euclidean distances, sums over 4 × 32 pairs of rows at once for Manhattan ones.

              panel q                       every tile is used twice: its rows
            ┌─────────┐                     update the lists of panel p, its
    panel p │  tile   │ b × b distances     columns those of panel q, so half of
            └─────────┘                     the tiles are enough

A tile is scanned while it is hot (`search`). Each query row keeps, for each *slot* of
the relation (hits, misses, one slot per class …), an unsorted candidate list that holds
every row whose approximate key lies below the list's *border*. A list that fills up is
shrunk to about its K smallest entries by bisection, and the border comes down. Keys are
the bit patterns of non-negative float32 numbers, which compare like the numbers do, and
an entry is a key with the row's number below it in one int64.

Arrays are taken out of their tuples once per tile and indexed in full in the loops: a
view, or a field of a tuple, costs Numba two atomic operations each time.

Single precision only *screens*. `resolve` turns keys into decisions: every key comes
with a rigorous error bound (`key_error`), rows that are surely inside or outside the k
nearest are taken as such, and the few others are measured again in double precision
by direct differences; ties are settled by one rule (`distances`). A list that is too
short to be sure is reported, and the engine repeats the search for that query with a
longer one.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widemargin.kernels import ascent as ascent
    from widemargin.kernels import distances as distances
    from widemargin.kernels import information as information
    from widemargin.kernels import permutations as permutations
    from widemargin.kernels import prefixes as prefixes
    from widemargin.kernels import radius as radius
    from widemargin.kernels import search as search
    from widemargin.kernels import sparse as sparse
    from widemargin.kernels import sums as sums
    from widemargin.kernels import tiles as tiles
else:

    def __getattr__(name: str) -> Any:
        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError:
            raise AttributeError(f"{__name__} has no file {name}") from None


_listener: Callable[[], None] | None = None


def when_compiling(listener: Callable[[], None] | None) -> None:
    """Call a function each time that code is not in a cache and has to be compiled.

    Only one is kept; None keeps none.
    """
    global _listener
    _listener = listener
