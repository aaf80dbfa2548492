"""Pairs that work together: the statistic, and what is said of them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from tests.oracles import interactions as oracle
from widemargin.data.dataset import Columns
from widemargin.datasets import make_epistasis, make_xor
from widemargin.evaluation import interactions
from widemargin.evaluation._additive import bases, fit_additive, log_tail
from widemargin.evaluation._pair_search import log_weights
from widemargin.evaluation._pair_test import _corrected, combined, pair_test


def numbers(X):
    return bases(Columns(X, {}))


@pytest.fixture
def random():
    return np.random.default_rng(0)


def log_odds_data(random, n=300, d=8):
    X = random.standard_normal((n, d))
    X[:, 1] += X[:, 0]
    odds = np.exp(1.5 * X[:, 0] + X[:, 2] ** 2 - 1)
    return X, (random.random(n) < odds / (1 + odds)) * 1.0


def test_pair_test_is_the_score_test_of_the_mixed_model(random):
    X, _ = log_odds_data(random)
    y = X[:, 0] + np.sin(X[:, 2]) + random.standard_normal(len(X))
    y = (y - y.mean()) / y.std()
    features = numbers(X)
    fit = fit_additive(features, np.arange(8), y, classes=False)
    # P without fixed effects, but for the intercept that the fit has.
    P = np.diag(fit.weight) - fit.factor.T @ fit.factor
    ridge = 1e-10 * np.eye(len(y))
    V = np.linalg.pinv(P, rcond=1e-12) + ridge
    a, b = features[0], features[1]
    z = V @ fit.residual
    Z = np.hstack([a.main, b.main])
    B = np.column_stack(
        [a.product[:, i] * b.product[:, j] for i, j in ((0, 0), (0, 1), (1, 0), (1, 1))]
    )
    u = oracle.standardised_scores(V, Z, B, z)
    expected = oracle.cauchy([chi2.sf(u[0] ** 2, 1), chi2.sf((u**2).sum(), 4)])
    found = np.exp(pair_test(a, b, fit, None, None))
    # Scores may be made smaller for residuals of unequal spread, not larger.
    assert found >= expected * (1 - 1e-6)
    assert found < 20 * expected


def test_saddlepoint_is_that_of_the_formula(random):
    a, p = random.standard_normal(40), random.uniform(0.02, 0.5, 40)
    a /= np.sqrt((a**2 * p * (1 - p)).sum())
    for u in (-3.0, -1.6, 2.0, 3.5):
        found = _corrected(a[None], p, np.array([u]))[0]
        assert found == pytest.approx(oracle.saddlepoint(a, p, u), rel=1e-5)


def test_saddlepoint_is_nearer_to_the_exact_tail_than_the_normal_is(random):
    a, p = random.uniform(0.5, 1.5, 16), np.full(16, 0.06)
    a /= np.sqrt((a**2 * p * (1 - p)).sum())
    exact = oracle.exact_tail(a, p, 3.0)
    corrected = oracle.normal_tail(_corrected(a[None], p, np.array([3.0]))[0])
    assert exact / 2 < corrected < 2 * exact
    assert oracle.normal_tail(3.0) < exact / 4


def test_scores_up_to_which_the_normal_serves_stay(random):
    a, p = random.standard_normal((1, 30)), np.full(30, 0.5)
    assert _corrected(a, p, np.array([1.2]))[0] == 1.2


def test_p_values_are_combined_as_by_cauchy():
    p = np.array([0.2, 0.01, 0.9])
    assert np.exp(combined(np.log(p))) == pytest.approx(oracle.cauchy(p))
    far = np.log([1e-200, 0.5])
    assert combined(far) == pytest.approx(np.log(2e-200))


def test_log_tail_is_that_of_chi_squared_and_goes_on_where_it_underflows():
    x = np.array([0.0, 0.3, 4.0, 60.0, 900.0])
    for k in (1, 4, 9):
        assert log_tail(x, k) == pytest.approx(chi2.logsf(x, k), rel=1e-6, abs=1e-9)
        far = np.array([1200.0, 1300.0])  # probabilities below 1e-250
        assert log_tail(far, k) == pytest.approx(chi2.logsf(far, k), rel=1e-5)
        assert -51000 < log_tail(np.array([1e5]), k)[0] < -49000


def test_polynomials_of_ranks_are_orthonormal_and_see_ranks_only(random):
    x = np.exp(random.standard_normal(200))
    x[:50] = np.nan
    basis, same = numbers(x[:, None])[0], numbers(np.log(x)[:, None])[0]
    known = basis.main[50:, :8]
    assert known.T @ known == pytest.approx(150 * np.eye(8), abs=1e-8)
    assert (basis.main[:50, :8] == 0).all()
    assert basis.main.shape[1] == 9  # values, squares, and being missing are effects
    assert basis.main[:, :6] == pytest.approx(same.main[:, :6])
    assert basis.product == pytest.approx(same.product)


def test_values_that_are_their_ranks_are_not_there_twice():
    x = np.random.default_rng(0).permutation(200) * 1.0
    assert numbers(x[:, None])[0].main.shape[1] == 6
    assert numbers(1e300 * (x[:, None] - 50))[0].main.shape[1] == 6


@pytest.mark.parametrize("shape", ["squares", "lognormal"])
def test_tails_of_correlated_features_are_no_interaction(shape, random):
    found = 0
    for _ in range(6):
        X = np.sqrt(0.8) * random.standard_normal((400, 1))
        X = X + np.sqrt(0.2) * random.standard_normal((400, 8))
        if shape == "squares":
            y = X[:, 0] ** 2 + X[:, 1] ** 2 + np.tanh(2 * X[:, 2])
        else:
            X = np.exp(X)
            y = X[:, 0] + X[:, 1] - X[:, 2]
        y = y + 0.4 * random.standard_normal(400)
        found += (interactions(X, y).q_values < 0.01).any()
    assert found == 0


def test_rare_values_and_levels_are_merged():
    x = np.repeat([0.0, 1.0, 2.0], [60, 39, 1])
    assert numbers(x[:, None])[0].main.shape[1] == 1
    codes = np.repeat([0, 1, 2, 3], [60, 36, 2, 2])
    nominal = bases(Columns(np.full((100, 1), np.nan), {0: codes}))[0]
    assert nominal.main.shape[1] == 2
    assert len(np.unique(nominal.main[96:], axis=0)) == 1


@pytest.mark.parametrize("kind", ["normal", "uniform"])
def test_xor_is_found_among_sixty_columns(kind, random):
    if kind == "uniform":
        X, y = make_xor(300, 60, 2, random_state=1)
    else:
        X = random.standard_normal((300, 60))
        y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    found = interactions(X, y)
    assert found.pairs[0].tolist() == [0, 1]
    assert found.q_values[0] < 1e-10
    assert "exactly one of x0 and x1 is high" in found.sentence()
    assert found.partners == {0: [1], 1: [0]}
    assert found.alone[:2].min() > 0.001


def test_epistasis_is_found_by_the_screen():
    X, y = make_epistasis(800, 120, random_state=0)
    found = interactions(X, y)
    assert len(found.pairs) == 1500  # of 7140
    assert found.n_possible == 7140
    assert found.found.tolist() == [[0, 1]]
    assert found.q_values[0] == pytest.approx(7140 * found.p_values[0])


def test_a_numeric_product_is_found_beside_effects(random):
    X = random.standard_normal((300, 20))
    y = 2 * X[:, 2] + X[:, 0] * X[:, 1] + random.standard_normal(300)
    found = interactions(X, y)
    assert found.found.tolist() == [[0, 1]]
    assert "both high or both low" in found.sentence()
    assert found.alone[2] < 1e-6


def test_main_effects_are_no_interactions(random):
    """Of twenty additive tables with strong effects, at most three have a pair."""
    n_found = 0
    for _ in range(20):
        X, y = log_odds_data(random)
        n_found += len(interactions(X, y).found) > 0
    assert n_found <= 3


def test_p_values_are_uniform_without_interaction(random):
    p = []
    for _ in range(20):
        X, y = log_odds_data(random)
        p.append(interactions(X, y).p_values)
    assert 0.02 < (np.concatenate(p) <= 0.05).mean() < 0.08


def test_nominal_features_with_names_and_gaps(random):
    X = pd.DataFrame(random.standard_normal((400, 5)), columns=list("abcde"))
    X["a"] = random.choice(["red", "green", "blue"], 400)
    up = np.where(X["a"] == "red", 2.0, -1.0) * X["b"]
    X.loc[::11, "b"], X.loc[5::17, "a"] = np.nan, None
    y = np.where(random.random(400) < 1 / (1 + np.exp(-up)), "ill", "well")
    found = interactions(X, y)
    assert found.pairs[0].tolist() == [0, 1]
    assert found.q_values[0] < 0.001
    assert "a is red" in found.sentence()
    picture = found.picture()
    assert picture.rows == ["blue", "green", "red"]
    assert len(picture.columns) == 4
    assert picture.n_samples.sum() == X[["a", "b"]].notna().all(axis=1).sum()


def test_of_three_classes_every_two_are_compared(random):
    X = random.standard_normal((450, 6))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    y = np.where(np.arange(450) % 3 == 0, 2, y)
    found = interactions(X, y)
    assert found.pairs[0].tolist() == [0, 1]
    assert found.q_values[0] < 1e-6
    assert "class 1 (against 0)" in found.sentence()


def test_quadrants_are_additive():
    """Each feature tells the same, whatever the other is."""
    random = np.random.default_rng(3)
    X = random.standard_normal((400, 6))
    y = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    assert not len(interactions(X, y).found)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([[0.1, 0.1], [0.1, 0.9]], "only when a is high and b is high"),
        ([[0.1, 0.9], [0.1, 0.1]], "frequent only when a is low and b is high"),
        ([[0.9, 0.9], [0.1, 0.9]], "rare only when a is high and b is low"),
        ([[0.9, 0.1], [0.1, 0.9]], "when a and b are both high or both low"),
        ([[0.5, 0.1], [0.5, 0.9]], "rises with a when b is high, and hardly changes"),
    ],
)
def test_sentences_say_what_the_cells_show(cells, words):
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.random((3000, 2)), columns=["a", "b"])
    p = np.array(cells)[(X["a"] > 0.5) * 1, (X["b"] > 0.5) * 1]
    found = interactions(X, random.random(3000) < p)
    sentence = found.sentence()
    if "hardly" in words:
        assert "when b is high" in sentence or "with b when" in sentence
    else:
        assert words in sentence


def test_groups_widen_what_repeated_rows_narrow():
    """Each row ten times, with its label: no pair of additive tables is found."""
    n_found, plain = 0, 0
    for seed in range(8):
        random = np.random.default_rng(seed)
        X = random.standard_normal((60, 6))
        y = (random.random(60) < 1 / (1 + np.exp(-X[:, 0]))) * 1
        rows = np.repeat(np.arange(60), 10)
        n_found += len(interactions(X[rows], y[rows], groups=rows).found) > 0
        plain += len(interactions(X[rows], y[rows]).found) > 0
    assert n_found <= 1 < plain


def test_order_of_rows_labels_and_scale_do_not_matter(random):
    X, y = log_odds_data(random)
    order = random.permutation(len(y))
    one = interactions(X, y)
    for other in (
        interactions(X[order], y[order]),
        interactions(2.54 * X - 3, np.where(y == 1, "no", "yes")),
        interactions(X.astype(np.float32).astype(np.float64), y, n_jobs=1),
    ):
        assert other.log_p_values == pytest.approx(one.log_p_values, abs=1e-5)


def test_pairs_of_features_with_effects_have_half_of_the_weight(random):
    pairs = np.column_stack(np.triu_indices(10, 1))
    effective = np.isin(np.arange(10), [0, 1, 2])
    weights = np.exp(log_weights(pairs, effective))
    both = effective[pairs].all(axis=1)
    assert weights[both] == pytest.approx(45 / 6)
    assert weights.sum() == pytest.approx(45)
    assert weights[both].sum() == pytest.approx(22.5)
    for none in (effective & False, effective | True, np.arange(10) == 0):
        assert (log_weights(pairs, none) == 0).all()


def test_and_with_exceptions_is_found_in_three_hundred_rows(random):
    found = 0
    for _ in range(3):
        X = random.standard_normal((300, 60))
        y = ((X[:, 0] > 0) & (X[:, 1] > 0)) ^ (random.random(300) < 0.1)
        pairs = interactions(X, y)
        found += pairs.pairs[0].tolist() == [0, 1] and pairs.q_values[0] < 0.05
    assert found >= 2


def test_candidates_are_tested_and_all_pairs_counted(random):
    X, y = make_xor(300, 30, 2, random_state=0)
    frame = pd.DataFrame(X).rename(columns=lambda f: f"f{f}")
    found = interactions(frame, y, candidates=["f0", "f1", "f7"])
    assert sorted(map(tuple, found.pairs.tolist())) == [(0, 1), (0, 7), (1, 7)]
    assert found.q_values[0] == pytest.approx(435 * found.p_values[0])
    assert list(found.to_frame()["feature_a"][:1]) == ["f0"]


def test_constants_rare_classes_and_few_rows_have_no_pairs(random):
    X = random.standard_normal((40, 4))
    X[:, 0] = 1.0
    y = np.arange(40) < 3
    found = interactions(X, y)  # a class of three rows
    assert (found.p_values == 1).all()
    found = interactions(X, np.arange(40) % 2)
    assert found.p_values[(found.pairs == 0).any(axis=1)] == pytest.approx(1)
    assert not len(interactions(X[:, :1], y).pairs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"level": 2}, "interactions needs a level between 0 and 1, got 2"),
        ({"candidates": [0]}, "interactions needs at least 2 candidates, got 1"),
        ({"candidates": ["q", 1]}, "interactions: candidates names 'q', which is not"),
        ({"y": [0, 1]}, "inconsistent numbers of samples"),
        ({"groups": [1, 2]}, "interactions needs one group for each of the 30 rows"),
    ],
)
def test_messages(change, message, random):
    given = {"X": random.random((30, 3)), "y": np.arange(30) % 2} | change
    with pytest.raises(ValueError, match=message):
        interactions(**given)


def test_representations(random):
    X, y = make_xor(300, 5, 2, random_state=0)
    frame = pd.DataFrame(X, columns=["<b>", "x", "y", "z", "u"])
    found = interactions(frame, y)
    assert repr(found) == "Interactions(1 of 10 pairs at q < 0.05: <b> with x)"
    page = found._repr_html_()
    assert "&lt;b&gt;" in page
    assert "exactly one" in page
    assert found.to_frame()["together"].tolist()[1] == ""
