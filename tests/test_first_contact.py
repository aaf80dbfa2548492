"""The first minutes with the command: answers at once, and messy files as they come."""

import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import widemargin
from cli_tools import imported_by, invoke
from widemargin import baselines
from widemargin.cli.prepare import DataOptions, load
from widemargin.cli.problem import Problem, did_you_mean

ROWS = "".join(f"{i},{i * i % 7},{'xy'[i % 2]}\n" for i in range(12))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def dataset(text, name="x.csv", **options):
    Path(name).write_text(text, encoding="utf-8")
    return load(name, DataOptions(**options))


def said(data):
    return "\n".join(data.notes)


def with_column(name, cells, **options):
    """A table with a column of these cells, and what the command makes of it."""
    rows = [f'"{c}",{i * i % 7},{"xy"[i % 2]}' for i, c in enumerate(cells)]
    return dataset("\n".join([f"{name},b,kind", *rows]), **options)


def refused(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


# Answers that need no data.


@pytest.mark.processes
def test_what_needs_no_data_imports_nothing_heavy():
    calls = {
        "methods": 0,
        "methods --json": 0,
        "rank nothing.csv": 2,
        "rank nothing*.csv": 2,
        "rank nothing.csv -m Simba": 2,
        "rank .": 2,
        "rank nothing.csv --engine dask": 2,
        "select nothing.csv -m GFlip": 2,
        "compare nothing.csv": 2,
        "compare .": 2,
        "report nothing.csv": 2,
    }
    heavy = {"numpy", "numba", "sklearn", "scipy", "pandas"}
    found = imported_by(heavy, [call.split() for call in calls])
    assert dict(zip(calls, found, strict=True)) == {
        call: (code, []) for call, code in calls.items()
    }


def test_the_list_of_methods_says_what_the_classes_say():
    listed = {m.name: m for m in widemargin.methods()}
    names = [
        *[n for n in widemargin.__all__ if n[0].isupper()],
        *[n for n in baselines.__all__ if n[0].isupper()],
    ]
    others = {"AutoSelector", "Selection", "MarginScaler", "MarginPrototypes"}
    assert set(listed) == set(names) - others
    for name, method in listed.items():
        selector = _class(name)
        assert (method.gives == "subset") == getattr(selector, "_gives_subset", False)
        first = selector.__doc__.splitlines()[0]
        assert first.endswith(f"{method.summary}."), (
            f"methods.toml has another summary of {name} than its docstring: {first}"
        )


def _class(name):
    return getattr(baselines if name in baselines.__all__ else widemargin, name)


# Text where numbers are.


@pytest.mark.parametrize("options", [{}, {"missing": ("-",)}, {"missing": ("-999",)}])
def test_a_dash_among_numbers_with_the_pandas_that_lends_arrays(options):
    """Version 3 always does, version 2 if it is told to."""
    old = int(pd.__version__.split(".")[0]) < 3
    with pd.option_context("mode.copy_on_write", True) if old else nullcontext():
        X = with_column("a", [1, "-", 3, -999, 5, 6], **options).X
    assert np.isnan(X["a"][1])
    assert np.isnan(X["a"][3]) == (options.get("missing") == ("-999",))


# Columns.


def test_columns_of_one_name_are_renamed_with_a_note():
    data = dataset("a,b,a,a.1,a,kind\n" + "1,2,3,4,5,x\n2,1,4,3,6,y\n" * 3)
    assert data.features == ["a", "b", "a.2", "a.1", "a.3"]
    assert "x.csv has more than one column named 'a'; the later ones are called " in (
        said(data)
    )
    assert "'a.2', 'a.3'" in said(data)


def test_columns_of_one_name_are_renamed_in_other_formats_too():
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    columns = [pa.array([1.0, 2, 3, 5]), pa.array([4.0, 2, 3, 1]), pa.array([*"xyxy"])]
    table = pa.table(columns, names=["a", "a", "kind"])
    parquet.write_table(table, "x.parquet")
    feather.write_feather(table, "x.feather")
    Path("x.arff").write_text(
        "@relation r\n@attribute a real\n@attribute a real\n@attribute kind {x,y}\n"
        "@data\n1,4,x\n2,2,y\n3,3,x\n5,1,y\n"
    )
    np.savez(
        "x.npz",
        X=np.arange(8.0).reshape(4, 2) ** 2,
        y=[0, 1, 0, 1],
        feature_names=["a", "a"],
    )
    for name in ("x.parquet", "x.feather", "x.arff", "x.npz"):
        data = load(name, DataOptions())
        assert data.features == ["a", "a.1"], name
        assert "more than one column named 'a'" in said(data)


def test_a_column_that_is_not_there_is_answered_by_those_that_are():
    Path("x.csv").write_text("age,size,label\n" + ROWS)
    message = refused("rank", "x.csv", "-t", "table")
    assert "Did you mean" not in message
    assert "The columns are: 'age', 'size', 'label'." in message
    message = refused("rank", "x.csv", "-t", "lable")
    assert "Did you mean 'label'? The columns are: 'age'" in message


def test_classes_that_differ_in_their_spelling_only_are_noted():
    rows = [f"{i},{i * i % 7},{c}" for i, c in enumerate(["yes", "YES", "no"] * 4)]
    notes = said(dataset("\n".join(["a,b,paid", *rows])))
    assert "'YES', 'yes' are different classes of 'paid'; if they sh" in notes
    assert "different classes" not in said(dataset("age,size,label\n" + ROWS))


@pytest.mark.parametrize(
    ("labels", "grades"),
    [((1, 2, 3, 4), True), ((0, 1, 2), False), ((1, 2, 4, 8), False)],
)
def test_classes_that_may_be_grades_are_noted(labels, grades):
    rows = [f"{i % 7},{i * i % 7},{labels[i % len(labels)]}" for i in range(24)]
    table = "\n".join(["a,b,mark", *rows])
    assert ("--ordinal 1,2,3,4 makes use" in said(dataset(table))) is grades
    assert "grades" not in said(dataset(table, categorical=("mark",)))


@pytest.mark.parametrize(
    ("word", "name", "near"),
    [("kimd", "kind", True), ("Targte", "target", True), ("price", "slice", False)],
)
def test_only_what_is_nearly_the_same_is_suggested(word, name, near):
    assert bool(did_you_mean(word, [name])) is near


def test_constant_features_are_named():
    Path("x.csv").write_text(
        "a,unit,town,kind\n"
        + "".join(f"{i % 5},7,Ulm,{'xy'[i % 2]}\n" for i in range(12))
    )
    for command in ("rank", "select"):
        result = invoke(command, "x.csv", "-k", "2", "-n", "1")
        note = "2 features are constant and rank last: 'unit', 'town'."
        assert f"note: {note}\n" in result.stderr
    result = invoke("rank", "x.csv", "-k", "2", "--drop", "town", "--json")
    assert (
        "1 feature is constant and ranks last: 'unit'."
        in (json.loads(result.stdout)["notes"])
    )


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("id", True),
        ("customer_id", True),
        ("PassengerId", True),
        ("userID", True),
        ("patientid", True),
        ("key", True),
        ("", True),  # an index that pandas wrote after the rows were shuffled
        ("acid", False),
        ("bid", False),
        ("income", False),
        ("house number", False),
    ],
)
def test_numbers_that_identify_rows_are_left_out_if_called_so(name, left_out):
    cells = [831, 17, 404, 99, 5000, 23, 64, 7]
    data = with_column(name, cells)
    name = name or "column 0"
    assert (name not in data.X) is left_out
    note = f"left out {name!r}: (nearly) every row has a value of its own (--keep-ids"
    assert (note in said(data)) is left_out
    assert name in with_column(name, cells, keep_ids=True).X
    assert name in with_column(name, cells, categorical=(name,)).X
    assert name in with_column(name, [*cells[:-1], 831]).X


