"""What `select` writes, what `apply` makes of it, and that no input is overwritten."""

import gzip
import json
import os
import re

import numpy as np
import pandas as pd
import pytest

from cli_tools import invoke
from widemargin import Selection

HEADER = "Kunde;Alter;Größe;Bemerkung;Wert;Diagnose"
REMARKS = {3: "=1+2", 4: "-", 5: "-2+cmd", 6: "@SUM(A1)", 7: "+49 30 1", 8: "-1,5"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [HEADER]
    for i in range(40):
        k = i % 2
        remark = REMARKS.get(i, ("gut", "böse")[k])
        size = "NA" if i == 9 else f"1,{60 + i}"
        rows.append(
            f"{i:04d};{30 + 20 * k + i % 5};{size};{remark};-{i % 3},50;{'ja' * k}"
            f"{'nein' * (1 - k)}"
        )
    text = "\n".join(rows) + "\n"
    (tmp_path / "data.csv").write_text(text, encoding="cp1252")
    return tmp_path


def done(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 0, result.stderr
    return result


def refused(*arguments):
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("\n") == 1
    return result.stderr


def lines(path, encoding="cp1252"):
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding=encoding) as file:
        return file.read().splitlines()


SELECT = ("select", "data.csv", "-n", "4", "--keep", "Kunde")


def test_select_writes_every_cell_as_it_was_read():
    done(*SELECT, "--keep-formulas", "-o", "few.csv")
    assert lines("few.csv") == lines("data.csv")


@pytest.mark.parametrize("ending", ["tsv", "tsv.gz", "csv.gz"])
def test_ending_tells_separator_and_compression(ending):
    done(*SELECT, "--keep-formulas", "-o", f"few.{ending}")
    separator = "\t" if "tsv" in ending else ";"
    found = [line.split(separator) for line in lines(f"few.{ending}")]
    assert found == [line.split(";") for line in lines("data.csv")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_select_keeps_the_encoding(encoding):
    text = "\n".join(lines("data.csv"))
    with open("data.csv", "w", encoding=encoding) as file:
        file.write(text)
    done(*SELECT, "--keep-formulas", "-o", "few.csv")
    assert lines("few.csv", encoding) == text.split("\n")


def test_blanks_and_tabs_become_what_the_ending_says():
    table = [line.split(";")[1:3] + line.split(";")[5:] for line in lines("data.csv")]
    for name, separator in (("data.txt", "  "), ("data.tsv", "\t")):
        with open(name, "w", encoding="utf-8") as file:
            file.writelines(separator.join(row) + "\n" for row in table)
        done("select", name, "-n", "2", "-o", "few.csv", "-f", "--missing", "NA")
        assert [line.split(";") for line in lines("few.csv", "utf-8")] == table


def test_formulas_are_made_harmless_and_named():
    result = done(*SELECT, "-o", "few.csv")
    assert "3 cells of 'Bemerkung'" in result.stderr
    assert "--keep-formulas" in result.stderr
    found = [line.split(";")[3] for line in lines("few.csv")][1:]
    expected = [REMARKS[3], "-", REMARKS[5], REMARKS[6], "+49 30 1", "-1,5"]
    for place in (0, 2, 3):
        expected[place] = f"'{expected[place]}"
    assert found[3:9] == expected
    assert [line.split(";")[4] for line in lines("few.csv")][1] == "-0,50"


def test_formula_in_a_header_is_made_harmless():
    text = lines("data.csv")
    text[0] = text[0].replace("Alter", "=HYPERLINK(1)")
    with open("data.csv", "w", encoding="utf-8") as file:
        file.write("\n".join(text))
    result = done(*SELECT, "-o", "few.csv")
    assert "the column name '=HYPERLINK(1)'" in result.stderr
    assert lines("few.csv", "utf-8")[0].split(";")[1] == "'=HYPERLINK(1)"


def test_frames_without_a_dialect_are_disarmed_too():
    frame = pd.DataFrame({"a": np.arange(20.0) - 10, "word": ["=x", "y"] * 10})
    frame["kind"] = ["p", "q"] * 10
    frame.to_parquet("data.parquet")
    done("select", "data.parquet", "-n", "2", "-o", "few.csv")
    assert lines("few.csv", "utf-8")[1] == "-10.0,'=x,p"
    done("select", "data.parquet", "-n", "2", "-o", "few.parquet")
    assert pd.read_parquet("few.parquet")["word"][0] == "=x"


def test_kept_columns_are_no_features():
    result = done("select", "data.csv", "--keep", "Alter,Kunde", "-n", "2", "--json")
    assert json.loads(result.stdout)["n_features"] == 3
    done("select", "data.csv", "--keep", "Kunde", "-n", "1", "-o", "few.parquet")
    assert pd.read_parquet("few.parquet")["Kunde"][3] == "0003"


@pytest.mark.parametrize(
    "call",
    [
        ("rank", "data.csv", "-n", "1", "-o"),
        ("select", "data.csv", "-n", "1", "-o"),
        ("select", "data.csv", "-n", "1", "--save"),
        ("compare", "data.csv", "-o"),
        ("report", "saved.json", "-o"),
        ("apply", "selection.json", "data.csv", "-o"),
    ],
)
@pytest.mark.parametrize("way", ["same", "dotted", "symlink", "hardlink"])
def test_no_command_writes_onto_its_input(call, way, folder):
    done("select", "data.csv", "-n", "1", "--save", "selection.json")
    (folder / "saved.json").write_text("{}")
    # A name with an ending that the command writes.
    read = next(
        name
        for name in call
        if name.endswith((".csv", ".json")) and name != "selection.json"
    )
    if call[-1] == "--save":
        os.rename("data.csv", "data.json")
        read, call = (
            "data.json",
            (
                "select",
                "data.json",
                *call[2:],
            ),
        )
    before = (folder / read).read_bytes()
    other = f"other{os.path.splitext(read)[1]}"
    if way == "symlink":
        os.symlink(read, other)
    elif way == "hardlink":
        os.link(read, other)
    goal = {"same": read, "dotted": f"./../{folder.name}/{read}"}.get(way, other)
    assert "is the file that is read" in refused(*call, goal, "--force")
    assert (folder / read).read_bytes() == before


def test_nothing_is_written_into_the_folder_that_is_read(folder):
    (folder / "days").mkdir()
    frame = pd.DataFrame({"a": range(20), "kind": ["p", "q"] * 10})
    frame.to_parquet("days/one.parquet")
    said = refused(
        *("select", "days", "-n", "1", "--engine", "dask", "-o", "days/few.parquet")
    )
    assert "in the folder that is read" in said


def test_the_same_output_twice_is_refused():
    assert "twice" in refused("rank", "data.csv", "-o", "a.csv", "-o", "./a.csv")


@pytest.fixture
def selection():
    done("select", "data.csv", "-n", "2", "-m", "ReliefF", "--save", "s.json")
    return Selection.load("s.json")


def test_saved_selection_says_where_it_comes_from(selection):
    assert (selection.method, selection.file) == ("ReliefF", "data.csv")
    assert selection.settings["target"] == "Diagnose"
    assert len(selection.kept) == 2
    chosen = done("select", "data.csv", "-n", "2", "-q").stdout.split()
    assert selection.get_feature_names_out().tolist() == chosen


def test_apply_takes_columns_by_name_in_the_dialect_of_the_file(selection):
    table = [line.split(";") for line in lines("data.csv")]
    with open("new.csv", "w", encoding="cp1252") as file:
        file.writelines("|".join([*row[::-1], "x"]) + "\n" for row in table)
    call = ("apply", "s.json", "new.csv", "--keep", "Kunde", "--keep-formulas")
    result = done(*call, "-o", "out.csv")
    places = [table[0].index(name) for name in ("Kunde", *selection.kept)]
    assert lines("out.csv") == ["|".join(row[p] for p in places) for row in table]
    assert "left out the target, 'Diagnose'" in result.stderr
    assert "left out 'x'" in result.stderr
    assert "another order" in result.stderr
    printed = done(*call, "-q").stdout
    assert printed.splitlines() == lines("out.csv")


def test_apply_takes_a_file_with_nothing_but_the_features(selection):
    done("apply", "s.json", "data.csv", "-o", "out.csv", "--keep-formulas")
    result = done("apply", "s.json", "out.csv", "--keep-formulas")
    assert result.stdout.splitlines() == lines("out.csv")
    assert "left out" not in result.stderr


@pytest.mark.parametrize(
    ("rename", "message"),
    [
        (lambda name: name.upper(), "It has 'ALTER', though; rename it"),
        (lambda name: name + "_2", "Did you mean 'Alter_2'?"),
        (lambda name: "qqq", "lacks 1 of the 2 features of s.json: 'Alter'."),
    ],
)
def test_apply_names_missing_columns(selection, rename, message):
    assert "Alter" in selection.kept
    text = "\n".join(lines("data.csv")).replace("Alter", rename("Alter"), 1)
    with open("new.csv", "w", encoding="utf-8") as file:
        file.write(text)
    said = refused("apply", "s.json", "new.csv")
    assert said.startswith("widemargin: new.csv lacks 1 of the 2 features")
    assert message in said


def test_apply_names_the_features_if_all_are_missing(selection):
    pd.DataFrame({"p": [1, 2], "q": [3, 4]}).to_csv("other.csv", index=False)
    said = refused("apply", "s.json", "other.csv")
    assert said.startswith("widemargin: other.csv lacks all features of s.json: 'Alter")


def test_apply_reads_another_sheet(selection):
    pytest.importorskip("openpyxl")
    names = selection.feature_names_in_
    frame = pd.DataFrame([range(len(names)), range(len(names))], columns=names)
    with pd.ExcelWriter("book.xlsx") as book:
        pd.DataFrame({"about": ["x"]}).to_excel(book, sheet_name="Read me", index=False)
        frame.to_excel(book, sheet_name="Rows", index=False)
    found = done("apply", "s.json", "book.xlsx", "--sheet", "Rows", "-q").stdout
    assert found.splitlines()[0] == ",".join(selection.kept)
    assert "lacks all" in refused("apply", "s.json", "book.xlsx", "-q")


def test_apply_knows_a_header_of_numbers_by_the_names_it_expects():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 9, (40, 3)), columns=["7", "3", "5"])
    X.assign(kind=np.where(X["3"] > 4, "a", "b")).to_csv("numbers.csv", index=False)
    done("select", "numbers.csv", "-n", "1", "--header", "--save", "one.json")
    X.to_csv("new.csv", index=False)
    result = done("apply", "one.json", "new.csv")
    assert result.stdout.split() == ["3", *map(str, X["3"])]
    X[["3"]].to_csv("new.csv", index=False)
    assert done("apply", "one.json", "new.csv").stdout.split() == result.stdout.split()


