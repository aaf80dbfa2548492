"""Rows by their margin: which are hard, and which probably mislabelled."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import StratifiedKFold

from oracles.hard_rows import margin
from widemargin import KernelRFE, ReliefF, RReliefF
from widemargin.evaluation import hard_rows
from widemargin.evaluation._hard_rows import wrong_labels


def wine(n_wrong, seed=0):
    """Wine with some wrong labels, and which they are."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(seed)
    wrong = rng.choice(len(y), n_wrong, replace=False)
    y = y.to_numpy().copy()
    y[wrong] = (y[wrong] + rng.integers(1, 3, n_wrong)) % 3
    return X, y, wrong


def test_margins_are_the_oracles():
    X, y = load_iris(return_X_y=True)
    folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    found = hard_rows(X, y, [0, 3], cv=folds, n_rows=150)
    train_of = {i: train for train, test in folds for i in test}
    expected = [margin(X, y, i, train_of[i], [0, 3]) for i in found.rows]
    margins, nearest = zip(*expected, strict=True)
    np.testing.assert_allclose(found.margins, margins, atol=1e-12)
    np.testing.assert_array_equal(found.suggested, nearest)
    np.testing.assert_array_equal(found.labels, y[found.rows])
    assert (np.diff(found.margins) >= 0).all()


def test_wrong_labels_come_first_with_the_class_they_should_have():
    X, y, wrong = wine(9)
    true = load_wine().target
    found = hard_rows(X, y, random_state=0)
    frame = found.to_frame()
    assert list(frame) == ["row", "label", "suggested", "margin", "suspect"]
    assert len(frame) == found.n_rows == 9
    caught = frame[frame["row"].isin(wrong)]
    assert len(caught) >= 7
    np.testing.assert_array_equal(caught["suggested"], true[caught["row"]])
    assert 5 <= found.expected <= 15
    assert 0.5 <= found.precision <= 1
    assert found.suspects.sum() == round(found.expected)
    assert "labels may be wrong" in found.sentence


def test_right_labels_leave_no_suspects():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 60)
    X = rng.standard_normal((120, 4)) + 8 * (y == "b")[:, None]
    found = hard_rows(X, y, random_state=0)
    assert found.expected < 2
    assert found.sentence == "No sign of wrong labels among 120 rows."
    assert not found.suspects.any()


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2])
def test_the_number_of_wrong_labels_is_estimated(share):
    """Of margins whose mixture is known."""
    rng = np.random.default_rng(0)
    right = np.clip(rng.normal(0.4, 0.2, 4000), -1, 1)
    margins = np.sort(np.where(rng.random(4000) < share, -right, right))
    found, precision = wrong_labels(margins, np.sort(-margins), 200)
    assert share - 0.03 <= found <= share + 0.03
    assert (share == 0) == (precision < 0.5)


def test_a_row_has_no_part_in_choosing_its_features():
    X, y, _ = wine(0)
    seen = []

    class Spy(ReliefF):
        def _score(self, table, workers):
            seen.append(np.sort(table.rows))
            return super()._score(table, workers)

    hard_rows(X, y, Spy(4), cv=5, random_state=0)
    assert len(seen) == 5
    assert all(len(rows) in (142, 143) for rows in seen)


def test_columns_by_name_place_and_mask_are_the_same():
    X, y, _ = wine(5)
    mask = X.columns.isin(["alcohol", "proline"])
    options = {"random_state": 0, "n_rows": 7}
    named = hard_rows(X, y, ["alcohol", "proline"], **options)
    for other in ([0, 12], mask):
        again = hard_rows(X, y, other, **options)
        np.testing.assert_array_equal(again.rows, named.rows)
        np.testing.assert_array_equal(again.margins, named.margins)
    assert len(named.to_frame()) == 7
    assert len(named.to_frame(20)) == 20


@pytest.mark.parametrize("selector", [None, "ReliefF", ReliefF(3), KernelRFE("auto")])
def test_the_same_seed_gives_the_same(selector):
    X, y, _ = wine(5)
    X = X.iloc[:, :6]
    one, other = (hard_rows(X, y, selector, random_state=1, cv=3) for _ in range(2))
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.margins, other.margins)


def test_nominal_and_missing_values_groups_and_single_members():
    rng = np.random.default_rng(0)
    y = np.append(np.repeat(["a", "b"], 40), "c")
    kind = np.where(y == "a", "x", "y")
    size = rng.standard_normal(81) + 4 * (y == "a")
    size[::7] = np.nan
    X = pd.DataFrame({"kind": kind, "size": size, "noise": rng.random(81)})
    groups = np.arange(81) // 3
    with pytest.warns(UserWarning, match="least populated"):
        found = hard_rows(X, y, ["kind", "size"], groups=groups, random_state=0)
    assert 80 not in found.rows  # alone in its class
    assert len(found.rows) == 80
    assert (found.margins[found.labels == "a"] > 0).all()
    assert (found.margins[found.labels == "b"] > 0).mean() > 0.9


def test_it_is_shown_and_pickled():
    X, y, _ = wine(9)
    found = hard_rows(X, y, ["alcohol", "proline", "flavanoids"], random_state=0)
    assert repr(found).startswith("HardRows(9 of 178 rows, ")
    assert "probably mislabelled" in found._repr_html_()
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.rows, found.rows)


@pytest.mark.parametrize("features", [None, RReliefF(), [0]])
def test_numeric_targets_are_refused_in_a_line(features):
    X = load_iris().data
    with pytest.raises(ValueError, match="hard_rows needs classes, but y is numeric"):
        hard_rows(X[:, :3], X[:, 3] + 0.001 * np.arange(150), features)


def test_what_does_not_fit_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="n_rows to be at least 1, got 0"):
        hard_rows(X, y, [0], n_rows=0)
    with pytest.raises(ValueError, match="hard_rows: features names 'nothing'"):
        hard_rows(X, y, ["nothing"])
    with pytest.raises(ValueError, match="at least one feature in features, got none"):
        hard_rows(X, y, [])
