"""Nominal features and missing values on Dask collections: the same as in memory."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import spread_over
from oracles import mixed as oracle
from settings_tools import distributed_settings
from test_dask import assert_same, uneven
from test_mixed import CASES, NOMINAL, array, coded, credit, frame, numeric
from widemargin import OReliefF, OSimba, Relief, ReliefF, Simba
from widemargin.data import mixed

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*each row is visited once:UserWarning"),
]

UNDIRECTED = {"difference": "absolute"}
BATCHES = {"batch_size": 16, "n_starts": 2, "random_state": 0}

# A method, and whether it is asked to take nominal features as well as gaps.
METHODS = [
    (Relief(), True),
    (Relief(squared=True, scale="standard"), True),
    (ReliefF(n_neighbors=3), True),
    (ReliefF(metric="manhattan", scale=None), True),
    (ReliefF(n_samples=15, random_state=0), True),
    (ReliefF(n_samples="auto", random_state=0), True),
    (OReliefF(n_neighbors=2, **UNDIRECTED), True),
    (OReliefF(n_neighbors=2, scale="standard"), False),
    (OReliefF(n_samples="auto", random_state=0), False),
    (Simba(**BATCHES), True),
    (Simba(utility="sigmoid", **BATCHES), True),
    (OSimba(**UNDIRECTED, **BATCHES), True),
    (OSimba(**BATCHES), False),
]


@pytest.fixture
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(autouse=True)
def small_blocks():
    """Blocks as small as the chunks of tests, and few features counted together."""
    with distributed_settings(
        min_block_rows=1,
        min_block_cells=1,
        max_block_cells=500,
        max_query_cells=500,
        counted_values=120,
    ):
        yield


def from_parts(parts, like):
    """A Dask frame of pandas frames, which need not be as alike as they should."""
    return dd.from_map(lambda p: parts[p], range(len(parts)), meta=like.iloc[:0])


def lazily(table, chunks):
    """A Dask frame of some rows of a pandas frame after the others."""
    stops = np.cumsum(chunks)
    sizes = zip(stops, chunks, strict=True)
    return from_parts([table.iloc[stop - n : stop] for stop, n in sizes], table)


def agree(method, X, lazy, y, labels=None):
    """Fit in memory and on Dask, and compare."""
    expected = type(method)(**method.get_params()).fit(X, y)
    fitted = method.fit(lazy, y if labels is None else labels)
    assert_same(fitted, expected)
    return fitted


# Tables in a few chunks, and some of them in one and in many, mostly empty ones.
CHUNKED = [(case, 3) for case in CASES]
CHUNKED += [("many gaps", 1), ("two rows", 1), ("a few gaps", 17), ("duplicates", 17)]


@pytest.mark.parametrize(("method", "chunked"), spread_over(METHODS, CHUNKED), ids=repr)
def test_the_same_as_in_memory(method, chunked, synchronous):
    (method, nominal), (case, n_chunks) = method, chunked
    X, y = CASES[case](np.random.default_rng(0))
    chunks = uneven(len(y), n_chunks)
    if nominal:
        agree(method, frame(X), lazily(frame(X), chunks), y)
    else:
        X = array(numeric(X))
        agree(method, X, da.from_array(X, chunks=(chunks, -1)), y)


def test_the_same_as_the_oracle(synchronous):
    X, y = credit(np.random.default_rng(3), gaps=0.3)
    scores = ReliefF(n_neighbors=4).fit(lazily(frame(X), (20, 13, 27)), y).scores_
    theirs = oracle.relieff(X, y, NOMINAL, 4)
    np.testing.assert_allclose(scores, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kept", [True, False])
def test_whether_blocks_are_kept_changes_nothing(kept, synchronous):
    X, y = credit(np.random.default_rng(0))
    memory = 2**31 if kept else 0
    with distributed_settings(assumed_memory=memory, max_query_rows=10):
        agree(ReliefF(), frame(X), lazily(frame(X), (30, 5, 25)), y)


@given(st.data())
def test_any_table_in_any_chunks(data):
    n = data.draw(st.integers(4, 20))
    columns = {
        "number": st.sampled_from([None, 0.0, 1.0, 2.5]),
        "few": st.sampled_from([None, 0.0, 1.0]),
        "text": st.sampled_from([None, "a", "b", "c"]),
        "pair": st.sampled_from([None, "a", "b"]),
    }
    drawn = {
        name: data.draw(st.lists(values, min_size=n, max_size=n))
        for name, values in columns.items()
    }
    table = pd.DataFrame(drawn).astype({"number": float, "few": float})
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    y[:2] = 0, 1
    cuts = data.draw(st.lists(st.integers(0, n), max_size=5))
    lazy = lazily(table, np.diff([0, *sorted(cuts), n]).tolist())
    with dask.config.set(scheduler="synchronous"):
        for method in (ReliefF(n_neighbors=2), Relief(scale="standard")):
            agree(method, table, lazy, y)


@pytest.fixture
def people():
    X, y = credit(np.random.default_rng(0))
    table = frame(X)
    for name in ("town", "purpose", "sex"):
        table[name] = table[name].astype("category")
    return table, np.array(y)


def test_known_categories(people, synchronous):
    X, y = people
    X["town"] = X["town"].cat.add_categories(["Nowhere"])
    lazy = dd.from_pandas(X, npartitions=4)
    assert lazy["town"].cat.known
    agree(ReliefF(), X, lazy, y)


def test_unknown_categories_that_differ_between_partitions(people, synchronous):
    X, y = people
    X["town"] = X["town"].astype(object)
    X.loc[X.index[7], "town"] = "Atlantis"  # in one partition only
    lazy = dd.from_pandas(X, npartitions=4)
    lazy["town"] = lazy["town"].astype("category")
    assert not lazy["town"].cat.known
    parts = [set(p["town"].cat.categories) for p in dask.compute(*lazy.to_delayed())]
    assert sum("Atlantis" in part for part in parts) == 1
    agree(ReliefF(), X, lazy, y)


def test_partitions_that_number_categories_in_their_own_way(people, synchronous):
    X, y = people
    parts = [X.iloc[:25].copy(), X.iloc[25:].copy()]
    parts[1]["town"] = parts[1]["town"].cat.reorder_categories(
        parts[1]["town"].cat.categories[::-1]
    )
    lazy = from_parts(parts, X)
    agree(ReliefF(), X, lazy, y)


GRADES = ["poor", "fair", "good", "best"]


def graded(people):
    X, y = people
    codes = np.random.default_rng(1).integers(-1, 4, len(y))
    grades = pd.Categorical.from_codes(codes, GRADES, ordered=True)
    return X.assign(mark=grades), y


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_ordered_categories_count_by_their_place(people, known, scale, synchronous):
    X, y = graded(people)
    lazy = dd.from_pandas(X, npartitions=4)
    if not known:
        lazy["mark"] = lazy["mark"].cat.as_unknown()
    agree(ReliefF(scale=scale), X, lazy, y)
    agree(OReliefF(scale=scale), X[["age", "mark"]], lazy[["age", "mark"]], y)


def test_partitions_may_lack_some_of_the_ordered_categories(people, synchronous):
    X, y = graded(people)
    low = X["mark"].isin(GRADES[::2])
    parts = [X[low].copy(), X[~low].copy()]
    parts[0]["mark"] = parts[0]["mark"].cat.remove_unused_categories()
    lazy = from_parts(parts, X)
    y = np.concatenate([y[low], y[~low]])
    agree(ReliefF(), pd.concat([X[low], X[~low]]), lazy, y)


def test_partitions_that_do_not_agree_on_an_order_are_refused(people, synchronous):
    X, y = graded(people)
    parts = [X.iloc[:25].copy(), X.iloc[25:].copy()]
    parts[1]["mark"] = parts[1]["mark"].cat.reorder_categories(GRADES[::-1])
    lazy = from_parts(parts, X)
    with pytest.raises(ValueError, match=r"ReliefF.*order of the categories.*'mark'"):
        ReliefF().fit(lazy, y)


@pytest.mark.parametrize("dtype", ["object", "string", "string[pyarrow]", "str"])
def test_kinds_of_text(people, dtype, synchronous):
    X, y = people
    text = {name: X[name].astype(object) for name in ("town", "purpose", "sex")}
    plain = X.assign(**text)
    kinds = plain if dtype == "object" else plain.astype(dict.fromkeys(text, dtype))
    if dtype == "str":  # as pandas 3 has it
        with pd.option_context("future.infer_string", True):
            kinds = plain.astype(dict.fromkeys(text, "str"))
            expected = ReliefF().fit(plain, y)
            assert_same(ReliefF().fit(lazily(kinds, (30, 30)), y), expected)
        return
    agree(ReliefF(), kinds, lazily(kinds, (20, 40)), y)
    with dask.config.set({"dataframe.convert-string": dtype == "string[pyarrow]"}):
        lazy = dd.from_pandas(kinds, npartitions=3)
        assert_same(ReliefF().fit(lazy, y), ReliefF().fit(plain, y))


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
@pytest.mark.parametrize("dtype", [bool, "boolean"])
def test_truth_values_are_nominal_whatever_the_scale(scale, dtype, synchronous):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    flags = pd.Series(rng.random(60) < 0.2 + 0.3 * (y > 1)).astype(dtype)
    X = pd.DataFrame({"flag": flags, "x": rng.standard_normal(60) + y})
    if dtype == "boolean":
        X.loc[[3, 44], "flag"] = pd.NA
    lazy = lazily(X, (20, 1, 39))
    for method in (ReliefF, Relief, OReliefF):
        agree(method(scale=scale), X, lazy, y)
    agree(Simba(scale=scale, **BATCHES), X, lazy, y)
    # Equal or not: other values of the same two kinds are as far apart.
    words = X.assign(flag=X["flag"].astype(object).map({True: "yes", False: "no"}))
    assert_same(
        ReliefF(scale=scale).fit(lazily(words, (20, 1, 39)), y),
        ReliefF(scale=scale).fit(X, y),
    )


def test_arrays_with_gaps_and_categorical_features(synchronous):
    X, y = credit(np.random.default_rng(0))
    Z = coded(X)
    lazy = da.from_array(Z, chunks=((13, 40, 7), -1))
    for given_as in (NOMINAL, np.flatnonzero(NOMINAL)):
        agree(ReliefF(categorical_features=given_as), Z, lazy, y)
    objects = np.array(X, dtype=object)
    lazy = da.from_array(objects, chunks=((13, 40, 7), -1))
    agree(ReliefF(categorical_features=NOMINAL), objects, lazy, y)


def test_categorical_features_by_name(people, synchronous):
    X, y = people
    X["grade"] = X["grade"].round(1)
    method = ReliefF(categorical_features=["grade"])
    fitted = agree(method, X, dd.from_pandas(X, npartitions=3), y)
    assert not np.allclose(fitted.scores_, ReliefF().fit(X, y).scores_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_single_precision_with_gaps(dtype, synchronous):
    X, y = credit(np.random.default_rng(0))
    X = array(numeric(X)).astype(dtype)
    agree(ReliefF(), X, da.from_array(X, chunks=((31, 29), -1)), y)


def test_cells_missing_in_one_partition_only(synchronous):
    X, y = credit(np.random.default_rng(0), gaps=0)
    table = frame(X)
    table.loc[20:30, ["age", "town"]] = None
    agree(ReliefF(), table, lazily(table, (15, 20, 25)), y)


def test_only_features_with_gaps_are_counted(monkeypatch, synchronous):
    X, y = credit(np.random.default_rng(0), gaps=0)
    table = frame(X)
    table.loc[20:30, "town"] = None
    counted, count = [], mixed.count_values

    def spy(values, *rest):
        counted.append(len(values))
        return count(values, *rest)

    monkeypatch.setattr(mixed, "count_values", spy)
    ReliefF().fit(lazily(table, (15, 20, 25)), y)
    assert sum(counted) == 60
    assert max(counted) < 60


def test_a_column_without_any_value(synchronous):
    X, y = credit(np.random.default_rng(0), gaps=0.1)
    table = frame(X)
    table["nothing"], table["nobody"] = np.nan, pd.Series([None] * 60, dtype="string")
    fitted = agree(ReliefF(), table, lazily(table, (15, 20, 25)), y)
    assert fitted.scores_[-2:].tolist() == [0, 0]


def test_labels_inside_a_frame(people, synchronous):
    X, y = people
    table = X.copy()
    table.insert(2, "label", np.array(["a", "b", "c"])[y])
    lazy = dd.from_pandas(table, npartitions=3)
    method = ReliefF(n_features_to_select=3)
    fitted = agree(method, X, lazy, table["label"].to_numpy(), "label")
    assert list(fitted.feature_names_in_) == list(X.columns)
    kept = fitted.transform(lazy).compute()
    assert list(kept.columns) == list(fitted.get_feature_names_out())


def test_sampling_looks_as_often_and_gives_the_same_intervals(synchronous):
    X, y = credit(np.random.default_rng(0), n=300)
    options = {"n_samples": "auto", "tol": 0.3, "random_state": 0}
    here = ReliefF(**options).fit(frame(X), y)
    there = ReliefF(**options).fit(lazily(frame(X), (100, 200)), y)
    assert here.n_samples_ == there.n_samples_
    np.testing.assert_allclose(here.scores_interval_, there.scores_interval_)


def test_a_nominal_feature_has_no_direction(people, synchronous):
    X, y = people
    with pytest.raises(
        ValueError, match=r"OReliefF.*nominal: 'town', 'purpose', 'sex'"
    ):
        OReliefF().fit(dd.from_pandas(X, npartitions=2), y)


def test_infinity_and_dates_are_refused_by_name(people, synchronous):
    X, y = people
    X.loc[X.index[3], "age"] = np.inf
    lazy = dd.from_pandas(X, npartitions=3)
    with pytest.raises(ValueError, match=r"ReliefF.*infinity 1 times in column 'age'"):
        ReliefF().fit(lazy, y)
    X["day"] = pd.Timestamp("2020-01-01")
    with pytest.raises(ValueError, match=r"ReliefF needs numeric or nominal.*'day'"):
        ReliefF().fit(dd.from_pandas(X, npartitions=3), y)


def test_too_many_different_values_are_refused_by_name(people, synchronous):
    X, y = people
    with (
        distributed_settings(max_categories=3),
        pytest.raises(ValueError, match=r"ReliefF.*'town' has more than 3 different"),
    ):
        ReliefF().fit(dd.from_pandas(X, npartitions=3), y)
