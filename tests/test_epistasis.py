"""`make_epistasis`: the interaction is as strong as asked for, and nothing else is."""

from itertools import combinations

import numpy as np
import pytest

from widemargin import MultiSURF, ReliefF
from widemargin.baselines import InformationGain
from widemargin.datasets import make_epistasis, penetrance

MODELS = [
    {"n_interacting": 2, "heritability": 0.2, "maf": 0.2},
    {"n_interacting": 2, "heritability": 0.9, "maf": 0.3},
    {"n_interacting": 2, "heritability": 1.0, "maf": 0.5},
    {"n_interacting": 2, "heritability": 0.05, "maf": [0.1, 0.4]},
    {"n_interacting": 3, "heritability": 0.2, "maf": 0.3},
    {"n_interacting": 3, "heritability": 0.1, "maf": [0.2, 0.3, 0.45]},
    {"n_interacting": 2, "heritability": 0.2, "maf": 0.2, "prevalence": 0.2},
    {"n_interacting": 3, "heritability": 0.05, "maf": 0.3, "prevalence": 0.8},
    {"n_interacting": 2, "heritability": 0.2, "maf": 0.2, "prevalence": 0.5},
]


def prevalence(model):
    """That of a model; of one without, the mean of its table."""
    frequency = frequencies(model["maf"], model["n_interacting"])
    return model.get("prevalence", (penetrance(**model) * frequency).sum())


def frequencies(maf, n_interacting):
    """Frequency of every combination of genotypes, Hardy-Weinberg, by plain loops."""
    mafs = [maf] * n_interacting if isinstance(maf, float) else maf
    table = np.ones((3,) * n_interacting)
    for cell in np.ndindex(table.shape):
        for g, p in zip(cell, mafs, strict=True):
            table[cell] *= [(1 - p) ** 2, 2 * p * (1 - p), p * p][g]
    return table


@pytest.mark.parametrize("model", MODELS)
def test_no_smaller_number_of_markers_tells_anything(model):
    order = model["n_interacting"]
    table, frequency = penetrance(**model), frequencies(model["maf"], order)
    for size in range(order):
        for kept in combinations(range(order), size):
            away = tuple(set(range(order)) - set(kept))
            cases = (table * frequency).sum(axis=away)
            expected = frequency.sum(axis=away) * prevalence(model)
            np.testing.assert_allclose(cases, expected, atol=1e-15)


@pytest.mark.parametrize("model", MODELS)
def test_heritability_is_the_one_asked_for(model):
    table = penetrance(**model)
    frequency = frequencies(model["maf"], model["n_interacting"])
    mean = (table * frequency).sum()
    assert mean == pytest.approx(prevalence(model))
    variance = ((table - mean) ** 2 * frequency).sum()
    assert variance / (mean * (1 - mean)) == pytest.approx(model["heritability"])
    assert table.min() >= 0
    assert table.max() <= 1


@pytest.mark.parametrize("maf", [0.05, 0.2, 0.3, 0.45])
def test_no_other_factor_leaves_room_for_more_heritability(maf):
    """All factors of mean 0 and variance 1 lie on a circle; here are 20 000 of them."""
    frequency = frequencies(maf, 1)
    u = np.array([0.0, 1.0, 2.0])
    v = np.array([1.0, -1.0, 1.0])
    basis = []
    for column in (u, v):
        column = column - frequency @ column
        for other in basis:
            column = column - (frequency * column) @ other * other
        basis.append(column / np.sqrt(frequency @ column**2))
    turns = np.linspace(0, np.pi, 20_000)[:, None]
    factors = np.cos(turns) * basis[0] + np.sin(turns) * basis[1]
    largest = np.abs(factors).max(axis=1).min() ** -4
    penetrance(heritability=largest * 0.999, maf=maf, prevalence=0.5)
    with pytest.raises(ValueError, match="largest possible"):
        penetrance(heritability=largest * 1.001 + 1e-3, maf=maf, prevalence=0.5)


def test_the_error_names_the_largest_heritability():
    message = r"heritability=0\.4 is not possible with maf=0\.2, .* possible is 0\.3164"
    with pytest.raises(ValueError, match=message):
        make_epistasis(heritability=0.4, maf=0.2, prevalence=0.5)
    make_epistasis(heritability=0.3164, maf=0.2, prevalence=0.5, random_state=0)
    with pytest.raises(ValueError, match=r"maf=0\.2 and 2 markers, .* is 0\.5625"):
        make_epistasis(heritability=0.6, maf=0.2)
    make_epistasis(heritability=0.5625, maf=0.2, random_state=0)


