"""Any classifier, any score, and the user's own features, in the same folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from widemargin.evaluation import compare, selection_curve
from widemargin.evaluation._judges import NAMES, title_of


@pytest.fixture(scope="module")
def plain():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(90) % 3)
    X = pd.DataFrame(rng.normal(size=(90, 4)), columns=list("abcd"))
    X["a"] += 3 * (y == 1)
    X["b"] += 3 * (y == 2)
    return X, np.array(["low", "mid", "top"])[y]


@pytest.fixture(scope="module")
def mixed(plain):
    X, y = plain
    X = X.assign(word=pd.Categorical(np.where(y == "low", "x", "y")))
    X.loc[::7, "a"] = np.nan
    return X, y


def curve(X, y, estimator=None, **options):
    options = {"n_features": [2], "cv": 3, "random_state": 0} | options
    return selection_curve("ReliefF", X, y, estimator, **options)


@pytest.mark.parametrize("name", [*NAMES, "3-nn", "sklearn.naive_bayes:GaussianNB"])
def test_named_classifiers_take_mixed_tables(mixed, name):
    found = curve(*mixed, name)
    assert found.frame["score"].mean() > 0.6


def test_nearest_neighbour_is_the_default(mixed):
    found = [curve(*mixed, name).frame["score"].tolist() for name in (None, "1-NN")]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("florest", "there are 1-nn, logistic"),
        ("0-nn", "does not know a classifier"),
        ("no_such_module:Thing", "cannot import 'no_such_module'"),
        ("sklearn.svm:SVX", "has no 'SVX'"),
        ("sklearn.linear_model:Ridge", "scikit-learn classifier"),
        ("sklearn.multiclass:OneVsRestClassifier", "without parameters"),
    ],
)
def test_unknown_classifiers_are_refused(plain, name, message):
    with pytest.raises(ValueError, match=message):
        curve(*plain, name)


def test_titles():
    pipeline = make_pipeline(MinMaxScaler(), RidgeClassifier())
    assert title_of(pipeline) == "RidgeClassifier"
    assert title_of("5-nn") == "5-NN"


def test_auc_of_several_classes_is_one_against_the_rest(plain):
    found = curve(*plain, "logistic", scoring="roc_auc")
    assert found.scoring == "roc_auc_ovr"
    assert found.frame["score"].mean() > 0.8


def test_score_needs_what_the_classifier_lacks(plain):
    with pytest.raises(ValueError, match=r"cannot be scored this way.*predict_proba"):
        curve(*plain, "svm", scoring="roc_auc")


@pytest.mark.filterwarnings("ignore:Only one class")
def test_undefined_score_is_refused():
    X = np.random.default_rng(0).random((40, 3))
    y, groups = np.arange(40) // 10 % 2, np.arange(40) // 10
    with pytest.raises(ValueError, match="a single class"):
        selection_curve("FisherScore", X, y, scoring="roc_auc", groups=groups, cv=4)


CHANCE = {
    "accuracy": 1 / 3,
    "balanced_accuracy": 1 / 3,
    "roc_auc": 0.5,
    "neg_log_loss": -np.log(3),
    "matthews_corrcoef": 0.0,
}


@pytest.mark.parametrize("scoring", CHANCE)
def test_chance_is_that_of_the_score(plain, scoring):
    found = compare(
        *plain,
        ["FisherScore"],
        estimator="logistic",
        scoring=scoring,
        cv=3,
        n_features=[2],
        random_state=0,
    )
    assert found.chance == pytest.approx(CHANCE[scoring])
    assert found.signal


@pytest.mark.parametrize("baseline", [["c", "a"], [2, 0], np.array(["a", "c", "a"])])
def test_baseline_is_scored_in_the_same_folds(plain, baseline):
    X, y = plain
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    found = curve(X, y, cv=folds, baseline=baseline)
    judge = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))
    expected = cross_val_score(judge, X[["a", "c"]], y, cv=folds)
    np.testing.assert_array_equal(found.reference_scores, expected)
    np.testing.assert_array_equal(found.reference, [0, 2])


def test_comparison_has_a_row_for_the_baseline(plain):
    found = compare(*plain, ["FisherScore"], baseline=["c", "d"])
    last = found.summary().iloc[-1]
    assert (last["method"], last["n_features"]) == ("baseline", 2)
    assert last["score"] == found.baseline.score < found.recommendation.score
    assert compare(*plain, ["FisherScore"]).baseline is None


@pytest.mark.parametrize(
    ("baseline", "message"),
    [([], "at least one"), (["z"], "'z'"), ([4], "columns 0 to 3"), ([-1], "0 to 3")],
)
def test_baseline_of_other_columns_is_refused(plain, baseline, message):
    with pytest.raises(ValueError, match=message):
        compare(*plain, ["FisherScore"], baseline=baseline)
