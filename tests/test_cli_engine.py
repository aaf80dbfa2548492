"""Files read part by part (--engine dask), and --samples."""

import itertools
import json
import os
import re
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from cli_tools import invoke, run, run_main
from settings_tools import distributed_settings
from test_cli_commands import same
from widemargin import ReliefF
from widemargin.cli.columns import Lookup
from widemargin.cli.prepare import DataOptions, load
from widemargin.cli.prepare.features import Facts
from widemargin.cli.reading.source import exact_numbers

dask = pytest.importorskip("dask")
Callback = pytest.importorskip("dask.callbacks").Callback
pytest.importorskip("pyarrow")
pytest.importorskip("distributed")

ON_DASK = ("--engine", "dask")


def table(n=240):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 5))
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame.insert(0, "id", np.arange(100, 100 + n))
    frame["steps"] = random.integers(0, 9, n)
    frame["flag"] = random.random(n) < 0.4
    frame["grade"] = random.integers(1, 4, n)
    frame["kind"] = np.where(
        X[:, 0] + X[:, 1] > 0, "up", np.where(X[:, 2] > 0, "mid", "low")
    )
    frame.loc[[3, n - 20], "kind"] = None
    return frame


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    frame = table()
    frame.to_parquet(tmp_path / "data.parquet", row_group_size=50, index=False)
    frame.to_csv(tmp_path / "data.csv", index=False)
    monkeypatch.chdir(tmp_path)
    with distributed_settings(partition_bytes=4096):
        yield frame


RELIEFF = ["-m", "ReliefF"]  # the default of files larger than memory only


