"""Rows of one group, or of the future, never judge features chosen with them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit

from widemargin.baselines import FisherScore
from widemargin.evaluation import compare, resample, selection_curve
from widemargin.judging.folds import split


class Spy(DummyClassifier):
    """Keeps the rows, told by the first column, it was fitted to and asked about."""

    seen: list = []

    def fit(self, X, y):
        self.rows_ = set(np.asarray(X)[:, 0].tolist())
        return super().fit(X, y)

    def score(self, X, y):
        Spy.seen.append((self.rows_, set(np.asarray(X)[:, 0].tolist())))
        return super().score(X, y)


@pytest.fixture
def spy():
    Spy.seen.clear()
    yield Spy()
    Spy.seen.clear()


@pytest.fixture
def grouped():
    """Twenty groups of ten near-copies; classes, group by group, are a coin's toss."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 10)
    centres = rng.normal(size=(20, 6))
    y = rng.permutation(np.arange(20) % 2)[groups]
    X = centres[groups] + 0.05 * rng.normal(size=(200, 6))
    shuffled = rng.permutation(200)
    return X[shuffled], y[shuffled], groups[shuffled]


def test_no_group_is_in_both_parts_of_a_fold(spy, grouped):
    X, y, groups = grouped
    X[:, 0] = np.arange(200)  # the spy tells rows by it
    names = pd.Series([f"g{g}" for g in groups], dtype="category")
    selection_curve(
        FisherScore(), X, y, spy, groups=names, n_features=[6], random_state=0
    )
    assert len(Spy.seen) >= 5
    for train, test in Spy.seen:
        told = [{groups[int(r)] for r in part} for part in (train, test)]
        assert not told[0] & told[1]
    tested = [row for _, test in Spy.seen[:5] for row in test]
    assert sorted(tested) == list(range(200))


def test_groups_take_away_the_accuracy_of_copies(grouped):
    X, y, groups = grouped
    curve = [
        selection_curve("FisherScore", X, y, groups=g, n_features=[6], random_state=0)
        for g in (None, groups)
    ]
    apart, together = (c.frame["score"].mean() for c in curve)
    assert apart > 0.95
    assert together < 0.75


def test_comparison_keeps_groups_together(grouped):
    X, y, groups = grouped
    found = [
        compare(
            X,
            y,
            ["FisherScore"],
            groups=g,
            n_features=[6],
            random_state=0,
        )
        for g in (None, groups)
    ]
    apart, together = (c.recommendation.score for c in found)
    assert apart > 0.95 > 0.75 > together
    assert found[0].relevance is not None
    assert found[1].relevance is None
    assert found[0].notes == []
    assert any("rows of one group" in note for note in found[1].notes)
    assert found[1].settings["groups"] == "groups"


def test_comparison_of_a_sample_of_the_rows_has_their_groups(grouped):
    X, y, groups = grouped
    found = compare(
        X,
        y,
        ["FisherScore"],
        groups=groups,
        max_samples=100,
        n_features=[6],
        random_state=0,
    )
    assert found.recommendation.score < 0.75


def test_fewer_groups_than_folds(grouped):
    X, y, groups = grouped
    few = groups % 4
    with pytest.raises(ValueError, match=r"cannot make 5 folds of 4 groups.*cv=4"):
        selection_curve("FisherScore", X, y, groups=few)
    found = compare(X, y, ["FisherScore"], groups=few)
    assert len(found.recommendation.fold_scores) == 4


@pytest.mark.parametrize("cv", [KFold(5), TimeSeriesSplit(3), "time"])
def test_folds_that_part_groups_are_refused(grouped, cv):
    X, y, groups = grouped
    with pytest.raises(ValueError, match="does not keep groups together"):
        selection_curve("FisherScore", X, y, groups=groups, cv=cv)


def test_splitter_for_groups_is_taken_as_it_is(grouped):
    X, y, groups = grouped
    curve = selection_curve(
        "FisherScore", X, y, groups=groups, cv=GroupKFold(4), n_features=[2]
    )
    assert len(curve.baseline) == 4


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2, 3], "one group for each of the 200 rows"),
        ([1.0, np.nan] * 100, "none for 100 of 200 rows"),
        ([None, "a"] * 100, "none for 100 of 200 rows"),
        ([7] * 200, "at least 2 groups"),
    ],
)
@pytest.mark.parametrize("function", [selection_curve, compare, resample])
def test_groups_that_make_no_sense_are_refused(grouped, groups, message, function):
    X, y, _ = grouped
    first = (X, y, "FisherScore") if function is compare else ("FisherScore", X, y)
    with pytest.raises(ValueError, match=message):
        function(*first, groups=groups)


def test_time_tests_on_later_rows_only(spy):
    X = np.column_stack([np.arange(60), np.random.default_rng(0).random(60)])
    y = np.arange(60) % 2
    selection_curve("FisherScore", X, y, spy, cv="time", n_features=[2])
    assert Spy.seen
    assert all(max(train) < min(test) for train, test in Spy.seen)


def test_time_needs_both_classes_in_the_past():
    X, y = np.random.default_rng(0).random((60, 2)), np.arange(60) // 30
    with pytest.raises(ValueError, match=r"fold 0 has training rows of one class only"):
        selection_curve("FisherScore", X, y, cv="time")


def test_unknown_word_for_folds():
    with pytest.raises(ValueError, match="'weeks'"):
        split("weeks", None, None, np.random.RandomState(0), "test", None)


def test_subsamples_are_of_whole_groups(grouped):
    X, y, groups = grouped
    X[:, 0] = np.arange(200)
    seen = []

    class Remembering(SelectKBest):
        def fit(self, X, y):
            seen.append(X[:, 0].astype(int))
            return super().fit(X, y)

    resample(Remembering(k=2), X, y, groups=groups, n=4, random_state=0)
    assert len(seen) == 4
    for rows in seen:
        drawn = set(groups[rows])
        assert len(drawn) == 10
        assert len(rows) == sum(int(np.sum(groups == g)) for g in drawn)
