"""The Python code that a report shows reads the same file as the command did."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_tools import invoke
from widemargin.cli.prepare import DataOptions, load
from widemargin.cli.reading_code import reading_code


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(n=40):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return pd.DataFrame(
        {
            "size": (rng.normal(size=n) + 3 * y).round(3),
            "noise": rng.normal(size=n).round(3),
            "colour": rng.choice(["rot", "grün", "blau"], n),
            "kind": np.where(y, "ja", "nein"),
        }
    )


def written(frame, name="data.csv", above="", encoding="utf-8", **options):
    text = above + frame.to_csv(index=False, **options)
    Path(name).write_bytes(text.encode(encoding))
    return name


def unnamed():
    table().set_index(np.arange(40)[::-1]).to_csv("data.csv")
    return "data.csv"


def titled():
    return written(table(), above="Our study,,,\n,,,\n")


def german():
    frame = table().rename(columns={"size": "größe"})
    return written(frame, sep=";", decimal=",", encoding="cp1252")


def of_r():
    """A name less than there are columns."""
    lines = table().to_csv().splitlines()
    Path("data.csv").write_text("\n".join([lines[0][1:], *lines[1:]]), encoding="utf-8")
    return "data.csv"


def trailing():
    lines = table().to_csv(index=False).splitlines()
    Path("data.csv").write_text("".join(f"{x},\n" for x in lines), encoding="utf-8")
    return "data.csv"


def spaced():
    lines = table().to_csv(index=False).replace(",", " , ")
    Path("data.csv").write_text(lines, encoding="utf-8")
    return "data.csv"


def headless():
    return written(table(), header=False)


def twice():
    frame = table()
    frame.columns = ["a", "a", "colour", "kind"]
    return written(frame)


def spelled():
    frame = table()
    frame["price"] = [f"${1000 + 10 * i:,}" for i in range(40)]
    frame["day"] = pd.date_range("2024-01-01", periods=40).strftime("%d.%m.%Y")
    frame["weight"] = [f"{i % 7}.5 kg" for i in range(40)]
    return written(frame[["price", "day", "weight", *table().columns]])


def thousands():
    frame = table()
    frame.insert(0, "price", [f"1.{i:03},5" for i in range(40)])
    return written(frame, sep=";", decimal=",")


def zeros():
    frame = table()
    frame.insert(0, "postcode", ["01067", "10115", "04109", None] * 10)
    frame["kind"] = np.where(frame["kind"] == "ja", "01", "02")
    return written(frame)


def margins():
    frame = table().assign(colour=["rot", "rot ", "blau ", "grün"] * 10)
    frame["kind"] += ["", " ", " ", ""] * 10
    return written(frame)


def gaps():
    frame = table()
    frame.loc[3, "kind"] = None
    frame.loc[4:6, "size"] = None
    frame.loc[7, "colour"] = "?"
    return written(frame)


def flags():
    return written(table().assign(kind=table()["kind"] == "ja"))


def byte_order():
    return written(table(), encoding="utf-8-sig")


def wide_text():
    return written(table(), encoding="utf-16")


def several():
    table()[:20].to_csv("day1.csv", index=False)
    table()[20:].to_csv("day2.csv", index=False)
    return "day*.csv"


def packed():
    table().to_csv("data.csv.gz", index=False)
    return "data.csv.gz"


def excel():
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter("data.xlsx") as book:
        table().to_excel(book, startrow=2)
        book.sheets["Sheet1"]["A1"] = "Our study"
    return "data.xlsx"


def parquet():
    pytest.importorskip("pyarrow")
    frame = table().assign(day=pd.date_range("2024-01-01", periods=40))
    frame[["day", *table().columns]].to_parquet("data.parquet")
    return "data.parquet"


def arff():
    rows = table()[["size", "noise", "kind"]].to_csv(index=False, header=False)
    head = "@relation r\n@attribute size real\n@attribute noise real\n"
    Path("data.arff").write_text(f"{head}@attribute kind {{ja,nein}}\n@data\n{rows}")
    return "data.arff"


def same_features(found, expected):
    assert [str(name) for name in found.columns] == list(expected.columns)
    for name in expected.columns:
        ours, theirs = found[name], expected[name]
        if str(theirs.dtype) == "category":
            there = theirs.notna().to_numpy()
            np.testing.assert_array_equal(ours.notna(), there)
            assert ours[there].astype(str).tolist() == theirs[there].tolist()
        else:
            np.testing.assert_allclose(ours.astype(float), theirs.astype(float))


@pytest.mark.parametrize(
    ("make", "options"),
    [
        *[
            (make, {})
            for make in (
                unnamed,
                titled,
                german,
                of_r,
                trailing,
                spaced,
                headless,
                twice,
                spelled,
                thousands,
                zeros,
                margins,
                gaps,
                flags,
                byte_order,
                wide_text,
                several,
                packed,
                excel,
                parquet,
                arff,
            )
        ],
        (excel, {"missing": ("rot",)}),
        (gaps, {"missing": ("rot",), "ordinal": ("nein", "ja")}),
        (zeros, {"ordinal": ("02", "01")}),
        (spelled, {"target": "price", "bins": 3, "keep_ids": True}),
        (spelled, {"target": "price", "task": "regression"}),
        (titled, {"target": "size"}),
        (unnamed, {"drop": ("noise",), "categorical": ("column 0",)}),
    ],
    ids=lambda case: getattr(case, "__name__", None),
)
def test_the_code_reads_what_the_command_reads(make, options):
    options = DataOptions(**options)
    data = load(make(), options)
    space = {"pd": pd}
    exec("\n".join(reading_code(data, options)), space)
    same_features(space["X"], data.X)
    found, expected = pd.Series(space["y"]), data.y
    if data.numeric:
        np.testing.assert_allclose(found, expected)
    elif options.bins:
        assert pd.factorize(found)[0].tolist() == pd.factorize(expected)[0].tolist()
    else:
        assert found.astype(str).tolist() == expected.astype(str).tolist()
    assert getattr(found, "dtype", None) == expected.dtype or not options.ordinal


@pytest.mark.filterwarnings("ignore:.*as a copy of the target would:UserWarning")
@pytest.mark.parametrize("make", [unnamed, titled, german, spelled, zeros, flags])
def test_all_code_of_a_report_runs_as_it_is(make):
    call = ["report", make(), "-m", "ReliefF", "-q", "-o", "x.json"]
    result = invoke(*call, "--positive", positive(make))
    assert result.exit_code == 0, result.stderr
    saved = json.loads(Path("x.json").read_text(encoding="utf-8"))
    space: dict = {}
    exec(saved["provenance"]["code"], space)
    assert Path("report.html").exists()
    again = space["results"]
    assert again.answer == saved["answer"]
    assert [str(n) for n in again.feature_names] == saved["features"]["name"]
    assert str(again.profile.positive) == saved["verdicts"]["high"] == positive(make)
    exec(saved["provenance"]["pipeline"], space)
    space["model"].fit(space["X"], space["y"])


def positive(make):
    return {zeros: "01", flags: "True"}.get(make, "ja")
