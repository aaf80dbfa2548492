"""Scores as distances, and prototypes in them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from oracles import prototypes as oracle
from oracles.neighbours import distance, scaled, weighted_distance
from widemargin import (
    FRLL,
    LMBA,
    IRelief,
    MarginPrototypes,
    MarginScaler,
    OSimba,
    ReliefF,
    Simba,
)
from widemargin.margin import hypothesis_margins
from widemargin.metric.prototypes import loss_and_gradient

WITH_WEIGHTS = [Simba(random_state=0), OSimba(random_state=0), LMBA(random_state=0)]


@pytest.mark.filterwarnings("ignore:.*n_neighbors=:UserWarning")
@pytest.mark.filterwarnings("ignore:MarginScaler. no feature:UserWarning")
@pytest.mark.filterwarnings("ignore:.*has one member:UserWarning")
@parametrize_with_checks([MarginScaler(ReliefF(n_neighbors=3))])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def wide(seed=0):
    """Rows in units of their own, and other rows of the same kind."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], 15)
    X = rng.standard_normal((45, 5)) * [1, 10, 0.1, 3, 7] + [5, 0, 100, 0, -3]
    X[:, 0] += 2 * y
    return X, y, X[::3] + rng.standard_normal((15, 5)) * 0.1


@pytest.mark.parametrize("selector", WITH_WEIGHTS)
@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_distances_are_those_of_the_weights(selector, scale):
    X, y, _ = wide()
    selector.set_params(scale=scale)
    scaler = MarginScaler(selector).fit(X, y)
    Z, U = scaler.transform(X), scaled(X, scale)
    w = scaler.selector_.weights_ / np.abs(scaler.selector_.weights_).max()
    for i, j in [(0, 1), (3, 40), (20, 33)]:
        near = weighted_distance(U[i], U[j], w)
        assert distance(Z[i], Z[j], "euclidean") == pytest.approx(near)
    if isinstance(selector, Simba):
        assert np.nansum(hypothesis_margins(Z, y)) == pytest.approx(
            scaler.selector_.margin_
        )


@pytest.mark.parametrize("selector", [ReliefF(n_neighbors=3), FRLL(), IRelief()])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_neighbours_are_the_nearest_by_scores(selector, metric):
    X, y, new = wide(1)
    scaler = MarginScaler(selector, metric=metric)
    knn = make_pipeline(scaler, KNeighborsClassifier(1, metric=metric)).fit(X, y)
    s = np.maximum(selector.fit(X, y).scores_, 0)
    size = np.ptp(X, axis=0)
    for row, guess in zip(new, knn.predict(new), strict=True):
        t = np.abs(X - row) / size
        d = (s * (t**2 if metric == "euclidean" else t)).sum(axis=1)
        assert guess == y[np.argmin(d)]


def test_any_estimator_with_importances_and_a_fitted_one():
    X, y, new = wide()
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    scaler = MarginScaler(forest, prefit=True).fit(X)
    assert scaler.selector_ is forest
    s = forest.feature_importances_
    np.testing.assert_allclose(scaler.weights_, np.sqrt(s / s.max()))
    assert scaler.transform(new).shape == new.shape
    with pytest.raises(ValueError, match="each of 3 features"):
        scaler.fit(X[:, :3])


def test_frames_keep_their_names():
    X, y, _ = wide()
    frame = pd.DataFrame(X, columns=list("abcde"))
    scaler = MarginScaler(ReliefF(n_neighbors=3)).set_output(transform="pandas")
    assert scaler.fit_transform(frame, y).columns.tolist() == list("abcde")


def test_weights_of_rows_reach_the_selector():
    X, y, _ = wide()
    w = np.arange(45) + 1.0
    scaler = MarginScaler(ReliefF(n_neighbors=3)).fit(X, y, sample_weight=w)
    s = ReliefF(n_neighbors=3).fit(X, y, sample_weight=w).scores_
    np.testing.assert_array_equal(scaler.selector_.scores_, s)


