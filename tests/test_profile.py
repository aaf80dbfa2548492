"""What a data set is, and what is odd about it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from cases import small_tables
from widemargin.evaluation import profile

Y = np.arange(12) % 2


def plain(n=12, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def said(p, what):
    """The sentences about something."""
    return [sentence for sentence in p.warnings if what in sentence]


def test_an_ordinary_table_is_not_odd():
    p = profile(plain(), Y)
    assert (p.n_samples, p.n_features, p.n_classes) == (12, 3, 2)
    assert p.names.tolist() == ["x0", "x1", "x2"]
    assert p.class_counts == {0: 6, 1: 6}
    assert p.plain
    assert not p.lopsided
    assert not p.ordered
    assert p.majority == 0.5
    assert p.warnings == []
    assert repr(p) == "Profile(12 × 3, 2 classes, 0 warnings)"


MIXED = {
    "number": [1.5, 2.5, np.nan, 4.0],
    "text": ["a", None, "b", "a"],
    "flag": [True, False, True, True],
    "grade": ["low", "high", "low", "high"],
    "colour": ["red", "red", "blue", "red"],
}


def pandas_frame():
    frame = pd.DataFrame(MIXED)
    order = pd.CategoricalDtype(["low", "high"], ordered=True)
    return frame.astype({"grade": order, "colour": "category"})


def polars_frame():
    return pl.DataFrame(
        {**MIXED, "number": [1.5, 2.5, None, 4.0]},
        schema_overrides={"grade": pl.Enum(["low", "high"]), "colour": pl.Categorical},
    )


@pytest.mark.parametrize("make", [pandas_frame, polars_frame])
def test_kinds_come_from_the_types_of_a_frame(make):
    p = profile(make(), [0, 0, 1, 1])
    kinds = ["numeric", "nominal", "boolean", "ordered", "nominal"]
    assert p.kinds.tolist() == kinds
    assert p.names.tolist() == list(MIXED)
    assert p.missing.tolist() == [1, 1, 0, 0, 0]
    assert p.distinct.tolist() == [3, 2, 2, 2, 2]
    np.testing.assert_array_equal(p.low, [1.5] + [np.nan] * 4)
    np.testing.assert_array_equal(p.high, [4.0] + [np.nan] * 4)
    assert not p.plain
    assert said(p, "2 of 20 cells are missing, in 2 features")


def test_the_feature_with_missing_cells_is_named():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 5.0], "b": [1.0, None, None, 2.0]})
    assert said(profile(frame, [0, 0, 1, 1]), "2 of 8 cells are missing, in 'b'.")


@pytest.mark.parametrize("nominal", [[1], ["b"], [False, True]])
def test_nominal_columns_can_be_named(nominal):
    frame = pd.DataFrame({"a": np.arange(5) % 3, "b": np.arange(5) % 2})
    p = profile(frame, [0, 1, 0, 1, 1], categorical_features=nominal)
    assert p.kinds.tolist() == ["numeric", "nominal"]


def test_arrays_of_objects_can_be_mixed():
    X = np.array([[1, "a"], [2, None], [3, "a"], [4, "b"]], dtype=object)
    p = profile(X, [0, 1, 0, 1], categorical_features=[1])
    assert p.distinct.tolist() == [4, 2]
    assert p.missing.tolist() == [0, 1]


def test_constants_are_counted_whatever_is_missing():
    X = plain()
    X[:, 0] = 7
    X[:, 1] = np.nan
    X[1:, 2] = np.nan
    p = profile(X, Y)
    assert p.constants.tolist() == [0, 1, 2]
    assert p.distinct.tolist() == [1, 0, 1]
    assert said(p, "3 features are constant: 'x0', 'x1', 'x2'.")


def test_equal_columns_are_grouped():
    X = plain(d=6)
    X[:, 3] = X[:, 1]
    X[:, 5] = X[:, 1]
    X[:, [0, 4]] = 1.0
    p = profile(X, Y)
    assert p.duplicated_columns == [[1, 3, 5]]
    assert said(p, "'x3' repeats 'x1', 'x5' repeats 'x1'.")
    duplicate_of = p.frame.set_index("feature")["duplicate_of"].dropna().to_dict()
    assert duplicate_of == {"x3": "x1", "x5": "x1"}


def test_negative_zero_and_any_nan_are_equal():
    X = np.array([[0.0, -0.0], [1.0, 1.0], [np.nan, -np.nan], [2.0, 2.0]])
    assert profile(X, [0, 1, 0, 1]).duplicated_columns == [[0, 1]]


def test_nominal_columns_are_equal_up_to_renaming_and_not_to_numbers():
    frame = pd.DataFrame({"a": list("xyxz"), "b": list("ghgk"), "c": [0, 1, 0, 2]})
    assert profile(frame, [0, 1, 1, 0]).duplicated_columns == [[0, 1]]


def test_repeated_rows_and_contradictions_are_counted():
    X = plain(12)
    X[[3, 5, 7]] = X[1]  # four equal rows of class 1
    X[2] = X[0]  # of class 0, both
    X[10] = X[9]  # of classes 0 and 1
    p = profile(X, Y)
    assert p.duplicated_rows == 5
    assert p.contradictory_rows == 2
    assert said(p, "5 rows repeat earlier ones.")
    assert said(p, "2 rows have the same features as a row of another class")


def test_copies_of_the_target_are_found():
    X = plain()
    y = np.where(Y == 1, "yes", "no")
    X[:, 1] = 5 - 2 * Y
    p = profile(X, y)
    assert p.target_copies == [1]
    assert said(p, "'x1' separates the classes perfectly")
    X[0, 1] = 3
    assert profile(X, y).target_copies == []


def test_a_number_that_tells_the_classes_apart_may_be_a_leak():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["paid", "default", "late"], 20))
    X = rng.standard_normal((60, 5))
    X[:, 3] = np.array([{"default": 0, "late": 5, "paid": 9}[c] for c in y])
    X[:, 3] += 0.1 * rng.standard_normal(60)
    assert profile(X, y).target_copies == [3]
    assert "separates the classes perfectly" in profile(X, y).leaks[0]
    X[0, 3] = 20 - X[0, 3]  # one row of another class beyond
    X[1, 3] = np.nan
    assert profile(X, y).target_copies == []


def test_few_rows_fall_apart_by_chance():
    rng = np.random.default_rng(0)
    y = [0, 0, 0, 1, 1, 1]
    assert profile(rng.random((6, 300)), y).target_copies == []


def test_identifiers_are_found():
    frame = pd.DataFrame(plain(), columns=["a", "b", "c"])
    frame["number"] = np.arange(100, 112)
    frame["name"] = [f"p{i}" for i in range(12)]
    p = profile(frame, Y)
    assert p.identifiers == [3, 4]  # but not a column of different measurements
    assert said(p, "'name' is different in every row")


def test_names_of_groups_are_found():
    group = np.repeat(np.arange(30), 4)
    y = group % 3 % 2
    frame = pd.DataFrame(plain(120), columns=["a", "b", "c"])
    frame["site"] = [f"s{g}" for g in group]
    frame["day"] = [f"d{i % 4}" for i in range(120)]
    p = profile(frame, y)
    assert p.group_names == [3]
    assert "Each of the 30 values of 'site' occurs in one class only" in p.leaks[0]
    y[0] = 1 - y[0]  # not one class for each value
    assert profile(frame, y).group_names == []
    assert profile(frame, plain(120)[:, 0]).group_names == []  # a numeric target


def test_groups_of_few_rows_have_one_class_by_chance():
    frame = pd.DataFrame({"a": plain(60)[:, 0], "pair": np.repeat(np.arange(30), 2)})
    y = (np.arange(60) < 2).astype(int)  # a class of two rows, which are a pair
    assert profile(frame, y, categorical_features=["pair"]).group_names == []


def test_lopsided_and_tiny_classes_are_named():
    y = np.repeat(["a", "b", "c"], [40, 9, 2])
    p = profile(plain(51), y)
    assert p.lopsided
    assert p.majority == 40 / 51
    assert said(p, "unbalanced: 40 rows of 'a', 2 of 'c'.")
    assert said(p, "fewer than 5 rows: 'c' (2).")
    assert not profile(plain(50), np.repeat([0, 1], [40, 10])).lopsided


def test_more_features_than_rows_are_remarked():
    assert said(profile(plain(12, 13), Y), "more features (13) than rows (12)")


@pytest.mark.parametrize("n_constant", [5, 9])
def test_long_lists_are_cut_short(n_constant):
    X = plain(d=12)
    X[:, :n_constant] = 0
    (sentence,) = said(profile(X, Y), "constant")
    assert sentence.endswith(f"'x3' and {n_constant - 4} more.")


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(pd.Categorical(["lo", "hi"] * 6, ["lo", "hi"], ordered=True)),
        pl.Series(["lo", "hi"] * 6, dtype=pl.Enum(["lo", "hi"])),
    ],
)
def test_ordered_targets_keep_their_order(y):
    p = profile(plain(), y)
    assert p.ordered
    assert list(p.class_counts) == ["lo", "hi"]


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="at least 2 classes"):
        profile(plain(), np.zeros(12))
    with pytest.raises(ValueError, match="1 missing"):
        profile(plain(), [None, *Y[1:]])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        profile(plain(), Y[:5])
    with pytest.raises(ValueError, match=r"needs rows and columns, got shape \(12,\)"):
        profile(plain()[:, 0], Y)


def test_the_input_is_not_changed():
    X = plain()
    X[0, 0] = -0.0
    before = X.tobytes()
    profile(X, Y)
    assert X.tobytes() == before


def test_two_columns_of_one_name():
    frame = pd.DataFrame(plain(d=2), columns=["a", "a"])
    with pytest.raises(ValueError, match="several columns of the same name: 'a'"):
        profile(frame, Y)


@given(small_tables())
def test_counts_are_those_of_pandas(table):
    X, y = table
    p = profile(X, y)
    frame = pd.DataFrame(X)
    assert p.distinct.tolist() == frame.nunique().tolist()
    assert p.duplicated_rows == frame.duplicated().sum()
    classes = frame.assign(y=y).groupby(list(frame))["y"].transform("nunique")
    assert p.contradictory_rows == (classes > 1).sum()
    assert p.class_counts == pd.Series(y).value_counts().to_dict()
    varying = frame.loc[:, frame.nunique() > 1]
    assert sum(len(g) - 1 for g in p.duplicated_columns) == varying.T.duplicated().sum()


def customers(n=100):
    """Names of the rows, a column with four values, −999 for missing, two spellings."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "customer": [f"C{7 * i}" for i in range(n)],
            "fax": [f"F{i}" if i < 4 else None for i in range(n)],
            "age": rng.integers(18, 90, n),
            "kind": ["Car ", "car", "truck", "bike"] * (n // 4),
            "no": np.arange(n),
        }
    )
    frame.loc[5:9, "age"] = -999
    return frame, np.array(["x", "y"] * (n // 2))


def again(frame, y, rows):
    """The same table with some rows repeated at its end."""
    rows = np.append(np.arange(len(y)), rows)
    return frame.iloc[rows].reset_index(drop=True), y[rows]


@pytest.mark.parametrize("repeated", [0, 1, 20, 100])
def test_repeated_rows_do_not_hide_identifiers(repeated):
    p = profile(*again(*customers(), np.arange(100 - repeated, 100)))
    assert p.identifiers == [0, 4]
    nearly = "nearly " if repeated else ""
    assert said(p, f"'customer' is different in {nearly}every row")


def test_values_that_repeat_in_different_rows_are_no_identifiers():
    frame, y = customers()
    frame["customer"] = frame["customer"].iloc[np.arange(100) % 80].to_numpy()
    assert profile(frame, y).identifiers == [4]


def test_a_category_that_decides_all_else_is_no_identifier():
    colour = np.repeat(["red", "green", "blue", "grey"], 25)
    frame = pd.DataFrame({"colour": colour, "wave": np.repeat([7, 5, 4, 1], 25)})
    assert profile(frame, np.repeat(["x", "y"], 50)).identifiers == []


def test_nearly_empty_columns_are_named_for_that_reason():
    p = profile(*customers())
    assert p.nearly_empty.tolist() == [1]
    assert said(p, "'fax' is nearly empty: 96 of 100 values are missing.")
    frame, y = customers()
    frame.loc[4, "fax"] = "F4"  # 95 % are missing
    assert profile(frame, y).nearly_empty.tolist() == []


def test_spellings_of_one_category_are_named():
    p = profile(*customers())
    assert p.spellings == {3: [["Car ", "car"]]}
    assert said(p, "'Car ', 'car' are different categories of 'kind'")


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([-999, -999, *range(20)], [-999]),
        ([99, 99, 98, 98, *range(20)], []),  # two neighbours: not isolated
        ([999, 999, -1, -1, *range(0, 200, 10)], [999]),
        ([-999, -999, -99, -99, *range(20)], [-999, -99]),
        ([-999, 9999, 9999, -999, *range(20)], [9999, -999]),
        ([-999, *range(20)], []),  # once: an outlier
        ([0, 0, *range(500, 520)], []),  # zero is a quantity
        ([1, 2, 2, 2, 100, 100], []),  # too few values to show a range
        ([-999, -999, *[np.nan] * 9, *range(20)], [-999]),
        (np.repeat(np.arange(20), 2), []),
    ],
)
def test_codes_for_missing_values_are_found(values, codes):
    column = np.array(values, dtype=float)
    other = np.arange(len(column)) ** 2 % 17
    p = profile(np.column_stack([other, column]), np.arange(len(column)) % 2)
    assert p.missing_codes == ({1: codes} if codes else {})
    assert bool(said(p, "like a code for missing values")) is bool(codes)


