"""Significance: features are confirmed by permuting their own columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest, f_classif

from widemargin import ReliefF
from widemargin.baselines import FisherScore, PearsonScore
from widemargin.evaluation import _confirm, _significance, significance
from widemargin.evaluation._encoded import read_once


def strong(seed, n=200, d=50, relevant=5, shift=4.0):
    """Few features far apart, and noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d))
    X[:, :relevant] += shift * y[:, None]
    return X, y


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
    run = _significance._Run
    seen = []

    class Spy(run):
        def _confirmed(self, observed, p):
            seen.append((p, super()._confirmed(observed, p)))
            return seen[-1][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_significance, "_Run", Spy)
        found = significance(ReliefF(), X, y, random_state=0)
    ((plain, confirmed),) = seen
    assert (confirmed >= plain).all()
    assert (confirmed > plain).any()
    np.testing.assert_array_equal(confirmed, found.p_values)
    np.testing.assert_array_equal(confirmed[plain > 0.05], plain[plain > 0.05])
    assert "the larger p-value counts" in found.how


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


def test_features_permuted_together_hold_a_small_share_of_the_scores():
    observed = np.r_[10.0, 5.0, np.full(40, 0.5), np.zeros(58)]
    features = np.arange(42)
    groups = _confirm.groups_of(features, observed, 10)
    assert sorted(np.concatenate(groups).tolist()) == features.tolist()
    assert [len(g) for g in groups[:2]] == [1, 1]
    shares = [observed[g].sum() / observed.sum() for g in groups if len(g) > 1]
    assert max(shares) <= 0.1 + 1e-9
    assert len(groups) <= 20


def test_p_values_of_one_more_draw_are_uniform_if_it_is_one():
    rng = np.random.default_rng(0)
    draws = 3 + 2 * rng.standard_normal((15, 4000))
    p = _confirm.one_more_draw(3 + 2 * rng.standard_normal(4000), draws, 0.0)
    for t in (0.01, 0.05, 0.5):
        assert np.mean(p <= t) == pytest.approx(t, abs=3 * np.sqrt(t / 4000))
    same = np.full((15, 2), 0.25)
    assert _confirm.one_more_draw(np.array([1.0, 0.25]), same, 1e-9).tolist() == [0, 1]


def test_an_interrupt_of_the_confirmation_reports_only_what_is_confirmed(monkeypatch):
    def stopped(selector, data, keep, total, call):
        raise KeyboardInterrupt

    monkeypatch.setattr(_confirm, "refit", stopped)
    with pytest.warns(UserWarning, match="those that were not have p = 1"):
        found = significance(ReliefF(), *strong(0), random_state=0)
    assert not found.complete
    assert (found.p_values[:5] == 1).all()


@pytest.mark.parametrize("frame", [True, False])
def test_columns_are_permuted_in_frames_and_for_selectors_of_others(frame):
    X, y = strong(0, n=40, d=4, relevant=1)
    table = pd.DataFrame(X, columns=list("abcd")) if frame else X
    order = np.random.default_rng(0).permutation(40)
    moved = X.copy()
    moved[:, [0, 2]] = X[order][:, [0, 2]]
    data = read_once(table, y, "test").shuffled(np.array([0, 2]), order)
    for selector in (ReliefF(), SelectKBest(f_classif, k=2)):
        got = data.fit(clone(selector)).scores_
        np.testing.assert_allclose(got, clone(selector).fit(moved, y).scores_)
    np.testing.assert_array_equal(np.asarray(table), X)
