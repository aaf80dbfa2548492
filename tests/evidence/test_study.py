"""The study of which method wins where: its arithmetic, its cases, and its page."""

import numpy as np
import pytest

from evidence import data
from evidence.study import analysis, cases, collect, judge, tables, ways

SETS = data.Sets()


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


def test_splits_are_averaged_before_methods_are_compared():
    rows = [result("t", 0, "a", 0.9), result("t", 1, "a", 0.5)]
    rows += [result("t", 0, "b", 0.8), result("t", 1, "b", 0.8)]
    rows += [result("u", 0, "a", 0.4), result("u", 0, "b", 0.3)]
    found = analysis.Results(rows).duel("a", "b", "1-NN")
    assert (found.won, found.lost, found.mean) == (1, 1, pytest.approx(0))


def test_a_method_gains_nothing_from_being_run_on_easy_splits_only():
    rows = [result("t", 0, "a", 0.9), result("t", 1, "a", 0.5)]
    rows += [result("t", 0, "b", 0.8)]  # behind a by a tenth where both were run
    assert analysis.Results(rows).differences("b", "a") == {"t": pytest.approx(-0.1)}


def test_tables_that_a_method_was_not_run_on_do_not_count():
    rows = [result("t", 0, "a", 0.9), result("t", 0, "b", 0.8), result("u", 0, "b", 0)]
    found = analysis.Results(rows).duel("a", "b")
    assert (found.won, found.lost, found.mean) == (1, 0, pytest.approx(0.1))


def test_accuracy_is_the_mean_over_the_sizes_that_were_judged_and_over_judges():
    row = result("t", 0, "a", 0.6)
    row["10"] = {"1-NN": 0.9, "logistic": 0.9, "boosting": 0.6}
    del row["20"]
    found = analysis.Results([row, result("t", 0, "b", 0.5)])
    assert found.differences("a", "b", "1-NN") == {"t": pytest.approx(0.25)}
    assert found.differences("a", "b") == {"t": pytest.approx(0.2)}


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
    assert analysis.Results(same).stability("a", 5) == pytest.approx(1)
    rng = np.random.default_rng(0)
    drawn = [result("t", s, "a", 0, rng.permutation(50)[:5]) for s in range(80)]
    assert analysis.Results(drawn).stability("a", 5) == pytest.approx(0, abs=0.02)
    assert np.isnan(analysis.Results(same[:1]).stability("a", 5))


def test_redundancy_of_copies_is_one():
    x = np.random.default_rng(0).normal(size=(100, 1))
    assert judge.redundancy(np.hstack([x, -x])) == pytest.approx(1)
    constant = np.zeros((100, 1))
    assert judge.redundancy(np.hstack([x, constant])) == 0


def test_a_case_is_ranked_by_training_rows_and_judged_on_others():
    found = cases.measure({"table": "wine", "split": 0, "way": "F-test"}, SETS)
    split = judge.split("wine", 0, SETS)
    assert [len(split.X) + len(split.Z), len(split.y)] == [178, len(split.X)]
    assert found["order"] == ways.WAYS["F-test"](split, 10).tolist()
    assert {"5", "10", "20"} & set(found) == {"5", "10"}
    assert 0.8 < found["5"]["1-NN"] <= 1


def test_one_nearest_neighbour_is_that_of_scikit_learn():
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    X, y, _, _, Z, labels = judge.split("wine", 1, SETS)
    model = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)).fit(X[:, :4], y)
    found = judge.scores("wine", 1, SETS, (0, 1, 2, 3))
    assert found["1-NN"] == pytest.approx(model.score(Z[:, :4], labels))


def test_numeric_targets_are_judged_by_r2():
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y, _, _, Z, values = judge.split("diabetes", 0, SETS)
    model = make_pipeline(StandardScaler(), Ridge()).fit(X[:, [2, 8]], y)
    found = judge.scores("diabetes", 0, SETS, (2, 8))
    assert found["ridge"] == pytest.approx(model.score(Z[:, [2, 8]], values))
    assert judge.scores("diabetes", 0, SETS, (1,))["5-NN"] >= 0


def test_a_nominal_feature_has_a_column_for_each_level():
    X = np.array([[0.5, 2], [0.1, 0], [0.2, 2], [0.9, 1]])
    columns, owners = judge.indicators(X, (1,), (0, 1))
    assert owners.tolist() == [0, 1, 1, 1]
    assert columns[:, 1:].tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0]]


def mixed_split(numeric):
    """A split in which a number and a nominal feature with three levels matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 8))
    X[:, 3] = rng.integers(0, 3, 90)
    target = X[:, 1] + 3 * (X[:, 3] == 1)
    y = target if numeric else (target > 1).astype(int)
    return judge.Split(X, y, None, (3,), X, y)


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("way", ["KernelRFE", "MRMR", "F-test", "L1", "RFE", "random"])
def test_methods_rank_every_feature_once_nominal_ones_too(way, numeric):
    rank = (ways.NUMERIC_WAYS if numeric else ways.WAYS)[way]
    order = rank(mixed_split(numeric), 5).tolist()
    assert sorted(order) == list(range(8))
    if way not in ("random", "MRMR"):
        assert set(order[:2]) == {1, 3}


def test_all_methods_of_a_pass_are_run_on_all_tables():
    found = [*cases.cases(quick=False)]
    counts = {way: sum(case["way"] == way for case in found) for way in ways.WAYS}
    n = len(tables.SIZES) + len(tables.MADE) + len(tables.FRESH)
    assert counts["ReliefF"] == 3 * n
    assert counts["AutoSelector"] == counts["Relief"] == n
    assert counts["KernelRFE"] == 3 * (n + len(tables.NUMERIC))


def test_no_fresh_table_is_a_design_table_or_a_named_one():
    names = [entry.name for entry in data.list()]
    assert not {*tables.FRESH, *collect.NUMBERS} & {*tables.SIZES, *names}
