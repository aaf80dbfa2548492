import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from scipy.stats import spearmanr
from sklearn.base import clone

from cases import CASES, gaussian, labels, small_tables, tied
from oracles.ordinal import (
    automatic_directions,
    o_evaluation,
    o_relieff,
    o_simba,
    oriented,
)
from widemargin import OReliefF, OSimba
from widemargin.data.labels import encode
from widemargin.datasets import make_ordinal
from widemargin.evaluation import significance

pytestmark = [
    pytest.mark.filterwarnings("ignore:OReliefF. n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
]

DIFFERENCES = ["directed", "absolute"]
HITS = ["nearest", "dominating"]
READINGS_OF_RELIEFF = [*DIFFERENCES, "signed"]
each_reading = pytest.mark.parametrize(
    ("difference", "hits"), [(a, b) for a in DIFFERENCES for b in HITS]
)


def nine_classes(rng):
    """Classes of 1 to 12 rows; one feature rises with them, one falls."""
    y = labels(rng, 60, 9)
    X = rng.standard_normal((60, 5)).round(1)
    X[:, 0] += y
    X[:, 1] -= y
    return X, y


def few_values(rng):
    """Rows of a class often dominate each other, and often by the same distance."""
    y = labels(rng, 50, 3)
    return rng.integers(0, 4, (50, 2)) + (y[:, None] > 1.0), y


ORDINAL_CASES = [*CASES, nine_classes, few_values]
each_case = pytest.mark.parametrize("case", ORDINAL_CASES)


def assert_same_weights(ours, theirs):
    size = max(1.0, np.abs(theirs).max())  # weights begin at 1
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-8 * size)


