"""Nominal features and missing values in the Relief and Simba families."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import get_tags

import widemargin
from oracles import mixed as oracle
from settings_tools import changed_settings
from widemargin import OReliefF, OSimba, Relief, ReliefF, Simba
from widemargin.base import MarginSelector
from widemargin.data.refuse import MIXED

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
]

NAMES = ["income", "grade", "town", "purpose", "sex", "age"]
NOMINAL = [False, False, True, True, True, False]


def credit(rng, n=60, n_classes=3, gaps=0.15):
    """A table as people have them: rows of Python values, None for a missing one."""
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    purpose = np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n))
    columns = [
        rng.standard_normal(n) + y,
        rng.integers(0, 4, n) / 3,
        rng.choice(["Ulm", "Bonn", "Jena", "Kiel"], n),
        np.array(["car", "tv", "house"])[purpose % 3],
        rng.choice(["f", "m"], n),
        rng.integers(18, 80, n).astype(float),
    ]
    X = [list(row) for row in zip(*(c.tolist() for c in columns), strict=True)]
    for row in X:
        for f in range(len(row)):
            if rng.random() < gaps:
                row[f] = None
    return X, y.tolist()


def frame(X):
    table = pd.DataFrame(X, columns=NAMES[: len(X[0])])
    for name, nominal in zip(NAMES, NOMINAL, strict=False):
        if not nominal:
            table[name] = table[name].astype(float)
    return table


def coded(X):
    """The same as an array of numbers."""
    columns = []
    for values, nominal in zip(zip(*X, strict=True), NOMINAL, strict=False):
        names = sorted({v for v in values if v is not None}) if nominal else []
        columns.append(
            [np.nan if v is None else names.index(v) if nominal else v for v in values]
        )
    return np.array(columns, dtype=float).T


def numeric(X):
    """The columns that are numbers."""
    keep = [f for f, nominal in enumerate(NOMINAL) if not nominal]
    return [[row[f] for f in keep] for row in X]


def array(X):
    return np.array([[np.nan if v is None else v for v in row] for row in X])


def whole_class_missing(rng):
    """A feature that a class lacks altogether, and one that nobody has."""
    X, y = credit(rng, n=40)
    for row, label in zip(X, y, strict=True):
        row[0] = None if label == 1 else row[0]
        row[2] = None if label == 2 else row[2]
        row[5] = None
    return X, y


def constant(rng):
    """One value or none, numeric and nominal."""
    X, y = credit(rng, n=40, gaps=0.3)
    for row in X:
        row[1] = None if row[1] is None else 3.7
        row[3] = None if row[3] is None else "car"
    return X, y


def duplicates(rng):
    X, y = credit(rng, n=20, gaps=0.3)
    return [list(row) for row in X for _ in range(3)], rng.permutation(y * 3).tolist()


CASES = {
    "a few gaps": lambda rng: credit(rng, n=40, gaps=0.03),
    "many gaps": lambda rng: credit(rng, n=40, gaps=0.4),
    "no gaps": lambda rng: credit(rng, n=40, gaps=0.0),
    "nearly nothing": lambda rng: credit(rng, n=30, gaps=0.8),
    "two rows": lambda rng: credit(rng, n=2, n_classes=2, gaps=0.3),
    "whole class missing": whole_class_missing,
    "constant": constant,
    "duplicates": duplicates,
}


@pytest.fixture(params=CASES)
def table(request):
    return CASES[request.param](np.random.default_rng(0))


def assert_same(ours, theirs, atol=1e-12):
    size = max(1.0, np.abs(theirs).max())
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=atol * size)


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
@pytest.mark.parametrize("squared", [False, True])
def test_relief_is_the_oracle(table, scale, squared):
    X, y = table
    scores = Relief(scale=scale, squared=squared).fit(frame(X), y).scores_
    assert_same(scores, oracle.relief(X, y, NOMINAL, squared=squared, scale=scale))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("k", [1, 4, 100])
def test_relieff_is_the_oracle(table, metric, k):
    X, y = table
    theirs = oracle.relieff(X, y, NOMINAL, k, metric=metric)
    selector = ReliefF(n_neighbors=k, metric=metric)
    assert_same(selector.fit(frame(X), y).scores_, theirs)
    selector.set_params(categorical_features=NOMINAL)
    assert_same(selector.fit(coded(X), y).scores_, theirs)


def test_visited_samples_are_those_drawn():
    X, y = credit(np.random.default_rng(1))
    drawn = np.random.RandomState(7).permutation(len(y))[:20]
    ours = ReliefF(n_neighbors=3, n_samples=20, random_state=7).fit(frame(X), y)
    assert_same(ours.scores_, oracle.relieff(X, y, NOMINAL, 3, samples=drawn))


@pytest.mark.parametrize("utility", ["linear", "sigmoid"])
@pytest.mark.parametrize("batch_size", [1, 4])
def test_simba_is_the_oracle(table, utility, batch_size):
    X, y = table
    order = np.random.default_rng(1).permutation(len(y))
    options = {"utility": utility, "batch_size": batch_size}
    ours = Simba(order=order, **options).fit(frame(X), y)
    theirs = oracle.simba(X, y, NOMINAL, [order], **options)
    assert_same(ours.weights_, theirs, atol=1e-9)
    if utility == "linear":
        w = theirs / np.abs(theirs).max()
        assert ours.margin_ == pytest.approx(oracle.evaluation(X, y, NOMINAL, w))


@pytest.mark.parametrize("which", ["nearest", "dominating"])
@pytest.mark.parametrize("difference", ["signed", "directed", "absolute"])
def test_ordered_classes_take_missing_numbers(table, difference, which):
    X, y = table
    X, order = numeric(X), np.random.default_rng(1).permutation(len(y))
    given = {"difference": difference, "which": which}
    options = {"difference": difference, "hits": which}
    ours = OReliefF(n_neighbors=2, **options).fit(array(X), y).scores_
    assert_same(ours, oracle.o_relieff(X, y, [False] * 3, 2, **given))
    if difference == "signed":
        return
    ours = OSimba(order=order, **options).fit(array(X), y).weights_
    assert_same(ours, oracle.o_simba(X, y, [False] * 3, order, **given), atol=1e-9)


@pytest.mark.parametrize("which", ["nearest", "dominating"])
@pytest.mark.parametrize("difference", ["signed", "directed", "absolute"])
def test_visited_samples_of_ordered_classes_may_miss_numbers(difference, which):
    X, y = credit(np.random.default_rng(1))
    X, drawn = numeric(X), np.random.RandomState(7).permutation(len(y))[:20]
    options = {"difference": difference, "hits": which, "n_neighbors": 2}
    ours = OReliefF(n_samples=20, random_state=7, **options).fit(array(X), y)
    given = {"difference": difference, "which": which, "samples": drawn}
    assert_same(ours.scores_, oracle.o_relieff(X, y, [False] * 3, 2, **given))


def test_ordered_classes_take_nominal_features_without_direction(table):
    X, y = table
    ours = OReliefF(difference="absolute").fit(frame(X), y).scores_
    assert_same(ours, oracle.o_relieff(X, y, NOMINAL, 1, difference="absolute"))
    order = np.arange(len(y))
    ours = OSimba(difference="absolute", order=order).fit(frame(X), y).weights_
    theirs = oracle.o_simba(X, y, NOMINAL, order, difference="absolute")
    assert_same(ours, theirs, atol=1e-9)


@pytest.mark.parametrize(
    "selector", [OReliefF(), OSimba(), OReliefF(hits="dominating")]
)
def test_a_nominal_feature_has_no_direction(selector):
    X, y = credit(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"nominal: 'town', 'purpose', 'sex'\. Make"):
        selector.fit(frame(X), y)


def test_directions_come_from_the_rows_that_have_a_value(table):
    X, y = table
    X = [[v if v is None else -v for v in row] for row in numeric(X)]
    ours = OReliefF(directions="auto").fit(array(X), y)
    assert ours.directions_.tolist() == oracle.automatic_directions(X, y)
    theirs = oracle.o_relieff(X, y, [False] * 3, directions=ours.directions_.tolist())
    assert_same(ours.scores_, theirs)


@st.composite
def small_mixed_tables(draw):
    """Few values, many of them missing."""
    n, d = draw(st.integers(4, 16)), draw(st.integers(1, 4))
    nominal = draw(st.lists(st.booleans(), min_size=d, max_size=d))
    cell = {
        True: st.sampled_from([None, "a", "b", "c"]),
        False: st.sampled_from([None, 0.0, 1 / 3, 2 / 3, 1.0]),
    }
    X = [[draw(cell[kind]) for kind in nominal] for _ in range(n)]
    y = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    y[0], y[1] = 0, 1
    return X, y, nominal


@given(small_mixed_tables())
def test_any_small_table_gives_the_scores_of_the_oracle(table):
    X, y, nominal = table
    values = np.array(X, dtype=object)
    features = np.flatnonzero(nominal)
    ours = Relief(categorical_features=features).fit(values, y).scores_
    assert_same(ours, oracle.relief(X, y, nominal))
    for metric in ("euclidean", "manhattan"):
        ours = ReliefF(n_neighbors=2, metric=metric, categorical_features=nominal)
        theirs = oracle.relieff(X, y, nominal, 2, metric=metric)
        assert_same(ours.fit(values, y).scores_, theirs)


@given(small_mixed_tables())
def test_any_small_table_gives_the_weights_of_the_oracle(table):
    X, y, nominal = table
    order = np.arange(len(y))[::-1]
    ours = Simba(order=order, categorical_features=nominal)
    theirs = oracle.simba(X, y, nominal, [order])
    # A weight that lands on 0 stays there or not, as rounding has it.
    if np.abs(theirs).min() > 1e-6:
        assert_same(ours.fit(np.array(X, dtype=object), y).weights_, theirs, 1e-8)


@pytest.fixture(scope="module")
def wide():
    """More rows than a panel, more nominal features than are compared at once."""
    rng = np.random.default_rng(3)
    n = 700
    y = rng.integers(0, 2, n)
    X = rng.random((n, 60))
    X[:, 20:] = rng.integers(0, 4, (n, 40))
    X[:, 0] += y
    X[:, 20] = np.where(rng.random(n) < 0.6, y, X[:, 20])
    X[rng.random((n, 60)) < 0.02] = np.nan
    return X, y, np.arange(20, 60)


def by_definition(X, nominal, y):
    """diff of all pairs of rows for each feature, from the definition."""
    for f in range(X.shape[1]):
        x = X[:, f]
        there = ~np.isnan(x)
        if f not in nominal:
            x = (x - np.nanmin(x)) / (np.nanmax(x) - np.nanmin(x))

        def diff(a, b, nominal=f in nominal):
            return (a != b).astype(float) if nominal else np.abs(a - b)

        D = diff(x[:, None], x)
        of_class = [x[there & (y == c)] for c in np.unique(y)]
        to_rows = [diff(a[:, None], x[there]).mean(axis=0) for a in of_class]
        to_classes = np.array(
            [[diff(a[:, None], b).mean() for b in of_class] for a in of_class]
        )
        for i in np.flatnonzero(~there):
            D[i, there] = D[there, i] = to_rows[y[i]]
            D[i, ~there] = to_classes[y[i], y[~there]]
        yield D


def relieff_of(diffs, D, y):
    """Scores from differences of all pairs and their distances, two classes."""
    np.fill_diagonal(D, np.inf)
    w = np.zeros(len(diffs))
    for i in range(len(y)):
        for same in (True, False):
            rows = np.flatnonzero((y == y[i]) == same)
            near = rows[np.argsort(D[i, rows])[:10]]
            w += (1 - 2 * same) * np.array([d[i, near].mean() for d in diffs])
    return w / len(y)


def test_large_tables(wide):
    X, y, nominal = wide
    diffs = list(by_definition(X, nominal, y))
    for metric, power in (("euclidean", 2), ("manhattan", 1)):
        D = sum(diff**power for diff in diffs)
        selector = ReliefF(metric=metric, categorical_features=nominal)
        assert_same(selector.fit(X, y).scores_, relieff_of(diffs, D, y))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_block_size_and_threads_change_nothing(wide, metric):
    X, y, nominal = wide
    selector = ReliefF(metric=metric, categorical_features=nominal, n_jobs=1)
    scores = selector.fit(X, y).scores_
    two = selector.set_params(n_jobs=2).fit(X, y).scores_
    np.testing.assert_array_equal(two, scores)
    with changed_settings(search_bytes=0):  # search by panels
        np.testing.assert_array_equal(selector.fit(X, y).scores_, scores)


@pytest.mark.parametrize("nominal", [[], [3, 140, 141]])
def test_many_features_of_which_cells_are_missing(nominal):
    rng = np.random.default_rng(5)
    X, y = rng.random((150, 160)), rng.integers(0, 2, 150)
    X[:, nominal] = rng.integers(0, 4, (150, len(nominal)))
    X[rng.random(X.shape) < 0.01] = np.nan
    X[0, 1] = np.nan
    selector = ReliefF(metric="manhattan", categorical_features=nominal)
    diffs = list(by_definition(X, nominal, y))
    assert_same(selector.fit(X, y).scores_, relieff_of(diffs, sum(diffs), y))


def test_values_that_are_all_but_equal_and_signs_of_nan():
    """Numbers whose leading digits do not tell their order, and all kinds of NaN."""
    rng = np.random.default_rng(6)
    X, y = np.empty((80, 3)), np.arange(80) % 2
    X[:, 0] = 1 + rng.permutation(80) * 1e-13
    X[:, 1] = rng.permutation(80) - 40.5
    X[:, 2] = np.where(rng.random(80) < 0.5, -1, 1) * (1 + rng.random(80) * 1e-6)
    X[0, 0] = 0
    X[::9, 1] = np.nan
    X[4::7] = np.copysign(np.nan, -1)
    rows = [[None if np.isnan(v) else v for v in row] for row in X.tolist()]
    for squared in (False, True):
        scores = Relief(squared=squared, scale=None).fit(X, y).scores_
        theirs = oracle.relief(
            rows, y.tolist(), [False] * 3, squared=squared, scale=None
        )
        assert_same(scores, theirs)


@pytest.mark.parametrize(
    "selector", [Relief(), ReliefF(), ReliefF(metric="manhattan"), Simba(n_starts=1)]
)
def test_order_and_names_of_categories_change_nothing(selector):
    X, y = credit(np.random.default_rng(4), n=150)
    order = np.arange(len(y))
    if isinstance(selector, Simba):
        selector.set_params(order=order)
    table = frame(X)
    scores = selector.fit(table, y).scores_
    for name in ("town", "purpose", "sex"):
        values = sorted(table[name].dropna().unique(), reverse=True)
        table[name] = pd.Categorical(table[name], values)
        np.testing.assert_array_equal(selector.fit(table, y).scores_, scores)
        renamed = {v: f"{i}" for i, v in enumerate(values)}
        table[name] = table[name].cat.rename_categories(renamed)
        np.testing.assert_array_equal(selector.fit(table, y).scores_, scores)
    shuffled = np.random.default_rng(0).permutation(len(y))
    if isinstance(selector, Simba):
        selector.set_params(order=np.argsort(shuffled))
    again = selector.fit(table.iloc[shuffled], np.array(y)[shuffled]).scores_
    np.testing.assert_allclose(again, scores, rtol=0, atol=1e-12)


def forms(X):
    table = frame(X)
    yield "text", table
    yield "nullable", table.convert_dtypes()
    yield "objects", table.astype(dict.fromkeys(("town", "purpose", "sex"), object))
    yield "categories", table.astype(dict.fromkeys(("town", "purpose"), "category"))
    yield (
        "numbers as categories",
        table.assign(
            town=pd.Categorical(
                table.town.map({"Ulm": 3, "Bonn": 1, "Jena": 2, "Kiel": 7})
            )
        ),
    )
    yield (
        "booleans",
        table.assign(sex=table.sex.map({"f": True, "m": False}).astype("boolean")),
    )
    yield "polars", pl.DataFrame(X, schema=NAMES, orient="row")
    yield (
        "polars categories",
        pl.DataFrame(X, schema=NAMES, orient="row").with_columns(
            pl.col("town").cast(pl.Categorical), pl.col("sex") == "f"
        ),
    )


def test_form_of_the_table_changes_nothing():
    X, y = credit(np.random.default_rng(5))
    scores = ReliefF().fit(coded(X), y).scores_
    right = ReliefF(categorical_features=NOMINAL).fit(coded(X), y).scores_
    assert not np.allclose(scores, right)  # codes are not guessed to be nominal
    for form, table in forms(X):
        np.testing.assert_allclose(
            ReliefF().fit(table, y).scores_, right, 1e-12, 0, form
        )
    objects = np.array(X, dtype=object)
    objects[0, 0], objects[1, 2] = pd.NA, pd.NA
    X[0][0], X[1][2] = None, None
    right = ReliefF().fit(frame(X), y).scores_
    for features in (NOMINAL, [2, 3, 4], [-4, -3, -2], np.array([4, 3, 2])):
        selector = ReliefF(categorical_features=features)
        np.testing.assert_array_equal(selector.fit(objects, y).scores_, right)
        np.testing.assert_array_equal(selector.fit(objects.tolist(), y).scores_, right)


@pytest.mark.parametrize("ordered", ["pandas", "polars"])
def test_ordered_categories_are_numbers_in_their_order(ordered):
    X, y = credit(np.random.default_rng(6))
    places = ["Kiel", "Ulm", "Bonn", "Jena"]
    table = frame(X)
    right = table.assign(town=table.town.map({v: i for i, v in enumerate(places)}))
    right["town"] = right.town.astype(float)
    if ordered == "pandas":
        table["town"] = pd.Categorical(table.town, places, ordered=True)
    else:
        table = pl.DataFrame(X, schema=NAMES, orient="row")
        table = table.with_columns(pl.col("town").cast(pl.Enum(places)))
    scores = ReliefF().fit(right, y).scores_
    np.testing.assert_array_equal(ReliefF().fit(table, y).scores_, scores)
    nominal = ReliefF(categorical_features=["town"]).fit(table, y).scores_
    np.testing.assert_allclose(nominal, ReliefF().fit(frame(X), y).scores_, rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["town", "land"], "has 'land', which is not a column of X: '"),
        ([0, 6], "has column 6, but X has columns 0 to 5"),
        ([True, False], r"a mask of shape \(6,\); got an array of shape \(2,\)"),
        ([0.5], "must be column numbers, names, or a mask"),
    ],
)
def test_categorical_features_that_are_not_there_are_named(given, message):
    X, y = credit(np.random.default_rng(0))
    with pytest.raises(ValueError, match=f"ReliefF: categorical_features .*{message}"):
        ReliefF(categorical_features=given).fit(frame(X), y)


def test_names_need_a_frame():
    X, y = credit(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"X is not a DataFrame\. Use column numbers"):
        ReliefF(categorical_features=["town"]).fit(coded(X), y)


def test_values_that_cannot_be_compared_are_named():
    table = pd.DataFrame({"tags": [["a"], ["b"], ["a"], []]})
    with pytest.raises(
        ValueError, match="nominal column 'tags' has values that cannot"
    ):
        Relief().fit(table, [0, 1, 0, 1])


@pytest.mark.parametrize("selector", [ReliefF(3), Simba(3, random_state=0)])
def test_selected_columns_come_out_as_they_went_in(selector):
    X, y = credit(np.random.default_rng(7))
    table = frame(X)
    fitted = selector.fit(table, y)
    names = fitted.get_feature_names_out().tolist()
    assert fitted.feature_names_in_.tolist() == NAMES
    out = fitted.transform(table)
    assert out.shape == (len(y), 3)
    assert pd.DataFrame(out).isna().equals(pd.DataFrame(table[names].isna().to_numpy()))
    back = fitted.inverse_transform(out)
    assert back.shape == table.shape
    np.testing.assert_array_equal(
        pd.DataFrame(back[:, fitted.support_]).isna(), table[names].isna()
    )
    fitted.set_output(transform="pandas")
    pd.testing.assert_frame_equal(fitted.transform(table), table[names])
    table = pl.DataFrame(X, schema=NAMES, orient="row")
    fitted = selector.set_output(transform="polars").fit(table, y)
    assert fitted.transform(table).equals(table.select(names))
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.transform(table.rename({"town": "city"}))


def test_the_table_is_not_changed():
    X, y = credit(np.random.default_rng(8))
    values = coded(X)
    before = values.copy()
    ReliefF(categorical_features=NOMINAL).fit(values, y)
    np.testing.assert_array_equal(values, before)


def test_a_feature_without_any_value_is_constant():
    X, y = whole_class_missing(np.random.default_rng(0))
    for selector in (ReliefF(), Simba(random_state=0)):
        fitted = selector.fit(frame(X), y)
        assert fitted.scores_[5] == 0
        assert fitted.ranking_[5] == 6


def test_tags_tell_which_methods_take_what():
    public = [getattr(widemargin, name) for name in widemargin.__all__]
    selectors = [c for c in public if isinstance(c, type)]
    selectors = [c for c in selectors if issubclass(c, MarginSelector)]
    for selector in selectors:
        tags = get_tags(selector()).input_tags
        mixed = selector.__name__ in MIXED
        assert tags.allow_nan == tags.categorical == mixed
        assert hasattr(selector(), "categorical_features") == mixed


def test_samples_tell_as_much_as_all_rows_when_all_are_visited():
    X, y = pd.DataFrame({"a": ["x", "y", "z", None] * 15}), [0, 1, 1] * 20
    X["b"] = np.where(np.arange(60) % 7, np.arange(60) * 37 % 23, np.nan)
    sampled = ReliefF(n_samples="auto", tol=1e-12, n_features_to_select=2)
    exact = ReliefF(n_features_to_select=2).fit(X, y).scores_
    np.testing.assert_allclose(sampled.fit(X, y).scores_, exact, atol=1e-12)


def test_names_differ_by_one_however_many_there_are():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 900)
    X = np.column_stack([rng.random(900), rng.integers(0, 2, 900), y])
    X[:, 2] = np.where(rng.random(900) < 0.8, y, rng.integers(0, 2, 900))
    selector = ReliefF(
        3, n_samples="auto", tol=0.05, categorical_features=[1, 2], random_state=0
    )
    few = selector.fit(X, y)
    few_samples, interval = few.n_samples_, few.scores_interval_
    X[rng.choice(900, 20, replace=False), 1] = np.arange(20) + 7
    many = selector.fit(X, y)
    assert many.n_samples_ <= 2 * few_samples < 900
    wide = np.ptp(many.scores_interval_, axis=1) / np.ptp(interval, axis=1)
    assert (wide < 2).all()
