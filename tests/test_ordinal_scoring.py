"""Ordered classes are judged by the rank loss, and it reads one way everywhere."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from widemargin.datasets import make_ordinal
from widemargin.evaluation import compare, rank_loss, selection_curve
from widemargin.judging.scores import measure

QUICK = {"cv": 3, "random_state": 0}


def grades(n=150, random_labels=False):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1, 2, 3], [n // 2, n // 5, n // 5, n // 10]))
    X = pd.DataFrame(rng.normal(size=(len(y), 4)), columns=list("abcd"))
    if not random_labels:
        X["a"] += 1.5 * y
    names = np.array(["low", "fair", "good", "high"])
    labels = pd.Categorical(names[y], names, ordered=True)
    return X, pd.Series(labels), y


@pytest.fixture(scope="module")
def ordered():
    X, y, _ = grades()
    return compare(X, y, ["OReliefF", "FisherScore"], **QUICK)


def test_ordered_classes_are_judged_by_rank_loss(ordered):
    assert ordered.ordered
    assert ordered.settings["scoring"] == ordered.curve.scoring == "neg_rank_loss"
    assert (ordered.curve.frame["score"] <= 0).all()
    assert ordered.signal
    assert "the rank loss of 1-NN" in ordered.answer
    assert "-" not in ordered.answer.replace("1-NN", "")


def test_the_score_is_minus_the_rank_loss():
    X, y, codes = grades()
    splits = list(StratifiedKFold(3).split(X, codes))
    curve = selection_curve(
        "OReliefF",
        X,
        y,
        KNeighborsClassifier(1),
        cv=splits,
        n_features=4,
        scoring="neg_rank_loss",
    )
    expected = []
    for train, test in splits:
        model = KNeighborsClassifier(1).fit(X.iloc[train], codes[train])
        expected.append(-rank_loss(codes[test], model.predict(X.iloc[test])))
    np.testing.assert_allclose(curve.baseline, expected)


def test_guessing_gives_the_middle_class(ordered):
    _, _, codes = grades()
    middle = int(np.median(codes))
    assert ordered.chance == pytest.approx(-np.mean(np.abs(codes - middle)), abs=0.02)
    worst = -np.mean(np.abs(codes - 3))
    assert ordered.chance > worst


def test_unordered_classes_keep_their_scores():
    X, _, codes = grades()
    found = compare(X, codes, "FisherScore", **QUICK)
    assert not found.ordered
    assert found.curve.scoring == "balanced_accuracy"
    chosen = compare(X, pd.Categorical(codes, ordered=True), "FisherScore",
                     scoring="accuracy", **QUICK)  # fmt: skip
    assert chosen.curve.scoring == "accuracy"


def test_a_method_for_ordered_classes_says_that_they_are():
    X, y = make_ordinal(30, 6, random_state=0)
    found = compare(X, y, ["OReliefF"], **QUICK)
    assert found.ordered
    assert found.curve.scoring == "neg_rank_loss"


def test_two_classes_have_no_middle():
    X, _, codes = grades()
    y = pd.Categorical(np.where(codes > 0, "yes", "no"), ["no", "yes"], ordered=True)
    found = compare(X, y, "FisherScore", **QUICK)
    assert not found.ordered
    assert found.curve.scoring == "accuracy"


def test_no_signal_is_said_of_a_loss():
    X, y, _ = grades(random_labels=True)
    found = compare(X, y, ["FisherScore"], **QUICK)
    assert found.signal is False
    assert "the rank loss of 1-NN is at least" in found.answer
    assert "by guessing" in found.answer


@pytest.mark.parametrize(
    ("scoring", "name", "sign", "share"),
    [
        (None, "accuracy", 1, True),
        ("roc_auc", "ROC AUC", 1, False),
        ("neg_rank_loss", "rank loss", -1, False),
        ("neg_log_loss", "log loss", -1, False),
        ("matthews_corrcoef", "Matthews correlation", 1, False),
    ],
)
def test_scores_have_one_reading(scoring, name, sign, share):
    assert measure(scoring) == (name, sign, share)
