"""The study of which method wins where: its arithmetic, its cases, and its page."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

pytest.importorskip("matplotlib")

from study import analysis, figures, judge, page, run, tables, ways  # noqa: E402


def result(table, split, way, accuracy, order=(0, 1, 2, 3, 4)):
    scores = dict.fromkeys(judge.CLASSIFIERS, accuracy)
    return {
        "table": table,
        "split": split,
        "way": way,
        "order": [*order],
        "n_features": 50,
        "seconds": 1.0,
        "redundancy": 0.5,
        "5": scores,
        "10": scores,
        "20": scores,
    }


def test_the_critical_difference_is_that_of_the_literature():
    """Demšar 2006, sect. 3.2.2: 4 classifiers, 14 data sets, 1.25."""
    rng = np.random.default_rng(0)
    rows = [result(t, 0, w, rng.random()) for t in range(14) for w in "abcd"]
    found = analysis.ranks(rows, "abcd", "1-NN", 5)
    assert found.n_tables == 14
    assert found.critical == pytest.approx(1.25, abs=0.005)


def test_splits_are_averaged_before_methods_are_ranked():
    rows = [result("t", 0, "a", 0.9), result("t", 1, "a", 0.5)]
    rows += [result("t", 0, "b", 0.8), result("t", 1, "b", 0.8)]
    rows += [result("t", s, "c", 0.1) for s in range(2)]
    rows += [{**row, "table": "u"} for row in rows]
    found = analysis.ranks(rows, "abc", "logistic", 10)
    assert found.mean.tolist() == [2, 1, 3]
    assert found.accuracy == pytest.approx([0.7, 0.8, 0.1])


def test_a_method_gains_nothing_from_being_run_on_easy_splits_only():
    rows = [result("t", 0, "a", 0.9), result("t", 1, "a", 0.5)]
    rows += [result("t", 0, "b", 0.8)]  # behind a by a tenth where both were run
    assert analysis.accuracies(rows, "ab", "1-NN", 5) == pytest.approx(
        np.array([[0.7, 0.6]])
    )


def test_tables_that_a_method_was_not_run_on_do_not_count():
    rows = [result("t", 0, "a", 0.9), result("t", 0, "b", 0.8), result("u", 0, "b", 0)]
    assert len(analysis.complete(rows, ["a", "b"])) == 2
    found = analysis.duel(rows, "a", "b", "1-NN")
    assert (found.won, found.lost, found.mean) == (1, 0, pytest.approx(0.1))


def test_without_a_size_accuracy_is_the_mean_over_those_that_were_judged():
    row = result("t", 0, "a", 0.6)
    row["10"] = dict.fromkeys(judge.CLASSIFIERS, 0.9)
    del row["20"]
    assert analysis.accuracies([row], "a", "1-NN") == pytest.approx(0.75)


def test_bars_join_the_largest_runs_within_the_critical_difference():
    mean = np.array([6.0, 1.0, 2.0, 3.5, 9.0])
    found = analysis.Ranks(tuple("abcde"), mean, mean, 10, 0.0, 2.6)
    assert analysis.cliques(found) == [(0, 2), (2, 3)]


def test_the_signed_rank_test_is_that_of_scipy():
    from scipy.stats import wilcoxon

    found = np.random.default_rng(0).normal(0.3, 1, 20)
    expected = wilcoxon(found, method="exact").pvalue
    assert analysis.signed_rank_p(found) == pytest.approx(expected)
    assert analysis.signed_rank_p(np.array([0, 1, 1, 1.0])) == pytest.approx(2 / 8)
    assert analysis.signed_rank_p(np.zeros(3)) == 1


def test_p_values_are_corrected_by_holm():
    """Of 3: the least times 3, then times 2, never below one before."""
    assert analysis.holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])


def test_stability_is_one_for_equal_sets_and_none_for_chance():
    same = [result("t", s, "a", 0.5) for s in range(3)]
    assert analysis.stability(same, "a", 5) == pytest.approx(1)
    rng = np.random.default_rng(0)
    drawn = [result("t", s, "a", 0, rng.permutation(50)[:5]) for s in range(80)]
    assert analysis.stability(drawn, "a", 5) == pytest.approx(0, abs=0.02)
    assert np.isnan(analysis.stability(same[:1], "a", 5))


def test_redundancy_of_copies_is_one():
    x = np.random.default_rng(0).normal(size=(100, 1))
    assert judge.redundancy(np.hstack([x, -x])) == pytest.approx(1)
    constant = np.zeros((100, 1))
    assert judge.redundancy(np.hstack([x, constant])) == 0


def test_a_case_is_ranked_by_training_rows_and_judged_on_others():
    found = run.measure({"table": "wine", "split": 0, "way": "F-test"}, None)
    X, y, _, Z, labels = judge.split("wine", 0, None)
    assert [len(X) + len(Z), len(y), len(labels)] == [178, len(X), len(Z)]
    assert found["order"] == ways.f_test(X, y, None, 10).tolist()
    assert {"5", "10", "20"} & set(found) == {"5", "10"}
    assert 0.8 < found["5"]["1-NN"] <= 1


def test_one_nearest_neighbour_is_that_of_scikit_learn():
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    X, y, _, Z, labels = judge.split("wine", 1, None)
    model = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)).fit(X[:, :4], y)
    found = judge.accuracies("wine", 1, None, (0, 1, 2, 3))
    assert found["1-NN"] == pytest.approx(model.score(Z[:, :4], labels))


@pytest.mark.parametrize("name", ["f_test", "lasso", "rfe", "chance", "permutation"])
def test_what_people_use_ranks_every_feature_once(name):
    X, y, groups, _, _ = judge.split("wine", 0, None)
    order = getattr(ways, name)(X, y, groups, 5)
    assert sorted(order.tolist()) == list(range(13))


def test_costly_methods_are_run_on_the_first_splits_of_all_tables():
    found = [*run.cases(4, 2)]
    counts = {way: sum(case["way"] == way for case in found) for way in ways.WAYS}
    n = len(tables.SIZES) + len(tables.MADE)
    assert counts["ReliefF"] == 4 * n
    assert counts["AutoSelector"] == counts["Boruta"] == 2 * n


def test_every_public_table_is_in_one_group():
    grouped = [name for names in tables.GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(tables.SIZES)


def test_the_page_is_the_one_that_the_stored_results_give():
    text = (page.DOCS / "study.md").read_text(encoding="utf-8")
    assert text == page.page(page.stored())


def test_the_decision_page_has_the_table_that_the_stored_results_give():
    text = (page.DOCS / "which-method.md").read_text(encoding="utf-8")
    assert figures.summary(page.stored()) in text
