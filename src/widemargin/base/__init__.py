"""Base classes of the selectors: validate, score, rank, select, the same way for all.

| file | what |
| --- | --- |
| `selector.py` | `MarginSelector`: a fit from the caller's table to the support |
| `sampled.py`, `sampling.py` | scores that are means over rows, all or some |
| `ascent.py` | `AscentSelector`: several ascents of a margin |
| `ordinal.py`, `prototypes.py`, `radius.py` | families |
| `hooks.py` | what the rest of the package asks of a method, and what it refuses |
| `estimator.py` | `TableSelector`: `transform` and its inverse; checks of parameters |
| `scores.py` | formulas that several methods share |
"""

from widemargin.base.estimator import AUTO as AUTO
from widemargin.base.estimator import COUNT as COUNT
from widemargin.base.estimator import FRACTION as FRACTION
from widemargin.base.estimator import GROUPS as GROUPS
from widemargin.base.estimator import N_JOBS as N_JOBS
from widemargin.base.estimator import POSITIVE as POSITIVE
from widemargin.base.estimator import SHARE as SHARE
from widemargin.base.estimator import TableSelector as TableSelector
from widemargin.base.estimator import all_or_nothing as all_or_nothing
from widemargin.base.estimator import refuse_booleans as refuse_booleans
from widemargin.base.estimator import refuse_keywords as refuse_keywords
from widemargin.base.sampled import SampledSelector as SampledSelector
from widemargin.base.scores import separation_ratio as separation_ratio
from widemargin.base.scores import squared_share as squared_share
from widemargin.base.selector import MarginSelector as MarginSelector
