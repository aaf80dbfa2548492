"""Cases → store → verdicts → page: what papers, truth, study and peers share.

A *part* is a module or an object that measures one thing:

``cases(quick)``
    Lists what to measure. A case is a small dictionary that JSON can hold, with its
    seed; ``quick`` asks for a few small cases that need no data folder.
``measure(case, data)``
    Measures one case and returns a dictionary that JSON can hold. Public data sets are
    ``data("madelon")``; where one is not there, that raises `Missing`, and the case is
    left out.
``file(case)``
    Optional: the name of the file of results. Otherwise it is that of the part.

`run` measures the cases that are not stored and stores each when it is done, under the
case itself: a run may be stopped at any time, and the next one goes on. Change the case
(add a field) if what is measured changes. ``results`` has helpers for the stored rows,
each a case and its result in one dictionary; ``verdicts`` says of a claim whether it
holds by them. A `Subject` has parts, a folder of results, and a function that makes its
pages of these results; `main` is its command:

    python -m evidence.truth                        measure what is not stored
    python -m evidence.truth signal --quick         a part; a few small cases
    python -m evidence.truth --where method=Simba   only cases with this value
    python -m evidence.truth --again                measure what is stored, too
    python -m evidence.truth --page                 write the pages, measure nothing
"""
