"""All compiled code, one subject per file.

Nothing compiles at import. The functions release the GIL and are single-threaded;
threads belong to the engine, which hands each of them its own rows, panels or restarts.

How neighbours are found
------------------------
Rows are sorted by class and copied in single precision (`scaling`). A *panel* is a run
of b rows; the block of distances between two panels is a *tile* (`tiles`): one matrix
product for squared Euclidean distances, sums over 4 × 32 pairs of rows at a time for
Manhattan ones.

              panel q                       every tile is used twice: its rows
            ┌─────────┐                     update the lists of panel p, its
    panel p │  tile   │ b × b distances     columns those of panel q, so half of
            └─────────┘                     the tiles are enough

A tile is scanned while it is hot (`search`). Each query row keeps, for each *slot* of
the relation (hits, misses, one slot per class …), an unsorted candidate list that holds
every row whose approximate key lies below the list's *border* (`candidates`). A list
that fills up is shrunk to about its K smallest entries by bisection, and the border
comes down. Keys are the bit patterns of non-negative float32 numbers, which compare
like the numbers do, and an entry is a key with the row's number below it in one int64.

Arrays are taken out of their tuples once per tile and indexed in full in the loops: a
view, or a field of a tuple, costs Numba two atomic operations each time.

Single precision only *screens*. `decide` turns keys into decisions: every key comes
with a rigorous error bound (`bounds`), rows that are surely inside or outside the k
nearest are taken as such, and the few others are measured again in double precision
by direct differences (`distances`); ties are settled by one rule (`ties`). A list that
is too short to be sure is reported, and the engine repeats the search for that query
with a longer one.
"""

from widemargin.kernels._jit import cache_counts, cache_place, jit, when_compiling
from widemargin.kernels.ascent import (
    VisitRoom,
    add_hit_and_miss,
    add_sided,
    move,
    nearest_from,
    slope,
)
from widemargin.kernels.constants import (
    CHUNK,
    EUCLIDEAN,
    LINEAR,
    MANHATTAN,
    NEVER,
    SIGMOID,
    TIE,
    ZERO_ONE,
)
from widemargin.kernels.decide import resolve
from widemargin.kernels.descent import (
    Descent,
    DescentRoom,
    Targets,
    find_near,
    hinge_edges,
    invasions,
    lmba_losses,
)
from widemargin.kernels.distances import distances_to_all
from widemargin.kernels.dominance import (
    dominating_hit_distances,
    dominating_hit_sums,
    nearest_dominating,
)
from widemargin.kernels.fixed import (
    FIXED_FEATURES,
    FIXED_QUERIES,
    FIXED_ROWS,
    fix_rows,
    fixed_distances,
)
from widemargin.kernels.flip_distances import Batch
from widemargin.kernels.flips import Flipped, FlipRoom, evaluate_flips
from widemargin.kernels.information import Sorted, joint_sums, mdl_cuts
from widemargin.kernels.linkage import summed_linkage
from widemargin.kernels.merge import merge_lists
from widemargin.kernels.mixed import Mixed, MixedRows
from widemargin.kernels.permutations import (
    Touched,
    Wanted,
    permuted_neighbors,
    permuted_sums,
)
from widemargin.kernels.prefixes import (
    GROUP,
    LANES,
    Prefixes,
    prefix_hits,
    prefix_means,
    scale_columns,
)
from widemargin.kernels.radius import (
    BAND,
    PANEL,
    RadiusLists,
    list_rows,
    list_sums,
    list_values,
)
from widemargin.kernels.records import (
    Candidates,
    Edges,
    ErrorBound,
    Layout,
    Lists,
    Merged,
    Queries,
    Rule,
    Scratch,
    Screen,
    Tile,
    Utility,
)
from widemargin.kernels.scaling import observed_range, pack_rows
from widemargin.kernels.search import (
    search_pairs,
    search_panel,
    set_borders,
)
from widemargin.kernels.shortlists import Flips, Shortlist
from widemargin.kernels.sums import (
    edge_sums,
    group_sums,
    mixed_edge_sums,
    mixed_group_sums,
    pair_lengths,
    sided_edge_sums,
)
from widemargin.kernels.tiles import Extras, MixedNorms
from widemargin.kernels.tree import (
    TreeLimits,
    TreeNodes,
    grow_ranking_tree,
    tree_counts,
    tree_leaves,
)
from widemargin.kernels.weighted_search import STEP, Weighting, arrange_columns, weigh
