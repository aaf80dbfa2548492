"""Base classes of the selectors: validate, score, rank, select, the same way for all.

| file | what |
| --- | --- |
| `selector.py` | `MarginSelector`: a fit from the caller's table to the support |
| `sampled.py`, `sampling.py` | scores that are means over rows, all or some |
| `ascent.py` | `AscentSelector`: several ascents of a margin |
| `ordinal.py`, `prototypes.py`, `radius.py`, `numeric_relief.py` | families |
| `transformer.py` | `TableSelector`: `transform` and its inverse |
| `estimator.py`, `scores.py` | what several of them use |
"""

from widemargin.base.ascent import AscentSelector, refuse_single_visits
from widemargin.base.estimator import (
    N_JOBS,
    Documented,
    Versioned,
    all_or_nothing,
    refuse_booleans,
    refuse_keywords,
)
from widemargin.base.sampled import SampledSelector
from widemargin.base.scores import separation_ratio, squared_share
from widemargin.base.selector import MarginSelector
from widemargin.base.transformer import TableSelector

__all__ = [
    "N_JOBS",
    "AscentSelector",
    "Documented",
    "MarginSelector",
    "SampledSelector",
    "TableSelector",
    "Versioned",
    "all_or_nothing",
    "refuse_booleans",
    "refuse_keywords",
    "refuse_single_visits",
    "separation_ratio",
    "squared_share",
]
