"""The test of relevance: what it finds, and that it finds no more than it may."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from oracles import relevance as oracle
from widemargin import KernelRFE
from widemargin.data.read import read_dataset
from widemargin.datasets import make_xor
from widemargin.evaluation import relevance
from widemargin.evaluation._relevance import NEIGHBORS, ROWS, Part


def found(X, y, **options):
    test = relevance(X, y, random_state=0, **options)
    assert test.q_values.shape == (np.shape(X)[1],)
    assert ((test.p_values >= 0) & (test.p_values <= test.q_values)).all()
    return test.significant().nonzero()[0].tolist()


def noise(n=120, d=6, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d)), np.arange(n) % 2


@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_of_features_without_relevance_few_have_low_p_values(target):
    p = []
    for seed in range(30):
        X, y = noise(60, 8, seed)
        X[:, 1] += X[:, 0]  # correlated features have correlated p-values
        if target == "numbers":
            y = np.random.default_rng(100 + seed).standard_normal(60)
        p.append(relevance(X, y, n_rounds=10, random_state=seed).p_values)
    p = np.ravel(p)
    for level in (0.01, 0.05, 0.2):
        assert np.sum(p <= level) <= binom.isf(1e-3, len(p), level)
    assert np.mean(p < 0.5) > 0.1  # but they are not all one


def test_a_shift_is_found():
    X, y = noise()
    X[:, 2] += 1.2 * y
    assert found(X, y) == [2]


def test_features_that_tell_something_only_together_are_found():
    assert found(*make_xor(400, random_state=0)) == [0, 1, 2]


def test_other_features_do_not_become_relevant_by_a_strong_one():
    X, y = noise(200, 10)
    X[:, 0] += 5 * y
    assert found(X, y) == [0]


def test_skewed_columns_are_found_as_their_logarithms_are():
    X, y = noise()
    X[:, 2] += 1.2 * y
    X[:, 4] -= 1.2 * y
    skewed = X.copy()
    skewed[:, 2], skewed[:, 4] = np.exp(4 * X[:, 2]), -np.exp(-3 * X[:, 4])
    one, two = (relevance(A, y, random_state=0) for A in (X, skewed))
    assert one.significant().nonzero()[0].tolist() == [2, 4]
    np.testing.assert_allclose(one.p_values, two.p_values, rtol=1e-9)


def test_a_numeric_target():
    X, _ = noise(150, 6)
    y = X[:, 1] + X[:, 3] ** 2 + 0.3 * noise(150, 1, 9)[0][:, 0]
    assert found(X, y) == [1, 3]


@pytest.mark.parametrize("kind", ["frame", "codes"])
def test_nominal_columns_and_missing_values(kind):
    X, y = noise(200, 3, 1)
    rng = np.random.default_rng(2)
    X[:, 0] += 1.5 * y
    X[rng.random(200) < 0.2, 0] = np.nan
    code = (rng.integers(0, 2, 200) + y) % 3 * 2.0
    noisy = rng.integers(0, 4, 200).astype(float)
    if kind == "codes":
        table = np.column_stack([X, code, noisy])
        assert found(table, y, categorical_features=[3, 4]) == [0, 3]
        return
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["code"] = np.array(["p", "q", "r", "s", "t"], dtype=object)[code.astype(int)]
    frame["noisy"] = pd.Categorical(noisy)
    frame.loc[::17, "code"] = None
    assert found(frame, y) == [0, 3]


def test_a_numeric_target_counts_by_its_ranks():
    """Else a few large values decide all scores, and noise looks relevant."""
    X, y = noise(d=4)
    y = X[:, 0] + np.random.default_rng(1).standard_normal(len(X))
    plain, skewed = (
        relevance(X, target, task="regression", random_state=0)
        for target in (y, np.exp(5 * y))
    )
    np.testing.assert_array_equal(plain.p_values, skewed.p_values)
    assert plain.p_values[0] < 0.01 < plain.p_values[1:].min()


def test_many_rows_are_tested_in_parts():
    n = 2 * ROWS + 50
    X, y = noise(n, 4)
    X[:, 1] += 0.4 * y
    assert found(X, y, n_rounds=10) == [1]


@pytest.mark.parametrize("kind", ["classes", "numbers", "mixed", "parts"])
def test_the_order_of_the_rows_does_not_count(kind):
    X, y = noise(ROWS + 100 if kind == "parts" else 120)
    X[:, 2] += 0.7 * y
    target = X[:, 2] + X[:, 3] if kind == "numbers" else y
    options = {}
    if kind == "mixed":
        X[:, 0] = np.digitize(X[:, 0], [-1, 0, 1])
        X[::7, 1] = np.nan
        options = {"categorical_features": [0]}
    order = np.random.default_rng(5).permutation(len(y))
    one, two = (
        relevance(X[rows], target[rows], n_rounds=10, random_state=0, **options)
        for rows in (np.arange(len(y)), order)
    )
    np.testing.assert_allclose(one.p_values, two.p_values, rtol=1e-6)


def test_threads_do_not_count():
    X, y = noise(80)
    one, two = (
        relevance(X, y, n_rounds=10, random_state=0, n_jobs=n).p_values for n in (1, 3)
    )
    np.testing.assert_array_equal(one, two)


def test_constants_and_few_features():
    X, y = noise(80, 3)
    X[:, 0] += 2 * y
    X[:, 1] = 7.0
    test = relevance(X, y, random_state=0)
    assert test.p_values[1] == 1
    assert test.significant().tolist() == [True, False, False]
    assert relevance(X[:, :1], y, random_state=0).significant().all()
    assert (relevance(np.ones((20, 2)), y[:20], random_state=0).p_values == 1).all()


def test_wrong_arguments_are_refused():
    X, y = noise(40)
    with pytest.raises(ValueError, match="relevance needs n_rounds"):
        relevance(X, y, n_rounds=2)
    with pytest.raises(ValueError, match="at least 2 classes"):
        relevance(X, np.zeros(40))
    with pytest.raises(ValueError, match="task"):
        relevance(X, y, task="ranking")


@pytest.mark.parametrize("numeric", [False, True])
def test_both_scores_are_those_of_an_oracle(numeric):
    rng = np.random.default_rng(3)
    X, y = rng.random((45, 4)), rng.integers(0, 3, 45)
    target = X[:, 0] + rng.random(45) if numeric else y
    task = "regression" if numeric else "classification"
    part = Part(KernelRFE(task=task), read_dataset(X, target, "test", task=task))
    Z, order = part.columns.take(part.rows), rng.permutation(45)
    expected = oracle.scores(Z, part.Y, order, NEIGHBORS)
    np.testing.assert_allclose(part.beside_copies(order), expected, rtol=1e-9)
