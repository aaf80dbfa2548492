"""The papers, reproduced: every claim that public data can test, with a verdict.

``python -m evidence.papers PAPER`` runs the experiments of a paper, puts our numbers
beside the published ones and says of every claim whether it holds, does not hold or
cannot be tested. ``python -m evidence.papers --page`` writes the pages of the
documentation from stored results.

How to add a paper
------------------
A paper is a module, or a package, of this package, named after its method, with a
constant ``PAPER``; the module's name and the paper's key are in `PAPERS` below.
``papers/simba/xor.py`` is a worked example. `evidence.papers.frame` has the pieces:

`Paper`
    Key, alias, citation, and its experiments.
`Experiment`
    Derive a class from it. ``covers`` names the tables and figures it is about, as the
    paper numbers them: ``("Figure 1", "Table 2")``. ``cases(quick)`` and
    ``measure(case, data)`` are as `evidence.framework` explains; where data are not
    there, the page says so.
`Claim`
    One sentence of the paper with its number, the table or figure it belongs to, and a
    function that judges it: it gets the `Results` and returns a `Verdict`, made by
    ``judged(holds, ours, why, honest=...)`` or ``untested(why)``. The first verdict is
    by the paper's protocol (*reproduced*), the second, ``honest``, with nothing chosen
    on test rows (*survives*); ``criterion`` and ``honest`` of the claim say in words
    when each holds, ``changed`` when and why one was changed after first results.
    Where the data are not public and others stand in, ``with_stand_ins`` makes of the
    verdict one that cannot refute. ``Results.where(data="iris")`` raises `NoResults`
    if there are none; the frame then writes "cannot be tested", and why. Every table
    and figure of the paper needs a claim, also one that nobody can test
    (``judge=never("the AR faces are not public")``). Remarks of the paper that have no
    code are in ``Paper.unimplemented``, with the reason.
``tables(results)``, ``figures(results)``
    What the page shows: `Table`, and `Figure` with panels (`Lines`, `Bars`, `Pixels`)
    of `evidence.papers.drawing`, which draws them in the style of the report.

Rules for all: fixed seeds; no tuning to match; both readings where our default differs
from the print; every comparison has a random ranking as control and paired differences
over the splits; a best k chosen on test rows is marked as the paper's and given beside
one chosen on training rows. `evidence.papers.splits` has what this needs:
``compare_rankings`` (rankings → accuracy for every top-k, best k, honest k, with the
control) and ``Paired``.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evidence.papers.frame import Paper

PAPERS = {
    "000": "lmba",
    "001": "simba",
    "002": "ipcmsr",
    "003": "ordinal",
    "004": "frll",
}


def available() -> list[str]:
    """Keys of the papers there are."""
    return [*PAPERS]


def find(name: str) -> Paper:
    """The paper of a key ("001") or alias ("simba")."""
    known = {name: key for key, name in PAPERS.items()} | {key: key for key in PAPERS}
    key = known.get(name.lower())
    if key is None:
        near = get_close_matches(name.lower(), known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        names = ", ".join(f"{key} ({name})" for key, name in PAPERS.items())
        raise ValueError(f"There is no paper {name!r}.{hint} Papers: {names}.")
    paper: Paper = import_module(f"{__name__}.{PAPERS[key]}").PAPER
    return paper