def test_apply_without_a_header_needs_the_same_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 3)).round(3)).assign(y=["p", "q"] * 15)
    frame.to_csv("bare.csv", header=False, index=False)
    done("select", "bare.csv", "-n", "1", "--save", "bare.json")
    assert len(done("apply", "bare.json", "bare.csv").stdout.splitlines()) == 31
    frame.iloc[:, 1:].to_csv("less.csv", header=False, index=False)
    assert "cannot be matched" in refused("apply", "bare.json", "less.csv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no file 's.json'"),
        (b"{", "is not JSON"),
        (b"[]", "is not a selection"),
        (b"\x80\x04", "is not JSON"),
    ],
)
def test_apply_refuses_what_is_no_selection(content, message):
    if content is not None:
        with open("s.json", "wb") as file:
            file.write(content)
    assert message in refused("apply", "s.json", "data.csv")


def test_select_on_dask_keeps_columns_and_dialect():
    on_dask = ("--engine", "dask", "--missing", "NA", "-m", "ReliefF")
    result = done(*SELECT, *on_dask, "-o", "few.csv", "--save", "s.json")
    found, read = lines("few.csv"), lines("data.csv")
    assert found[0] == read[0]
    assert found[4].startswith("0003;")
    assert found[4].split(";")[3] == "'=1+2"
    assert "3 cells of 'Bemerkung'" in result.stderr
    assert Selection.load("s.json").kept == read[0].split(";")[1:5]