def make_grades(n_per_class, seed):
    """Hu et al., section 4.1: a rising feature, an up-and-down one, 50 random ones."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 2, 3], n_per_class)
    X = rng.random((len(y), 52))
    X[:, 0] += y
    X[:, 1] += 4 * (y == 2)
    return X, y


each_reading_of_relieff = pytest.mark.parametrize(
    ("difference", "hits"), [(a, b) for a in READINGS_OF_RELIEFF for b in HITS]
)


@each_case
@each_reading_of_relieff
@pytest.mark.parametrize("k", [1, 3, 100])
def test_o_relieff_is_the_oracle(case, difference, hits, k):
    X, y = case(np.random.default_rng(0))
    ours = OReliefF(n_neighbors=k, difference=difference, hits=hits).fit(X, y)
    theirs = o_relieff(X, y, k, difference=difference, which=hits)
    np.testing.assert_allclose(ours.scores_, theirs, rtol=0, atol=1e-12)


@each_case
@each_reading
@pytest.mark.parametrize("batch_size", [1, 4])
def test_o_simba_has_the_weights_of_the_oracle(case, difference, hits, batch_size):
    rng = np.random.default_rng(1)
    X, y = case(rng)
    order = rng.permutation(len(y))
    ours = OSimba(
        order=order, difference=difference, hits=hits, batch_size=batch_size
    ).fit(X, y)
    theirs = o_simba(
        X, y, [order], difference=difference, which=hits, batch_size=batch_size
    )
    assert_same_weights(ours.weights_, theirs)
    w = theirs / np.abs(theirs).max()
    Z = oriented(X, y, "minmax", None)
    e = o_evaluation(Z, y, w, difference=difference, which=hits)
    assert ours.margin_ == pytest.approx(e, abs=1e-7)


def slopes(e, w):
    """Numeric derivatives of e at w."""
    h = 1e-6
    return [(e(w + h * s) - e(w - h * s)) / (2 * h) for s in np.eye(len(w))]


@each_reading
@pytest.mark.parametrize("samples", [8, 40])
def test_the_step_of_o_simba_is_the_gradient_of_its_margin(difference, hits, samples):
    """The e(w) that is reported, at w = 1 and elsewhere (by units of the features)."""
    rng = np.random.default_rng(samples)
    y = np.repeat([1, 2, 3], samples)
    for w in np.exp(rng.standard_normal((3, 3))):
        X = (rng.standard_normal((len(y), 3)) + 0.5 * y[:, None]) * w
        options = {"difference": difference, "hits": hits, "scale": None}
        fitted = OSimba(order=range(len(y)), batch_size=len(y), **options).fit(X, y)

        def e(v, X=X):
            return o_evaluation(X, y, v, difference=difference, which=hits)

        step = (fitted.weights_ - 1) * len(y)
        np.testing.assert_allclose(step, slopes(e, np.ones(3)), rtol=1e-6)
        unit = fitted.weights_ / np.abs(fitted.weights_).max()
        assert fitted.margin_ == pytest.approx(e(unit))


@given(small_tables())
def test_any_small_table_gives_the_scores_of_the_oracle(table):
    X, y = table
    for difference in READINGS_OF_RELIEFF:
        for hits in HITS:
            ours = OReliefF(
                n_neighbors=2, difference=difference, hits=hits, directions="auto"
            ).fit(X, y)
            theirs = o_relieff(
                X, y, 2, difference=difference, which=hits, directions="auto"
            )
            np.testing.assert_allclose(ours.scores_, theirs, rtol=0, atol=1e-12)


@given(small_tables())
def test_any_small_table_gives_the_weights_of_the_oracle(table):
    X, y = table
    order = np.arange(len(y))[::-1]
    for difference in DIFFERENCES:
        for hits in HITS:
            path = []
            theirs = o_simba(
                X, y, [order], difference=difference, which=hits, path=path
            )
            # Steps do not shrink with w, which begins at 1: from a weight that has
            # cancelled to a rounding error, rounding decides where it goes.
            w = np.abs(path)
            assume((w > 1e-6 * np.maximum(1, w.max(axis=1, keepdims=True))).all())
            ours = OSimba(order=order, difference=difference, hits=hits).fit(X, y)
            assert_same_weights(ours.weights_, theirs)


@pytest.mark.parametrize("hits", HITS)
def test_many_rows_and_features_and_passes(hits):
    # More features than the search sums at once, and features rearranged on the way.
    rng = np.random.default_rng(0)
    y = labels(rng, 150, 4)
    X = rng.standard_normal((150, 70))
    X[:, :5] += y[:, None]
    order = rng.permutation(150)
    ours = OSimba(order=order, max_iter=2, hits=hits).fit(X, y)
    assert_same_weights(ours.weights_, o_simba(X, y, [order, order], which=hits))
    ours = OReliefF(n_neighbors="log", hits=hits).fit(X, y)  # ln 150 = 5.01
    np.testing.assert_allclose(ours.scores_, o_relieff(X, y, 5, which=hits), atol=1e-12)


@pytest.mark.parametrize("scale", ["standard", None])
def test_other_scales_and_directions(scale):
    X, y = gaussian(np.random.default_rng(2))
    X += 1e6  # large offsets cost no digits that the data have
    options = {"scale": scale, "directions": [1, 1, -1, 1, -1, 1, 1]}
    order = np.arange(len(y))
    ours = OReliefF(n_neighbors=2, **options).fit(X, y)
    np.testing.assert_allclose(ours.scores_, o_relieff(X, y, 2, **options), rtol=1e-10)
    ours = OSimba(order=order, **options).fit(X, y)
    assert_same_weights(ours.weights_, o_simba(X, y, [order], **options))


def test_two_classes_have_one_margin_each():
    X, y = [[0.0], [0.5], [2.0], [4.0]], [0, 0, 1, 1]
    # Misses: 2, 1.5, 1.5, 3.5. Hits: 0.5, 0.5, 2, 2. Not counted twice.
    directed = OReliefF(scale=None, difference="directed").fit(X, y)
    assert directed.scores_ == pytest.approx([3.5 / 4])
    # With their signs, towards the other class: 0.5, -0.5, -2, 2.
    assert OReliefF(scale=None).fit(X, y).scores_ == pytest.approx([8.5 / 4])


def test_dominating_hits_are_on_the_side_of_the_margin():
    # The upward margin of the first row has no hit, as no row of its class is above it.
    X = [[2.0, 2.0], [1.0, 1.0], [3.0, 3.0], [3.0, 4.0]]
    y = [0, 0, 1, 1]
    options = {"scale": None, "hits": "dominating"}
    # Misses: (1, 1), (2, 2), (1, 1), (1, 2). Hits above 2nd: (1, 1); below 4th: (0, 1).
    assert OReliefF(**options).fit(X, y).scores_ == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("difference", READINGS_OF_RELIEFF)
def test_the_monotone_feature_is_told_from_one_that_only_separates(difference):
    """Hu et al., figures 4 and 5, and what the printed formula does instead."""
    first = 1 if difference == "absolute" else 0
    for n_per_class in (10, 100):
        data = [make_grades(n_per_class, seed) for seed in range(10)]
        for selector in (
            OReliefF(difference=difference),
            OReliefF(difference=difference, n_neighbors="log"),
            OSimba(difference=difference, random_state=0),
        )[: 3 if difference in DIFFERENCES else 2]:
            scores = np.array([clone(selector).fit(X, y).scores_ for X, y in data])
            low, high = scores.min(axis=1), scores.max(axis=1)
            mean = np.mean((scores - low[:, None]) / (high - low)[:, None], axis=0)
            assert np.argmax(mean) == first
            if isinstance(selector, OReliefF):
                assert (scores.argmax(axis=1) == first).all()


@each_reading_of_relieff
def test_order_of_rows_and_columns_and_threads_change_no_score(difference, hits):
    rng = np.random.default_rng(3)
    X, y = few_values(rng)
    X = np.c_[X, rng.integers(0, 3, (50, 2))]
    selector = OReliefF(n_neighbors=3, difference=difference, hits=hits, n_jobs=1)
    scores = selector.fit(X, y).scores_
    np.testing.assert_array_equal(
        clone(selector).set_params(n_jobs=2).fit(X, y).scores_, scores
    )
    for _ in range(3):
        rows, columns = rng.permutation(50), rng.permutation(4)
        again = selector.fit(X[np.ix_(rows, columns)], y[rows]).scores_
        np.testing.assert_allclose(again, scores[columns], rtol=0, atol=1e-13)


@pytest.mark.parametrize("hits", HITS)
def test_same_seed_same_weights_with_any_number_of_threads(hits):
    X, y = make_grades(15, 0)
    one = OSimba(random_state=3, n_jobs=1, hits=hits).fit(X, y)
    two = OSimba(random_state=3, n_jobs=2, hits=hits).fit(X, y)
    np.testing.assert_array_equal(one.weights_, two.weights_)
    np.testing.assert_array_equal(one.history_, two.history_)


@pytest.mark.parametrize("selector", [OReliefF(n_neighbors=2), OSimba(random_state=0)])
def test_turning_a_feature_round_with_its_direction_changes_nothing(selector):
    X, y = nine_classes(np.random.default_rng(4))
    turned = X * [1, -1, 1, -1, 1]
    scores = clone(selector).fit(X, y).scores_
    again = clone(selector).set_params(directions=[1, -1, 1, -1, 1]).fit(turned, y)
    np.testing.assert_allclose(again.scores_, scores, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(again.directions_, [1, -1, 1, -1, 1])


@pytest.mark.parametrize("selector", [OReliefF(), OSimba(random_state=0)])
def test_automatic_directions_are_the_signs_of_the_rank_correlation(selector):
    X, y = nine_classes(np.random.default_rng(5))
    fitted = clone(selector).set_params(directions="auto").fit(X, y)
    expected = np.sign([spearmanr(X[:, f], y).statistic for f in range(5)])
    np.testing.assert_array_equal(fitted.directions_, expected)
    assert set(fitted.ranking_[:2]) == {1, 2}
    assert clone(selector).fit(X, y).ranking_[1] == 5  # falls, and is not turned round


def test_no_rank_correlation_counts_as_more_is_better():
    X = np.array([[0.1, 3.0, 0.1], [0.7, 3.0, 0.7], [0.1, 3.0, 0.0], [0.7, 3.0, 0.2]])
    y = [0, 0, 1, 1]
    directions = OReliefF(directions="auto").fit(X, y).directions_
    np.testing.assert_array_equal(directions, [1, 1, -1])


@given(small_tables())
def test_automatic_directions_are_those_of_the_oracle(table):
    X, y = table
    ours = OReliefF(directions="auto").fit(X, y).directions_
    np.testing.assert_array_equal(ours, automatic_directions(X, y))


def test_constant_features_score_zero_and_rank_last():
    X, y = nine_classes(np.random.default_rng(6))
    X[:, [0, 3]] = -7.3
    for scale in ("minmax", "standard", None):
        for selector in (OReliefF(scale=scale), OSimba(scale=scale, random_state=0)):
            fitted = selector.fit(X, y)
            assert (fitted.scores_[[0, 3]] == 0).all()
            assert sorted(fitted.ranking_[[0, 3]]) == [4, 5]


def test_the_start_of_the_highest_margin_is_kept():
    X, y = make_grades(10, 1)
    fitted = OSimba(n_starts=4, max_iter=2, random_state=0).fit(X, y)
    assert fitted.history_.shape == (4, 2)
    assert fitted.margin_ == fitted.history_[:, -1].max()
    assert fitted.n_iter_ == 2
    w = fitted.weights_ / np.abs(fitted.weights_).max()
    Z = oriented(X, y, "minmax", None)
    assert fitted.margin_ == pytest.approx(o_evaluation(Z, y, w))
    np.testing.assert_allclose(fitted.scores_, w**2)


GRADES = ["poor", "fair", "good"]  # not in the order of the alphabet


@pytest.fixture
def graded():
    X, y = tied(np.random.default_rng(7))
    y = np.where(X[:, 0] > 1, 2, y)
    return X, y


@pytest.mark.parametrize("selector", [OReliefF(), OSimba(random_state=0)])
def test_an_ordered_type_of_labels_is_as_good_as_numbers(graded, selector):
    X, y = graded
    scores = selector.fit(X, y).scores_
    text = np.array(GRADES)[y]
    ordered = pd.Categorical(text, [*GRADES, "never seen"], ordered=True)
    index = np.arange(len(y))[::-1]
    for form in (
        ordered,
        pd.Series(ordered, index=index),
        pd.CategoricalIndex(ordered),
        pl.Series(text, dtype=pl.Enum([*GRADES, "never seen"])),
        y * 2.0 - 5,
        pd.Series(y, dtype="Int64"),
    ):
        np.testing.assert_array_equal(selector.fit(X, form).scores_, scores)
    assert (selector.fit(X, -y).scores_ != scores).any()


def test_boolean_labels_are_in_order(graded):
    X, y = graded
    np.testing.assert_array_equal(
        OReliefF().fit(X, y > 0).scores_, OReliefF().fit(X, (y > 0) * 3).scores_
    )


def test_ordered_categories_keep_their_order_in_classes():
    y = pd.Categorical(["good", "poor", "good"], GRADES, ordered=True)
    codes, classes = encode(y, "test")
    assert classes.tolist() == ["poor", "good"]
    np.testing.assert_array_equal(codes, [1, 0, 1])
    codes, classes = encode(pd.Categorical(["b", "a", "b"], ["b", "a"]), "test")
    assert classes.tolist() == ["a", "b"]


@pytest.mark.parametrize("selector", [OReliefF(), OSimba()])
@pytest.mark.parametrize(
    "y",
    [
        ["low", "mid", "high"] * 4,
        np.array(["low", "mid", "high"] * 4, dtype=object),
        pd.Series(["low", "mid", "high"] * 4, dtype="category"),
        pd.Categorical([1, 2, 3] * 4),
        pl.Series(["low", "mid", "high"] * 4),
    ],
    ids=["text", "objects", "categories", "numbers as categories", "polars"],
)
def test_labels_without_an_order_are_refused_with_a_remedy(selector, y):
    with pytest.raises(ValueError, match=r"classes that have an order.*ordered=True"):
        selector.fit(np.eye(12), y)


@pytest.mark.parametrize("selector", [OReliefF(), OSimba()])
@pytest.mark.parametrize(
    "directions", [[1, 1], [1, 1, 0], [1, 2, -1], [[1, 1, 1]], [1.0, np.nan, 1.0]]
)
def test_bad_directions_are_named(selector, directions):
    X, y = np.eye(3), [0, 1, 1]
    with pytest.raises(ValueError, match="directions must be one number per feature"):
        clone(selector).set_params(directions=directions).fit(X, y)


@pytest.mark.parametrize(
    ("selector", "name"),
    [
        (OReliefF(n_neighbors=0), "n_neighbors"),
        (OReliefF(difference="squared"), "difference"),
        (OSimba(hits="all"), "hits"),
        (OSimba(directions="down"), "directions"),
        (OSimba(n_starts=0), "n_starts"),
    ],
)
def test_bad_parameters_are_named(selector, name):
    with pytest.raises(ValueError, match=f"'{name}' parameter of"):
        selector.fit(np.eye(4), [0, 0, 1, 1])


@pytest.mark.parametrize("selector", [OReliefF(), OSimba()])
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((3, 2)), [1, 1, 1], "at least 2 classes in y, got 1"),
        (np.ones((3, 2)), ["a"] * 3, r"at least 2 classes in y, got 1 \('a'\)"),
        ([[1.0], [np.inf], [2.0]], [0, 1, 1], "infinity"),
        (np.eye(3), pd.Categorical(["a", None, "b"], ordered=True), "1 missing value"),
        (np.eye(3), pd.Categorical(["a", "b"], ordered=True), "inconsistent numbers"),
    ],
)
def test_bad_input_is_refused_with_a_reason(selector, X, y, message):
    with pytest.raises(ValueError, match=message):
        selector.fit(X, y)


def test_a_bad_order_is_named():
    with pytest.raises(ValueError, match="OSimba: order must be a list of row numbers"):
        OSimba(order=[0, 9]).fit(np.eye(3), [0, 1, 1])


@pytest.mark.filterwarnings("default:OReliefF. n_neighbors=:UserWarning")
def test_too_many_neighbors_says_what_is_done():
    X, y = gaussian(np.random.default_rng(8))
    with pytest.warns(UserWarning, match=r"OReliefF: n_neighbors=50, but class \d has"):
        OReliefF(n_neighbors=50).fit(X, y)


@pytest.mark.parametrize("selector", [OReliefF(), OSimba(random_state=0)])
def test_a_class_with_one_member_is_named_once(selector):
    X, y = np.random.default_rng(0).random((12, 2)), [1] * 6 + [2] * 5 + [7]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(X, y)
    assert len(caught) == 1
    assert "class 7 has one member" in str(caught[0].message)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("samples", [10, 100])
@pytest.mark.parametrize(
    "selector",
    [OReliefF(), OReliefF(n_neighbors="log"), OSimba(random_state=0)],
    ids=["O-ReliefF, k=1", "O-ReliefF, k=ln n", "O-Simba"],
)
def test_the_monotone_feature_of_the_paper_comes_first(selector, samples):
    for seed in range(5):
        X, y = make_ordinal(samples, random_state=seed)
        assert selector.fit(X, y).ranking_[0] == 1


@pytest.mark.parametrize("samples", [10, 100])
def test_absolute_differences_prefer_the_discriminative_feature(samples):
    scores = []
    for seed in range(5):
        X, y = make_ordinal(samples, random_state=seed)
        scores.append(OReliefF(difference="absolute").fit(X, y).scores_)
    assert np.argmax(np.mean(scores, axis=0)) == 1


def test_directed_scores_fall_with_the_spread_of_features_that_know_nothing():
    """What the notes of O-ReliefF warn of, and only with directed differences."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1, 2], 80))
    X = np.column_stack([rng.random((240, 4)), rng.beta(30, 30, (240, 4))])
    X[:2, 4:] = [[0.0], [1.0]]  # as wide in range, but narrow in spread
    directed = OReliefF(n_neighbors="log", difference="directed").fit(X, y).scores_
    signed = OReliefF(n_neighbors="log").fit(X, y).scores_
    absolute = OReliefF(n_neighbors="log", difference="absolute").fit(X, y).scores_
    assert directed[4:].min() > directed[:4].max()
    assert directed.max() < -0.02
    assert np.abs(absolute).max() < 0.03
    assert np.abs(signed).max() < 0.08
    assert signed.min() < 0 < signed.max()


