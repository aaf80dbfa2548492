"""The baselines that are scikit-learn's: the same numbers, with our interface."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_selection import (
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.preprocessing import MinMaxScaler

from widemargin.baselines import ForestImportance, FRegression, MutualInformation

X, y = load_diabetes(return_X_y=True)


def test_f_is_scikit_learns():
    scores = FRegression().fit(X, y).scores_
    np.testing.assert_allclose(scores, f_regression(X, y)[0], rtol=1e-9)


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_f_is_that_of_large_numbers_far_from_zero(scale):
    far = 1e9 + 1e3 * X
    scores = FRegression(scale=scale).fit(far, 1e200 * y).scores_
    np.testing.assert_allclose(scores, f_regression(X, y)[0], rtol=1e-5)


def test_f_of_lines_and_constants_is_finite():
    t = np.arange(9.0)
    table = np.column_stack([np.ones(9), t, t**2, -t])
    selector = FRegression().fit(table, 2 * t + 1)
    assert np.isfinite(selector.scores_).all()
    assert selector.scores_[0] == 0
    assert selector.ranking_.tolist() == [4, 1, 3, 2]


def test_f_of_two_rows_is_finite():
    assert np.isfinite(FRegression().fit([[0.0, 1], [1, 1]], [0.0, 1]).scores_).all()


def test_mutual_information_with_numbers_is_scikit_learns():
    scores = MutualInformation(task="regression", random_state=0).fit(X, y).scores_
    theirs = mutual_info_regression(X, y, random_state=0)
    # Noise parts the values that are equal, and is drawn in other units.
    np.testing.assert_allclose(scores, theirs, atol=0.02)
    assert np.corrcoef(scores, theirs)[0, 1] > 0.99


def test_mutual_information_with_classes_is_scikit_learns():
    table, labels = load_iris(return_X_y=True)
    table = table + np.random.default_rng(0).standard_normal(table.shape) / 1e4
    scores = MutualInformation(random_state=0, n_neighbors=5).fit(table, labels).scores_
    theirs = mutual_info_classif(table, labels, random_state=0, n_neighbors=5)
    np.testing.assert_allclose(scores, theirs, atol=1e-9)


def test_mutual_information_of_discrete_features_is_exact():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, 200)
    table = np.column_stack([labels % 2 / 3, rng.integers(0, 4, 200)])
    counts = np.bincount(labels % 2) / 200
    entropy = -np.sum(counts * np.log(counts))
    for given in (True, [0, 1], [True, True]):
        scores = MutualInformation(discrete_features=given).fit(table, labels).scores_
        assert scores[0] == pytest.approx(entropy)


def test_mutual_information_does_not_depend_on_threads():
    found = [
        MutualInformation(task="regression", random_state=0, n_jobs=n).fit(X, y).scores_
        for n in (1, 2)
    ]
    np.testing.assert_array_equal(*found)


def test_mutual_information_of_constants_is_zero():
    table = np.column_stack([np.ones(60), X[:60, 2]])
    fitted = MutualInformation(task="regression", random_state=0).fit(table, y[:60])
    assert fitted.scores_[0] == 0
    assert fitted.ranking_.tolist() == [2, 1]


def test_mutual_information_needs_few_rows_only():
    fitted = MutualInformation(task="regression").fit([[0.0], [1], [3]], [0.0, 1, 3])
    assert np.isfinite(fitted.scores_).all()


def test_forest_importances_of_a_numeric_target_are_scikit_learns():
    ours = ForestImportance(task="regression", n_estimators=20, random_state=0)
    theirs = RandomForestRegressor(20, max_features="sqrt", random_state=0)
    # Split points of other units round to other floats, and ties to other splits.
    scaled = MinMaxScaler().fit_transform(X).astype(np.float32)
    expected = theirs.fit(scaled, y / np.ptp(y)).feature_importances_
    np.testing.assert_allclose(ours.fit(X, y).scores_, expected, atol=1e-3)


@pytest.mark.parametrize("make", [ForestImportance, MutualInformation])
def test_numbers_as_classes_are_refused(make):
    with pytest.raises(ValueError, match="y looks like a measurement"):
        make().fit(X, y)


@pytest.mark.parametrize(
    "selector",
    [
        FRegression(),
        ForestImportance(task="regression"),
        MutualInformation(task="regression"),
    ],
)
def test_text_as_a_number_is_refused(selector):
    with pytest.raises(ValueError, match="needs numbers in y"):
        selector.fit(X[:3], list("abc"))