def visits(name, classes, rows_each=3):
    """A table of visits: patients in one column, each visit's class in another."""
    rows = [
        f"P{p:02d},{(7 * p + v) % 11},{classes(p, v)}"
        for p in range(40)
        for v in range(rows_each)
    ]
    return "\n".join([f"{name},b,kind", *rows])


def of_patient(p, v):
    return "xy"[p % 3 % 2]


def test_keys_of_patients_are_left_out_if_their_rows_have_one_class():
    text = visits("patient_id", of_patient)
    data = dataset(text, target="kind")
    assert list(data.X) == ["b"]
    assert "left out 'patient_id': each value occurs in one class only" in said(data)
    assert "patient_id" in dataset(text, target="kind", keep_ids=True).X
    assert "patient_id" in dataset(text, target="kind", categorical=("patient_id",)).X
    numbers = text.replace("\nP", "\n")
    assert list(dataset(numbers, target="kind").X) == ["b"]


@pytest.mark.parametrize(
    "text",
    [
        visits("species", of_patient),  # not called a key
        visits("patient_id", lambda p, v: "xy"[v % 2]),  # classes differ
        # One class each, but so it would be by chance.
        visits("patient_id", lambda p, v: "xy"[p == 0], rows_each=2),
    ],
)
def test_other_columns_with_values_that_repeat_are_categories(text):
    assert len(dataset(text, target="kind").X.columns) == 2


