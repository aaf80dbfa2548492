"""A small version of what docs/truth.md promises."""

import pytest

from evidence.data import Sets
from evidence.framework.running import run
from evidence.framework.store import Stores
from evidence.framework.verdicts import Verdict
from evidence.truth.__main__ import SUBJECT
from evidence.truth.parts import PARTS

# Their small version says too little, or needs too long, to be judged by.
WITHOUT_VERDICT = {"usefulness", "halves", "numeric_targets"}


@pytest.mark.parametrize("name", PARTS)
def test_stored_results_are_of_cases_that_there_are(name):
    known = [*PARTS[name].cases(False)]
    stored = Stores(SUBJECT.results)[name].cases()
    assert [case for case in stored if case not in known] == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PARTS)
def test_a_small_version_keeps_the_promises(name, tmp_path):
    part, stores = PARTS[name], Stores(tmp_path, quick=True)
    assert [step.error for step in run(part, name, stores, Sets(), quick=True)]
    rows = stores[name].rows()
    verdicts = part.verdicts(rows)
    assert part.tables(rows)
    assert all(isinstance(verdict, Verdict) for verdict in verdicts)
    if name not in WITHOUT_VERDICT:
        assert [v for v in verdicts if not v.holds] == []
