"""AutoSelector: what it keeps, refuses, warns of and says."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from scipy.stats import t as student
from sklearn.datasets import load_iris
from sklearn.model_selection import ShuffleSplit
from sklearn.utils.estimator_checks import parametrize_with_checks

from widemargin import AutoSelector, ReliefF
from widemargin.baselines import FCBF
from widemargin.evaluation import compare
from widemargin.evaluation._verdicts import directions, numeric_directions
from widemargin.judging.recommend import paired_p_value
from widemargin.judging.scores import choose, fold_variance, repeats_of

QUICK = ["ReliefF", "FisherScore"]


@pytest.mark.filterwarnings("ignore:AutoSelector. no signal:UserWarning")
@pytest.mark.filterwarnings("ignore:AutoSelector. .*copy of the target:UserWarning")
@parametrize_with_checks([AutoSelector("FisherScore", cv=2)])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_of_what_is_as_good_the_smallest_is_taken():
    scores, errors = np.array([0.90, 0.88, 0.88, 0.80]), np.full(4, 0.03)
    assert choose(scores, errors, np.array([9, 7, 5, 1])) == 2
    # With one size there is nothing to save: the best score decides.
    assert choose(scores[::-1], errors, np.full(4, 5)) == 3
    # Which of two best scores is higher may be rounding; then the first one counts.
    close, errors = np.array([0.9, 0.9 + 1e-12, 0.88]), np.array([0.03, 0.01, 0.01])
    assert choose(close, errors, np.array([9, 7, 5])) == 2


def test_labels_that_classifiers_cannot_sort_are_refused():
    y = np.array(["a", 1] * 20, dtype=object)
    X = np.random.default_rng(0).normal(size=(40, 3))
    told = r"AutoSelector needs labels of one type, .* y has 1, 'a'\. Make them text"
    with pytest.raises(ValueError, match=told):
        AutoSelector(["FisherScore"], random_state=0).fit(X, y)


def test_repeats_are_told_by_the_rows_they_test():
    tests = [np.array([0, 1]), np.array([2, 3]), np.array([0, 2]), np.array([1, 3])]
    assert repeats_of(tests, 4).tolist() == [0, 0, 1, 1]


def test_repeats_do_not_make_a_score_more_certain():
    scores = np.array([0.8, 0.9, 0.85, 0.85])
    once = fold_variance(scores[:2], np.zeros(2, int))
    twice = fold_variance(scores, np.array([0, 0, 1, 1]))
    assert twice == pytest.approx(once / 2)  # the mean of both repeats
    # Random splits, none of which completes another one, count as one repeat.
    assert fold_variance(scores, np.arange(4)) == pytest.approx(scores.var(ddof=1) / 4)


def test_the_paired_test_is_that_of_nadeau_and_bengio():
    differences = np.array([0.1, 0.05, -0.02, 0.08, 0.03])
    t = differences.mean() / np.sqrt((1 / 5 + 1 / 4) * differences.var(ddof=1))
    p = paired_p_value(differences, [(np.arange(80), np.arange(20))] * 5)
    assert p == pytest.approx(student.sf(t, 4))


def test_copies_are_named():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    a = rng.normal(size=120) + 2 * y
    X = pd.DataFrame({"a": a, "b": 2 * a + 1, "c": rng.normal(size=120)})
    auto = AutoSelector(QUICK, n_features_to_select=1, random_state=0).fit(X, y)
    frame = auto.features_.set_index("feature")
    copied, kept = ("b", "a") if auto.support_[0] else ("a", "b")
    assert f"near copy of {kept}" in frame.loc[copied, "why"]
    assert frame.loc[copied, ["verdict", "copy_of"]].tolist() == ["copy", kept]
    assert frame.loc[kept, "direction"] == 1
    assert frame.loc[kept, "auc"] > 0.9


def test_on_noise_nothing_is_kept():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 10)), rng.permutation(np.arange(60) % 2)
    with pytest.warns(UserWarning, match="no signal"):
        auto = AutoSelector("FisherScore", random_state=0).fit(X, y)
    assert not auto.signal_
    assert auto.n_features_ >= 1
    assert set(auto.features_["verdict"]) == {"kept", "not relevant"}
    assert not auto.features_["relevant"].any()
    c = compare(X, y, "FisherScore", random_state=0)
    assert c.signal is False
    assert set(c.features["verdict"]) == {"not relevant"}
    assert len(c.relevant) == 0
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
    X[-1, 0] = X[:, 0].min() if y[-1] == "ja" else X[:, 0].max()  # no leak
    auto = AutoSelector("FisherScore", n_features_to_select=1, random_state=0).fit(X, y)
    assert auto.positive_ == "ja"
    first = auto.features_.iloc[0]
    assert (first["feature"], first["direction"]) == ("x0", 1)
    assert 0.9 < first["auc"] < 1


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
    auto = AutoSelector(["RReliefF"], cv=3, random_state=0).fit(X, X[:, 0] + X[:, 1])
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
    assert auto.relevance_ is None
    assert set(auto.features_["verdict"]) <= {"kept", "copy", "not tested"}


def blurred(n=60, d=4, seed=0):
    """Two classes that the first feature tells apart, but for some rows."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), np.arange(n) % 2
    X[:, 0] += 2 * y
    return X, y


