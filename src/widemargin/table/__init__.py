"""From whatever the caller has to one `Table`: scaled rows sorted by class.

`validate` checks what came, with `labels.py` for y; `build` scales the rows and sorts
them by class; nominal features and missing values are set apart (`mixed.py`), with the
differences that are expected of missing cells (`expected.py`).
"""

from widemargin.protocol import Floats, Ints
from widemargin.table.build import build, far_offsets, refuse_extreme_ranges
from widemargin.table.labels import (
    encode,
    missing_labels,
    numeric_target,
    refuse_constant_target,
    refuse_missing_labels,
    refuse_several_labels,
    refuse_single_class,
)
from widemargin.table.rows import (
    Table,
    visiting_order,
    warn_single_members,
    warn_small_classes,
)
from widemargin.table.validate import validate

__all__ = [
    "Floats",
    "Ints",
    "Table",
    "build",
    "encode",
    "far_offsets",
    "missing_labels",
    "numeric_target",
    "refuse_constant_target",
    "refuse_extreme_ranges",
    "refuse_missing_labels",
    "refuse_several_labels",
    "refuse_single_class",
    "validate",
    "visiting_order",
    "warn_single_members",
    "warn_small_classes",
]
