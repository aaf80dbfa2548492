"""`scores_by_class_`: what the rows of each class contribute to the scores."""

import pickle

import dask.array as da
import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csr_array
from sklearn.base import clone

from cases import CASES, gaussian, lonely, lopsided, small_tables
from oracles.frll import graphs
from oracles.neighbours import scaled
from oracles.radius import radius
from oracles.relief import relief, relieff
from widemargin import (
    FRLL,
    IPCMSR,
    IPICSR,
    SURF,
    MultiSURF,
    MultiSURFStar,
    OReliefF,
    Relief,
    ReliefF,
    Simba,
    SURFStar,
)
from widemargin.settings import Settings, using

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has no prototype:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*so small that no pair:UserWarning"),
]

METHODS = [
    Relief(squared=True),
    Relief(history="step"),
    ReliefF(n_neighbors=3, weights="rank"),
    ReliefF(n_neighbors=3, n_samples=2, random_state=0),
    ReliefF(n_neighbors=2, n_samples="auto", random_state=0),
    SURF(),
    SURFStar(metric="euclidean"),
    MultiSURF(),
    MultiSURFStar(),
    FRLL(n_neighbors=2),
    FRLL(n_neighbors=2, criterion="difference", neighbors="global"),
    IPCMSR(n_neighbors=2),
    IPICSR(),
]


def check_sum(method, X, y):
    fitted = clone(method).fit(X, y)
    classes = np.unique(y)
    np.testing.assert_array_equal(fitted.classes_, classes)
    assert fitted.scores_by_class_.shape == (len(classes), fitted.n_features_in_)
    size = np.abs(fitted.scores_by_class_).sum(axis=0).max()
    total = fitted.scores_by_class_.sum(axis=0)
    np.testing.assert_allclose(total, fitted.scores_, rtol=0, atol=1e-12 * (1 + size))
    return fitted


@given(small_tables())
def test_the_sum_over_classes_is_the_score(table):
    for method in METHODS:
        check_sum(method, *table)


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("case", CASES)
def test_the_sum_is_the_score_in_all_cases(method, case):
    X, y = case(np.random.default_rng(0))
    check_sum(method, X, np.array(list("abcdefgh"))[y])


@pytest.mark.parametrize("method", METHODS[2:8], ids=repr)
def test_the_sum_is_the_score_with_nominal_and_missing_values(method):
    X, y = gaussian(np.random.default_rng(0))
    X[:, :2] = X[:, :2].round()
    X[::4, [0, 3]] = np.nan
    check_sum(method.set_params(categorical_features=[0, 1]), X, y)


@pytest.mark.parametrize("small", [0, 10**9])
@pytest.mark.parametrize("case", [gaussian, lopsided, lonely])
def test_a_class_counts_by_the_contributions_of_its_rows(case, small):
    """Of blocks with rows of several classes, too."""
    X, y = case(np.random.default_rng(0))
    with using(Settings(small_table_rows=small)):
        of_relief = Relief().fit(X, y).scores_by_class_
        of_relieff = ReliefF(n_neighbors=3).fit(X, y).scores_by_class_
        of_multisurf = MultiSURF().fit(X, y).scores_by_class_
    for c in np.unique(y):
        rows = np.flatnonzero(y == c)
        share = len(rows) / len(y)
        for ours, theirs in (
            (of_relief, relief(X, y, samples=rows)),
            (of_relieff, relieff(X, y, 3, samples=rows)),
            (of_multisurf, radius(X, y, own=True, star=False, samples=rows)),
        ):
            np.testing.assert_allclose(ours[c], share * theirs, atol=1e-12)


def test_an_edge_of_frll_counts_half_for_each_end():
    X, y = gaussian(np.random.default_rng(0))
    Z = scaled(X, "minmax")
    _, B = graphs(Z, y, 3, "class")
    squares = (Z[:, None] - Z) ** 2
    fitted = FRLL(n_neighbors=3).fit(X, y)
    for c in range(3):
        half = np.einsum("ij,ijf->f", B[y == c], squares[y == c]) / 2
        expected = half / fitted.within_
        np.testing.assert_allclose(fitted.scores_by_class_[c], expected, atol=1e-12)


def test_it_names_the_feature_that_tells_a_class_from_the_others():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    X = rng.standard_normal((180, 6))
    X[:, 0] += 5 * (y == 0)
    X[:, 1] += 5 * (y == 1)
    for method in (ReliefF(), MultiSURF(), FRLL(), IPCMSR()):
        best = method.fit(X, y).scores_by_class_[:2].argmax(axis=1)
        np.testing.assert_array_equal(best, [0, 1])


@pytest.mark.parametrize("method", [ReliefF(n_neighbors=3), FRLL(n_neighbors=3)])
def test_dask_gives_the_same(method):
    X, y = lopsided(np.random.default_rng(0))
    here = clone(method).fit(X, y)
    there = clone(method).fit(da.from_array(X, 11), da.from_array(y, 11))
    np.testing.assert_allclose(
        there.scores_by_class_, here.scores_by_class_, rtol=0, atol=1e-9
    )
    np.testing.assert_array_equal(there.classes_, here.classes_)


def test_it_is_kept_in_pickles_and_not_by_clones():
    X, y = gaussian(np.random.default_rng(0))
    fitted = ReliefF().fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.scores_by_class_, fitted.scores_by_class_)
    assert not hasattr(clone(fitted), "scores_by_class_")
    assert list(fitted.to_frame()) == ["feature", "score", "rank", "selected"]


def test_a_fit_that_has_none_does_not_keep_that_of_another():
    X, y = gaussian(np.random.default_rng(0))
    method = MultiSURF().fit(X, y)
    method.set_params(task="regression").fit(X, X[:, 0])
    assert not hasattr(method, "scores_by_class_")
    for other in (OReliefF(n_samples="auto", random_state=0), Simba()):
        assert not hasattr(other.fit(X, y), "scores_by_class_")


@pytest.mark.parametrize("method", [*METHODS[:12], IPICSR()], ids=repr)
def test_the_sum_is_the_score_with_weights(method):
    X, y = lopsided(np.random.default_rng(0))
    weights = np.random.default_rng(1).uniform(0.1, 3, len(y))
    weights[::5] = 0
    fitted = clone(method).fit(X, y, weights)
    total = fitted.scores_by_class_.sum(axis=0)
    np.testing.assert_allclose(total, fitted.scores_, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("method", [ReliefF(), SURF(), SURFStar(), FRLL()], ids=repr)
def test_sparse_rows_give_the_same(method):
    X, y = gaussian(np.random.default_rng(0))
    X[X < 0.5] = 0
    options = {"scale": "maxabs"}
    dense = clone(method).set_params(**options).fit(X, y)
    stored = clone(method).set_params(**options).fit(csr_array(X), y)
    np.testing.assert_allclose(
        stored.scores_by_class_, dense.scores_by_class_, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_columns_of_a_group_share_the_scores_of_the_group(method):
    X, y = gaussian(np.random.default_rng(0))
    fitted = clone(method).set_params(feature_groups=[0, 0, 1, 2, 2, 2, 3]).fit(X, y)
    by_class = fitted.scores_by_class_
    assert by_class.shape == (3, 7)
    np.testing.assert_array_equal(by_class[:, 3], by_class[:, 5])
    np.testing.assert_allclose(by_class.sum(axis=0), fitted.scores_, atol=1e-10)
