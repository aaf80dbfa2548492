"""Tables as people write them, read as they mean them."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from widemargin.cli.prepare import DataOptions, load, prepare
from widemargin.cli.problem import Problem
from widemargin.cli.reading import Request
from widemargin.cli.reading.arff import read_arff
from widemargin.cli.reading.arrays import read_matlab
from widemargin.cli.reading.files import File
from widemargin.cli.reading.source import MISSING
from widemargin.cli.reading.tables import read_excel
from widemargin.cli.reading.text import read_text


def from_text(text, encoding="utf-8", **request):
    return read_text(File("x.csv", text.encode(encoding), ".csv"), Request(**request))


def from_arff(text, **request):
    return read_arff(File("x.arff", text.encode(), ".arff"), Request(**request)).frame


def prepared(text, **options):
    data = DataOptions(**options)
    source = from_text(text, missing=data.missing, header=data.header)
    return prepare("x.csv", source, data)


WORDS = st.text("abcxyz ,;|'\"\näöü-", min_size=1, max_size=8).filter(
    lambda word: word.strip() == word and word not in MISSING
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(
    rows=st.lists(st.tuples(NUMBERS, WORDS, NUMBERS), min_size=3, max_size=12),
    separator=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_written_is_read(rows, separator, quoting, ending):
    """To the last digit, whatever is in the text and around it."""
    written = pd.DataFrame(rows, columns=["one", "two", "three"])
    text = written.to_csv(
        index=False, sep=separator, quoting=quoting, lineterminator=ending
    )
    read = from_text(text).frame
    assert read.columns.tolist() == ["one", "two", "three"]
    np.testing.assert_array_equal(read["one"], written["one"])
    np.testing.assert_array_equal(read["three"], written["three"])
    expected = [word.replace("\n", ending) for word in written["two"]]
    assert read["two"].astype(str).tolist() in (expected, written["two"].tolist())


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a,b\n1,x\n2,y\n", ["a", "b"]),
        ("a;b\n1,5;x\n2,5;y\n", ["a", "b"]),
        ("a;b;\n1;x;\n2;y;\n", ["a", "b"]),
        ("a,b\n1,x,\n2,y,\n", ["a", "b"]),
        ('"a","b"\n"r1",1,x\n"r2",2,y\n', ["column 0", "a", "b"]),
        (",a,b\n0,1,x\n1,2,y\n", ["column 0", "a", "b"]),
        ("a b\n1   x\n  2 y\n", ["a", "b"]),
        ("\n\na,b\n1,x\n\n2,y\n", ["a", "b"]),
        ("1.5,2,x\n2.5,1,y\n", ["x0", "x1", "x2"]),
        ("400,410,420,430,440,kind\n1,2,3,4,5,x\n2,3,4,5,6,y\n", None),
        ("2019,2020,kind,more\n1,2,x,u\n2,3,y,v\n", None),
    ],
)
def test_layout(text, columns):
    frame = from_text(text).frame
    assert len(frame) == 2
    first = next(line for line in text.splitlines() if line)
    assert frame.columns.tolist() == (columns or first.split(","))


SCALE = "400,410,kind\n" + "1,2,x\n2,4,y\n" * 6


def test_a_short_scale_beside_the_name_of_the_classes_is_a_header():
    assert from_text(SCALE).frame.columns.tolist() == ["400", "410", "kind"]
    rare = SCALE.replace("kind", "x")  # one of the classes: the line is data
    assert len(from_text(rare).frame) == 13
    rows = "".join(f"{i},{i + 1},id{i}\n" for i in range(12))
    assert len(from_text(rows).frame) == 12  # a name for every row


def test_a_first_line_with_the_name_of_the_target_is_a_header():
    text = "30,20,kind\n1,2,x\n2,4,y\n"
    assert len(from_text(text).frame) == 3
    assert from_text(text, target="kind").frame.columns.tolist() == ["30", "20", "kind"]
    assert len(from_text(text, target="20").frame) == 3  # a number may be a value


def test_header_can_be_said():
    assert from_text("1,2\n3,4\n", header=True).frame.columns.tolist() == ["1", "2"]
    assert len(from_text("a,b\nc,d\n", header=False).frame) == 2


def test_latin_1_is_read_with_a_note():
    source = from_text("größe,b\n1,x\n2,y\n", encoding="latin-1")
    assert source.frame.columns.tolist() == ["größe", "b"]
    assert "read as Latin-1" in source.notes[0]


def test_numbers_written_in_many_ways():
    text = (
        "point;comma;mixed;thousand;german;kind\n"
        '1.5;1,5;1,5;"1,234,567";1.234,5;x\n'
        '2.5;2,5;2.5;"2,234,567";2.234,25;y\n'
        '3.5;-,5;3;"3,234,567";7,5;x\n'
        '4.5;1e3;-1,5e2;"4,234,567";;y\n'
    )
    X = prepared(text).X
    assert X["point"].tolist() == [1.5, 2.5, 3.5, 4.5]
    assert X["comma"].tolist() == [1.5, 2.5, -0.5, 1000]
    assert X["mixed"].tolist() == [1.5, 2.5, 3, -150]
    assert X["thousand"].tolist() == [1234567, 2234567, 3234567, 4234567]
    assert X["german"].tolist()[:3] == [1234.5, 2234.25, 7.5]
    assert np.isnan(X["german"][3])


def column(cells, decimal="."):
    """A column as it is read from a file with that decimal mark."""
    other = {".": "0.5", ",": "0,5"}[decimal]
    rows = [f"{c}\t{other}\t{'xy'[i % 2]}" for i, c in enumerate(cells)]
    data = prepared("\n".join(["a\tb\tkind", *rows]))
    return data.X["a"].tolist(), "\n".join(data.notes)


@pytest.mark.parametrize(
    ("cells", "decimal", "numbers"),
    [
        (["500", '"6,248"', '"31,988"'], ".", [500, 6248, 31988]),
        (["500", "6.248", "31.988"], ",", [500, 6248, 31988]),
        (["500", "6.248,5", "31.988,25"], ",", [500, 6248.5, 31988.25]),
        (["0,125", "1,250", "7,500"], ".", [0.125, 1.25, 7.5]),
        (["1.234.567", "12.345", "7"], ".", [1234567, 12345, 7]),
        (["1 234", "12 345,5", "7"], ",", [1234, 12345.5, 7]),
        (["1'234.5", "12'345", "7"], ".", [1234.5, 12345, 7]),
        (["5%", "7.5 %", "10%"], ".", [5, 7.5, 10]),
        (["5,5 %", "7 %", "-10 %"], ",", [5.5, 7, -10]),
        (["$5", '"$1,250.50"', "-$3"], ".", [5, 1250.5, -3]),
        (["5 €", "1.250,50 €", "3 €"], ",", [5, 1250.5, 3]),
        (["\u22125", "2.5", "\u22121e3"], ".", [-5, 2.5, -1000]),
        (["5", "(2.5)", "3"], ".", [5, -2.5, 3]),
        (["5", "(1.250)", "1.300"], ",", [5, -1250, 1300]),
        (["$5", '"($1,250.50)"', "$3"], ".", [5, -1250.5, 3]),
        (["0.12 kg", "0.5 kg", "-1e3 kg"], ".", [0.12, 0.5, -1000]),
        (["36,6°C", "40 °C", "1.250,5 °C"], ",", [36.6, 40, 1250.5]),
        (['"1,200 km/h"', '"90,500 km/h"', "7 km/h"], ".", [1200, 90500, 7]),
        (["1 year", "2 years", "10 years"], ".", [1, 2, 10]),
        (["8:15", "08:30", "23:45"], ".", [8.25, 8.5, 23.75]),
        (["0:00:36", "1:30:00", "100:00:00"], ".", [0.01, 1.5, 100]),
        (["5 kg", "7 kg", "5 kg", "-"], ".", [5, 7, 5, np.nan]),
    ],
)
def test_thousands_and_units(cells, decimal, numbers):
    """Never one number read by one rule and the next by another."""
    np.testing.assert_array_equal(column(cells, decimal)[0], numbers)


@pytest.mark.parametrize(
    "cells",
    [
        ["5 kg", "7 g", "5 kg"],
        ["5-10 kg", "10-20 kg", "5-10 kg"],
        ["007x", "012x", "007x"],
        ["5 kg", "7", "5 kg"],
        ["1st", "2nd", "1st"],
        ["1:2", "2:1", "1:2"],
        ["8:15", "late", "8:15"],
    ],
)
def test_text_that_only_resembles_numbers_with_a_unit_is_categories(cells):
    assert column(cells)[0] == cells


def test_what_had_to_be_understood_is_said():
    _, notes = column(["$500", "$6,248", "$1,000"])
    assert "commas separate thousands, in 'a'" in notes
    assert "signs of per cent or currency left out, in 'a'" in notes
    rounded = "integers of more than 16 digits are rounded, in 'a'"
    assert rounded in column([f"{(i + 1) * 10**20}" for i in range(3)])[1]
    assert "the unit 'kg' left out, in 'a'" in column(["0.1 kg", "2 kg", "3 kg"])[1]


@pytest.mark.parametrize("mark", ["-", ".", "--", "#DIV/0!", "*"])
def test_a_mark_among_numbers_is_a_gap(mark):
    numbers, notes = column(["1.5", mark, "2", "2.5"])
    assert np.isnan(numbers[1])
    assert f"taken as missing: {mark!r}, in 'a'" in notes


def test_marks_alone_are_categories():
    assert column(["+", "-", "+", "-"])[0] == ["+", "-", "+", "-"]


def test_numbers_with_points_are_no_dates():
    assert column(["1.10", "2.11", "3.12"])[0] == [1.1, 2.11, 3.12]


def test_without_features_it_is_said_why():
    with pytest.raises(
        Problem, match=r"no features left.*'a': .nearly. every row has a value"
    ):
        prepared("a,b,kind\nu1,,x\nu2,,y\nu3,,x\n")


@pytest.mark.parametrize(
    "above", ["sep=;\n", "# by a machine\n# of ours\n", "A title\n\n", "Made: today\n"]
)
def test_lines_above_the_table_are_skipped(above):
    source = from_text(above + "a;b;kind\n1;2,5;x\n3;4,5;y\n1;2;x\n")
    assert source.frame.columns.tolist() == ["a", "b", "kind"]
    assert source.frame["b"].tolist() == [2.5, 4.5, 2]
    assert "above the table" in source.notes[0]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    ("above", "n_lines"),
    [
        (["My report,,"], 1),
        (["My report,,", ",,"], 2),
        ([",My report,", "", ",,", "2024,,"], 4),
        (["My report,,", "", ",,", ""], 4),
        (["Made:today", "My report,,"], 2),
        (['"My\nreport",,'], 1),
        (["", "My report,,"], 2),
    ],
)
def test_titles_filled_up_with_separators_are_skipped(above, n_lines, separator):
    table = ["a,b,kind", "1,2,x", "3,4,y", "1,,x", ",,y"]
    text = "\n".join([*above, *table, ""]).replace(",", separator)
    source = from_text(text)
    assert source.frame.columns.tolist() == ["a", "b", "kind"]
    assert source.frame["a"].tolist()[:3] == [1, 3, 1]
    assert source.reading["skiprows"] == n_lines
    lines = "a line" if n_lines == 1 else f"{n_lines} lines"
    assert f"skipped {lines} above the table of x.csv" in source.notes[0]


@pytest.mark.parametrize(
    ("text", "columns", "n_rows"),
    [
        (",kind\n1,x\n2,y\n3,x\n", ["column 0", "kind"], 3),  # an index without name
        ("a,b,\n1,2,\n3,4,\n", ["a", "b"], 2),  # separators at the ends
        ("1,,\n2,3,4\n5,6,7\n", ["x0", "x1", "x2"], 3),  # a row with gaps
        ("a,,\n1,2,x\n3,4,y\n", ["a", "column 1", "column 2"], 2),  # few names
        ("\t\t\na\tb\tc\n1\t2\tx\n3\t4\ty\n", ["a", "b", "c"], 2),  # tabs above
    ],
)
def test_a_first_line_with_gaps_is_no_title(text, columns, n_rows):
    source = from_text(text)
    assert source.frame.columns.tolist() == columns
    assert len(source.frame) == n_rows


def test_a_title_can_be_told_to_be_the_names():
    source = from_text("a,,\nu,v,x\nu,w,y\n", header=True)
    assert source.frame.columns.tolist() == ["a", "column 1", "column 2"]


def test_a_line_of_units_is_not_advised_to_be_missing():
    rows = "".join(f"{i},{i * i % 7},{'xy'[i % 2]}\n" for i in range(30))
    with pytest.raises(
        Problem, match="if the first row holds names or units, not data"
    ):
        prepared("age,size,kind\nyears,cm,-\n" + rows)


def test_windows_characters():
    source = from_text("umsatz €,b\n1,x\n2,y\n", encoding="cp1252")
    assert source.frame.columns.tolist() == ["umsatz €", "b"]
    assert "read as Windows-1252" in source.notes[0]


def test_missing_words_are_gaps_and_more_can_be_named():
    text = "a,b,kind\n1,?,x\nNA,-999,y\n3,5,x\nn/a,weg,y\n6,7,x\n"
    with pytest.raises(Problem, match="column 'b', row 4 is 'weg'"):
        prepared(text)
    X = prepared(text, missing=("weg", "-999")).X
    assert X["a"].isna().tolist() == [False, True, False, True, False]
    assert X["b"].isna().tolist() == [True, True, False, True, False]


def test_rows_are_counted_as_in_the_file():
    rows = "1,\n2,\n" + "".join(f"{i},{'xy'[i % 2]}\n" for i in range(5)) + "oh,x\n"
    with pytest.raises(Problem, match="column 'a', row 8 is 'oh'"):
        prepared("a,kind\n" + rows)


def test_missing_words_count_in_the_target_too(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.arange(5.0)[:, None] ** 2, y=[0, 1, -9, 1, 0])
    data = load(str(tmp_path / "x.npz"), DataOptions(missing=("-9",)))
    assert data.counts == {"0": 2, "1": 2}


def test_a_word_among_few_numbers_is_a_category():
    """As in 2, 3, 4, 5more doors."""
    doors = ["2", "3", "4", "5more"] * 5
    rows = "".join(f"{d},{'xy'[i // 10]}\n" for i, d in enumerate(doors))
    data = prepared("doors,kind\n" + rows)
    assert data.X["doors"].cat.categories.tolist() == ["2", "3", "4", "5more"]


def test_a_word_among_many_numbers_is_out_of_place():
    rows = "".join(f"{i % 25}.5,{'xy'[i % 2]}\n" for i in range(50))
    with pytest.raises(Problem, match="column 'a', row 51 is 'unknown'"):
        prepared("a,kind\n" + rows + "unknown,x\n" * 9)


def test_codes_can_be_made_categories():
    data = prepared("a,b,kind\n1,5,x\n2,4,y\n1,3,x\n,2,y\n", categorical=("a",))
    assert data.X["a"].cat.categories.tolist() == ["1", "2"]
    assert data.X["a"].isna().sum() == 1


@pytest.mark.parametrize(
    ("name", "left_out"), [("id", True), ("Row Nr.", True), ("dose", False)]
)
def test_row_numbers_are_left_out_if_called_so(name, left_out):
    rows = "".join(f"{i + 1},{i * i % 7},{'xy'[i % 2]}\n" for i in range(9))
    data = prepared(f"{name},b,kind\n{rows}")
    assert (name not in data.X) is left_out
    assert name in prepared(f"{name},b,kind\n{rows}", keep_ids=True).X


def test_typed_files_keep_categories_booleans_and_gaps(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "flag": [True, False, True, False],
            "gap": pd.array([1, None, 3, 4], dtype="Int64"),
            "colour": pd.Categorical(list("rgrg"), categories=list("rgb")),
            "kind": pd.array([0, 1, 0, None], dtype="Int64"),
        }
    )
    frame.to_parquet(tmp_path / "x.parquet")
    data = load(str(tmp_path / "x.parquet"), DataOptions())
    assert len(data.X) == 3
    assert data.X["gap"].dtype == float
    assert data.X["colour"].cat.categories.tolist() == ["r", "g"]
    assert data.counts == {"0": 2, "1": 1}


@pytest.mark.parametrize(("above", "width"), [(1, 3), (2, 3), (0, 3), (0, 2)])
def test_titles_above_a_table_of_excel_are_skipped(above, width):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for title in ["Our study", "2024"][:above]:
        book.active.append([title])
    book.active.append([*"ab"[: width - 1], "kind"] if width > 2 else [None, "kind"])
    for i in range(6):
        book.active.append([*range(i, i + width - 1), "xy"[i % 2]])
    data = io.BytesIO()
    book.save(data)
    source = read_excel(File("x.xlsx", data.getvalue(), ".xlsx"), Request())
    names = ["a", "b", "kind"] if width > 2 else ["column 0", "kind"]
    assert source.frame.columns.tolist() == names
    assert len(source.frame) == 6
    assert bool(source.notes) == bool(above)


def test_excel_with_a_blank_row_text_gaps_and_a_second_sheet():
    pytest.importorskip("openpyxl")
    stream = io.BytesIO()
    with pd.ExcelWriter(stream) as book:
        table = pd.DataFrame({"a": [1, "NA", 2.5, 3], "kind": list("xyxy")})
        table.to_excel(book, index=False, sheet_name="first", startrow=1)
        table.to_excel(book, sheet_name="second")
    source = read_excel(File("x.xlsx", stream.getvalue(), ".xlsx"), Request())
    assert "has 2 sheets; the first, 'first', is read" in source.notes[0]
    data = prepare("x.xlsx", source, DataOptions())
    np.testing.assert_array_equal(data.X["a"], [1, np.nan, 2.5, 3])


def test_arff_with_quotes_gaps_comments_and_dates():
    frame = from_arff(
        "% made by hand\n@relation 'a b'\n@attribute 'first one' REAL\n"
        '@attribute "second" {p, \'q r\', "s,t"}\n@attribute third string\n'
        "@attribute day date 'yyyy-MM-dd'\n@attribute class {yes,no}\n@DATA\n"
        "1.5, p, 'it''s', 2020-01-01, yes\n".replace("''", r"\'")
        + '% in between\n?, \'q r\', "a, b", ?, no\n\n2e1,"s,t",?,2020-01-02,yes\n'
    )
    assert frame.columns[0] == "first one"
    np.testing.assert_array_equal(frame["first one"], [1.5, np.nan, 20])
    assert frame["second"].tolist() == ["p", "q r", "s,t"]
    assert frame["third"].tolist()[:2] == ["it's", "a, b"]
    assert frame["third"].isna().tolist() == [False, False, True]
    assert frame["class"].cat.categories.tolist() == ["yes", "no"]


def test_sparse_arff():
    frame = from_arff(
        "@relation r\n@attribute a real\n@attribute b {u,v}\n@attribute c real\n"
        "@data\n{0 2, 1 v}\n{2 ?}\n{}\n"
    )
    np.testing.assert_array_equal(frame["a"], [2, 0, 0])
    assert frame["b"].tolist() == ["v", "u", "u"]
    np.testing.assert_array_equal(frame["c"], [0, np.nan, 0])


def test_matlab_with_names_and_labels_in_cells():
    from scipy.io import savemat

    stream = io.BytesIO()
    names = np.array(["gene a", "gene b"], dtype=object)
    labels = np.array([["ill"], ["well"], ["ill"]], dtype=object)
    arrays = {"X": np.arange(6.0).reshape(3, 2), "Y": labels, "feature_names": names}
    savemat(stream, arrays)
    source = read_matlab(File("x.mat", stream.getvalue(), ".mat"), Request())
    assert source.frame.columns.tolist() == ["gene a", "gene b", "Y"]
    assert source.frame["Y"].tolist() == ["ill", "well", "ill"]


def test_grades_with_halves_are_ordered_classes():
    grades = [1.0, 1.5, 2.0, 1.5, 1.0, 2.0]
    rows = "".join(f"{i % 4},{g}\n" for i, g in enumerate(grades))
    data = prepared("a,grade\n" + rows)
    assert data.y.cat.ordered
    assert data.counts == {"1.0": 2, "1.5": 2, "2.0": 2}


def test_numbers_for_ordinal_labels():
    data = prepared("a,g\n1,3\n2,1\n5,2\n4,\n3,1\n", ordinal=("1", "2", "3", "4"))
    assert data.y.cat.categories.tolist() == ["1", "2", "3"]
    assert data.y.tolist() == ["3", "1", "2", "1"]


def test_arff_as_weka_takes_it():
    """A brace after the name, tabs, weights, and nan."""
    frame = from_arff(
        "@relation r\n@ATTRIBUTE a\tnumeric\n@attribute class{p, q}\n@data\n"
        "1.5,p\n2\tq, {2}\nNaN,p\n"
    )
    assert frame["a"].tolist()[:2] == [1.5, 2.0]
    assert np.isnan(frame["a"][2])
    assert frame["class"].tolist() == ["p", "q", "p"]


def test_libsvm_under_the_name_of_a_text(tmp_path):
    (tmp_path / "a.data").write_text("+1 1:2 3:1\n-1 2:1\n+1 1:1\n-1 3:2\n")
    data = load(str(tmp_path / "a.data"), DataOptions())
    assert data.X.shape == (4, 3)
    assert data.counts == {"-1": 2, "1": 2}


def test_images_and_training_parts_of_numpy(tmp_path):
    X = np.arange(4 * 2 * 3).reshape(4, 2, 3) ** 2 % 7
    y = [0, 1, 0, 1]
    np.savez(tmp_path / "x.npz", x_train=X, y_train=y, x_test=X[:1], y_test=y[:1])
    data = load(str(tmp_path / "x.npz"), DataOptions())
    np.testing.assert_array_equal(data.X, X.reshape(4, 6))
    assert "training part is read: 'x_train', 'y_train'" in data.notes[0]
    assert "images of 2×3 pixels" in data.notes[1]


def test_records_of_numpy(tmp_path):
    table = np.rec.fromarrays([[1.0, 2, 3], [0, 1, 0]], names="a,kind")
    np.save(tmp_path / "x.npy", table)
    data = load(str(tmp_path / "x.npy"), DataOptions())
    assert data.X.columns.tolist() == ["a"]
    assert data.counts == {"0": 2, "1": 1}


def test_formats_that_are_not_read_are_named(tmp_path):
    (tmp_path / "x.xls").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(99))
    with pytest.raises(
        Problem, match="before 2007 is not supported; save the table as CSV"
    ):
        load(str(tmp_path / "x.xls"), DataOptions())