def write_table(path, y, *, copies=0, seed=0):
    """Six normal columns; the first shifts with the class and may have copies."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((len(y), 6))
    X[:, 0] += 3 * np.asarray(y)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    for c in range(copies):
        frame[f"copy{c}"] = frame["a"] + 0.01 * rng.standard_normal(len(y))
    frame.assign(y=np.where(np.asarray(y) > 0, "yes", "no")).to_csv(path, index=False)


def test_select_says_what_the_selection_is_worth():
    write_table("told.csv", [0, 1, 0] * 40)
    result = done("select", "told.csv")
    kept = len(result.stdout.split())
    assert "a" in result.stdout.split()
    said = (
        rf"{kept} of 6 features kept: accuracy of 1-NN \d\d\.\d % ± \d\.\d, stability "
    )
    assert re.search(rf"{said}\d\.\d\d; \d features? (is|are) relevant", result.stderr)
    assert "no signal" not in result.stderr
    named = done("select", "told.csv", "-m", "ReliefF").stderr
    assert " features kept: cross-validated accuracy of 1-NN" in named
    assert "the most frequent class alone gives 66.7%" in named


def test_select_says_that_there_is_no_signal():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.standard_normal((60, 8)), columns=list("abcdefgh"))
    frame.assign(y=["u", "v"] * 30).to_csv("noise.csv", index=False)
    result = done("select", "noise.csv")
    assert "no signal was found (p = " in result.stderr
    told = json.loads(done("select", "noise.csv", "--json").stdout)["notes"]
    assert any(note.startswith("no signal was found") for note in told)


def test_select_skips_near_copies_and_names_them_unless_told_otherwise():
    write_table("copies.csv", [0, 1] * 60, copies=2)
    chosen = done("select", "copies.csv")
    near = {"a", "copy0", "copy1"}
    assert len(near & set(chosen.stdout.split())) == 1
    assert "2 near copies of better features skipped" in chosen.stderr
    plain = done("select", "copies.csv", "--redundancy", "none", "-n", "3")
    assert set(plain.stdout.split()) == near
    assert "near cop" not in plain.stderr


def test_what_selects_when_the_user_leaves_it_open():
    write_table("copies.csv", [0, 1] * 60, copies=2)

    def parameters(*arguments):
        told = json.loads(done(*arguments, "--json").stdout)["parameters"]
        return told["n_features_to_select"], told["redundancy"]

    assert parameters("select", "copies.csv") == (None, 0.9)
    assert parameters("select", "copies.csv", "--redundancy", "none") == (None, None)
    assert parameters("select", "copies.csv", "-n", "auto") == (None, 0.9)
    assert parameters("select", "copies.csv", "-m", "ReliefF") == ("auto", "auto")
    assert parameters("select", "copies.csv", "-n", "3") == (3, None)
    assert parameters("select", "copies.csv", "-p", "redundancy=0.7") == ("auto", 0.7)
    assert parameters("rank", "copies.csv") == (None, None)


def test_a_similarity_that_is_none_is_refused():
    message = refused("select", "data.csv", "--redundancy", "2")
    assert "'2' is neither a similarity such as 0.9, nor 'auto', nor 'none'" in message
