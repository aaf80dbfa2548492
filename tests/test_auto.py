"""AutoSelector: one rule, said the same everywhere, with an honest score."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from sklearn.datasets import load_iris
from sklearn.model_selection import ShuffleSplit, TimeSeriesSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from widemargin import AutoSelector, ReliefF
from widemargin.baselines import FisherScore
from widemargin.data.dataset import read_dataset
from widemargin.datasets import make_xor
from widemargin.evaluation import compare
from widemargin.evaluation._selection_curve import plan_for
from widemargin.evaluation._stability import stability
from widemargin.evaluation._verdicts import directions, numeric_directions
from widemargin.judging.choice import choose
from widemargin.judging.recommend import (
    Configuration,
    Evidence,
    paired_p_value,
    stabilities,
)
from widemargin.judging.splits import repeats_of
from widemargin.judging.trials import NESTED_ROWS, carry_out

QUICK = ["ReliefF", "FisherScore"]


@pytest.mark.filterwarnings("ignore:AutoSelector. no signal:UserWarning")
@parametrize_with_checks([AutoSelector("FisherScore", cv=2)])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def evidence(scores, stability, sizes, repeat=(0, 0, 0, 0, 0)):
    V = len(repeat)
    configurations = [Configuration("a", None, k) for k in sizes]
    return Evidence(
        configurations,
        np.asarray(scores, float) + np.zeros((V, 1)),
        np.asarray(stability, float),
        np.full(V, 0.5),
        np.array(repeat),
        np.full(V, 20),
        np.full(V, 80),
        {},
        50,
    )


def test_of_what_is_as_good_the_most_stable_is_taken():
    # One standard error of .90 of 100 rows is .03.
    found = evidence([0.90, 0.88, 0.88, 0.80], [0.5, 0.9, 0.9, 1.0], [9, 7, 5, 1])
    assert found.recommend().configuration.n_features == 5
    found = evidence([0.90, 0.88, 0.88, 0.80], [0.5, 0.9, 0.8, 1.0], [9, 7, 5, 1])
    assert found.recommend().configuration.n_features == 7


def test_without_stabilities_the_smallest_is_taken():
    scores, errors = np.array([0.90, 0.88, 0.88, 0.80]), np.full(4, 0.03)
    sizes = np.array([9, 7, 5, 1])
    assert choose(scores, errors, sizes) == 2
    assert choose(scores, errors, sizes, np.array([0.5, 0.9, 0.8, 1.0])) == 1
    # Which of two best scores is higher may be rounding; then the first one counts.
    close, errors = np.array([0.9, 0.9 + 1e-12, 0.88]), np.array([0.03, 0.01, 0.01])
    assert choose(close, errors, np.array([9, 7, 5]), tie=1e-9) == 2
    assert choose(close, errors, np.array([9, 7, 5])) == 1


def test_with_a_given_number_of_features_the_highest_score_decides():
    found = evidence([0.88, 0.90, 0.90], [1.0, 0.5, 0.6], [5, 5, 5])
    same = [
        Configuration("a", None, 5),
        Configuration("b", None, 5),
        Configuration("c", None, 5),
    ]
    found = replace(found, configurations=same)
    assert found.recommend().configuration.method == "c"


def test_all_features_are_taken_if_nothing_else_comes_close():
    found = evidence([0.9, 0.7], [-np.inf, 1.0], [50, 3])
    assert found.recommend().configuration.n_features == 50


def test_all_features_are_taken_if_they_are_better_in_the_same_folds():
    # Folds differ by far more than what is selected in them, so that three features
    # are within one standard error of all; but in each fold they are worse.
    hard = np.array([0.4, 0.9, 0.5, 0.8, 0.65])[:, None]
    worse = np.array([0.06, 0.02, 0.04, 0.03, 0.05])[:, None]
    scores = np.hstack([hard, hard - worse])
    found = evidence(scores, [-np.inf, 1.0], [50, 3])
    named = [Configuration("a", None, 50), Configuration("b", 0.9, 3)]
    found = replace(found, configurations=named, score_all=hard[:, 0])
    told = found.recommend()
    assert told.configuration == Configuration("b", None, 50)
    assert told.score == pytest.approx(hard.mean())
    assert not told.better_than_all
    assert found.selected(told.configuration).all()
    # As often better as worse, and hardly worse on average: nothing is lost.
    luck = np.array([0.06, -0.06, 0.05, -0.05, 0.01])[:, None]
    mixed = replace(found, scores=np.hstack([hard, hard - luck]))
    assert mixed.recommend().configuration == Configuration("b", 0.9, 3)


def test_the_score_is_what_the_other_folds_choose():
    # In each fold another configuration is lucky.
    lucky = np.eye(5)
    found = evidence(lucky, np.zeros(5), [1, 2, 3, 4, 5]).recommend()
    assert found.judged == pytest.approx(0.2)
    assert found.score == pytest.approx(0.0)


def of_methods(scores, labels, repeat=(0, 0, 0, 0, 0)):
    """Evidence of several methods, each with one configuration of five features."""
    found = evidence(scores, np.zeros(len(labels)), [5] * len(labels), repeat)
    each = [Configuration(label, None, 5) for label in labels]
    return replace(found, configurations=each)


def test_methods_that_are_clearly_behind_are_found():
    rng = np.random.default_rng(0)
    best = 0.8 + 0.05 * rng.standard_normal(5)
    close = best - np.array([0.02, -0.02, 0.03, 0.01, -0.01])
    behind = best - np.array([0.02, 0.01, 0.03, 0.01, 0.02])
    found = of_methods(np.column_stack([close, best, behind]), ["a", "b", "c"])
    assert found.clearly_behind() == {"c"}
    # With sizes to choose among, one standard error counts as good as the best.
    several = replace(
        found,
        configurations=[
            c._replace(n_features=k) for k, c in enumerate(found.configurations, 1)
        ],
    )
    assert several.clearly_behind() == set()


def test_the_race_needs_more_than_one_fold():
    assert of_methods([[0.9, 0.1]], ["a", "b"], repeat=[0]).clearly_behind() == set()


def test_the_score_is_corrected_where_all_methods_compete():
    # The first repeat finds another method lucky in each fold; only one goes on.
    first = of_methods(np.eye(5), list("abcde"))
    alone = of_methods(np.full((5, 1), 0.5), ["c"])
    assert alone.recommend().score == pytest.approx(0.5)
    # With what the other folds recommend, each fold scores 0.
    assert alone.recommend(first).score == pytest.approx(0.0)


def test_methods_out_of_the_race_are_spared_the_later_folds():
    fits = Counter()

    def counted(method):
        class Counted(method):
            def _score(self, table, workers):
                fits[method.__name__] += 1
                return super()._score(table, workers)

        return Counted()

    X, y = make_xor(NESTED_ROWS + 1, random_state=0)
    methods = {m.__name__: counted(m) for m in (ReliefF, FisherScore)}
    auto = AutoSelector(methods, n_features_to_select=3, random_state=0, n_jobs=1)
    auto.fit(X, y)
    assert auto.method_ == "ReliefF"
    assert fits == {"ReliefF": 15 + 1, "FisherScore": 5}  # the last to all rows


def test_the_score_is_what_is_chosen_without_the_rows_of_each_fold():
    # Without the rows of fold v, configuration v does best.
    scores = np.arange(25.0).reshape(5, 5) / 100
    nested = tuple(
        evidence(np.eye(5)[v], [0.5] * 5, [5] * 5, (0,) * 4) for v in range(5)
    )
    found = replace(evidence(scores, [0.5] * 5, [5] * 5), nested=nested)
    assert found._honest() == pytest.approx(np.diag(scores).mean())
    # The same among some of the configurations: without the fourth, another is taken.
    some = found._some([0, 1, 2, 4])
    assert some._honest() == pytest.approx(np.mean([0.0, 0.06, 0.12, 0.15, 0.24]))


def carried_out(selectors, data, cv, estimator=None, **options):
    """Nested trials, fold by fold."""
    plan = plan_for(selectors, data, (estimator, None), cv, None, 0, **options)
    return carry_out(replace(plan, nested=True), 1, 0, "test")


def rows_of(results):
    folds = results.plan.folds
    return [(set(train.tolist()), set(test.tolist())) for train, test in folds]


def test_small_tables_are_tried_without_the_rows_of_each_fold():
    X, y = make_xor(60, random_state=0)
    data = read_dataset(X, y, "test", numeric=False)
    results = carried_out(QUICK, data, 5, repeats=2)
    assert len(results.inner) == 5
    for (_, out), inner in zip(rows_of(results), results.inner, strict=False):
        tests = [test for _, test in rows_of(inner)]
        assert len(tests) == 4
        assert set.union(*tests) == set(range(60)) - out
        for train, test in rows_of(inner):
            assert train == set(range(60)) - out - test
    found = results.evidence()
    assert [e.configurations for e in found.nested] == [found.configurations] * 5


def test_two_folds_without_each_other_are_ranked_once():
    fitted = []

    class Noted(FisherScore):
        def _score(self, table, workers):
            fitted.append(table.X.tobytes())
            return super()._score(table, workers)

    X, y = make_xor(60, random_state=0)
    data = read_dataset(X, y, "test", numeric=False)
    results = carried_out(Noted(), data, 5)
    assert sum(len(inner.trials) for inner in results.inner) == 2 * 5 * 4
    assert len(fitted) == len(set(fitted)) == 5 + 5 * 4 // 2


def test_folds_that_are_no_partition_are_not_left_out_in_turn():
    X, y = make_xor(60, random_state=0)
    data = read_dataset(X, y, "test", numeric=False)
    for cv in (TimeSeriesSplit(4), ShuffleSplit(4, random_state=0), 2):
        results = carried_out("FisherScore", data, cv)
        assert results.inner == []


def test_a_classifier_that_needs_more_rows_is_judged_without_leaving_folds_out():
    X, y = make_xor(60, random_state=0)
    data = read_dataset(X, y, "test", numeric=False)
    many = KNeighborsClassifier(40)  # 48 rows train it, 36 without another fold
    results = carried_out("FisherScore", data, 5, many)
    assert results.inner == []
    assert results.evidence().nested == ()


def test_labels_that_classifiers_cannot_sort_are_refused():
    y = np.array(["a", 1] * 20, dtype=object)
    X = np.random.default_rng(0).normal(size=(40, 3))
    told = r"AutoSelector needs labels of one type, .* y has 1, 'a'\. Make them text"
    with pytest.raises(ValueError, match=told):
        AutoSelector(["FisherScore"], random_state=0).fit(X, y)


def test_stabilities_are_nogueiras_index():
    rng = np.random.default_rng(0)
    orders = [rng.permutation(12) for _ in range(6)]
    sizes = np.array([1, 3, 8])
    for k, value in zip(sizes, stabilities(orders, sizes, 12), strict=True):
        Z = np.zeros((6, 12), bool)
        for v, order in enumerate(orders):
            Z[v, order[:k]] = True
        assert value == pytest.approx(stability(Z).value)


def test_repeats_are_told_by_the_rows_they_test():
    tests = [np.array([0, 1]), np.array([2, 3]), np.array([0, 2]), np.array([1, 3])]
    assert repeats_of(tests, 4).tolist() == [0, 0, 1, 1]


def test_the_paired_test_is_that_of_nadeau_and_bengio():
    differences = np.array([0.1, 0.05, -0.02, 0.08, 0.03])
    t = differences.mean() / np.sqrt((1 / 5 + 1 / 4) * differences.var(ddof=1))
    from scipy.stats import t as student

    p = paired_p_value(differences, np.full(5, 20), np.full(5, 80))
    assert p == pytest.approx(student.sf(t, 4))


def test_auto_selector_and_compare_say_the_same():
    X, y = make_xor(200, random_state=0)
    auto = AutoSelector(QUICK, random_state=0).fit(X, y)
    assert auto.method_ == "ReliefF"
    assert auto.get_support(indices=True).tolist() == [0, 1, 2]
    assert auto.better_than_all_
    assert auto.signal_
    c = compare(X, y, QUICK, n_permutations=0, n_resamples=5, random_state=0)
    assert (c.best, c.n_features) == (auto.method_, auto.n_features_)
    assert sorted(c.selected.tolist()) == [0, 1, 2]
    assert c.features["feature"].tolist() == [
        f"x{f}" for f in np.argsort(auto.ranking_)
    ]
    assert set(c.features["verdict"][:3]) == {"tentative"}
    assert set(c.features["verdict"][3:]) == {"rejected"}


def test_copies_are_named():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    a = rng.normal(size=120) + 2 * y
    X = pd.DataFrame({"a": a, "b": 2 * a + 1, "c": rng.normal(size=120)})
    auto = AutoSelector(
        QUICK, redundancy=0.9, n_features_to_select=1, random_state=0
    ).fit(X, y)
    frame = auto.features_.set_index("feature")
    copied, kept = ("b", "a") if auto.support_[0] else ("a", "b")
    assert f"near copy of {kept}" in frame.loc[copied, "why"]
    assert frame.loc[kept, "direction"] == 1
    assert frame.loc[kept, "auc"] > 0.9


def test_on_noise_nothing_is_kept():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 10)), rng.permutation(np.arange(60) % 2)
    with pytest.warns(UserWarning, match="no signal"):
        auto = AutoSelector("FisherScore", random_state=0).fit(X, y)
    assert not auto.signal_
    assert set(auto.features_["verdict"]) == {"rejected"}
    c = compare(X, y, "FisherScore", n_permutations=0, n_resamples=0, random_state=0)
    assert c.signal is False
    assert len(c.selected) == 0
    assert "No signal" in c.answer


def test_any_classifier_size_and_groups():
    X, y = load_iris(return_X_y=True)
    groups = np.arange(150) // 5
    auto = AutoSelector(
        [ReliefF(), "FisherScore"],
        estimator="tree",
        scoring="balanced_accuracy",
        cv=2,
        n_features_to_select=2,
        random_state=0,
    ).fit(X, y, groups=groups)
    assert auto.n_features_ == 2
    assert auto.score_ > 0.8
    assert auto.transform(X).shape == (150, 2)


def test_directions_refer_to_the_rarer_class():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] > 0.6, "ja", "nein")
    auto = AutoSelector("FisherScore", n_features_to_select=1, random_state=0).fit(X, y)
    assert auto.positive_ == "ja"
    first = auto.features_.iloc[0]
    assert (first["feature"], first["direction"], first["auc"]) == ("x0", 1, 1.0)


def test_direction_of_two_and_of_ordered_classes():
    X = np.array([[1.0, 3.0, np.nan], [2, 2, 1.0], [3, 1, 1.0]])
    X, codes = np.repeat(X, 4, axis=0), np.repeat([0, 1, 2], 4)
    sign, auc = directions(X, codes, 3)
    assert sign.tolist() == [1, -1, 0]
    assert auc.tolist() == [1.0, 0.0, 0.5]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("digits", [0, 6])  # with ties, and without
def test_a_direction_is_what_kendalls_test_finds(n_classes, digits):
    rng = np.random.default_rng(n_classes)
    X, codes = rng.normal(size=(60, 100)), rng.integers(n_classes, size=60)
    X[:, 50:] += codes[:, None] / n_classes
    X = X.round(digits)
    found = [kendalltau(x, codes, method="asymptotic") for x in X.T]
    expected = [np.sign(f.statistic) * (f.pvalue < 0.05) for f in found]
    sign, _ = directions(X, codes, n_classes)
    assert sign.tolist() == expected
    assert 0 < np.abs(sign).sum() < 100
    numeric, _ = numeric_directions(X, codes.astype(float))
    assert numeric.tolist() == expected


def test_names_of_groups_are_warned_of():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(20), 3)
    X = pd.DataFrame({"a": rng.standard_normal(60), "b": rng.standard_normal(60)})
    X["site"] = pd.Categorical([f"s{g}" for g in group])
    with pytest.warns(UserWarning, match="values of 'site' occurs in one class only"):
        AutoSelector("ReliefF", cv=3, random_state=0).fit(X, group % 3 % 2)


@pytest.mark.parametrize(
    ("sizes", "given", "name"),
    [
        ((30, 30), None, "accuracy"),
        ((60, 6), None, "balanced_accuracy"),
        ((30, 30), "roc_auc", "roc_auc"),
        ((30, 30, 30), "roc_auc", "roc_auc_ovr"),
    ],
)
def test_the_score_that_was_used_is_told(sizes, given, name):
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.default_rng(0).standard_normal((len(y), 3)) + y[:, None]
    auto = AutoSelector(["FisherScore"], scoring=given, cv=3, random_state=0)
    assert auto.fit(X, y).scoring_ == name


def test_the_score_of_a_numeric_target_is_told():
    X = np.random.default_rng(0).standard_normal((60, 3))
    auto = AutoSelector(["RReliefF"], cv=3, random_state=0).fit(X, 5 * X[:, 0])
    assert auto.scoring_ == "r2"


def test_too_few_groups_reject_nothing():
    """Four groups cannot show a signal; that is no evidence of absence."""
    who = np.repeat(np.arange(4), 12)
    y = who % 2
    X = np.random.default_rng(0).standard_normal((48, 4)) + 2 * y[:, None]
    auto = AutoSelector(["FisherScore"], cv=2, random_state=0)
    with pytest.warns(UserWarning, match="AutoSelector: Whether there is a signal"):
        auto.fit(X, y, groups=who)
    assert auto.signal_ is None
    assert (auto.features_["verdict"] != "rejected").any()
