"""Metadata goes where scikit-learn's metadata routing says, or the caller does."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from widemargin import AutoSelector, ReliefF, TuRF
from widemargin.datasets import make_xor

X, Y = make_xor(120, n_features=8, random_state=0)
GROUPS = np.arange(120) // 2


class Weighted(BaseEstimator):
    """Ranks by the weighted difference of the classes; keeps what it was handed."""

    seen: list = []

    def __init__(self, factor=1.0):
        self.factor = factor

    def fit(self, X, y, sample_weight=None, groups=None):
        type(self).seen.append((X.shape, sample_weight, groups))
        self.scores_ = self.factor * np.abs(np.average(X, axis=0))
        return self


@pytest.fixture(autouse=True)
def _nothing_seen():
    Weighted.seen = []


@pytest.fixture
def routing():
    with config_context(enable_metadata_routing=True):
        yield


def test_turf_hands_the_parameters_of_fit_to_every_round():
    TuRF(Weighted(), 2, drop=0.5).fit(X, Y, sample_weight=GROUPS, groups=None)
    assert [shape for shape, _, _ in Weighted.seen] == [(120, 8), (120, 4), (120, 2)]
    assert all(weight is GROUPS for _, weight, _ in Weighted.seen)


def test_what_the_selector_does_not_know_is_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'groups'"):
        TuRF(ReliefF()).fit(X, Y, groups=GROUPS)


@pytest.mark.usefixtures("routing")
def test_turf_routes_what_the_selector_requests():
    inner = Weighted().set_fit_request(sample_weight="weight", groups=False)
    turf = TuRF(inner, 4, drop=0.5)
    turf.fit(X, Y, weight=GROUPS)
    assert all(weight is GROUPS for _, weight, _ in Weighted.seen)
    with pytest.raises(TypeError, match="got unexpected argument"):
        turf.fit(X, Y, sample_weight=GROUPS)
    with pytest.raises(UnsetMetadataPassedError, match="groups"):
        TuRF(Weighted()).fit(X, Y, groups=GROUPS)


@pytest.mark.usefixtures("routing")
def test_turf_routes_in_a_pipeline_in_a_search():
    inner = Weighted().set_fit_request(sample_weight="weight", groups=True)
    model = make_pipeline(TuRF(inner, drop=0.5), KNeighborsClassifier())
    model.fit(X, Y, weight=GROUPS)
    assert all(weight is GROUPS for _, weight, _ in Weighted.seen)
    assert Weighted.seen
    Weighted.seen = []
    grid = {"turf__n_features_to_select": [2, 4], "turf__selector__factor": [2.0]}
    search = GridSearchCV(model, grid, cv=GroupKFold(3), refit=False)
    search.fit(X, Y, weight=GROUPS, groups=GROUPS)
    for (n, _), weight, groups in Weighted.seen:
        assert n == 80
        np.testing.assert_array_equal(weight, groups)


@pytest.mark.usefixtures("routing")
def test_turf_of_a_turf_routes():
    inner = TuRF(Weighted().set_fit_request(groups=True), 0.9)
    TuRF(inner, 4, drop=0.5).fit(X, Y, groups=GROUPS)
    assert all(groups is GROUPS for _, _, groups in Weighted.seen)


class Seen(GroupKFold):
    """Folds of groups that remember how many groups they got."""

    sizes: list = []

    def split(self, X, y=None, groups=None):
        type(self).sizes.append(len(np.unique(groups)))
        return super().split(X, y, groups)


@pytest.mark.usefixtures("routing")
def test_auto_selector_gets_the_groups_of_the_search_around_it():
    Seen.sizes = []
    auto = AutoSelector("FisherScore", cv=Seen(2), random_state=0)
    model = make_pipeline(auto, KNeighborsClassifier())
    with pytest.warns(UserWarning, match="no signal"):
        cross_validate(
            model, X, Y, params={"groups": GROUPS}, cv=GroupKFold(3), n_jobs=1
        )
    assert 40 in Seen.sizes  # of the 60 groups, those of two folds of three
    auto.set_fit_request(groups=False)
    with pytest.raises(TypeError, match="groups"):
        clone(model).fit(X, Y, groups=GROUPS)


def test_auto_selector_gets_groups_by_the_name_of_its_step():
    Seen.sizes = []
    auto = AutoSelector("FisherScore", cv=Seen(2), random_state=0)
    model = make_pipeline(auto, KNeighborsClassifier())
    with pytest.warns(UserWarning, match="no signal"):
        model.fit(X, Y, autoselector__groups=GROUPS)
    assert 60 in Seen.sizes


def test_requests_and_parameters_survive_clone_and_pickle():
    inner = ReliefF(n_neighbors=3)
    turf = clone(TuRF(inner, 2)).set_params(selector__n_neighbors=5, drop=0.3)
    again = pickle.loads(pickle.dumps(turf.fit(X, Y)))
    assert (inner.n_neighbors, again.selector.n_neighbors, again.drop) == (3, 5, 0.3)
    np.testing.assert_array_equal(again.transform(X), turf.transform(X))
    with config_context(enable_metadata_routing=True):
        auto = clone(AutoSelector().set_fit_request(groups="patient"))
        asked = auto.get_metadata_routing().consumes("fit", ["patient", "groups"])
    assert asked == {"patient"}


@pytest.mark.parametrize(
    ("given", "columns"),
    [([0, 5], None), (np.arange(8) % 5 == 0, None), (["a", "f"], list("abcdefgh"))],
)
def test_nominal_features_stay_the_same_in_every_round(given, columns):
    codes = X.copy()
    codes[:, [0, 5]] = np.rint(3 * codes[:, [0, 5]])
    table = codes if columns is None else pd.DataFrame(codes, columns=columns)
    turf = TuRF(ReliefF(n_neighbors=5, categorical_features=given), 2, drop=1)
    turf.fit(table, Y)
    left = np.arange(8)
    for _ in range(turf.n_iter_ - 1):
        by_hand = ReliefF(n_neighbors=5, categorical_features=np.isin(left, [0, 5]))
        left = np.delete(left, np.argmax(by_hand.fit(codes[:, left], Y).ranking_))
    np.testing.assert_array_equal(turf.get_support(indices=True), left)
    np.testing.assert_array_equal(turf.selector.categorical_features, given)
