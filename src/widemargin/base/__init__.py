"""Base classes of the selectors: validate, score, rank, select, the same way for all.

| file | what |
| --- | --- |
| `selector.py` | `MarginSelector`: a fit from the caller's table to the support |
| `answers.py` | how many features, and which are redundant, judged in folds |
| `sampled.py` | `SampledSelector`: scores that are means over samples |
| `ascent.py` | `AscentSelector`: several ascents of a margin |
| `transformer.py` | `TableSelector`: `transform` and its inverse |
| `links.py`, `pickles.py` | links to the documentation, versions in pickles |
| `checks.py`, `scores.py` | what several of them use |
"""

from widemargin.base.ascent import AscentSelector, refuse_single_visits
from widemargin.base.checks import (
    N_JOBS,
    all_or_nothing,
    refuse_booleans,
    refuse_keywords,
)
from widemargin.base.links import Documented
from widemargin.base.pickles import Versioned
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
