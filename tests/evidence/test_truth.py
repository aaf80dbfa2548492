"""A small version of what docs/truth.md promises."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.inspection import partial_dependence

from evidence.data import Sets
from evidence.framework.pages import DOCS
from evidence.framework.running import run
from evidence.framework.store import Stores
from evidence.framework.verdicts import Verdict
from evidence.truth import agreement
from evidence.truth.__main__ import SUBJECT
from evidence.truth.h_statistic import h_statistics
from evidence.truth.parts import PARTS, answer, interactions_beside

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


def test_h_is_what_partial_dependence_leaves_of_two_features():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    model = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, y)
    told = [
        partial_dependence(model, X, features, method="recursion", grid_resolution=9)
        for features in ([0, 1], [0], [1])
    ]
    both, a, b = (one["average"][0] - one["average"][0].mean() for one in told)
    grid = np.zeros((81, 3))
    values = np.meshgrid(*told[0]["grid_values"], indexing="ij")
    grid[:, :2] = np.column_stack([each.ravel() for each in values])
    H, undivided = h_statistics(model, grid)
    beyond = both - a[:, None] - b
    size = np.sqrt(np.mean(beyond**2))
    assert model.learning_rate * undivided[0, 1] == pytest.approx(size, rel=1e-5)
    assert H[0, 1] == pytest.approx(
        np.linalg.norm(beyond) / np.linalg.norm(both), rel=1e-5
    )


def test_h_of_a_sum_of_stumps_is_zero():
    X = np.random.default_rng(0).normal(size=(200, 3))
    stumps = GradientBoostingRegressor(n_estimators=20, max_depth=1, random_state=0)
    H, undivided = h_statistics(stumps.fit(X, X[:, 0] * X[:, 1] + X[:, 2]), X)
    assert not H.any()
    assert not undivided.any()


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.9), (0.2, 0.75)])
def test_conditions_without_a_pair_have_the_shares_of_those_with_one(low, high):
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 400_000)) < 0.4
    y = interactions_beside._same_shares(rng, a, b, 0.4, low, high)
    assert y[~a].mean() == pytest.approx(low, abs=0.005)
    assert y[a].mean() == pytest.approx(0.6 * low + 0.4 * high, abs=0.005)
    odds = [y[(a == i) & (b == j)].mean() for i in (0, 1) for j in (0, 1)]
    none, one, other, both = np.log(odds) - np.log1p(-np.array(odds))
    assert none + both == pytest.approx(one + other, abs=0.25)


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