def test_what_makes_no_distance_is_said():
    X, y, _ = wide()
    with pytest.raises(ValueError, match=r'scale="rank".*QuantileTransformer'):
        MarginScaler(Simba(scale="rank")).fit(X, y)
    noise = ReliefF(n_neighbors=3).fit(X, y)
    noise.scores_ = np.full(5, -1.0)
    with pytest.warns(UserWarning, match="no feature has a positive score"):
        scaler = MarginScaler(noise, prefit=True).fit(X)
    np.testing.assert_array_equal(scaler.weights_, 1)


def test_the_learned_distance_helps_where_most_features_know_nothing():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 50)
    X = rng.standard_normal((100, 30))
    X[:, :3] += 2 * y[:, None]
    plain = cross_val_score(KNeighborsClassifier(1), X, y).mean()
    scaler = MarginScaler(Simba(random_state=0))
    learned = cross_val_score(
        make_pipeline(scaler, KNeighborsClassifier(1)), X, y
    ).mean()
    assert learned > plain + 0.05


@parametrize_with_checks([MarginPrototypes(), MarginPrototypes(2, random_state=0)])
def test_scikit_learn_check_of_prototypes(estimator, check):
    check(estimator)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_prototypes_have_the_loss_of_the_oracle_and_predict_as_it_does(k, scale):
    X, y, new = wide()
    labels = np.array(["a", "b", "c"])[y]
    model = MarginPrototypes(k, beta=4.0, scale=scale, random_state=0).fit(X, labels)
    everything = scaled(np.vstack([X, model.prototypes_, new]), None)
    size = {"minmax": np.ptp(X, axis=0), "standard": X.std(axis=0), None: np.ones(5)}
    Z, P, N = np.split(everything / size[scale], [45, 45 + 3 * k])
    found = P.tolist(), model.prototype_classes_.tolist()
    relevance = model.feature_importances_.tolist()
    expected = oracle.cost(Z.tolist(), labels.tolist(), *found, relevance, 4.0)
    assert model.loss_ == pytest.approx(expected)
    guesses = [oracle.predict(row, *found, relevance) for row in N.tolist()]
    assert model.predict(new).tolist() == guesses
    assert sum(relevance) == pytest.approx(1)


def test_the_gradient_of_prototypes_and_relevances():
    rng = np.random.default_rng(0)
    Z, y = rng.standard_normal((20, 3)), np.repeat([0, 1], 10)
    labels = np.array([0, 0, 1, 1])
    same = y[:, None] == labels
    for _ in range(5):
        theta = rng.standard_normal(3 + 12)
        value, gradient = loss_and_gradient(theta, Z, same, 3.0)
        P = theta[3:].reshape(4, 3).tolist()
        cost = oracle.cost(Z.tolist(), y, P, labels, theta[:3] ** 2, 3.0)
        assert value == pytest.approx(cost)
        slopes = [
            (
                loss_and_gradient(theta + h, Z, same, 3.0)[0]
                - loss_and_gradient(theta - h, Z, same, 3.0)[0]
            )
            / 2e-6
            for h in 1e-6 * np.eye(15)
        ]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-9)


def test_prototypes_find_the_features_and_do_not_depend_on_their_units():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = rng.standard_normal((120, 12))
    X[:, :2] += 2.5 * y[:, None]
    model = MarginPrototypes(random_state=0).fit(X, y)
    assert set(np.argsort(-model.feature_importances_)[:2]) == {0, 1}
    assert model.score(X, y) > 0.95
    units = 10.0 ** rng.integers(-3, 4, 12)
    other = MarginPrototypes(random_state=0).fit(X * units + units, y)
    np.testing.assert_allclose(
        other.feature_importances_, model.feature_importances_, atol=1e-3
    )


def test_two_prototypes_of_a_class_solve_what_one_cannot():
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    y = ((X[:, 0] > 0.3) & (X[:, 0] < 0.7)).astype(int)
    one, two = (MarginPrototypes(k, random_state=0).fit(X, y) for k in (1, 2))
    assert two.score(X, y) > 0.9 > one.score(X, y)
    again = MarginPrototypes(2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.prototypes_, two.prototypes_)


def test_a_class_of_few_rows_has_few_prototypes():
    X, y = [[0.0], [0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1, 1]
    model = MarginPrototypes(3, random_state=0).fit(X, y)
    assert model.prototype_classes_.tolist() == [0, 1, 1, 1]
