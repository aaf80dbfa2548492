"""Selectors work wherever scikit-learn takes a transformer."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from widemargin import GFlip, Relief, ReliefF, Simba

SELECTORS = [Relief(), ReliefF(), Simba(random_state=0), GFlip(random_state=0)]
each_selector = pytest.mark.parametrize(
    "selector", SELECTORS, ids=lambda s: type(s).__name__
)


@pytest.fixture(scope="module")
def tumours():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@each_selector
def test_pipeline_and_cross_validation_in_two_processes(tumours, selector):
    X, y = tumours
    pipeline = make_pipeline(StandardScaler(), selector, KNeighborsClassifier(1))
    scores = cross_val_score(pipeline, X, y, cv=3, n_jobs=2)
    np.testing.assert_array_equal(scores, cross_val_score(pipeline, X, y, cv=3))
    assert scores.mean() > 0.9


def test_grid_search_over_the_number_of_features(tumours):
    X, y = tumours
    pipeline = make_pipeline(ReliefF(), KNeighborsClassifier(3))
    grid = {"relieff__n_features_to_select": [1, 5, 0.5]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    best = search.best_estimator_[0]
    assert best.get_feature_names_out().size in (1, 5, 15)
    assert set(best.get_feature_names_out()) <= set(X.columns)


@each_selector
def test_select_from_model(tumours, selector):
    X, y = tumours
    model = SelectFromModel(selector, max_features=4, threshold=-np.inf).fit(X, y)
    scores = model.estimator_.feature_importances_
    np.testing.assert_array_equal(scores, model.estimator_.scores_)
    assert set(np.flatnonzero(model.get_support())) == set(np.argsort(-scores)[:4])


@each_selector
def test_clone_and_pickle(tumours, selector):
    X, y = tumours
    fitted = clone(selector).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    np.testing.assert_array_equal(clone(fitted).fit(X, y).scores_, fitted.scores_)


@each_selector
def test_transform_keeps_column_order_and_inverts(tumours, selector):
    X, y = tumours
    fitted = clone(selector).set_params(n_features_to_select=5).fit(X, y)
    kept = fitted.get_support(indices=True)
    Z = fitted.transform(X)
    np.testing.assert_array_equal(Z, X.to_numpy()[:, kept])
    back = fitted.inverse_transform(Z)
    np.testing.assert_array_equal(back[:, kept], Z)
    assert not np.delete(back, kept, axis=1).any()


@pytest.mark.parametrize(
    ("wanted", "kept"), [(None, 2), (1, 1), (4, 4), (0.5, 2), (0.3, 1), (0.01, 1)]
)
def test_number_of_features(wanted, kept):
    X, y = load_iris(return_X_y=True)
    fitted = Relief(n_features_to_select=wanted).fit(X, y)
    assert fitted.support_.sum() == kept
    np.testing.assert_array_equal(fitted.support_, fitted.ranking_ <= kept)


def test_more_features_than_there_are_is_said():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="n_features_to_select=9 but X has 4"):
        assert Relief(9).fit(X, y).support_.all()


@pytest.mark.parametrize(
    ("selector", "name"),
    [
        (Relief(n_features_to_select=0), "n_features_to_select"),
        (Relief(n_features_to_select=1.5), "n_features_to_select"),
        (ReliefF(n_neighbors=0), "n_neighbors"),
        (ReliefF(metric="cosine"), "metric"),
        (Relief(scale="robust"), "scale"),
        (Simba(utility="zero-one"), "utility"),
        (Simba(batch_size=0), "batch_size"),
        (GFlip(beta=-1.0), "beta"),
    ],
)
def test_bad_parameters_are_named(selector, name):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=f"'{name}' parameter of"):
        selector.fit(X, y)


def test_verbose_shows_progress_on_stderr_only(capsys):
    X, y = load_iris(return_X_y=True)
    Simba(n_starts=2, random_state=0, verbose=1).fit(X, y)
    GFlip(random_state=0, verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Simba: 2 of 2" in err
    assert "G-flip, epoch 1" in err


def test_the_html_view_links_to_the_documentation_only_where_there_is_one(monkeypatch):
    from widemargin import TuRF, baselines

    def link(estimator):
        return estimator._get_doc_link()

    assert link(ReliefF()) == link(TuRF(ReliefF())) == ""
    assert "https://scikit-learn.org" not in ReliefF()._repr_html_()
    monkeypatch.setenv("WIDEMARGIN_DOCS_URL", "https://docs.example/widemargin/")
    site = "https://docs.example/widemargin/api/generated"
    assert link(ReliefF()) == f"{site}/widemargin.ReliefF.html"
    assert link(TuRF(ReliefF())) == f"{site}/widemargin.TuRF.html"
    fisher = baselines.FisherScore()
    assert link(fisher) == f"{site}/widemargin.baselines.FisherScore.html"
    assert f"{site}/widemargin.ReliefF.html" in ReliefF()._repr_html_()