def test_permuted_labels_take_the_spread_out_of_directed_scores():
    rng = np.random.default_rng(1)
    y = rng.permutation(np.repeat([0, 1, 2], 40))
    X = np.column_stack([rng.random((120, 5)), rng.beta(30, 30, (120, 5))])
    X[:2, 5:] = [[0.0], [1.0]]
    X[:, 0] += 0.6 * y
    directed = OReliefF(n_neighbors="log", difference="directed")
    tested = significance(directed, X, y, random_state=0).frame
    p = tested.sort_values("feature")["p_value"].to_numpy()
    scores = directed.fit(X, y).scores_
    assert p[0] == p.min()
    assert p[0] < 0.01
    assert np.median(p[5:]) > 0.1
    assert (scores[5:] > scores[1:5].max()).all()


def test_signed_scores_do_not_depend_on_the_spread_of_a_feature():
    """Without a link to the class: uniform against narrow features, many draws."""
    aucs = {}
    for difference in ("signed", "directed"):
        found = []
        for seed in range(30):
            rng = np.random.default_rng(seed)
            y = rng.permutation(np.repeat([0, 1, 2], 40))
            X = np.column_stack([rng.random((120, 6)), rng.beta(30, 30, (120, 6))])
            X[:2, 6:] = [[0.0], [1.0]]  # as wide in range
            w = OReliefF(difference=difference, n_neighbors=3).fit(X, y).scores_
            found.append(np.mean(w[6:, None] > w[:6]))
        aucs[difference] = np.mean(found)
    assert abs(aucs["signed"] - 0.5) < 0.1
    assert aucs["directed"] > 0.8