@pytest.mark.parametrize(
    ("y", "positive"),
    [
        (["ja"] * 5 + ["nein"] * 7, "ja"),
        (["ja"] * 7 + ["nein"] * 5, "nein"),
        (["ja"] * 6 + ["nein"] * 6, "nein"),
        (pd.Categorical(["low"] * 7 + ["high"] * 5, ["high", "low"]), "high"),
        (pd.Categorical(["low"] * 5 + ["high"] * 7, ["low", "high"], True), "high"),
        (["a"] * 4 + ["b"] * 4 + ["c"] * 4, None),
    ],
)
def test_directions_refer_to_the_rarer_of_two_classes(y, positive):
    assert profile(plain(), y).positive == positive


def test_extremely_skewed_columns_are_named_with_the_remedy():
    rng = np.random.default_rng(0)
    y, normal = np.arange(300) % 2, rng.standard_normal(300)
    frame = pd.DataFrame(
        {
            "normal": normal,
            "skewed": np.exp(3 * normal),
            "gappy": np.where(np.arange(300) % 3, np.exp(-3 * normal), np.nan),
            "code": np.where(np.arange(300) < 3, -999.0, normal),
            "mostly zero": np.where(np.arange(300) % 9, 0.0, np.exp(3 * normal)),
            "few values": np.where(np.arange(300) < 3, 99, rng.integers(0, 4, 300)),
        }
    )
    p = profile(frame, y)
    assert p.skewed == [1, 2]
    (sentence,) = said(p, "2 features are extremely skewed: 'skewed', 'gappy'.")
    assert 'scale="rank"' in sentence
