import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_wine

from widemargin import ReliefF, Simba
from widemargin.baselines import FisherScore
from widemargin.evaluation import agreement


def test_correlation_is_spearmans_with_shared_ranks():
    rng = np.random.default_rng(0)
    scores = {label: rng.integers(0, 5, 30).astype(float) for label in "abc"}
    found = agreement(scores, k=5)
    expected = spearmanr(np.array(list(scores.values())), axis=1).statistic
    np.testing.assert_allclose(found.correlation, expected, atol=1e-12)
    np.testing.assert_array_equal(np.diag(found.correlation), 1)
    assert found.labels == ["a", "b", "c"]


def test_overlap_is_of_the_selected_features():
    X, y = load_wine(return_X_y=True)
    fitted = [ReliefF(4).fit(X, y), FisherScore(5).fit(X, y)]
    a, b = (set(s.get_support(indices=True)) for s in fitted)
    found = agreement(fitted)
    assert found.overlap[0, 1] == pytest.approx(len(a & b) / len(a | b))
    assert found.labels == ["ReliefF", "FisherScore"]
    a, b = (set(np.flatnonzero(s.ranking_ <= 2)) for s in fitted)
    assert agreement(fitted, k=2).overlap[1, 0] == len(a & b) / len(a | b)


def test_rankings_and_scores_mean_the_same():
    scores = np.array([0.3, 0.9, 0.1, 0.5])
    found = agreement({"scores": scores, "ranking": [3, 1, 4, 2]}, k=2)
    np.testing.assert_allclose(found.correlation, 1)
    np.testing.assert_array_equal(found.overlap, 1)


def test_features_that_a_method_cannot_tell_apart_do_not_count_as_agreement():
    """Rankings would put them in column order, for both methods."""
    zeros = np.zeros(20)
    zeros[3] = 1.0
    other = np.zeros(20)
    other[7] = 1.0
    assert agreement({"a": zeros, "b": other}, k=1).correlation[0, 1] < 0
    assert np.isnan(
        agreement({"a": np.zeros(4), "b": [1, 2, 3, 4]}, k=1).correlation
    ).any()


def test_fitted_selectors_with_tied_scores_correlate_as_their_scores_do():
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([X, X[:, 0], np.zeros(len(y))])  # a copy ties with its original
    plain, tied = ReliefF().fit(X[:, :13], y), FisherScore().fit(X, y)
    scores = np.append(plain.scores_, [-1.0, -2.0])  # not tied
    found = agreement({"tied": tied, "scores": scores}, k=3)
    expected = spearmanr(tied.scores_, scores).statistic
    assert found.correlation[0, 1] == pytest.approx(expected)
    assert expected > 0


def test_the_same_method_twice_gets_two_labels():
    X, y = load_wine(return_X_y=True)
    fitted = [ReliefF(k).fit(X, y) for k in (2, 3, 4)] + [Simba().fit(X, y)]
    found = agreement(fitted)
    assert found.labels == ["ReliefF", "ReliefF 2", "ReliefF 3", "Simba"]
    frame = found.frame
    assert list(frame) == ["first", "second", "correlation", "overlap"]
    assert len(frame) == 6
    assert frame["overlap"][0] == found.overlap[0, 1] == 2 / 3


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ({"a": [1, 2]}, {}, "needs 2 or more, got 1"),
        ({"a": [0.1, 0.2], "b": [1, 2, 3]}, {"k": 1}, "'a' has 2, 'b' has 3"),
        ({"a": [0.1, 0.2], "b": [2, 1]}, {}, "what 'a' selects"),
        ({"a": [0.1, 0.2], "b": [2, 1]}, {"k": 3}, "k from 1 to 2"),
        ({"a": [0.1, np.nan], "b": [2, 1]}, {"k": 1}, "with NaN"),
        ({"a": ReliefF(), "b": [2, 1]}, {"k": 1}, "'a' has no scores yet"),
        ([[1, 2], [2, 1]], {}, "as a dict"),
    ],
)
def test_what_makes_no_sense_is_refused(given, options, message):
    with pytest.raises(ValueError, match=message):
        agreement(given, **options)
