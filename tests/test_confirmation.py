"""Significance: features are confirmed by permuted copies of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest, f_classif

from widemargin import ReliefF
from widemargin.baselines import FisherScore, PearsonScore
from widemargin.data.read import read_dataset
from widemargin.evaluation import significance
from widemargin.evaluation._null_scores import plan
from widemargin.evaluation._p_values import copy_p_values
from widemargin.evaluation._permutation_test import PermutationTest
from widemargin.evaluation._selectors import Call


def strong(seed, n=200, d=50, relevant=5, shift=4.0):
    """Few features far apart, and noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d))
    X[:, :relevant] += shift * y[:, None]
    return X, y


@pytest.mark.simulated
def test_noise_beside_strong_features_is_not_significant():
    # Under permuted labels alone, one of six features reported here is noise.
    wrong = []
    for seed in range(4):
        found = significance(ReliefF(), *strong(seed), random_state=seed).significant()
        assert found[:5].all()
        wrong.append(found[5:].sum() / found.sum())
    assert np.mean(wrong) <= 0.07


def test_confirmed_p_values_are_never_smaller_than_those_of_permuted_labels():
    X, y = strong(0)
    data = read_dataset(X, y, "a test")
    way = plan(ReliefF(), data, "auto", None)

    def tested(way):
        call = Call("significance", "permutations", None, 0)
        test = PermutationTest(ReliefF(), data, way, np.random.RandomState(0), call)
        return test.run()[1], test.how

    plain, _ = tested(way._replace(refits=0))
    confirmed, how = tested(way)
    assert (confirmed >= plain).all()
    assert (confirmed > plain).any()
    np.testing.assert_array_equal(confirmed[plain > 0.05], plain[plain > 0.05])
    assert "the larger p-value counts" in how


@pytest.mark.parametrize("selector", [FisherScore(), PearsonScore()], ids=str)
def test_scores_of_single_features_need_no_confirmation(selector):
    found = significance(selector, *strong(0), random_state=0)
    assert found.significant()[:5].all()
    assert "columns" not in found.how


def test_noise_needs_no_confirmation():
    X, y = strong(1, shift=0.0)
    found = significance(ReliefF(), X, y, random_state=0)
    assert not found.significant().any()
    assert "columns" not in found.how


def test_labels_and_columns_stay_as_they_are():
    X, y = strong(0, d=60)
    tables = []

    class Seen(ReliefF):
        def _score(self, table, workers):
            if table.X.shape[1] > 60:
                tables.append(table)
            return super()._score(table, workers)

    seen = significance(Seen(scale=None), X, y, random_state=0)
    assert "copies of themselves" in seen.how
    assert tables
    for table in tables:
        np.testing.assert_array_equal(table.X[:, :60], X[table.rows])
        np.testing.assert_array_equal(table.y, y[table.rows])
        assert 1 <= table.X.shape[1] - 60 <= 3
        for copy in table.X[:, 60:].T:
            (same,) = np.flatnonzero(
                (np.sort(X, axis=0) == np.sort(copy)[:, None]).all(0)
            )
            assert (X[table.rows, same] != copy).any()


def credit(seed, n=400):
    """Nominal features that tell classes apart, few numbers, and four coins."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    columns = {}
    for f, share in enumerate((0.12, 0.25, 0.3, 0.35, 0.4, 0.42)):
        other = rng.random(n) < share
        columns[f"f{f}"] = np.array(["no", "yes"])[np.where(other, 1 - y, y)]
    for f in range(4):
        columns[f"number {f}"] = rng.exponential(size=n) + 0.3 * y
    for f in range(4):
        columns[f"coin {f}"] = rng.choice(["head", "tail"], n)
    return pd.DataFrame(columns), y


@pytest.mark.slow
def test_coins_in_a_mixed_table_are_seldom_significant():
    low = [
        significance(ReliefF(), *credit(seed), random_state=seed).p_values[-4:] <= 0.05
        for seed in range(15)
    ]
    assert np.mean(low) <= 0.12


def test_p_values_of_copies_are_uniform_if_nothing_tells_them_from_the_feature():
    rng = np.random.default_rng(0)
    for draw in (rng.standard_normal, rng.standard_exponential):
        own = np.repeat(3 + 2 * draw((1, 4000)), 15, axis=0)
        p = copy_p_values(own, 3 + 2 * draw((15, 4000)))
        for t in (0.001, 0.01, 0.05, 0.5):
            assert np.mean(p <= t) <= t + 3 * np.sqrt(t / 4000)
        assert np.mean(p <= 0.05) >= 0.03


def test_copies_that_all_have_one_score():
    own = np.tile([1.0, 0.25], (15, 1))
    assert copy_p_values(own, np.full((15, 2), 0.25)).tolist() == [0, 1]


def test_few_copies_confirm_nothing():
    scores = np.full((15, 1), np.nan)
    scores[:4, 0] = [0.1, 0.2, 0.3, 0.4]
    assert copy_p_values(scores + 9, scores).tolist() == [1]


def test_an_interrupt_of_the_confirmation_reports_only_what_is_confirmed():
    X, y = strong(0)

    class Stopped(ReliefF):
        def _score(self, table, workers):
            if table.X.shape[1] > X.shape[1]:
                raise KeyboardInterrupt
            return super()._score(table, workers)

    with pytest.warns(UserWarning, match="those that were not have p = 1"):
        found = significance(Stopped(), X, y, random_state=0)
    assert not found.complete
    assert (found.p_values[:5] == 1).all()


@pytest.mark.parametrize("frame", [True, False])
def test_copies_are_added_to_frames_and_for_selectors_of_others(frame):
    X, y = strong(0, n=40, d=4, relevant=1)
    table = pd.DataFrame(X, columns=list("abcd")) if frame else X
    order = np.random.default_rng(0).permutation(40)
    more = np.hstack([X, X[order][:, [0, 2]]])
    data = read_dataset(table, y, "test").with_probes(np.array([0, 2]), order)
    for selector in (ReliefF(), SelectKBest(f_classif, k=2)):
        got = data.fit(clone(selector)).scores_
        np.testing.assert_allclose(got, clone(selector).fit(more, y).scores_)
    np.testing.assert_array_equal(np.asarray(table), X)


def test_features_of_rare_values_spoil_the_calibration_of_no_others():
    rng = np.random.default_rng(0)
    rare = np.arange(1000) < 700
    copies = rng.standard_normal((10, 1000))
    copies[:, rare] = 0  # as of a word in three rows: all have one score, but for one
    copies[rng.integers(0, 10, 700), np.flatnonzero(rare)] = 1
    own = np.tile(np.where(rare, 0.1, 8.0), (10, 1))
    together = copy_p_values(own, copies)
    by_rarity = copy_p_values(own, copies, np.where(rare, 3, 50))
    assert together[~rare].min() > 0.05
    assert by_rarity[~rare].max() < 1e-3
    assert by_rarity[rare].min() > 0.05


def test_copies_of_a_rare_feature_without_any_spread_prove_little():
    own, copies = np.ones((15, 2)), np.full((15, 2), 0.25)
    assert copy_p_values(own, copies, np.array([3, 3])).tolist() == [1 / 16, 1 / 16]
