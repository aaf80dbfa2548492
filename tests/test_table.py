"""Whatever form the data come in, the scores are the same, or the error says why."""

import tracemalloc
import warnings
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_iris

from widemargin import GFlip, Relief, ReliefF, Simba
from widemargin.baselines import FisherScore
from widemargin.data.build import build
from widemargin.evaluation import compare
from widemargin.threads import Workers

SELECTORS = [
    Relief(),
    ReliefF(n_neighbors=5),
    Simba(random_state=0),
    GFlip(random_state=0),
]


def objects(*values):
    """An array of one dimension that holds them as they are."""
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array


@pytest.fixture(scope="module")
def numbers():
    """Whole numbers from 0 to 9, exactly representable in every type."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 80)
    X = rng.integers(0, 10, (80, 5))
    X[:, 2] = np.clip(X[:, 2] // 3 + 3 * y, 0, 9)
    return X, y


def forms(X, y):
    order = np.random.default_rng(1).permutation(len(y))
    read_only = X.astype(float)
    read_only.setflags(write=False)
    names = [f"f{f}" for f in range(X.shape[1])]
    text = np.array(["one", "three", "two"])[y]  # sorted as 0, 1, 2 are
    yield "list", X.tolist(), y.tolist()
    for dtype in (np.int8, np.int64, np.uint16, np.float16, np.float32, np.float64):
        yield dtype.__name__, X.astype(dtype), y
    yield "big-endian", X.astype(">f8"), y
    yield "Fortran order", np.asfortranarray(X.astype(float)), y
    yield "every other column", np.repeat(X.astype(float), 2, axis=1)[:, ::2], y
    yield "read-only", read_only, y
    yield "pandas", pd.DataFrame(X, columns=names), pd.Series(y)
    yield (
        "pandas with a shuffled index",
        pd.DataFrame(X, columns=names, index=order),
        pd.Series(y, index=order[::-1]),
    )
    yield "pandas nullable", pd.DataFrame(X).astype("Int64").rename(columns=str), y
    yield "polars", pl.DataFrame(X, schema=names), pl.Series(y)
    yield "text labels", X, text
    yield "object labels", X, text.astype(object)
    yield "categorical labels", X, pd.Series(text, dtype="category")
    yield "numbers as categories", X, pd.Series(y, dtype="category")
    yield "ordered categories", X, pd.Categorical(text, sorted(set(text)), ordered=True)
    yield "pandas text labels", X, pd.Series(text)
    yield "float labels", X, y.astype(float)
    yield "column of labels", X, pd.Series(y).to_numpy().ravel()


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
def test_form_of_the_data_changes_nothing(numbers, selector):
    X, y = numbers
    scores = selector.fit(X.astype(float), y).scores_
    for form, X2, y2 in forms(X, y):
        np.testing.assert_array_equal(selector.fit(X2, y2).scores_, scores, form)


@pytest.mark.parametrize(
    "labels",
    [
        (0, 1, 2),
        ((0, 1), (0, 2), (1, 0)),
        (date(2020, 1, 1), date(2021, 1, 1), date.max),
    ],
    ids=["int", "tuple", "date"],
)
@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
def test_labels_may_be_whatever_can_be_told_apart(numbers, selector, labels):
    X, y = numbers
    named = objects(*(labels[c] for c in y))
    np.testing.assert_array_equal(
        clone(selector).fit(X, named).scores_, clone(selector).fit(X, y).scores_
    )


def test_labels_need_no_order(numbers):
    X, y = numbers
    named = objects(*([1, "one", date.max][c] for c in y))
    np.testing.assert_allclose(
        ReliefF(n_neighbors=5).fit(X, named).scores_,
        ReliefF(n_neighbors=5).fit(X, y).scores_,
        rtol=1e-12,
    )


def test_boolean_labels_and_features(numbers):
    X, y = numbers
    scores = Relief().fit(X > 4, y > 0).scores_
    np.testing.assert_array_equal(
        Relief().fit((X > 4).astype(float), (y > 0).astype(int)).scores_, scores
    )


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
def test_the_data_are_not_changed(numbers, selector):
    X, y = numbers[0].astype(float), numbers[1].copy()
    before = X.copy(), y.copy()
    selector.fit(X, y)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


def test_names_of_a_frame_are_kept():
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = Relief(2).fit(X, y)
    assert fitted.feature_names_in_.tolist() == X.columns.tolist()
    assert fitted.get_feature_names_out().tolist() == X.columns.tolist()[2:]
    out = fitted.set_output(transform="pandas").transform(X)
    pd.testing.assert_frame_equal(out, X.iloc[:, 2:])
    polars = pl.DataFrame(X.to_numpy(), schema=X.columns.tolist())
    assert Relief(2).fit(polars, y).feature_names_in_.tolist() == polars.columns


def test_columns_that_are_missing_or_new_at_transform_are_named():
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = Relief(2).fit(X, y)
    with pytest.raises(ValueError, match="petal width"):
        fitted.transform(X.rename(columns={"petal width (cm)": "width"}))


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(
    ("scale", "size", "message"),
    [
        (None, 1e200, r"feature 1 range over 2e\+200, the square .* overflows"),
        (None, 1e-200, "feature 1 range over 2e-200, the square .* underflows"),
        ("standard", [1e200, 1.0], r"feature 0 range over 2e\+200"),
        ("standard", [1.0, 1e-200], "feature 1 range over 2e-200"),
        ("minmax", [1.0, 1.5e308], "feature 1 range over inf"),
    ],
)
def test_ranges_that_cannot_be_squared_are_refused(selector, scale, size, message):
    X = np.array([[0.5, 1], [0.2, -1], [1, 0.3], [-1, 0]]) * size
    if not isinstance(size, list):
        X[:, 0] /= 2
    selector = clone(selector).set_params(scale=scale)
    with pytest.raises(ValueError, match=f"{type(selector).__name__}: .*{message}"):
        selector.fit(X, [0, 1, 0, 1])


@pytest.mark.filterwarnings("ignore:ReliefF. n_neighbors=:UserWarning")
@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200, 1e307, [1e-250, 1e250]])
def test_any_range_can_be_scaled_to_one(selector, size):
    X = np.array([[0.5, 1], [0.2, -1], [1, 0.3], [-1, 0], [0.1, 0.7]])
    y = [0, 1, 0, 1, 1]
    plain, extreme = (clone(selector).set_params(random_state=0) for _ in range(2))
    np.testing.assert_allclose(
        extreme.fit(X * size, y).scores_, plain.fit(X, y).scores_, rtol=1e-9, atol=1e-15
    )


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("cells", [[np.inf], [-np.inf], [np.inf, -np.inf]])
@pytest.mark.parametrize("missing", [False, True])
def test_infinite_cells_are_refused(numbers, selector, cells, missing):
    X, y = numbers
    X = X.astype(float)
    X[: len(cells), 2] = cells
    if missing:
        X[5, 2] = np.nan
    with pytest.raises(ValueError, match=r"Input X contains (infinity|NaN)"):
        selector.fit(X, y)


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((3, 2)), ["a"] * 3, r"needs at least 2 classes in y, got 1 \('a'\)"),
        ([[1.0, 2.0]], [0], "minimum of 2 is required"),
        (np.ones((3, 2)), [0, 1], "inconsistent numbers of samples"),
        ([[1.0], [np.inf], [2.0]], [0, 1, 1], "infinity"),
        (np.ones((3, 0)), [0, 1, 1], "0 feature"),
        (np.ones(3), [0, 1, 1], "2D array"),
        (np.eye(3), [0, 1, None], "label for every row, but y has 1 missing value"),
        (np.eye(3), [0.0, np.nan, np.nan], "y has 2 missing values"),
        (np.eye(3), pd.Series(["a", None, "b"]), "y has 1 missing value"),
        (np.eye(3), pl.Series(["a", None, "b"]), "y has 1 missing value"),
        (np.eye(3), [0.0, 1.0, np.inf], "Input y contains infinity"),
        (np.eye(3), [0.1, 0.2, 0.3], "Unknown label type: continuous"),
        (np.eye(3), np.eye(3), "one label for each row, but y has 3 columns"),
        (np.eye(3), objects([0], [1], [1]), "labels that can be compared"),
        (np.eye(3), objects(0.1, 0.2, 0.3), "Unknown label type: continuous"),
        (np.array([["a", 1], ["b", 2]], object), [0, 1], "1 of 2 columns hold text: 0"),
        (np.array([["1", "a"], ["2", "b"]]), [0, 1], "1 of 2 columns hold text: 1"),
        (scipy.sparse.eye(3).tocsr()[:, :0], [0, 1, 1], "0 feature|X is sparse"),
        (None, [0, 1, 1], "X is None"),
        ("table.csv", [0, 1, 1], "X is text"),
        ({"a": [1, 2, 3]}, [0, 1, 1], r"X is a dict\. .* pandas\.DataFrame"),
        ([[1, 2], [3], [4, 5]], [0, 1, 1], "rows of 1 to 2 values"),
        (np.eye(3).astype("M8[D]"), [0, 1, 1], r"type datetime64\[D\]"),
        (np.rec.fromarrays(np.eye(3)), [0, 1, 1], "array of records"),
        (
            pd.DataFrame(np.eye(3), columns=["a", "b", "a"]),
            [0, 1, 1],
            r"several columns of the same name: 'a'\. Rename them",
        ),
        (
            pd.DataFrame(np.eye(3)).astype(pd.SparseDtype(float, 1)),
            [0, 1, 1],
            r"X\.sparse\.to_dense\(\)",
        ),
        (
            pd.DataFrame({"when": pd.to_datetime(["2020", "2021", "2022"])}),
            [0, 1, 1],
            r"1 of 1 columns are not: 'when'",
        ),
        (
            pl.DataFrame({"when": [[1], [2], [3]]}),
            [0, 1, 1],
            r"1 of 1 columns are not: 'when'",
        ),
    ],
)
def test_bad_input_is_refused_with_a_reason(selector, X, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        selector.fit(X, y)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0], [np.nan], [2.0]], "NaN"),
        (
            pd.DataFrame({"age": [1, 2, 3], "town": ["x", "y", "z"]}),
            r"numeric features; 1 of 2 columns are not: 'town'\. Encode .* ReliefF",
        ),
        (
            pl.DataFrame({"age": [1, 2, 3], "town": ["x", "y", "z"]}),
            r"1 of 2 columns are not: 'town'",
        ),
        (
            pd.DataFrame({"grade": pd.Categorical([1, 2, 2])}),
            r"1 of 1 columns are not: 'grade'",
        ),
    ],
)
def test_methods_for_numbers_say_which_ones_take_the_rest(X, message):
    with pytest.raises(ValueError, match=message):
        GFlip().fit(X, [0, 1, 1])


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
def test_a_class_with_one_member_is_named_once(selector):
    X = np.random.default_rng(0).random((12, 2))
    y = ["a"] * 6 + ["b"] * 5 + ["lonely"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(X, y)
    said = [str(w.message) for w in caught if "one member" in str(w.message)]
    assert len(said) == 1
    assert "'lonely'" in said[0]
    assert all(w.filename == __file__ for w in caught if "one member" in str(w.message))


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
def test_constant_features_rank_last_and_equal_ones_by_column(numbers, selector):
    X, y = numbers
    X = np.c_[np.ones(len(y)), X, X[:, 2]]
    ranking = selector.fit(X, y).ranking_
    assert sorted(ranking) == list(range(1, 8))
    assert ranking[0] == 7
    if type(selector) in (Relief, ReliefF):
        assert ranking[3] + 1 == ranking[6]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_mapped_file_is_copied_once(dtype, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.random((20_000, 40)).astype(dtype), rng.integers(0, 2, 20_000)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    FisherScore().fit(mapped[:100], y[:100])  # compiles
    tracemalloc.start()
    scores = FisherScore(n_jobs=1).fit(mapped, y).scores_
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * 8 * X.size
    np.testing.assert_array_equal(scores, FisherScore().fit(X, y).scores_)


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_single_precision_is_only_a_way_to_store(scale):
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 4)).astype(np.float32), rng.integers(0, 2, 80)
    X[3, 2] = np.nan
    single, double = (ReliefF(scale=scale).fit(a, y) for a in (X, X.astype(float)))
    np.testing.assert_array_equal(single.scores_, double.scores_)


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
@pytest.mark.parametrize("kind", ["float64", "tiny", "huge", "float32", "int64"])
def test_pieces_are_scaled_as_the_whole(kind, scale):
    rng = np.random.default_rng(0)
    X, y = rng.normal(0, 3, (50, 600)), rng.integers(0, 3, 50)
    X[:, 4] = 7
    sizes = {"tiny": 1e-140, "huge": 1e140}
    X = X * sizes[kind] if kind in sizes else np.asfortranarray(X.astype(kind))

    def scaled(n_threads):
        with Workers(n_threads) as workers:
            return build(X, y, np.arange(3), scale=scale, workers=workers)

    one, three = scaled(1), scaled(3)
    for name in ("X", "low", "high", "mean"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))
    low, high = X.min(axis=0).astype(float), X.max(axis=0).astype(float)
    if scale is None:
        np.testing.assert_array_equal(one.X, X[one.rows])
    if scale == "minmax":
        varies = high > low
        expected = (X[one.rows] - low)[:, varies] / (high - low)[varies]
        np.testing.assert_allclose(one.X[:, varies], expected, rtol=1e-14)
    size = np.abs(one.X).max()
    np.testing.assert_allclose(one.mean, one.X.mean(axis=0), 0, 1e-12 * size)


def large_integers():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    return np.c_[rng.integers(0, 9, 40), 10**17 + 2 * y], y


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (lambda X: X, "1"),
        (lambda X: X.astype(np.uint64), "1"),
        (lambda X: X.tolist(), "1"),
        (lambda X: pd.DataFrame(X, columns=["a", "b"]), "b"),
        (lambda X: pd.DataFrame(X, columns=["a", "b"]).astype("Int64"), "b"),
    ],
)
def test_integers_that_floats_cannot_hold_are_named(given, name):
    X, y = large_integers()
    with pytest.warns(UserWarning, match=rf"beyond 2\*\*53 in column '{name}' are"):
        ReliefF().fit(given(X), y)


def test_a_comparison_names_them_once():
    X, y = large_integers()
    less = {"random_state": 0}
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.warns(UserWarning, match=r"beyond 2\*\*53 in column 'b'") as caught:
        compare(frame, y, ["ReliefF", "FisherScore"], **less)
    assert len([w for w in caught if "beyond" in str(w.message)]) == 1
    compare(frame, y, ["ReliefF"], categorical_features=["b"], **less)


def test_no_warning_of_integers_that_are_nominal_or_were_floats_before():
    X, y = large_integers()
    fitted = ReliefF(categorical_features=[1]).fit(X, y)
    assert fitted.ranking_[1] == 1  # the codes are exact
    ReliefF().fit(X.astype(np.float64), y)
    ReliefF().fit(X - [0, 10**17 - 2**52], y)
