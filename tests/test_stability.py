import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest

from cases import gaussian, lonely
from oracles.evaluation import (
    jackknife_variance,
    kuncheva,
    nogueira,
    stability_interval,
)
from widemargin import GFlip, ReliefF, Simba
from widemargin.baselines import FeatureSimilarity, FisherScore
from widemargin.evaluation import resample, stability

masks = st.integers(2, 6).flatmap(
    lambda d: st.lists(
        st.lists(st.booleans(), min_size=d, max_size=d), min_size=2, max_size=8
    )
)


@given(masks)
def test_any_masks_give_the_index_of_the_oracle(Z):
    found = stability(Z)
    if np.all(Z) or not np.any(Z):
        assert np.isnan([found.value, found.low, found.high]).all()
        return
    assert found.value == pytest.approx(nogueira(Z), abs=1e-12)
    low, high = stability_interval(Z)
    assert found.low == pytest.approx(low, abs=1e-9)
    assert found.high == pytest.approx(high, abs=1e-9)


def test_a_value_by_hand():
    """p = 1, 2/3, 1/3, 0, and k = 2 of 4: 1 − (1/3 + 1/3)/4 / (1/4) = 1/3."""
    assert stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]).value == pytest.approx(
        1 / 3
    )


def test_sets_of_one_size_have_kunchevas_index():
    rng = np.random.default_rng(0)
    Z = [rng.permutation([1] * 4 + [0] * 7).tolist() for _ in range(9)]
    assert stability(Z).value == pytest.approx(kuncheva(Z))


def draws(rng, p, M):
    return rng.random((M, len(p))) < p


def test_the_interval_is_as_wide_as_the_jackknife_says():
    Z = draws(np.random.default_rng(1), np.linspace(0.05, 0.95, 20), 200)
    found = stability(Z)
    half = t.ppf(0.975, 199) * np.sqrt(jackknife_variance(Z.tolist()))
    assert found.high - found.value == pytest.approx(half, rel=0.03)


def swapped(rng, d, k, a, M):
    """Sets of k features; all are replaced by others with probability a."""
    Z = np.zeros((M, d))
    for z in Z:
        z[:k] = 1
        if rng.random() < a:
            z[:k] = 0
            z[k:] = rng.permutation(np.r_[np.ones(k), np.zeros(d - 2 * k)])
    return Z


def index_of(p):
    k = np.mean(p)
    return 1 - np.mean(p * (1 - p)) / (k * (1 - k))


@pytest.mark.parametrize("M", [20, 100])
@pytest.mark.parametrize("kind", ["loose", "firm", "seldom other"])
def test_the_interval_covers_the_truth_as_often_as_it_says(kind, M):
    """Also where few sets differ, and those in all that they hold."""
    rng = np.random.default_rng(2)
    p = np.repeat([0.9, 0.3, 0.05], [5, 5, 20])
    if kind == "firm":
        p = np.repeat([0.98, 0.002], [5, 25])
    if kind == "seldom other":
        p = np.repeat([0.98, 0.02 * 3 / 17], [3, 17])
    found = []
    for _ in range(300):
        Z = swapped(rng, 20, 3, 0.02, M) if kind == "seldom other" else draws(rng, p, M)
        found.append(stability(Z))
    covered = np.mean([f.low <= index_of(p) <= f.high for f in found])
    assert covered >= 0.91  # three standard errors below 0.95


def test_equal_sets_say_more_the_more_there_are():
    few, many = (stability(np.tile([1, 0, 0, 0], (M, 1))) for M in (10, 100))
    assert few.low < many.low < 1 == many.high


def test_no_interval_if_none_is_wanted():
    found = stability([[1, 0], [0, 1]], confidence=None)
    assert np.isnan([found.low, found.high]).all()
    assert repr(found) == "Stability(-1.000, 2 sets)"


def test_random_sets_are_not_stable_and_equal_ones_are():
    rng = np.random.default_rng(3)
    assert abs(stability(draws(rng, np.full(50, 0.2), 300)).value) < 0.02
    same = stability(np.tile([True, False, False, True], (5, 1)))
    assert (same.value, same.high) == (1.0, 1.0)


def test_rankings_count_by_their_best_features():
    rankings = [[1, 2, 3, 4, 5], [2, 1, 4, 3, 5], [5, 1, 2, 3, 4]]
    masks = [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 1, 1, 0, 0]]
    assert stability(rankings, n_features=2).value == stability(masks).value
    frame = pd.DataFrame(rankings)
    assert stability(frame, n_features=2).value == stability(masks).value


def test_fitted_selectors():
    X, y = gaussian(np.random.default_rng(0))
    fitted = [ReliefF(3).fit(X, y), FisherScore(2).fit(X, y), GFlip().fit(X, y)]
    supports = [s.support_ for s in fitted]
    assert stability(fitted).value == stability(supports).value
    top = [s.ranking_ <= 1 for s in fitted]
    assert stability(fitted, n_features=1).value == stability(top).value


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ([[1, 0, 1]], {}, "needs 2 or more, got 1"),
        ([[1, 2, 3], [2, 1, 3]], {}, "pass n_features"),
        ([[1, 2, 3], [2, 2, 3]], {"n_features": 1}, "numbers 1 to 3 in every row"),
        ([[1, 2, 3], [2, 1, 3]], {"n_features": 4}, "n_features from 1 to 3"),
        ([[1, 0], [1, 0, 0]], {}, "differ in length"),
        ([1, 0, 0], {}, "one row per selection"),
        ([["a", "b"], ["a", "c"]], {}, "one row per selection"),
        ([[1, 0], [1, 0]], {"confidence": 95}, "confidence between 0 and 1, got 95"),
    ],
)
def test_what_makes_no_sense_is_refused(given, options, message):
    with pytest.raises(ValueError, match=message):
        stability(given, **options)