def ranked(*arguments):
    named = {"-m", "--ordinal"} & set(arguments)
    result = invoke("rank", *arguments, *([] if named else RELIEFF), "--json", "-q")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def complaint(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


CALLS = [
    [],
    ["-t", "kind", "--scale", "standard"],
    ["-t", "kind", "--categorical", "grade,steps"],
    ["-t", "kind", "-k", "3", "-n", "2", "--drop", "b,flag"],
    ["-t", "kind", "--keep-ids", "--metric", "manhattan", "--scale", "none"],
    ["-t", "kind", "--samples", "50", "--seed", "3"],
    ["-t", "kind", "--samples", "auto", "-n", "2"],
    ["-t", "kind", "--missing", "mid"],
    ["-t", "grade", "--drop", "kind", "--ordinal", "1,2,3"],
    ["-t", "flag", "--drop", "-1", "-m", "FisherScore", "--scale", "standard"],
    ["-t", "kind", "-m", "Simba", "-p", "batch_size=40", "-p", "n_starts=2"],
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_both_engines_give_the_same(number):
    """Numbers to nine digits; names, classes and notes to the letter."""
    file = ["data.parquet", "data.csv"][number % 2]
    same(ranked(file, *CALLS[number], *ON_DASK), ranked(file, *CALLS[number]))


@pytest.mark.processes
def test_the_command_itself_gives_the_same():
    found = run("rank", "data.parquet", "--json", *ON_DASK)
    expected = invoke("rank", "data.parquet", "--json", *RELIEFF)
    assert found.returncode == 0
    same(json.loads(found.stdout), json.loads(expected.stdout))
    assert found.stderr == expected.stderr
    assert "2 rows without a target left out" in found.stderr
    assert "left out 'id'" in found.stderr
    assert "the last column, 'kind', is the target" in found.stderr


def test_files_are_read_in_parts():
    sizes = []

    def note(key, result, *_):
        if isinstance(result, Facts):
            sizes.append(result.n_rows)

    for file in ("data.parquet", "data.csv"):
        sizes.clear()
        with Callback(posttask=note):
            ranked(file, *ON_DASK)
        # For the target, and for the features where it is; both are joined at the end.
        *parts, features, target = sorted(sizes)
        assert (target, features, sum(parts)) == (240, 238, 240 + 238)
        assert max(parts) < 238


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_folder_or_pattern_is_one_table(files, ending):
    folder = f"days.{ending}"
    for day in range(3):
        part = files.iloc[day * 80 : (day + 1) * 80]
        path = f"{folder}-{day}.{ending}"
        write = part.to_parquet if ending == "parquet" else part.to_csv
        write(path, index=False)
    whole = ranked(f"data.{ending}")
    found = ranked(f"{folder}-*.{ending}", *ON_DASK)
    assert found.pop("file") == f"{folder}-*.{ending}"
    del whole["file"]
    same(found, whole)


def test_a_folder_of_parquet_is_one_table(files, tmp_path):
    (tmp_path / "days").mkdir()
    files[:100].to_parquet("days/1.parquet")
    files[100:].to_parquet("days/2.parquet")
    (tmp_path / "days" / "_SUCCESS").touch()
    same(ranked("days", *ON_DASK)["features"], ranked("data.parquet")["features"])


def test_classes_may_be_ordered_categories(files):
    grades = pd.Categorical.from_codes(files["grade"] - 1, ["c", "b", "a"], True)
    files.assign(grade=grades).drop(columns="kind").to_parquet(
        "ordered.parquet", row_group_size=50
    )
    calls = [ranked("ordered.parquet", "-m", "OReliefF", *e) for e in ((), ON_DASK)]
    assert list(calls[0]["classes"]) == ["c", "b", "a"]
    same(*calls)


def test_threads_may_code_parts_at_once():
    values = np.arange(3000.0)
    part = pd.Series(values[::-1])
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(40):
            lookup = Lookup(values, values.astype(int))
            with ThreadPoolExecutor(8) as pool:
                for found in pool.map(lookup, [part] * 8):
                    assert found.tolist() == part.tolist()
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_dates_keys_and_constants_are_alike_on_both_engines(files, ending):
    n, random = len(files), np.random.default_rng(3)
    table = files.assign(
        when=pd.Timestamp("2020-01-05")
        + pd.to_timedelta(random.integers(0, 900, n), "h"),
        told=[f"{d}.{m}.2021" for d, m in random.integers(1, 13, (n, 2))],
        userId=random.permutation(10 * n)[:n],
        unit=7,
        town="Ulm",
    )
    table.loc[5, "when"] = pd.NaT
    if ending == "parquet":
        table.to_parquet("dates.parquet", row_group_size=50, index=False)
    else:
        table.to_csv("dates.csv", index=False)
    call = [f"dates.{ending}", "-t", "kind"]
    here, there = ranked(*call), ranked(*call, *ON_DASK)
    notes = "\n".join(here["notes"])
    assert "left out 'id', 'userId': (nearly) every row has a value of its own" in notes
    assert "dates as days since the first, in 'when'." in notes
    assert "dates as days since the first, day before month, in 'told'." in notes
    assert "2 features are constant and rank last: 'unit', 'town'." in notes
    same(there, here)


def test_words_for_missing_values_do_not_hide_a_key(files):
    files["userId"] = np.random.default_rng(0).permutation(len(files)) * 3
    files.loc[[7, 30, 150], "userId"] = -999
    files.to_parquet("keys.parquet", row_group_size=50)
    call = "keys.parquet", "-t", "kind", "--missing", "-999"
    there, here = ranked(*call, *ON_DASK), ranked(*call)
    said = "left out 'id', 'userId': (nearly) every row has a value of its own"
    assert said in " ".join(here["notes"])
    same(there, here)


def test_codes_sparse_columns_and_repeated_rows_are_alike_on_both_engines(files):
    random, n = np.random.default_rng(0), len(files)
    files["postcode"] = random.choice(["01067", "10115", "04109"], n)
    files["town"] = random.choice(["Ulm", "ulm", "Bonn "], n)
    files["fax"] = [float(i) if i < 3 else None for i in range(n)]
    files["name"] = [f"n{i}" for i in range(n)]
    pd.concat([files, files.iloc[:3]]).to_csv("codes.csv", index=False)
    here = ranked("codes.csv", "-t", "kind")
    there = ranked("codes.csv", "-t", "kind", *ON_DASK)
    notes = "\n".join(there["notes"])
    assert "left out 'id', 'name': (nearly) every row has a value" in notes
    assert "left out 'fax': more than 95 % of the values are missing" in notes
    assert "leading zeros are codes, not numbers" in notes
    assert "'Ulm', 'ulm' are different categories of 'town'" in notes
    same(there, here)


@pytest.mark.parametrize("repeated", ["keys", "rows"])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_keys_of_numbers_that_repeat_are_judged_as_in_memory(files, repeated, ending):
    half = np.arange(len(files)) % 150  # the first 90 rows of 150 are repeated
    if repeated == "rows":
        files = files.drop(columns="id").iloc[half].reset_index(drop=True)
    files.insert(0, "userId", 3 * half)
    if ending == "parquet":
        files.to_parquet("keys.parquet", row_group_size=50, index=False)
    else:
        files.to_csv("keys.csv", index=False)
    call = f"keys.{ending}", "-t", "kind"
    here, there = ranked(*call), ranked(*call, *ON_DASK)
    assert ("'userId': (nearly)" in "".join(here["notes"])) == (repeated == "rows")
    same(there, here)


def test_numbers_in_text_have_the_decimal_mark_of_the_file(files):
    # Else 2,500 would be more than 7.
    files["tax"] = [f"{v}%" for v in np.resize(["7", "2,500", "4,125"], len(files))]
    files.to_csv("comma.csv", sep=";", decimal=",", index=False)
    call = "comma.csv", "-t", "kind"
    here, there = ranked(*call), ranked(*call, *ON_DASK)
    assert "tax" in [row["feature"] for row in here["features"]]
    same(there, here)


def mixed(files):
    """Text, categories, numbers written as text, and gaps."""
    random, n = np.random.default_rng(1), len(files)
    files["town"] = random.choice(["Ulm", " Bonn", "Bonn", "Jena"], n)
    files["color"] = pd.Categorical(random.choice(["red", "blue", "green"], n))
    files["price"] = [f"{v:,.0f}" for v in 10_000 * random.random(n)]
    files["size"] = pd.Categorical(
        random.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True
    )
    files["key"] = [f"k{i}" for i in range(n)]
    files["nothing"] = np.nan
    for name in ("a", "town", "color", "price", "flag"):
        files[name] = files[name].astype(
            object if name == "flag" else files[name].dtype
        )
        files.loc[random.choice(n, 15, replace=False), name] = None
    return files


MIXED_CALLS = [
    [],
    ["--scale", "standard", "--keep-ids"],
    ["-m", "Simba", "-p", "batch_size=40", "-p", "n_starts=1"],
    ["--categorical", "grade,price", "--missing", "Jena", "--drop", "size"],
    ["--samples", "60"],
]


@pytest.mark.parametrize(
    ("arguments", "ending"),
    [*zip(MIXED_CALLS, itertools.cycle(["csv", "parquet"])), ([], "parquet")],
)
def test_both_engines_take_mixed_tables(files, arguments, ending):
    table = mixed(files)
    if ending == "parquet":
        table.to_parquet("mixed.parquet", row_group_size=50, index=False)
    else:
        table.to_csv("mixed.csv", index=False)
    call = [f"mixed.{ending}", "-t", "kind", *arguments]
    here, there = ranked(*call), ranked(*call, *ON_DASK)
    assert any("cells are missing" in note for note in here["notes"])
    assert any("taken as categories" in note for note in here["notes"])
    same(there, here)


def test_categories_have_no_direction_on_either_engine(files):
    mixed(files).drop(columns=["kind", "size"]).to_parquet("mixed.parquet")
    call = ["mixed.parquet", "-t", "grade", "--ordinal", "1,2,3"]
    here, there = ranked(*call), ranked(*call, *ON_DASK)
    assert any("categories have no direction" in note for note in here["notes"])
    same(there, here)


@pytest.mark.parametrize("on", [(), ON_DASK], ids=["local", "dask"])
def test_methods_for_numbers_refuse_the_rest_by_name(files, on):
    mixed(files).to_parquet("mixed.parquet")
    call = ["rank", "mixed.parquet", "-t", "kind", "-q", "-m", "FisherScore", *on]
    assert "FisherScore needs numeric features, but there are categories in" in (
        complaint(*call)
    )
    said = complaint(*call, "--drop", "town,color,size,key,flag")
    assert (
        "FisherScore does not support missing values, but there are some in 2" in said
    )


def test_text_among_numbers_is_named_on_dask(files):
    files["price"] = [f"{v}" for v in range(240)]
    files.loc[100, "price"] = "free"
    files.to_parquet("stray.parquet", row_group_size=50)
    said = complaint("rank", "stray.parquet", "-t", "kind", "-q", *ON_DASK)
    assert "text where numbers are needed: column 'price' has 'free'" in said


def test_too_many_different_texts_are_refused_by_name(files):
    mixed(files).to_parquet("mixed.parquet", row_group_size=50)
    with distributed_settings(max_texts=30):
        said = complaint("rank", "mixed.parquet", "-t", "kind", "-q", *ON_DASK)
    assert "column 'price' has more than 30 distinct values; drop it" in said


def test_missing_numbers_give_the_same(files):
    files.loc[100:102, ["b", "d"]] = np.nan
    files.to_parquet("gaps.parquet")
    same(ranked("gaps.parquet", *ON_DASK), ranked("gaps.parquet"))


def test_text_after_numbers_is_refused_by_name_unless_dropped(files):
    files["b"] = files["b"].astype(object)
    files.loc[230, "b"] = "oops"
    files.to_csv("late.csv", index=False)
    assert "not in all rows of 'b'" in complaint("rank", "late.csv", "-q", *ON_DASK)
    ranked("late.csv", "--drop", "b", *ON_DASK)


def test_a_missing_truth_value_is_missing(files):
    files["flag"] = files["flag"].astype(object)
    files.loc[230, "flag"] = None
    files.to_csv("gap.csv", index=False)
    same(ranked("gap.csv", *ON_DASK), ranked("gap.csv"))


REFUSED = {
    ("data.parquet", "-m", "GFlip"): "Use Simba with a batch_size, or --engine local",
    ("data.parquet", "-m", "Simba"): "-p batch_size=500",
    ("data.parquet", "--bins", "3"): "--bins does not work with --engine dask",
    ("data.parquet", "--sample", "50"): "--samples N",
    ("data.parquet", "-t", "a", "--drop", "kind"): "240 distinct numbers in 240 rows",
    ("data.parquet", "-t", "knd"): "Did you mean 'kind'?",
    ("data.parquet", "-t", "kind", "--drop", "kind"): "cannot be dropped",
    ("data.parquet", "-k", "200"): "--neighbors 200 is too large",
    ("data.parquet", "--scheduler", "nowhere"): "--scheduler nowhere does not answer",
    ("nothing.parquet",): "there is no file 'nothing.parquet'",
    ("nothing*.csv",): "there is no file that matches 'nothing*.csv'",
    ("-",): "needs a file",
    ("data.xlsx",): "reads Parquet and CSV",
    ("data.csv.gz",): "compressed",
    ("broken.parquet",): "broken.parquet is not readable as Parquet",
    ("empty.csv",): "empty.csv is empty",
    ("header.csv",): "3 columns but no rows",
    ("none.parquet",): "2 columns but no rows",
}


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_what_cannot_be_done_is_one_line(arguments, files, tmp_path):
    files.to_csv("data.csv.gz", index=False)
    for name in ("data.xlsx", "broken.parquet"):
        (tmp_path / name).write_bytes(b"PK or not")
    (tmp_path / "empty.csv").touch()
    (tmp_path / "header.csv").write_text("a,b,c\n")
    files[["a", "kind"]][:0].to_parquet("none.parquet")
    with distributed_settings(connection_timeout=1):
        assert REFUSED[arguments] in complaint("rank", *arguments, *ON_DASK)


def test_a_scheduler_without_dask_is_refused():
    said = complaint("rank", "data.parquet", "--scheduler", "tcp://10.0.0.1:8786")
    assert "--scheduler is for --engine dask" in said


@pytest.mark.processes
def test_without_dask_the_line_says_what_to_install():
    result = run_main(
        "sys.modules['dask'] = None", "rank", "data.parquet", "--engine", "dask"
    )
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert 'pip install "widemargin[dask]"' in result.stderr


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_runs_on_the_cluster_of_a_scheduler():
    from distributed import LocalCluster

    with LocalCluster(processes=False, n_workers=2, dashboard_address=None) as cluster:
        there = ranked(
            "data.parquet", *ON_DASK, "--scheduler", cluster.scheduler_address
        )
    same(there, ranked("data.parquet"))


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv"])
def test_select_writes_all_rows_part_by_part(files, ending):
    chosen = invoke("select", "data.parquet", "-n", "2", "-q", *ON_DASK).stdout.split()
    path = f"few.{ending}"
    result = invoke("select", "data.parquet", "-n", "2", "-o", path, *ON_DASK)
    assert result.exit_code == 0
    assert f"240 rows with 2 of 8 features and the target written to {path}" in (
        result.stderr
    )
    if ending == "parquet":
        kept = pd.read_parquet(path)
    else:
        separator = "\t" if ending == "tsv" else ","
        kept = pd.read_csv(path, sep=separator, **exact_numbers())
    assert list(kept.columns) == [*chosen, "kind"]
    np.testing.assert_array_equal(kept[chosen], files[chosen])
    assert kept["kind"].fillna("").tolist() == files["kind"].fillna("").tolist()


def test_how_many_features_is_chosen_on_either_engine():
    here, there = (ranked("data.parquet", "-n", "auto", *on) for on in ((), ON_DASK))
    for result in (here, there):
        assert sum(row["selected"] for row in result["features"]) > 0
    assert [row["selected"] for row in here["features"]] == [
        row["selected"] for row in there["features"]
    ]


def test_select_needs_an_ending_that_can_be_written_in_parts():
    said = complaint("select", "data.parquet", "-n", "2", "-o", "x.json", *ON_DASK)
    assert ".csv, .tsv, .parquet" in said


def test_a_target_of_whole_numbers_with_gaps_is_written_as_it_was(files):
    files["grade"] = files["grade"].astype("Int64")
    files.loc[[1, 200], "grade"] = pd.NA
    files.drop(columns="kind").to_parquet("gaps.parquet", row_group_size=50)
    call = ["select", "gaps.parquet", "-n", "1", "-o", "few.parquet", *ON_DASK]
    assert invoke(*call).exit_code == 0
    kept = pd.read_parquet("few.parquet")["grade"]
    assert kept.isna().sum() == 2
    assert kept.dropna().tolist() == files["grade"].dropna().tolist()


@pytest.mark.parametrize("on", [(), ON_DASK], ids=["local", "dask"])
def test_samples_auto_shows_intervals(files, on):
    call = ["rank", "data.parquet", "-n", "2", "--samples", "auto", *on]
    printed = invoke(*call).stdout
    assert printed.splitlines()[2].split() == [
        *("rank", "feature", "score", "low", "high", "selected")
    ]
    result = invoke(*call, "--json")
    found = json.loads(result.stdout)
    for row in found["features"]:
        assert row["low"] <= row["score"] <= row["high"]
    known = files.dropna(subset=["kind"])
    selector = ReliefF(2, n_samples="auto", random_state=0).fit(
        known.drop(columns=["id", "kind"]), known["kind"]
    )
    visited = f"{selector.n_samples_} of 238 rows visited (--samples auto): "
    (note,) = [n for n in found["notes"] if n.startswith(visited)]
    assert ("not converged" not in note) == selector.converged_
    invoke(*call, "-o", "ranking.csv")
    assert {"low", "high"} < set(pd.read_csv("ranking.csv").columns)


def test_samples_auto_visits_as_many_rows_on_either_engine():
    table(9000).drop(columns=["id", "flag"]).to_parquet("many.parquet")
    call = ["many.parquet", "-n", "3", "--samples", "auto"]
    here, there = ranked(*call), ranked(*call, *ON_DASK)
    assert any(note.startswith("1024 of 8998 rows") for note in here["notes"])
    same(there, here)


def test_select_tells_the_intervals_of_what_it_selects():
    call = ["select", "data.parquet", "-n", "2", "--samples", "auto", "--json", "-q"]
    rows = json.loads(invoke(*call).stdout)["selected"]
    assert [list(row) for row in rows] == [
        ["feature", "rank", "score", "low", "high"]
    ] * 2


def test_without_samples_auto_there_are_no_intervals():
    assert list(ranked("data.parquet", "--samples", "50")["features"][0]) == [
        *("rank", "feature", "score", "selected")
    ]


def test_a_method_without_samples_refuses_them():
    said = complaint("rank", "data.csv", "-m", "FisherScore", "--samples", "9")
    assert "methods with it: OReliefF, RReliefF, Relief, ReliefF." in said


@pytest.mark.processes
@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_the_running_estimate_is_shown_on_a_terminal():
    table(20_000).drop(columns=["id", "flag"]).to_parquet("long.parquet")
    master, slave = os.openpty()
    call = ["rank", "long.parquet", "-n", "3", "--samples", "auto", *ON_DASK]
    with ThreadPoolExecutor(1) as reader:
        shown = reader.submit(_read_all, master)
        result = run(*call, stderr=slave)
        os.close(slave)
    assert result.returncode == 0
    assert "half-width" not in result.stdout
    assert re.search(r"ReliefF, widest half-width 0\.\d+", shown.result())


def _read_all(terminal):
    """What is written to a terminal until nobody can write any more."""
    text = b""
    while True:
        try:
            text += os.read(terminal, 2**16)
        except OSError:
            os.close(terminal)
            return text.decode()


def test_an_array_on_disk_is_copied_once(tmp_path):
    random = np.random.default_rng(0)
    Z = random.normal(size=(40_000, 20))
    Z[:, -1] = Z[:, 0] > 0
    np.save("table.npy", Z)
    tracemalloc.start()
    try:
        dataset = load("table.npy", DataOptions())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * Z.nbytes
    np.testing.assert_array_equal(dataset.X, Z[:, :-1])
    np.testing.assert_array_equal(dataset.raw, Z)
