"""Which columns of the caller's table are nominal, and all of them as numbers.

A nominal column becomes codes 0, 1, … in order of first appearance, so that neither
the names of its values nor an order that their type happens to have plays a part. A
missing cell becomes NaN, whatever it was before.
"""

from widemargin.columns.frames import (
    PRESERVED,
    as_frame,
    column_of,
    for_output,
    is_frame,
    without_narwhals,
)
from widemargin.columns.groups import names_groups
from widemargin.columns.kinds import (
    BOOLEAN,
    NUMBER,
    ORDERED,
    OTHER,
    are_numerals,
    holds_numbers,
    is_missing,
    is_mixture,
    kind,
    kind_of_values,
    kinds,
    missing_cells,
    object_columns,
)
from widemargin.columns.nominal import (
    given_columns,
    listed,
    nominal_columns,
    warn_of_mixtures,
)
from widemargin.columns.numbers import (
    as_numbers,
    different,
    floats_of,
    places_of,
    warn_of_rounding,
)
from widemargin.columns.quality import (
    NEARLY_EMPTY,
    alike,
    codes_for_missing,
    hardly_repeat,
    names_rows,
)
from widemargin.columns.refuse import (
    MIXED,
    is_sparse,
    refuse_columns,
    refuse_odd_columns,
    refuse_text,
    unwrapped,
)

__all__ = [
    "BOOLEAN",
    "MIXED",
    "NEARLY_EMPTY",
    "NUMBER",
    "ORDERED",
    "OTHER",
    "PRESERVED",
    "alike",
    "are_numerals",
    "as_frame",
    "as_numbers",
    "codes_for_missing",
    "column_of",
    "different",
    "floats_of",
    "for_output",
    "given_columns",
    "hardly_repeat",
    "holds_numbers",
    "is_frame",
    "is_missing",
    "is_mixture",
    "is_sparse",
    "kind",
    "kind_of_values",
    "kinds",
    "listed",
    "missing_cells",
    "names_groups",
    "names_rows",
    "nominal_columns",
    "object_columns",
    "places_of",
    "refuse_columns",
    "refuse_odd_columns",
    "refuse_text",
    "unwrapped",
    "warn_of_mixtures",
    "warn_of_rounding",
    "without_narwhals",
]