def test_select_says_that_a_category_may_name_groups(tmp_path):
    (tmp_path / "t.csv").write_text(visits("species", of_patient))
    result = invoke("select", tmp_path / "t.csv", "--target", "kind")
    assert result.exit_code == 0, result.output
    assert (
        "Each of the 40 values of 'species' occurs in one class only" in result.stderr
    )


# Columns that are not what they seem.


def customers(n=200):
    """Customers, a fax that few have, −999 for no age, two spellings, postcodes."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "customer_id": [f"C{7 * i}" for i in range(n)],
            "number": 3 * np.arange(n),
            "no": np.arange(n),
            "fax": [f"0{i}81" if i < 4 else None for i in range(n)],
            "age": rng.integers(18, 90, n),
            "income": rng.normal(2000, 300, n).round(2),
            "kind": rng.choice(["Car ", "car", "car ", "truck"], n),
            "postcode": rng.choice(["01067", "04109", "10115", "80331"], n),
            "paid": np.arange(n) % 2,
        }
    )
    frame.loc[20:31, "age"] = -999
    return frame


def read_frame(frame, rows=(), **options):
    """What the command makes of a frame of which some rows are repeated."""
    frame = pd.concat([frame, frame.iloc[list(rows)]])
    return dataset(frame.to_csv(index=False), target="paid", **options)


@pytest.mark.parametrize("repeated", [0, 1, 30, 200])
def test_repeated_rows_change_nothing_about_identifiers(repeated):
    data = read_frame(customers(), range(200 - repeated, 200))
    assert data.features == ["number", "age", "income", "kind", "postcode"]
    assert "left out 'no', 'customer_id': (nearly) every row has" in said(data)
    assert "left out 'fax': more than 95 % of the values are missing" in said(data)


def test_a_nearly_empty_column_can_be_kept():
    kept = read_frame(customers(), max_missing=1.0, categorical=("fax",))
    assert "fax" in kept.features
    frame = customers().assign(gaps=[1.5 if i % 5 else None for i in range(200)])
    assert "gaps" in read_frame(frame).features
    data = read_frame(frame, max_missing=0.1)
    assert "left out 'fax', 'gaps': more than 10 % of" in said(data)
    frame["dashes"] = ["-" if i > 5 else i for i in range(200)]
    assert "dashes" not in read_frame(frame).features


def test_a_probable_code_for_missing_values_is_named_with_its_remedy():
    data = read_frame(customers())
    assert "code for missing values: -999 in 'age', repeated and far" in said(data)
    assert "(--missing -999 treats it as missing, in all columns)" in said(data)
    assert data.X["age"].min() == -999  # nothing is changed without being asked
    data = read_frame(customers(), missing=("-999",))
    assert "code for missing" not in said(data)
    assert data.X["age"].isna().sum() == 12
    frame = customers()
    frame["paid"] = frame["income"].where(frame["age"] > 0, 999999)
    assert "values: 999999 in 'paid', repeated" in said(read_frame(frame))


def test_spellings_of_one_category_are_said():
    data = read_frame(customers())
    assert set(data.X["kind"]) == {"Car", "car", "truck"}
    assert "'Car', 'car' are different categories of 'kind'; if they" in said(data)
    assert "white space around them are one, in 'kind'." in said(data)


def test_digits_with_leading_zeros_are_codes():
    data = read_frame(customers())
    assert set(data.X["postcode"]) == {"01067", "04109", "10115", "80331"}
    assert "leading zeros are codes, not numbers" in said(data)
    assert "in 'postcode'." in said(data)
    frame = customers()
    frame.loc[3, "postcode"] = None
    frame.loc[4, "postcode"] = "-"
    data = read_frame(frame)
    assert set(data.X["postcode"].dropna()) == {"01067", "04109", "10115", "80331", "-"}
    frame["half"] = ["00.5", "07", "12"] * 66 + ["1", "2"]
    assert read_frame(frame).X["half"].dtype == float


def test_a_target_of_codes_keeps_its_zeros():
    frame = customers().assign(paid=["01", "02"] * 100)
    assert set(read_frame(frame).y) == {"01", "02"}


def test_codes_in_one_of_several_files_are_codes_in_all():
    frame = customers()
    frame.loc[frame.index < 100, "postcode"] = "10115"
    frame.loc[0, "postcode"] = None
    frame[:100].to_csv("day1.csv", index=False)
    frame[100:].to_csv("day2.csv", index=False)
    data = load("day*.csv", DataOptions(target="paid"))
    assert set(data.X["postcode"].dropna()) == {"01067", "04109", "10115", "80331"}


# Dates.


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        (["2024-01-31", "2023-12-01"], [61, 0]),
        (["2024/1/31", "2023/12/1"], [61, 0]),
        (["2024-01-31 12:00", "2023-12-01T00:00:00Z"], [61.5, 0]),
        (["31.12.2024", "1.1.25"], [0, 1]),
        (["12/31/2024 6:00 PM", "1/2/2025"], [0, 1.25]),
        (["31/12/99", "2/1/2000"], [0, 2]),
        (["3 Jan 2024", "31-Dec-23"], [3, 0]),
        (["March 3, 2024", "Dec. 24 2023"], [70, 0]),
    ],
)
def test_dates_become_days_since_the_first(dates, days):
    data = with_column("day", dates * 3)
    assert data.X["day"].tolist() == pytest.approx(days * 3)
    assert "dates as days since the first, in 'day'." in said(data)


def test_day_and_month_that_nothing_tells_apart_are_said():
    data = with_column("day", ["1/2/2024", "3/2/2024", "5/1/2024"] * 2)
    assert data.X["day"].tolist() == [0, 60, 120] * 2
    assert "days since the first, month before day, in 'day'" in said(data)
    data = with_column("day", ["1.2.2024", "3.2.2024", "5.1.2024"] * 2)
    assert data.X["day"].tolist() == [27, 29, 0] * 2
    assert "days since the first, day before month, in 'day'" in said(data)


@pytest.mark.parametrize("dates", [["13/1/2024", "1/13/2024"], ["2024-02-31"] * 2])
def test_dates_that_cannot_be_read_are_left_out(dates):
    data = with_column("day", dates * 3)
    assert "day" not in data.X
    assert "left out 'day': dates of which some cannot be read." in said(data)


def test_dates_of_typed_files_become_days():
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(["2020-01-02", None, "2020-01-01", "2020-02-01"]),
            "zoned": pd.date_range("2020", periods=4, tz="Europe/Berlin"),
            "for": pd.to_timedelta([1, 2, 3, 6], "h"),
            "plain": pd.date_range("2021", periods=4).date,
            "kind": list("xyxy"),
        }
    )
    frame.to_parquet("x.parquet")
    data = load("x.parquet", DataOptions())
    assert data.X["day"].tolist()[2:] == [0, 31]
    assert data.missing == ["day"]
    assert data.X["zoned"].tolist() == [0, 1, 2, 3]
    assert data.X["for"].tolist() == pytest.approx([1 / 24, 1 / 12, 1 / 8, 1 / 4])
    assert data.X["plain"].tolist() == [0, 1, 2, 3]
    assert "dates as days since the first, in 'day', 'zoned', 'plain'." in said(data)
    assert "durations as days, in 'for'." in said(data)


def test_dates_of_excel_become_days():
    pytest.importorskip("openpyxl")
    days = pd.date_range("2020-01-01", periods=6)
    frame = pd.DataFrame({"day": days, "b": [1, 4, 2, 3, 5, 1], "kind": list("xyxyxy")})
    frame.to_excel("x.xlsx", index=False)
    data = load("x.xlsx", DataOptions())
    assert data.X["day"].tolist() == [0, 1, 2, 3, 4, 5]


# Sheets and patterns.


@pytest.fixture
def book():
    pytest.importorskip("openpyxl")
    table = pd.DataFrame({"a": [1, 2, 4, 3], "b": [2, 2, 1, 5], "kind": list("xyxy")})
    with pd.ExcelWriter("x.xlsx") as writer:
        pd.DataFrame({"Made by": ["us"]}).to_excel(
            writer, sheet_name="About", index=False
        )
        table.to_excel(writer, sheet_name="Data", index=False)
        pd.DataFrame().to_excel(writer, sheet_name="Empty")
    return table


@pytest.mark.parametrize("sheet", ["Data", "data", "1", "-2"])
def test_sheet_is_chosen_by_name_or_place(book, sheet):
    data = load("x.xlsx", DataOptions(sheet=sheet))
    np.testing.assert_array_equal(data.X, book[["a", "b"]])
    assert "sheets" not in said(data)


def test_sheets_are_listed(book):
    message = refused("rank", "x.xlsx", "--sheet", "Daten")
    assert "has no sheet 'Daten'. Its sheets are: 'About', 'Data', 'Empty'." in message
    assert "its sheet 'Empty'; --sheet reads another sheet: 'About', 'Data'" in (
        refused("rank", "x.xlsx", "--sheet", "Empty")
    )
    Path("x.csv").write_text("a,b,kind\n" + ROWS)
    assert "--sheet is for Excel files; x.csv is read as csv" in (
        refused("rank", "x.csv", "--sheet", "Data")
    )
    # The first has one column: what can be done comes along with what is wrong.
    assert "--sheet reads another sheet: 'Data', 'Empty'" in refused("rank", "x.xlsx")


def test_a_pattern_is_one_table_without_dask():
    rows = ROWS.splitlines()
    Path("days").mkdir()
    Path("days/1.csv").write_text("\n".join(["a,b,kind", *rows[:5]]))
    Path("days/2.csv").write_text("\n".join(["a,b,kind", *rows[5:9]]))
    swapped = [",".join([r.split(",")[j] for j in (1, 0, 2)]) for r in rows[9:]]
    Path("days/3.csv").write_text("\n".join(["b,a,kind", *swapped]))
    Path("whole.csv").write_text("a,b,kind\n" + ROWS)
    found = json.loads(invoke("rank", "days/*.csv", "-k", "2", "--json").stdout)
    whole = json.loads(invoke("rank", "whole.csv", "-k", "2", "--json").stdout)
    assert found["features"] == whole["features"]
    assert found["notes"][0] == "days/*.csv is 3 files, read as one table."
    assert found["notes"][1:] == whole["notes"]


def test_files_of_a_pattern_that_do_not_go_together_are_named():
    Path("1.csv").write_text("a,b,kind\n" + ROWS)
    Path("2.csv").write_text("a,c,kind\n" + ROWS)
    message = refused("rank", "?.csv")
    assert "2.csv does not match 1.csv: it lacks the columns 'b'." in message
    assert "no file that matches '*.tsv'" in refused("rank", "*.tsv")


def test_a_file_whose_name_looks_like_a_pattern_is_that_file():
    Path("x[1].csv").write_text("a,b,kind\n" + ROWS)
    assert load("x[1].csv", DataOptions()).n_rows == 12


def test_a_pattern_that_does_not_fit_is_refused(monkeypatch):
    for name in ("1.csv", "2.csv"):
        Path(name).write_text("a,b,kind\n" + ROWS)
    monkeypatch.setenv("WIDEMARGIN_MEMORY", "300")
    with pytest.raises(Problem, match=r"\*\.csv needs .* --engine dask reads"):
        load("*.csv", DataOptions())


def test_the_page_on_a_pattern_has_a_name():
    from widemargin.cli.writing import default_page

    assert default_page("days/*.csv", "report") == "days-report.html"
    assert default_page("days/2024-*.csv", "report") == "2024-report.html"
    assert default_page("*.csv", "report") == "data-report.html"
    assert default_page("iris.csv.gz", "report") == "iris-report.html"