@pytest.mark.parametrize("maf", [0.1, 0.2, 0.3, 0.5])
@pytest.mark.parametrize("order", [2, 3])
def test_the_prevalence_is_a_sixth_or_the_nearest_possible(order, maf):
    frequency = frequencies(maf, order)
    for heritability in (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5):
        model = {"heritability": heritability, "maf": maf, "n_interacting": order}
        try:
            K = (penetrance(**model) * frequency).sum()
        except ValueError:  # not possible with any prevalence
            for other in np.linspace(0.01, 0.99, 99):
                with pytest.raises(ValueError, match="largest possible"):
                    penetrance(**model, prevalence=other)
            continue
        nearer = 1 / 6 + (K - 1 / 6) * 0.999
        if abs(K - 1 / 6) > 1e-12:
            with pytest.raises(ValueError, match="largest possible"):
                penetrance(**model, prevalence=nearer)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_interacting": 4}, "n_interacting of 2 or 3, got 4"),
        ({"heritability": 1.5}, "heritability from 0 to 1, got 1.5"),
        ({"prevalence": 1.0}, "prevalence between 0 and 1, got 1.0"),
        ({"maf": 0.6}, "maf above 0 and up to 0.5, got 0.6"),
        ({"maf": 0.0}, "maf above 0 and up to 0.5, got 0.0"),
        ({"maf": [0.3]}, "one for each of 2 markers, got 1"),
        ({"n_features": 1}, "n_features of at least n_interacting=2, got 1"),
        ({"n_samples": 1}, "n_samples of at least 2, got 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, message):
    with pytest.raises(ValueError, match=f"make_epistasis needs .*{message}"):
        make_epistasis(**arguments)


@pytest.mark.parametrize("model", MODELS)
def test_rows_follow_the_table(model):
    """Shares of cases and controls in every cell, within 5 standard errors."""
    n, order = 40_000, model["n_interacting"]
    X, y = make_epistasis(n, order, random_state=0, **model)
    table, frequency = penetrance(**model), frequencies(model["maf"], order)
    K = prevalence(model)
    for label, risk in ((1, table / K), (0, (1 - table) / (1 - K))):
        expected = frequency * risk
        for cell in np.ndindex(table.shape):
            share = (X[y == label] == cell).all(axis=1).mean()
            error = np.sqrt(expected[cell] * (1 - expected[cell]) / (n / 2))
            assert abs(share - expected[cell]) <= 5 * error + 1e-12


def test_allele_frequencies_and_independence_of_the_other_markers():
    X, y = make_epistasis(20_000, 40, maf=[0.2, 0.4], random_state=0)
    assert set(np.unique(X)) == {0, 1, 2}
    for label in (0, 1):
        maf = X[y == label].mean(axis=0) / 2
        np.testing.assert_allclose(maf[:2], [0.2, 0.4], atol=0.015)
    maf = X[:, 2:].mean(axis=0) / 2
    assert maf.min() > 0.04
    assert maf.max() < 0.51
    assert np.ptp(maf) > 0.3
    heterozygous = (X[:, 2:] == 1).mean(axis=0)
    np.testing.assert_allclose(heterozygous, 2 * maf * (1 - maf), atol=0.02)
    apart = X[y == 1, 2:].mean(axis=0) - X[y == 0, 2:].mean(axis=0)
    assert np.abs(apart).max() < 5 * np.sqrt(0.5 * 4 / 20_000)


@pytest.mark.parametrize("n_features", [20, 10_000])
def test_size_types_and_balance(n_features):
    X, y = make_epistasis(101, n_features, random_state=0)
    assert X.shape == (101, n_features)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    assert sorted(np.bincount(y)) == [50, 51]


def test_same_seed_same_data():
    X, y = make_epistasis(200, random_state=3)
    again = make_epistasis(200, random_state=np.random.RandomState(3))
    np.testing.assert_array_equal(X, again[0])
    np.testing.assert_array_equal(y, again[1])
    assert not np.array_equal(X, make_epistasis(200, random_state=4)[0])


@pytest.mark.parametrize("order", [2, 3])
def test_neighbours_find_the_interaction_and_single_features_do_not(order):
    X, y = make_epistasis(
        1200, 20, n_interacting=order, heritability=0.5, maf=0.3, random_state=1
    )
    for selector in (ReliefF(n_neighbors=50), MultiSURF()):
        selector.set_params(categorical_features=np.arange(20))
        assert selector.fit(X, y).ranking_[:order].max() == order
    assert InformationGain().fit(X, y).ranking_[:order].max() > order


@pytest.mark.slow
def test_two_markers_among_a_thousand_come_first_in_nine_of_ten_sets():
    """1600 rows and the defaults: heritability 0.2, maf 0.2, prevalence 1/6."""
    first = {"ReliefF": 0, "MultiSURF": 0}
    for seed in range(10):
        X, y = make_epistasis(1600, 1000, random_state=seed)
        for selector in (ReliefF(n_neighbors=100), MultiSURF()):
            selector.set_params(categorical_features=np.arange(1000))
            places = selector.fit(X, y).ranking_[:2]
            print(seed, type(selector).__name__, places, flush=True)
            first[type(selector).__name__] += int(places.max() == 2)
    assert min(first.values()) >= 9, first
