"""Weights after each step of Simba and Relief, and Relief in a given order."""

import numpy as np
import pytest

from cases import CASES, gaussian
from oracles.margin import evaluation
from oracles.neighbours import scaled
from oracles.relief import relief
from oracles.simba import simba
from widemargin import Relief, Simba
from widemargin.datasets import make_xor
from widemargin.evaluation import significance

pytestmark = pytest.mark.filterwarnings("ignore:.*has one member:UserWarning")


@pytest.mark.parametrize("batch_size", [1, 7])
def test_simba_writes_down_the_weights_of_the_oracle_after_each_step(batch_size):
    X, y = gaussian(np.random.default_rng(0))
    order = np.random.default_rng(1).permutation(len(y))
    fitted = Simba(order=order, batch_size=batch_size, history="step").fit(X, y)
    steps = -(-len(y) // batch_size)
    assert fitted.weights_history_.shape == (1, steps, X.shape[1])
    for t in (0, 1, steps // 2, steps - 1):
        so_far = [order[: batch_size * (t + 1)]]
        w = simba(X, y, so_far, batch_size=batch_size)
        np.testing.assert_allclose(fitted.weights_history_[0, t], w, rtol=1e-9)
        e = evaluation(scaled(X, "minmax"), y, w / np.abs(w).max())
        assert fitted.history_[0, t] == pytest.approx(e)


def test_writing_steps_down_changes_no_weight():
    X, y = make_xor(90, random_state=0)
    options = {"n_starts": 2, "max_iter": 2, "random_state": 0}
    plain = Simba(**options).fit(X, y)
    fitted = Simba(history="step", **options).fit(X, y)
    np.testing.assert_array_equal(fitted.weights_, plain.weights_)
    np.testing.assert_array_equal(fitted.history_[:, [89, 179]], plain.history_)
    assert fitted.weights_history_.shape == (2, 180, 10)
    assert fitted.n_iter_ == 2
    fitted.set_params(history=None).fit(X, y)
    assert not hasattr(fitted, "weights_history_")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("squared", [False, True])
def test_relief_writes_down_the_scores_of_the_oracle_after_each_sample(case, squared):
    X, y = case(np.random.default_rng(0))
    order = np.random.default_rng(1).permutation(len(y))
    fitted = Relief(order=order, history="step", squared=squared).fit(X, y)
    assert fitted.weights_history_.shape == (len(y), X.shape[1])
    for t in (1, len(y) // 2, len(y)):
        theirs = relief(X, y, squared=squared, samples=order[:t])
        np.testing.assert_allclose(fitted.weights_history_[t - 1], theirs, atol=1e-12)
    np.testing.assert_allclose(fitted.scores_, fitted.weights_history_[-1], atol=1e-12)


def test_relief_visits_the_rows_of_its_order_and_no_others():
    X, y = gaussian(np.random.default_rng(2))
    order = [3, 3, 10, 59, 3]
    fitted = Relief(order=order, threshold="chebyshev").fit(X, y)
    np.testing.assert_allclose(fitted.scores_, relief(X, y, samples=order), atol=1e-12)
    assert fitted.n_samples_ == 5
    assert fitted.threshold_ == 1 / np.sqrt(0.05 * 5)
    again = Relief(order=order[::-1]).fit(X, y)
    np.testing.assert_allclose(again.scores_, fitted.scores_, atol=1e-12)


def test_relief_without_an_order_is_written_down_in_a_random_one():
    X, y = gaussian(np.random.default_rng(2))
    fitted = Relief(n_samples=20, history="step", random_state=0).fit(X, y)
    same = Relief(n_samples=20, random_state=0).fit(X, y)
    assert fitted.weights_history_.shape == (20, X.shape[1])
    np.testing.assert_allclose(fitted.scores_, same.scores_, atol=1e-12)


def test_significance_visits_the_rows_of_the_order():
    """Of the visited rows, half are of another class: relevant there, not elsewhere."""
    rng = np.random.default_rng(0)
    X, y = rng.random((120, 3)), np.arange(120) % 2
    X[:60, 0] += 3 * y[:60]
    frames = [
        significance(
            Relief(order=order), X, y, n_permutations=60, random_state=0
        ).frame.sort_index()
        for order in (np.arange(60), np.arange(60, 120))
    ]
    for frame, rows in zip(frames, (range(60), range(60, 120)), strict=True):
        theirs = relief(X, y, samples=rows)
        np.testing.assert_allclose(np.sort(frame["score"]), np.sort(theirs), atol=1e-12)
    assert frames[0]["p_value"].min() < 0.02 < frames[1]["p_value"].min()


def test_relief_in_a_given_order_finds_how_many_features_are_enough():
    X, y = make_xor(300, n_features=6, random_state=0)
    order = np.random.default_rng(0).permutation(300)
    fitted = Relief("auto", order=order).fit(X, y)
    np.testing.assert_array_equal(fitted.get_support(indices=True), [0, 1, 2])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"order": [0, 1], "n_samples": 2},
            "n_samples=2 cannot be combined with order",
        ),
        ({"history": "step", "n_samples": "auto"}, "cannot be combined with history"),
        ({"order": np.empty(0, int)}, "names no row"),
        ({"order": [-1]}, "row numbers from 0"),
    ],
)
def test_what_relief_cannot_visit_is_said(options, said):
    X, y = make_xor(30, random_state=0)
    with pytest.raises(ValueError, match=said):
        Relief(**options).fit(X, y)
