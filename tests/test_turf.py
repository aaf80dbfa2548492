"""TuRF: rounds of ranking and dropping."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from cases import gaussian
from widemargin import ReliefF, TuRF
from widemargin.datasets import make_xor


def by_hand(X, y, wanted, drop):
    """Features, best first, and the number of rounds."""
    left, dropped, rounds = list(range(X.shape[1])), [], 0
    while True:
        scores = ReliefF(n_neighbors=3).fit(X[:, left], y).scores_
        rounds += 1
        left = [left[f] for f in np.argsort(-scores, kind="stable")]
        if len(left) <= wanted:
            return left + dropped, rounds
        keep = max(wanted, min(len(left) - 1, round(len(left) * (1 - drop))))
        left, dropped = sorted(left[:keep]), left[keep:] + dropped


@pytest.mark.filterwarnings("ignore:ReliefF. n_neighbors=:UserWarning")
@pytest.mark.parametrize(("wanted", "drop"), [(1, 0.1), (2, 0.5), (3, 0.3), (7, 0.2)])
def test_features_are_dropped_as_by_hand(wanted, drop):
    X, y = gaussian(np.random.default_rng(0))
    turf = TuRF(ReliefF(n_neighbors=3), wanted, drop=drop).fit(X, y)
    order, rounds = by_hand(X, y, wanted, drop)
    np.testing.assert_array_equal(np.argsort(turf.ranking_), order)
    assert turf.n_iter_ == rounds
    assert turf.n_features_ == wanted
    np.testing.assert_array_equal(np.argsort(-turf.scores_), order)


def test_features_that_relieff_misses_among_many_are_found():
    X, y = make_xor(600, n_features=80, random_state=1)
    assert set(ReliefF(3).fit(X, y).get_support(indices=True)).isdisjoint({0, 1, 2})
    assert set(TuRF(ReliefF(), 3).fit(X, y).get_support(indices=True)) == {0, 1, 2}


def test_redundancy_of_the_selector_counts():
    X, y = make_xor(300, n_features=12, random_state=2)
    X = np.column_stack([X, X[:, 0] + 1e-3 * X[:, 5]])
    kept = TuRF(ReliefF(redundancy=0.9), 3).fit(X, y).get_support(indices=True)
    assert len({0, 12} & set(kept)) == 1
    assert {1, 2} <= set(kept)


def test_names_a_pipeline_and_other_packages_selectors():
    pd = pytest.importorskip("pandas")
    X, y = make_xor(200, random_state=0)
    frame = pd.DataFrame(X, columns=[f"g{f}" for f in range(X.shape[1])])
    turf = TuRF(ReliefF(), 3).fit(frame, y)
    assert turf.get_feature_names_out().tolist() == ["g0", "g1", "g2"]
    model = make_pipeline(TuRF(ReliefF(), 3), KNeighborsClassifier())
    assert cross_val_score(model, frame, y, cv=3).mean() > 0.8
    assert TuRF(SelectKBest(k="all"), 4).fit(frame, y).n_features_ == 4


def test_a_selector_without_scores_is_refused():
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(TypeError, match="KNeighborsClassifier has neither scores_"):
        TuRF(KNeighborsClassifier()).fit(X, y)


@pytest.mark.filterwarnings("ignore:ReliefF. n_neighbors=:UserWarning")
@pytest.mark.filterwarnings("ignore:.*has one member:UserWarning")
@parametrize_with_checks([TuRF(ReliefF(n_neighbors=3))])
def test_scikit_learn_check(estimator, check):
    check(estimator)
