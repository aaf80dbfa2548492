"""With scale="rank", the order of the values counts, not how far apart they are."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

import widemargin
from widemargin import KernelRFE, MultiSURF, ReliefF, RReliefF, baselines
from widemargin.base import MarginSelector

SELECTORS = [
    member
    for package in (widemargin, baselines)
    for member in (getattr(package, name) for name in package.__all__)
    if isinstance(member, type) and issubclass(member, MarginSelector)
]
MIXED = [ReliefF, MultiSURF, KernelRFE]


def skewed_table(seed=0, n=60):
    """Lognormal features, one with ties, one constant; the class depends on one."""
    rng = np.random.default_rng(seed)
    X = np.exp(2 * rng.standard_normal((n, 6)))
    X[:, 3], X[:, 4] = np.round(X[:, 3]), 1.0
    return X, (X[:, 0] + rng.random(n) > 1.5).astype(int)


def made(method, scale, *size):
    """A selector; for ranks as values, with the scale that it has for ranks."""
    if scale == "of ranks":
        scale = "standard" if method is KernelRFE else "minmax"
    selector = method(*size, scale=scale)
    if "random_state" in selector.get_params():
        selector.set_params(random_state=0)
    return selector


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method", SELECTORS)
def test_it_is_a_fit_to_the_ranks(method):
    X, y = skewed_table()
    y = X[:, 0] if method()._numeric_target else y
    fitted = made(method, "rank").fit(X, y)
    expected = made(method, "of ranks").fit(rankdata(X, axis=0), y)
    np.testing.assert_array_equal(fitted.scores_, expected.scores_)
    np.testing.assert_array_equal(fitted.ranking_, expected.ranking_)


@pytest.mark.parametrize("method", MIXED)
def test_in_mixed_tables_numbers_are_ranked_among_those_present(method):
    X, y = skewed_table()
    frame = pd.DataFrame(X).rename(columns=str)
    frame = frame.mask(np.random.default_rng(1).random(X.shape) < 0.2)
    names = np.where(X[:, 5] > 1, "b", "a")
    names[::7] = "c"
    fitted = made(method, "rank").fit(frame.assign(name=names), y)
    ranks = frame.rank().assign(name=names)
    expected = made(method, "of ranks").fit(ranks, y)
    np.testing.assert_array_equal(fitted.scores_, expected.scores_)


@pytest.mark.parametrize("method", MIXED)
def test_monotone_transformations_change_nothing(method):
    X, y = skewed_table()
    bent = np.column_stack([np.log(X[:, :3]), X[:, 3:] ** 3 - 7])
    one, other = (made(method, "rank", "auto").fit(table, y) for table in (X, bent))
    np.testing.assert_array_equal(one.scores_, other.scores_)
    # Also in the judge, where test rows find their places among training rows.
    np.testing.assert_array_equal(one.prefix_scores_, other.prefix_scores_)
    np.testing.assert_array_equal(one.support_, other.support_)


def test_a_numeric_target_keeps_its_distances():
    X, _ = skewed_table()
    target = np.exp(X[:, 1] / X[:, 1].max())
    one = RReliefF(scale="rank").fit(X, target)
    np.testing.assert_array_equal(
        one.scores_, RReliefF(scale="rank").fit(np.cbrt(X), target).scores_
    )
    assert not np.array_equal(
        one.scores_, RReliefF(scale="rank").fit(X, rankdata(target)).scores_
    )


def test_lognormal_features_are_found_which_their_range_hides():
    found = {"minmax": 0, "rank": 0}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], 100)
        X = rng.standard_normal((200, 12))
        X[:, :2] = np.exp(2 * (X[:, :2] + 1.1 * y[:, None]))
        for scale in found:
            fitted = ReliefF(2, scale=scale).fit(X, y)
            found[scale] += fitted.support_[:2].sum()
    assert found["rank"] == 12
    assert found["minmax"] < 12


def test_any_finite_number_has_a_rank_and_infinity_is_refused():
    X, y = skewed_table()
    X[:, 1] *= 1e300
    X[:, 2] *= 1e-300
    fitted = ReliefF(scale="rank").fit(X, y)
    ranks = ReliefF().fit(rankdata(X, axis=0), y)
    np.testing.assert_array_equal(fitted.scores_, ranks.scores_)
    X[5, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        ReliefF(scale="rank").fit(X, y)