def test_one_feature_is_kept():
    X, y = blurred(d=1)
    auto = AutoSelector(random_state=0).fit(X, y)
    assert auto.support_.tolist() == [True]
    assert auto.score_ == pytest.approx(auto.score_all_)
    assert np.isnan(auto.stability_)


@pytest.mark.filterwarnings("ignore:AutoSelector. no signal:UserWarning")
@pytest.mark.parametrize("methods", [None, QUICK])
def test_constants_are_kept_only_if_there_is_nothing_else(methods):
    X, y = blurred(d=3)
    X[:, 1] = 7
    auto = AutoSelector(methods, random_state=0).fit(X, y)
    assert not auto.support_[1]
    frame = auto.features_.set_index("feature")
    assert frame.loc["x1", ["verdict", "why"]].tolist() == ["not relevant", "constant"]
    with pytest.warns(UserWarning, match="no signal"):
        auto.fit(np.ones((60, 3)), y)
    assert auto.n_features_ >= 1


def test_a_class_of_one_row_is_left_to_training():
    X, y = blurred()
    y[0] = 2
    auto = AutoSelector(random_state=0).fit(X, y)
    assert auto.support_[0]


def test_one_fold_is_enough():
    X, y = blurred()
    fold = [(np.arange(40), np.arange(40, 60))]
    for methods in (None, QUICK):
        auto = AutoSelector(methods, cv=fold, random_state=0).fit(X, y)
        assert auto.recommendation_.fold_scores.shape == (1,)
        assert auto.support_[0]
        assert np.isnan(auto.stability_)
        assert not auto.better_than_all_


def test_folds_that_share_test_rows():
    X, y = blurred()
    splits = ShuffleSplit(6, test_size=0.5, random_state=0)
    auto = AutoSelector(QUICK, cv=splits, random_state=0).fit(X, y)
    assert auto.score_stderr_ > 0
    assert auto.score_ == pytest.approx(auto.recommendation_.fold_scores.mean())


def test_an_iterator_of_folds_serves_for_both_answers():
    X, y = blurred()
    X = np.column_stack([X, y])
    folds = ((np.setdiff1d(np.arange(60), t), t) for t in np.split(np.arange(60), 3))
    with pytest.warns(UserWarning, match="copy of the target"):
        auto = AutoSelector(["FisherScore"], cv=folds, random_state=0).fit(X, y)
    assert "x0" in auto.without_leaks_
    assert "x4" not in auto.without_leaks_


def test_copies_come_in_only_if_more_features_are_asked_for():
    X, y = blurred()
    X = np.column_stack([X, 2 * X])
    for methods, k in ((None, 6), ("FisherScore", 0.75)):
        auto = AutoSelector(methods, cv=2, random_state=0).fit(X, y)
        assert auto.n_features_ <= 4
        auto.set_params(n_features_to_select=k).fit(X, y)
        assert auto.n_features_ == 6
        assert len({f % 4 for f in auto.get_support(indices=True)}) == 4


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_subset_that_the_method_finds_is_never_empty():
    X, y = blurred()
    X = np.column_stack([X, X + 0.01 * np.random.default_rng(1).normal(size=X.shape)])
    auto = AutoSelector(FCBF(), random_state=0).fit(X, y)
    assert auto.n_features_ >= 1


def test_what_a_method_is_set_to_keep_is_not_its_business():
    X, y = blurred()
    one, two = (
        AutoSelector(method, cv=2, random_state=0).fit(X, y)
        for method in (ReliefF(), ReliefF("auto", redundancy=0.5))
    )
    assert one.recommendation_.columns.tolist() == two.recommendation_.columns.tolist()
    assert one.score_ == two.score_
