"""A small version of what docs/truth.md promises."""

import numpy as np
import pytest

from evidence.data import Sets
from evidence.framework.pages import DOCS
from evidence.framework.running import run
from evidence.framework.store import Stores
from evidence.framework.verdicts import Verdict
from evidence.truth import agreement
from evidence.truth.__main__ import SUBJECT
from evidence.truth.parts import PARTS, answer

# Their small version says too little, or needs too long, to be judged by; the promise
# of skew does not hold.
WITHOUT_VERDICT = {"answer", "auto_signal", "relevance", "numeric_targets", "skew"}


@pytest.mark.parametrize("name", PARTS)
def test_stored_results_are_of_cases_that_there_are(name):
    known = [*PARTS[name].cases(False)]
    stored = Stores(SUBJECT.results)[name].cases()
    assert stored
    assert [case for case in stored if case not in known] == []


def test_the_page_begins_with_ten_sentences():
    lines = (DOCS / "truth.md").read_text(encoding="utf-8").splitlines()
    numbered = [line.split(".")[0] for line in lines[2:12]]
    assert numbered == [str(i) for i in range(1, 11)]
    assert all(line.endswith(".") for line in lines[2:12])


def test_copies_count_as_one_feature_once():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
    X[:, 2] = -X[:, 0] + 0.1 * X[:, 2]
    R = agreement.likeness(X)
    assert agreement.copies_within([0, 1, 3], R) == 1
    assert agreement.matched([0, 3], [2, 4], R) == 1
    assert agreement.matched([0, 1], [2, 4], R) == 1
    assert agreement.jaccard([0, 3], [1, 3], R) == 1
    assert agreement.apart([0, 3, 5], [1, 3], R) == 1
    assert agreement.copies_within([0, 1, 2], agreement.likeness(X, [0, 1])) == 0


@pytest.mark.parametrize(("lost", "tables_lost"), [(24, 0), (34, 1)])
def test_a_table_is_lost_beyond_one_paired_standard_error(lost, tables_lost):
    accuracy = {
        f"{who}, {key}": 0.8
        for who in ("kept", "all", "forest")
        for key in answer.JUDGES
    }
    counts = {"won": 20, "lost": lost, "tested": 200}
    claim = {"claim": 0.8, "test": 0.71, "claim_error": 0.03, "test_error": 0.04}
    times = {"ratio": 2.0, "seconds": 1.0}
    fit = {"kept": [1], "accuracy": accuracy, **counts, **claim, **times}
    found = answer.figures([{"fits": [fit, fit], "jaccard": 1.0}])
    assert found["lost"] == tables_lost
    assert found["within"] == 1  # two of the difference are .1
    assert found["within_own"] == 0


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy"])
def test_a_claim_is_compared_by_its_own_measure(scoring):
    labels = np.repeat([0, 1], [90, 10])
    right = labels == 0
    score, error = answer._score(scoring, right, labels)
    assert score == {"accuracy": 0.9, "balanced_accuracy": 0.5}[scoring]
    assert error == pytest.approx({"accuracy": 0.03, "balanced_accuracy": 0}[scoring])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PARTS)
def test_a_small_version_keeps_the_promises(name, tmp_path):
    part, stores = PARTS[name], Stores(tmp_path, quick=True)
    steps = [*run(part, name, stores, Sets(), quick=True)]
    assert steps
    rows = stores[name].rows()
    verdicts = part.verdicts(rows)
    assert part.tables(rows)
    assert all(isinstance(verdict, Verdict) for verdict in verdicts)
    if name not in WITHOUT_VERDICT:
        assert [v for v in verdicts if not v.holds] == []
