"""Scripts for skrebate and fast-select run with their import changed, nothing else."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris

import widemargin
from cases import gaussian, lopsided
from widemargin.compat import fast_select, skrebate

SCRIPTS = Path(__file__).parent / "scripts"

pytestmark = pytest.mark.filterwarnings("ignore:.*n_neighbors=:UserWarning")


def run(name, package):
    """What a script leaves behind."""
    source = (SCRIPTS / name).read_text()
    line = f"from {package} import"
    assert source.count(line) == 1
    names = {"__name__": "__main__"}
    exec(source.replace(line, f"from widemargin.compat.{package} import"), names)
    return names


def test_a_script_with_relieff_in_a_pipeline():
    left = run("skrebate_relieff.py", "skrebate")
    assert left["accuracy"] > 0.95
    assert set(left["best"]) == {3, 11}
    assert left["importances"][0] >= left["importances"][1] > 0.1
    np.testing.assert_array_equal(left["reduced"], left["features"][:, left["best"]])


def test_a_script_with_multisurf():
    left = run("skrebate_multisurf.py", "skrebate")
    assert all(pair == {0, 1} for pair in left["top"].values())
    assert left["of_endpoint"] == 4
    assert left["ranked"][0][1] == 4


def test_a_script_with_turf_in_a_pipeline():
    left = run("skrebate_turf.py", "skrebate")
    assert left["accuracy"] > 0.95
    assert left["best"] == {5, 6}
    assert left["reduced"].shape == (240, 2)
    assert left["names"] == {"snp5", "snp6"}


def test_a_script_with_fast_select():
    left = run("fast_select_selection.py", "fast_select")
    assert all(kept == [7, 8] for kept in left["kept"].values())
    assert set(left["share"][:2]) == {7, 8}
    assert len(left["share"]) == 3
    some = left["some"]
    assert set(some.top_features_) == {7, 8}
    assert not some.feature_importances_[12:].any()
    assert some.evaluated_features_.tolist() == list(range(5, 12))
    assert left["accuracy"] > 0.95


PAIRS = [
    (skrebate.ReliefF(n_neighbors=10), widemargin.ReliefF(metric="manhattan")),
    (skrebate.SURF(), widemargin.SURF()),
    (skrebate.SURFstar(), widemargin.SURFStar()),
    (skrebate.MultiSURF(), widemargin.MultiSURF()),
    (skrebate.MultiSURFstar(), widemargin.MultiSURFStar()),
    (fast_select.ReliefF(n_neighbors=10), widemargin.ReliefF(metric="manhattan")),
    (fast_select.SURF(), widemargin.SURF()),
    (fast_select.SURF(use_star=True), widemargin.SURFStar()),
    (fast_select.MultiSURF(), widemargin.MultiSURF()),
    (fast_select.MultiSURF(use_star=True), widemargin.MultiSURFStar()),
]


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_scores_are_those_of_this_package(theirs, ours):
    X, y = gaussian(np.random.default_rng(0))
    X[:, 2] = X[:, 2].round().clip(-1, 2)  # four values: nominal
    ours.set_params(categorical_features=[2])
    scores = clone(theirs).fit(X, y).feature_importances_
    np.testing.assert_array_equal(scores, ours.fit(X, y).scores_)


def test_a_share_of_neighbours_is_half_hits_and_half_misses():
    X, y = load_iris(return_X_y=True)
    selector = skrebate.ReliefF(n_neighbors=0.1).fit(X, y)
    assert selector.selector_.n_neighbors == 7
    assert selector.n_neighbors == 0.1  # the parameter is left alone


def test_many_labels_are_a_number_to_predict():
    X, y = load_diabetes(return_X_y=True)
    fitted = skrebate.ReliefF(n_neighbors=10).fit(X, y)
    assert type(fitted.selector_) is widemargin.RReliefF
    fitted = skrebate.MultiSURF().fit(X, y)
    assert fitted.selector_.task == "regression"
    few = skrebate.MultiSURF(label_type="continuous").fit(X, (y > 140).astype(int))
    assert few.selector_.task == "regression"
    with pytest.raises(ValueError, match="needs a label_type"):
        skrebate.SURF(label_type="ordinal").fit(X, y)


def test_the_old_threshold_stands_for_both():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 6, (80, 3)).astype(float), rng.integers(0, 2, 80)
    few = skrebate.SURF(discrete_threshold=3).fit(X, y).selector_
    assert not few.categorical_features.any()
    assert skrebate.SURF().fit(X, y).selector_.categorical_features.all()
    named = skrebate.SURF(categorical_features=[1]).fit(X, y).selector_
    np.testing.assert_array_equal(named.categorical_features, [False, True, False])


def test_ranks_by_absolute_scores_on_request():
    X, y = gaussian(np.random.default_rng(1))
    plain = skrebate.SURFstar().fit(X, y)
    order = np.argsort(-np.abs(plain.feature_importances_), kind="stable")
    np.testing.assert_array_equal(
        skrebate.SURFstar(rank_absolute=True).fit(X, y).top_features_, order
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda X, y: skrebate.SURF().fit(X, y, np.ones(7)), ValueError, "IRelief"),
        (
            lambda X, y: skrebate.SURF(n_features_to_select=9).fit_transform(X, y),
            ValueError,
            "n_features_to_select=9 is larger",
        ),
        (lambda X, y: skrebate.TuRF("Relief").fit(X, y), ValueError, "core_algorithm"),
        (
            lambda X, y: fast_select.ReliefF(backend="gpu").fit(X, y),
            RuntimeError,
            "no backend='gpu'",
        ),
        (
            lambda X, y: fast_select.SURF(backend="tpu").fit(X, y),
            ValueError,
            "'auto' or 'cpu', got 'tpu'",
        ),
        (
            lambda X, y: fast_select.SURF(n_features_to_select=8).fit(X, y),
            ValueError,
            "from 1 to 7",
        ),
        (
            lambda X, y: fast_select.SURF(n_features_to_select="7").fit(X, y),
            TypeError,
            "an int or a float",
        ),
    ],
)
def test_what_is_not_there_is_said(call, error, message):
    X, y = gaussian(np.random.default_rng(0))
    with pytest.raises(error, match=message):
        call(X, y)


@pytest.mark.parametrize(("n_iterations", "left"), [(None, 3), (2, 33), (0, 40)])
def test_rounds_of_fast_selects_turf(n_iterations, left):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 40)), rng.integers(0, 2, 60)
    X[:, :3] += y[:, None]
    fitted = fast_select.TuRF(
        fast_select.ReliefF(), 3, pct_remove=0.1, n_iterations=n_iterations
    ).fit(X, y)
    assert len(fitted.top_features_) == left
    np.testing.assert_array_equal(fitted.top_features_, sorted(fitted.top_features_))
    np.testing.assert_array_equal(
        fitted.feature_importances_,
        fast_select.ReliefF().fit(X, y).feature_importances_,
    )


def test_turf_drops_a_number_of_features_per_round():
    X, y = gaussian(np.random.default_rng(3))
    fitted = skrebate.TURF(
        skrebate.ReliefF(n_features_to_select=2, n_neighbors=5),
        pct=2,
        num_scores_to_return=1,
    ).fit(X, y)
    assert fitted.selector_.n_iter_ == 4  # 7, 5, 3, 1 features
    assert fitted.transform(X).shape == (60, 2)


# What the packages get wrong without a word; docs/coming-from/skrebate.md lists it.


@pytest.mark.parametrize("module", [skrebate, fast_select])
def test_integers_are_scaled_and_not_cut_off(module):
    X, y = load_iris(return_X_y=True)
    tenths = np.round(X * 10).astype(int)
    as_floats = module.MultiSURF().fit(tenths.astype(float), y).feature_importances_
    as_integers = module.MultiSURF().fit(tenths, y).feature_importances_
    np.testing.assert_array_equal(as_integers, as_floats)


@pytest.mark.parametrize("module", [skrebate, fast_select])
def test_labels_go_by_place_and_not_by_index(module):
    X, y = load_iris(return_X_y=True, as_frame=True)
    order = np.random.default_rng(0).permutation(150)
    X, y = X.iloc[order], y.iloc[order]
    by_frame = module.ReliefF(n_neighbors=10).fit(X, y).feature_importances_
    by_array = module.ReliefF(n_neighbors=10).fit(X.to_numpy(), y.to_numpy())
    np.testing.assert_array_equal(by_frame, by_array.feature_importances_)
    assert isinstance(pd.Series(by_frame).idxmax(), int)


def test_a_row_is_never_its_own_hit():
    X, y = lopsided(np.random.default_rng(0))  # classes of 40, 3 and 2 rows
    some = skrebate.ReliefF(n_neighbors=30).fit(X, y).feature_importances_
    # Of the class with 2 rows each has one hit, the other, whatever k is.
    more = widemargin.ReliefF(n_neighbors=30, metric="manhattan").fit(X, y).scores_
    np.testing.assert_array_equal(some, more)


def test_a_nominal_feature_counts_as_much_as_a_numeric_one():
    """Two rows that differ in one nominal feature only are at distance 1."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((60, 8)), rng.integers(0, 2, 60)])
    y = rng.integers(0, 2, 60)
    from oracles import mixed

    rows = [list(row) for row in X]
    theirs = mixed.relieff(rows, list(y), [False] * 8 + [True], 5, metric="manhattan")
    ours = skrebate.ReliefF(n_neighbors=5).fit(X, y).feature_importances_
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize(
    "selector", [skrebate.ReliefF(n_neighbors=5), skrebate.MultiSURF()]
)
def test_missing_values_are_taken(selector):
    X, y = gaussian(np.random.default_rng(5))
    X[::7, 1] = np.nan
    scores = selector.fit(X, y).feature_importances_
    assert np.isfinite(scores).all()
    assert selector.top_features_[0] in (0, 1, 2)