def test_nothing_to_choose_is_undefined_and_says_so():
    assert "undefined" in repr(stability(np.ones((3, 4))))
    assert "undefined" in repr(stability(np.zeros((3, 4))))


def test_resampling_is_fits_to_subsamples():
    X, y = gaussian(np.random.default_rng(1))
    drawn = []

    class Remembering(SelectKBest):
        def fit(self, rows, y):
            drawn.append(rows[:, 0].astype(int))
            return super().fit(rows, y)

    # Neither draws a number of its own, so that both are fitted to the same rows.
    numbered = np.arange(len(X))[:, None]
    resample(Remembering(k=1), numbered, y, n=12, random_state=0, n_jobs=1)
    selector = ReliefF(3, n_neighbors=3, random_state=0)
    found = resample(selector, X, y, n=12, random_state=0)
    fits = [ReliefF(3, n_neighbors=3).fit(X[rows], y[rows]) for rows in drawn]
    np.testing.assert_array_equal(found.ranks, [f.ranking_ for f in fits])
    np.testing.assert_array_equal(found.supports, [f.support_ for f in fits])
    np.testing.assert_allclose(found.scores, [f.scores_ for f in fits], atol=1e-14)
    np.testing.assert_allclose(found.frequency, np.mean([f.support_ for f in fits], 0))
    assert found.stability.value == stability(found.supports).value
    assert found.stability.confidence is None
    for rows in drawn:
        assert len(set(rows)) == len(rows)
        np.testing.assert_allclose(
            np.bincount(y[rows]) / np.bincount(y), 0.5, atol=0.05
        )
    assert len({tuple(rows) for rows in drawn}) == 12


def test_rank_intervals_hold_the_central_ranks():
    X, y = gaussian(np.random.default_rng(1))
    found = resample(FisherScore(), X, y, n=40, random_state=0)
    inside = (found.rank_low <= found.ranks) & (found.ranks <= found.rank_high)
    assert (inside.mean(axis=0) >= 0.9).all()
    np.testing.assert_array_equal(
        found.rank_low,
        np.sort(found.ranks, axis=0)[1],  # 5 % of 39 steps is 1.95
    )
    assert list(found.frame) == [
        "feature",
        "frequency",
        "rank_median",
        "rank_low",
        "rank_high",
    ]


def test_a_seed_fixes_everything_and_threads_change_nothing():
    X, y = gaussian(np.random.default_rng(5))
    runs = [
        resample(Simba(2), X, y, n=6, random_state=1, n_jobs=n) for n in (1, 3, None)
    ]
    for other in runs[1:]:
        np.testing.assert_array_equal(other.scores, runs[0].scores)


def test_every_class_stays_in_every_subsample():
    X, y = lonely(np.random.default_rng(0))
    found = resample(FisherScore(), X, y, n=5, fraction=0.1, random_state=0)
    assert found.ranks.shape == (5, 4)


def test_frames_and_selectors_without_labels():
    X, y = load_iris(return_X_y=True, as_frame=True)
    found = resample(ReliefF(2), X, y, n=4, random_state=0)
    assert found.names.tolist() == list(X.columns)
    again = resample(ReliefF(2), pl.from_pandas(X), y.to_numpy(), n=4, random_state=0)
    np.testing.assert_array_equal(again.ranks, found.ranks)
    alone = resample(FeatureSimilarity(n_neighbors=1), X, n=4, random_state=0)
    assert alone.ranks.shape == (4, 4)
    other = resample(SelectKBest(k=2), X, y, n=4, random_state=0, stratified=False)
    np.testing.assert_array_equal(np.sort(other.ranks[0]), [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 1}, "n to be an integer of at least 2, got 1"),
        ({"fraction": 1.0}, "fraction between 0 and 1, got 1.0"),
        ({"fraction": 50}, "fraction between 0 and 1, got 50"),
    ],
)
def test_resampling_that_makes_no_sense_is_refused(options, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        resample(FisherScore(), X, y, **options)


def test_an_interrupt_says_how_far_it_came():
    X, y = load_iris(return_X_y=True)
    done = []

    class Interrupted(FisherScore):
        def _score(self, table, workers):
            done.append(1)
            if len(done) > 3:
                raise KeyboardInterrupt
            return super()._score(table, workers)

    message = "resample: interrupted after 3 of 50 subsamples"
    with pytest.raises(KeyboardInterrupt, match=message):
        resample(Interrupted(), X, y, n_jobs=1)


def test_what_resample_returns_is_taken_without_an_interval():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 8)), np.repeat([0, 1], 20)
    found = resample(ReliefF(3), X, y, n=6, random_state=0)
    assert repr(stability(found)) == repr(found.stability)
    one = stability(found, n_features=1)
    assert one.value == stability(found.ranks, n_features=1).value
    assert one.value != found.stability.value
    assert np.isnan(one.low)
    assert one.confidence is None


def test_a_class_instead_of_a_selector_is_named():
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(TypeError, match=r"got the class ReliefF: write ReliefF\(\)"):
        resample(ReliefF, X, y)
