"""What each command does with a good file."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from cli_tools import invoke, run, run_here
from settings_tools import changed_settings
from widemargin import AutoSelector, KernelRFE, ReliefF, Simba, methods
from widemargin.cli.group import cli
from widemargin.cli.session import Session
from widemargin.progress import progress

GOLDEN = Path(__file__).parent / "golden"

MESSY = """\
Patient;Alter;Größe;Geschlecht;Raucher;Befund;Kommentar;Leer;Diagnose
P-001;45;1,75;m;ja;3,2;"gut; stabil";;krank
P-002;38;1,62;w;nein;NA;ok;;gesund
P-003;52;1,80;m;ja;4,1;ok;;krank
P-004;29;1,70;w;;1,1;ok;;gesund
P-005;61;1,68;w;ja;5,0;"gut; stabil";;krank
P-006;33;;m;nein;0,9;ok;;gesund
P-007;47;1,77;m;ja;2,8;ok;;krank
P-008;41;1,66;w;nein;1,3;ok;;
P-009;55;1,82;m;nein;3,9;?;;krank
P-010;27;1,71;w;nein;0,7;ok;;gesund
P-011;36;1,69;w;ja;1,0;ok;;gesund
P-012;58;1,74;m;ja;1.234,5;ok;;krank
"""


@pytest.fixture(autouse=True)
def iris(tmp_path, monkeypatch):
    data = load_iris(as_frame=True)
    frame = data.data.set_axis(list("abcd"), axis=1)
    frame["kind"] = data.target_names[data.target]
    frame.to_csv(tmp_path / "iris.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return frame


def same(found, expected):
    """Compare JSON, numbers to nine digits: machines differ in the last ones."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for name, value in expected.items():
            same(found[name], value)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    else:
        assert found == expected


CALLS = {
    "rank": ["rank", "iris.csv", "-k", "5", "-n", "2"],
    "rank-simba": ["rank", "iris.csv", "-m", "simba", "-p", "n_starts=2", "-t", "4"],
    "select": ["select", "iris.csv", "-n", "0.5", "-m", "FisherScore"],
}


@pytest.mark.parametrize("name", CALLS)
def test_json_is_as_it_was(name):
    """Run with UPDATE_GOLDEN=1 to accept what the command prints now."""
    result = invoke(*CALLS[name], "--json", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    path = GOLDEN / f"{name}.json"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(result.stdout, encoding="utf-8")
    same(json.loads(result.stdout), json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.entry_point
def test_rank_prints_what_python_says(iris):
    expected = KernelRFE().fit(iris[list("abcd")], iris["kind"])
    result = run("rank", "iris.csv")
    assert result.returncode == 0
    assert "\x1b" not in result.stdout + result.stderr
    assert result.stderr.splitlines() == [
        "note: the last column, 'kind', is the target (--target names another)."
    ]
    lines = result.stdout.splitlines()
    assert lines[0].startswith("KernelRFE on iris.csv: 150 rows, 4 features, 3 classes")
    rows = [line.split() for line in lines[3:]]
    names = np.array(list("abcd"))[np.argsort(expected.ranking_)]
    assert [row[:2] for row in rows] == [[str(i + 1), n] for i, n in enumerate(names)]
    scores = sorted(expected.scores_, reverse=True)
    assert [float(row[2]) for row in rows] == pytest.approx(scores, abs=5e-5)


def test_top_says_how_many_more(iris):
    result = invoke("rank", "iris.csv", "-t", "kind", "--top", "1", "-m", "FisherScore")
    assert "3 more" in result.stdout
    assert result.stderr == ""
    everything = invoke("rank", "iris.csv", "-m", "FisherScore", "--top", "all", "-q")
    assert "more" not in everything.stdout
    assert len(everything.stdout.splitlines()) == 7


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "json"])
def test_rank_writes_by_ending(ending):
    result = invoke("rank", "iris.csv", "-m", "FisherScore", "-o", f"out.{ending}")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert f"ranking of 4 features written to out.{ending}" in result.stderr
    if ending == "json":
        found = pd.DataFrame(json.loads(Path("out.json").read_text())["features"])
    elif ending == "parquet":
        found = pd.read_parquet("out.parquet")
    else:
        separator = {"csv": ",", "tsv": "\t"}[ending]
        found = pd.read_csv(f"out.{ending}", sep=separator)
    assert found.columns.tolist() == ["rank", "feature", "score", "selected"]
    assert found["rank"].tolist() == [1, 2, 3, 4]
    again = invoke("rank", "iris.csv", "-m", "FisherScore", "-o", f"out.{ending}")
    assert again.exit_code == 2
    forced = invoke(
        "rank", "iris.csv", "-m", "FisherScore", "-o", f"out.{ending}", "--force", "-q"
    )
    assert (forced.exit_code, forced.output) == (0, "")


def test_parameters_reach_the_method(iris):
    X, y = iris[list("abcd")], iris["kind"]
    options = "-k 3 --metric manhattan --scale standard --samples 50 --seed 7 -j 1"
    result = invoke("rank", "iris.csv", "--json", *options.split())
    expected = ReliefF(
        n_neighbors=3,
        metric="manhattan",
        scale="standard",
        n_samples=50,
        random_state=7,
    ).fit(X, y)
    scores = {r["feature"]: r["score"] for r in json.loads(result.stdout)["features"]}
    assert [scores[n] for n in "abcd"] == pytest.approx(expected.scores_)
    unscaled = invoke("rank", "iris.csv", "--json", "-m", "FisherScore", "--scale=none")
    assert json.loads(unscaled.stdout)["parameters"]["scale"] is None
    ranked = invoke("rank", "iris.csv", "--json", "-m", "ReliefF", "--scale=rank")
    scores = [r["score"] for r in json.loads(ranked.stdout)["features"]]
    expected = ReliefF(scale="rank").fit(X, y).to_frame()
    assert scores == pytest.approx(expected["score"].tolist())


def test_select_prints_names_in_the_order_of_the_file(iris):
    result = invoke("select", "iris.csv", "-n", "2", "-q")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.split() == ["c", "d"]


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_select_writes_the_data_with_selected_columns_and_target(iris, ending):
    result = invoke("select", "iris.csv", "-n", "2", "-o", f"few.{ending}")
    assert result.exit_code == 0
    assert "150 rows with 2 of 4 features" in result.stderr
    readers = {"csv": pd.read_csv, "parquet": pd.read_parquet, "json": pd.read_json}
    found = readers[ending](f"few.{ending}")
    pd.testing.assert_frame_equal(found, iris[["c", "d", "kind"]])


def test_select_keeps_rows_without_a_target_and_values_as_they_were(iris):
    frame = iris.assign(kind=iris["kind"].where(iris.index != 3), c=iris["c"] * 3)
    frame.to_csv("gap.csv", index=False)
    result = invoke("select", "gap.csv", "-n", "1", "-m", "FisherScore", "-o", "o.csv")
    assert "1 row without a target left out" in result.stderr
    found = pd.read_csv("o.csv")
    assert len(found) == 150
    assert found["kind"].isna().sum() == 1


def test_select_writes_null_for_what_is_missing_in_json(iris):
    iris.assign(d=iris["d"].where(iris.index != 0)).to_csv("gap.csv", index=False)
    result = invoke("select", "gap.csv", "-n", "2", "-o", "few.json", "-q")
    assert result.exit_code == 0
    assert json.loads(Path("few.json").read_text())[0] == {
        "c": 1.4,
        "d": None,
        "kind": "setosa",
    }


def test_select_without_a_number_takes_a_methods_own_subset(iris):
    result = invoke("select", "iris.csv", "-m", "FCBF", "--json", "-q")
    found = json.loads(result.stdout)
    assert found["parameters"]["n_features_to_select"] is None
    assert 1 <= found["n_selected"] == len(found["selected"]) < 4


LITTLE = ["--folds", "3"]


def test_compare_prints_the_answer_the_methods_and_the_verdicts():
    result = invoke("compare", "iris.csv")
    assert result.exit_code == 0, result.stderr
    answer, methods, verdicts = result.stdout.split("\n\n")
    assert re.search(r"^\d of 4 features, .* \d+ % ± \d\.\d", answer)
    head, *rows = [line.split() for line in methods.splitlines()]
    titles = "method features accuracy with all stability seconds"
    assert head == titles.split()
    assert [row[0] for row in rows if "*" in row[1:2]] == ["KernelRFE"]
    assert {"ReliefF", "ForestImportance"} < {row[0] for row in rows}
    assert "* recommended; the others are for comparison" in methods
    found = json.loads(invoke("compare", "iris.csv", "--json", "-q").stdout)
    head, *rows = verdicts.splitlines()
    assert head.split() == ["feature", "verdict", "q", "in", "folds"]
    shown = {row[0]: row for row in rows[:4]}
    for feature in found["features"]:
        row = shown[feature["feature"]]
        copy = f" of {feature['copy_of']}" * (feature["copy_of"] is not None)
        assert f" {feature['verdict']}{copy} " in row
        assert row.endswith(f" {feature['frequency']:.0%}".replace("%", " %"))
    assert f"\n{len(found['relevant'])} features are relevant (q < 0.05)" in verdicts
    assert result.stderr.endswith("report written to iris-comparison.html\n")
    assert sorted(os.listdir()) == ["iris-comparison.html", "iris.csv"]


def test_select_and_compare_give_the_answer_of_auto_selector(iris):
    rng = np.random.default_rng(0)
    iris["e"] = iris["c"] + 0.01 * rng.normal(size=150)
    iris["colour"] = rng.choice(["red", "blue"], 150)
    iris.loc[::9, "a"] = np.nan
    iris.to_csv("iris.csv", index=False)
    auto = AutoSelector(random_state=3).fit(iris.drop(columns="kind"), iris["kind"])
    call = ["iris.csv", "-t", "kind", "--seed", "3", "--json", "-q"]
    compared, selected = (
        json.loads(invoke(command, *call).stdout) for command in ("compare", "select")
    )
    kept = set(auto.get_feature_names_out())
    assert set(compared["selected"]) == kept
    assert {row["feature"] for row in selected["selected"]} == kept
    for found in (compared, selected):
        assert found["score"] == pytest.approx(auto.score_)
        assert found["stderr"] == pytest.approx(auto.score_stderr_)
        assert found["stability"] == pytest.approx(auto.stability_)
        assert found["scoring"] == auto.scoring_
        tested = auto.features_[auto.features_["relevant"].astype(bool)]
        tested = tested.sort_values(["q_value", "rank"])
        assert [f["feature"] for f in found["relevant"]] == tested["feature"].tolist()
        assert found["without_leaks"] is None
    ranks = {row["feature"]: row["rank"] for row in compared["features"]}
    assert [ranks[f] for f in auto.features_["feature"]] == sorted(ranks.values())


@pytest.mark.parametrize(("wanted", "count"), [("1", 1), ("0.5", 2), ("9", 4)])
def test_compare_keeps_as_many_features_as_are_wanted(wanted, count):
    call = ["compare", "iris.csv", "-n", wanted, "--redundancy", "none", "--json"]
    found = json.loads(invoke(*call, *LITTLE).stdout)
    assert len(found["selected"]) == count
    assert {m["n_features"] for m in found["methods"]} == {count}


def test_compare_does_not_try_similarities():
    result = invoke("compare", "iris.csv", "--redundancy", "auto")
    assert result.exit_code == 2
    assert "--redundancy auto is for `rank` and `select` with -m" in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="other quotes")
@pytest.mark.parametrize("command", ["compare", "report", "select"])
def test_a_suspected_leak_gives_two_answers_and_the_command_to_drop_it(iris, command):
    leak = "it's  paid, on"
    iris[leak] = np.where(iris["kind"] == "setosa", 1.0, 5.0) + iris["a"] / 100
    iris["kind"] = iris["kind"].replace("virginica", "versicolor")
    iris["c"], iris["d"] = np.random.default_rng(0).normal(size=(2, 150))
    iris.to_csv("leak.csv", index=False)
    call = [command, "leak.csv", "-t", "kind", "--folds", "3"]
    call = call[:4] if command == "select" else call
    first = invoke(*call)
    assert first.exit_code == 0, first.stderr
    told = first.stderr if command == "select" else first.stdout
    (again,) = [line for line in told.splitlines() if "--drop" in line]
    words = shlex.split(again[again.index("widemargin ") :])
    assert words[: len(call) + 1] == ["widemargin", *call]
    assert words[len(call) + 1 :][:2] == ["--drop", leak]
    second = invoke(*words[1:])
    assert second.exit_code == 0, second.stderr
    if command == "report":  # whose JSON is that of the page
        return
    without = json.loads(invoke(*call, "--json", "-q").stdout)["without_leaks"]
    found = json.loads(invoke(*call, "--drop", leak, "--json", "-q").stdout)
    kept = [f["feature"] if command == "select" else f for f in found["selected"]]
    assert set(without["features"]) == set(kept)
    assert without["score"] == pytest.approx(found["score"])
    assert without["stderr"] == pytest.approx(found["stderr"])


def test_compare_as_json_is_as_it_was():
    result = invoke(
        *["compare", "iris.csv", "-m", "ReliefF", "-m", "FisherScore", "--json", "-q"],
        *LITTLE,
    )
    assert (result.exit_code, result.stderr) == (0, "")
    assert os.listdir() == ["iris.csv"]
    found = json.loads(result.stdout)
    assert found.pop("settings")["random_state"] == 0
    for method in found["methods"]:
        assert method.pop("fit_time") > 0
    path = GOLDEN / "compare.json"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    same(found, json.loads(path.read_text(encoding="utf-8")))


def test_compare_writes_the_table_and_the_data_of_the_report():
    result = invoke(
        *["compare", "iris.csv", "-m", "FisherScore", *LITTLE, "-q"],
        *["-o", "table.csv", "-o", "data.json"],
    )
    assert result.exit_code == 0, result.stderr
    assert pd.read_csv("table.csv")["method"].tolist() == ["FisherScore"]
    assert json.loads(Path("data.json").read_text())["schema"] == 2


def test_report_writes_a_page_and_makes_it_again_from_its_data():
    result = invoke(
        *["report", "iris.csv", "-m", "FisherScore", "--title", "Flowers", *LITTLE],
        *["-o", "page.html", "-o", "page.json"],
    )
    assert result.exit_code == 0, result.stderr
    answer, _, head, *_ = result.stdout.splitlines()
    assert "of 4 features" in answer
    assert head.split() == ["feature", "verdict", "q", "in", "folds"]
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Flowers" in page
    again = invoke("report", "page.json", "-o", "again.html")
    assert again.exit_code == 0, again.stderr
    assert again.stdout == f"{answer}\n"
    assert Path("again.html").read_text(encoding="utf-8") == page


def test_verdicts_have_a_direction_for_two_classes(iris):
    two = iris[iris["kind"] != "setosa"].assign(falling=-iris["c"])
    two.to_csv("two.csv", index=False)
    call = ["two.csv", "-t", "kind", "--redundancy", "none", "-q"]
    result = invoke("report", *call, *LITTLE)
    assert result.exit_code == 0, result.stderr
    rows = {line.split()[0]: line for line in result.stdout.splitlines() if line}
    assert rows["c"].endswith("rises")
    assert rows["falling"].endswith("falls")
    assert 'in folds  with "virginica"' in result.stdout


@pytest.mark.parametrize(
    ("options", "way", "auc", "high"),
    [((), "rises", "1.00", "ja"), (("--positive", "nein"), "falls", "0.00", "nein")],
)
def test_directions_are_those_of_the_rarer_class_or_of_a_named_one(
    options, way, auc, high
):
    """Alphabetically, "nein" comes later: a perfect predictor of "ja" would fall."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"tells": np.arange(60.0), "noise": rng.normal(size=60)})
    frame["paid"] = np.where(frame["tells"] < 40, "nein", "ja")
    frame.to_csv("paid.csv", index=False)
    call = ["paid.csv", "-m", "FisherScore", *LITTLE, "-q", *options]
    result = invoke("compare", *call, "-o", "paid.json")
    assert result.exit_code == 0, result.stderr
    low = "nein" if high == "ja" else "ja"
    assert re.search(rf"\ntells +kept .* {way}\n", result.stdout)
    assert f'in folds  with "{high}"\n' in result.stdout
    saved = json.loads(Path("paid.json").read_text(encoding="utf-8"))["verdicts"]
    assert (saved["low"], saved["high"]) == (low, high)
    assert f"{saved['auc'][0]:.2f}" == auc
    assert saved["direction"][0] == {"rises": 1, "falls": -1}[way]
    told = json.loads(invoke("compare", *call, "--json", "-f").stdout)
    assert told["positive"] == high


@pytest.mark.parametrize(
    ("target", "label", "message"),
    [
        ("kind", "x", "--positive is for two classes; 'kind' has 3 classes."),
        ("two", "Setosa", "has no class 'Setosa'. Did you mean 'setosa'? Its class"),
        ("a", "1", "--positive is for two classes; 'a' has numbers."),
    ],
)
def test_a_positive_class_that_is_not_there_is_refused(iris, target, label, message):
    iris["two"] = iris["kind"].where(iris["kind"] == "setosa", "other")
    iris.to_csv("two.csv", index=False)
    call = ["compare", "two.csv", "-t", target, "--positive", label]
    result = invoke(
        *call, "--task", "regression" if target == "a" else "classification"
    )
    assert result.exit_code == 2
    assert message in result.stderr


def test_without_signal_no_feature_is_kept():
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(60, 5)), columns=list("abcde"))
    noise.assign(kind=rng.permutation(["x", "y"] * 30)).to_csv("noise.csv", index=False)
    result = invoke("compare", "noise.csv", *LITTLE, "-q")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("No signal found")
    assert re.search(r"\nKernelRFE +none ", result.stdout)
    assert "kept " not in result.stdout.partition("\n")[2]
    found = json.loads(invoke("compare", "noise.csv", *LITTLE, "--json", "-q").stdout)
    assert (found["selected"], found["relevant"]) == ([], [])


def test_compare_takes_ordered_classes_and_categories(iris):
    iris.assign(colour=["red", "blue", "red"] * 50).to_csv("mixed.csv", index=False)
    order = "setosa,versicolor,virginica"
    result = invoke(
        *["compare", "mixed.csv", "-t", "kind", "--ordinal", order, *LITTLE],
        *["--json", "-q"],
    )
    assert result.exit_code == 0, result.stderr
    methods = [m["method"] for m in json.loads(result.stdout)["methods"]]
    assert {"OReliefF", "OSimba"} <= set(methods)
    alone = invoke("rank", "mixed.csv", "-t", "kind", "--ordinal", order)
    assert alone.exit_code == 0, alone.stderr
    assert "absolute differences are used" in alone.stderr


def test_interrupted_comparison_writes_nothing(tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("judges")
    monkeypatch.syspath_prepend(elsewhere)
    (elsewhere / "interrupted_judge.py").write_text(
        "from sklearn.dummy import DummyClassifier\n"
        "class Judge(DummyClassifier):\n"
        "    def fit(self, X, y): raise KeyboardInterrupt\n"
    )
    judge = ["--estimator", "interrupted_judge:Judge", "-q"]
    result = invoke("compare", "iris.csv", "-m", "FisherScore", *LITTLE, *judge)
    assert result.exit_code == 130
    assert result.stderr == "widemargin: interrupted\n"
    assert os.listdir() == ["iris.csv"]


def test_compare_without_report_library_says_so_before_any_work(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = invoke("compare", "iris.csv")
    assert result.exit_code == 2
    assert 'pip install "widemargin[report]"' in result.stderr


def test_messy_file_works_at_the_first_try():
    Path("messy.csv").write_text(MESSY, encoding="utf-8-sig")
    result = invoke("rank", "messy.csv", "--json", "-k", "3")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["target"] == "Diagnose"
    assert found["classes"] == {"gesund": 5, "krank": 6}
    names = {row["feature"] for row in found["features"]}
    assert names == {"Alter", "Größe", "Geschlecht", "Raucher", "Befund", "Kommentar"}
    notes = "\n".join(found["notes"])
    assert result.stderr == "".join(f"note: {text}\n" for text in found["notes"])
    assert "decimal comma" in notes
    assert "1 row without a target left out" in notes
    assert "left out 'Leer': no values" in notes
    assert "left out 'Patient': (nearly) every row has a value of its own" in notes
    assert "taken as categories: 'Geschlecht', 'Raucher', 'Kommentar'" in notes
    assert "4 of 66 cells are missing" in notes


def test_ordered_classes_go_to_a_method_for_them(iris):
    order = "setosa,versicolor,virginica"
    result = invoke("rank", "iris.csv", "--ordinal", order, "--json", "-q")
    found = json.loads(result.stdout)
    assert found["method"] == "OReliefF"
    assert list(found["classes"]) == order.split(",")


def test_bins_make_ordered_classes_of_numbers(iris):
    result = invoke("rank", "iris.csv", "-t", "a", "--bins", "3", "--json", "-q")
    counts = json.loads(result.stdout)["classes"]
    assert len(counts) == 3
    assert sum(counts.values()) == 150


def test_sample_keeps_the_proportions_and_is_repeatable(iris):
    first, again, other = (
        invoke("rank", "iris.csv", "--sample", "60", "--json", "-q", "--seed", seed)
        for seed in ("1", "1", "2")
    )
    assert json.loads(first.stdout)["classes"] == {
        "setosa": 20,
        "versicolor": 20,
        "virginica": 20,
    }
    assert first.stdout == again.stdout
    assert first.stdout != other.stdout


def test_seed_makes_random_methods_repeatable(iris):
    result = invoke("rank", "iris.csv", "-m", "Simba", "--seed", "5", "--json", "-q")
    scores = {r["feature"]: r["score"] for r in json.loads(result.stdout)["features"]}
    expected = Simba(random_state=5).fit(iris[list("abcd")], iris["kind"]).scores_
    assert [scores[n] for n in "abcd"] == pytest.approx(expected)


def test_target_by_place_and_columns_dropped_by_name_or_place(iris):
    result = invoke(
        "rank", "iris.csv", "-t", "-1", "--drop", "a,1", "-m", "FisherScore", "--json"
    )
    found = json.loads(result.stdout)
    assert found["target"] == "kind"
    assert {row["feature"] for row in found["features"]} == {"c", "d"}
    assert found["notes"] == []


def test_library_warnings_become_notes():
    rows = "".join(f"{i * 7 % 5},{i * 3 % 4},{'xy'[i % 2]}\n" for i in range(8))
    Path("small.csv").write_text("a,b,c\n" + rows)
    result = invoke("rank", "small.csv", "-t", "c", "-m", "ReliefF")
    assert result.exit_code == 0
    (line,) = result.stderr.splitlines()
    assert line.startswith("note: ReliefF: n_neighbors=10, but class 'x' has 4 members")


def test_unexpected_errors_keep_their_traceback(monkeypatch):
    def broken(*_, **__):
        raise TypeError("a fault of ours")

    monkeypatch.setattr(json, "dumps", broken)
    with pytest.raises(TypeError, match="a fault of ours"):
        invoke("rank", "iris.csv", "-m", "FisherScore", "--json")


def test_methods_as_json():
    listed = json.loads(invoke("methods", "--json").stdout)
    assert [m["name"] for m in listed] == [m.name for m in methods()]
    assert set(listed[0]) >= {"name", "summary", "paper", "needs", "gives", "cost"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell):
    result = invoke("completion", shell)
    assert result.exit_code == 0
    assert "_WIDEMARGIN_COMPLETE" in result.stdout


def test_completion_knows_commands_and_methods():
    from click.shell_completion import ShellComplete

    shell = ShellComplete(cli, {}, "widemargin", "_WIDEMARGIN_COMPLETE")

    def complete(*words):
        *before, last = words
        return [item.value for item in shell.get_completions(before, last)]

    assert complete("re") == ["report"]
    assert complete("rank", "x.csv", "--method", "rel") == ["Relief", "ReliefF"]
    assert "--ordinal" in complete("rank", "--o")


@pytest.mark.parametrize("command", ["rank", "select", "compare", "report"])
def test_help_has_examples_that_fit_a_terminal(command):
    result = invoke(command, "--help")
    assert re.search(rf"^  widemargin {command} \w+\.\w+", result.stdout, re.MULTILINE)
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize("command", ["rank", "select", "compare", "report"])
def test_long_help_has_every_option_in_a_section(command):
    found = invoke(command, "--help").stdout
    assert "\nOptions:" not in found
    parts = re.split(r"^(\w[\w ]+):\n", found, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert list(sections)[:2] == ["Data", "Results"]
    assert "--method" in sections["Method"]
    assert "--target" in sections["Data"]
    assert sections["Results"].split()[0].startswith("-")  # no lone FILE
    assert "--output" in sections["Results"]
    assert ("Evaluation" in sections) == (command in ("compare", "report"))
    options = [o for p in cli.get_command(None, command).params for o in p.opts[:1]]
    for option in options:
        assert option == "file" or re.search(rf"{option}\b", found)


@pytest.mark.processes
def test_a_reader_that_has_seen_enough_ends_the_command_as_the_shell_would():
    command = [sys.executable, "-m", "widemargin", "methods"]
    with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def wide(folder):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 1000, (200, 10_000)), rng.integers(0, 2, 200)
    X[:, :20] += 300 * y[:, None]
    names = [f"f{j}" for j in range(X.shape[1])]
    pd.DataFrame(X, columns=names).assign(kind=y).to_csv("big.csv", index=False)


def long(folder):
    rng = np.random.default_rng(0)
    n = 10_000
    frame = pd.DataFrame(rng.integers(0, 90, (n, 6)), columns=list("abcdef"))
    for name in "ghijklmn":
        frame[name] = rng.choice(["red", "green", "blue", None], n)
    frame["kind"] = np.where(frame["a"] + rng.normal(0, 9, n) > 45, "yes", "no")
    frame.to_csv("big.csv", index=False)


def processor_seconds(call):
    """What a process took of the processor, which others that run do not change."""
    before = os.times()
    assert call().returncode == 0
    return sum(os.times()[2:4]) - sum(before[2:4])


@pytest.mark.processes
@pytest.mark.slow
@pytest.mark.parametrize("make", [wide, long])
def test_rank_takes_at_most_thrice_the_time_of_python(make, tmp_path):
    """Both read the file and rank it, each in a process of its own."""
    make(tmp_path)
    by_hand = (
        "import pandas as pd\n"
        "from widemargin import ReliefF\n"
        "data = pd.read_csv('big.csv', low_memory=False)\n"
        "ReliefF().fit(data.drop(columns='kind'), data['kind'])\n"
    )
    run(python=("-c", by_hand))  # fills the cache of compiled code
    python = processor_seconds(lambda: run(python=("-c", by_hand)))
    command = processor_seconds(lambda: run("rank", "big.csv", "-q"))
    assert command < 3 * python, (command, python)


@pytest.mark.processes
@pytest.mark.slow
def test_help_takes_less_than_half_the_time_of_importing_scikit_learn():
    def seconds(*python):
        return min(processor_seconds(lambda: run(python=python)) for _ in range(5))

    ours = seconds("-m", "widemargin", "--help")
    theirs = seconds("-c", "import sklearn.feature_selection")
    assert ours < theirs / 2, (ours, theirs)


def test_table_and_sentence_of_a_comparison_agree():
    """Also where the recommended method would do with fewer if it were alone."""
    names = ["KernelRFE", "ReliefF", "FisherScore", "MRMR"]
    methods = [word for name in names for word in ("-m", name)]
    result = invoke("compare", "iris.csv", "-o", "x.csv", *methods)
    (line,) = [row for row in result.stdout.splitlines() if row.split()[1:2] == ["*"]]
    name, _, count, _, _, _, error, *_ = line.split()
    assert result.stdout.startswith(f"{count} of 4 features, as {name} ranks them")
    assert f"% ± {error} with" in result.stdout.splitlines()[0]
    assert "fewest features within one standard error of the best" in result.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_names_that_the_terminal_cannot_show(encoding, capsys):
    text = Path("iris.csv").read_text().replace("a,", "特徴 α,", 1)
    Path("names.csv").write_text(text, encoding="utf-8")
    terminal = io.TextIOWrapper(io.BytesIO(), encoding)
    assert run_here("rank", "names.csv", "-q", stdout=terminal) == 0
    assert capsys.readouterr().err == ""
    terminal.flush()
    shown = terminal.buffer.getvalue().decode()
    assert ("特徴 α" if encoding == "ascii" else r"\u7279\u5fb4") in shown


def test_scores_are_aligned_and_lines_end_where_they_end():
    lines = invoke("rank", "iris.csv", "-n", "2").stdout.splitlines()
    assert all(line == line.rstrip() for line in lines)
    assert len({line.index(".") for line in lines if "0." in line}) == 1


def test_methods_in_a_narrow_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert "LMBA\n  weights that keep target" in invoke("methods").stdout


def test_help_of_the_group_is_not_cut_short():
    assert "..." not in invoke("--help").stdout.partition("Commands:")[2]


def test_report_names_the_file_and_what_was_done_to_it():
    Path("messy.csv").write_text(MESSY, encoding="utf-8-sig")
    few = ["-m", "ReliefF", "-k", "3", "--folds", "2"]
    result = invoke("compare", "messy.csv", *few, "-o", "x.json")
    assert result.exit_code == 0
    data = json.loads(Path("x.json").read_text(encoding="utf-8"))
    assert data["title"] == "Which features of messy.csv matter?"
    assert any("left out 'Patient'" in note for note in data["notes"])


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals here")
@pytest.mark.parametrize(
    ("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "xterm")]
)
def test_notes_have_colours_only_where_they_are_wanted(variable, value, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(variable, value)
    master, slave = os.openpty()
    with open(slave, "w") as terminal:
        code = run_here("rank", "iris.csv", "-o", "x.csv", stderr=terminal)
    said = os.read(master, 4096).decode()
    os.close(master)
    assert code == 0
    assert ("\x1b[33mnote:" in said) == (value == "xterm")
    assert "note:" in said


def test_a_log_says_that_a_large_file_is_read():
    quick = ["-m", "FisherScore"]
    assert "reading" not in invoke("report", "iris.csv", *quick).stderr
    with changed_settings(announced_file_bytes=100):
        loud = invoke("report", "iris.csv", *quick, "--force")
        quiet = invoke("report", "iris.csv", *quick, "--force", "-q")
    assert loud.stderr.startswith("reading iris.csv (0 MB)\n")
    assert "reading" not in quiet.stderr


@pytest.mark.parametrize(
    ("method", "rows", "noted"),
    [
        ("ReliefF", 20, True),
        ("ReliefF", 50, False),
        ("FisherScore", 20, False),
    ],
)
def test_unequal_classes_are_noted_for_relief(iris, method, rows, noted):
    two = pd.concat([iris[:50], iris[50 : 50 + rows]])
    two.to_csv("two.csv", index=False)
    result = invoke("rank", "two.csv", "-t", "kind", "-m", method)
    assert result.exit_code == 0, result.stderr
    assert (f"note: classes of {rows} to 50 rows" in result.stderr) == noted


def test_a_terminal_is_told_once_that_code_is_compiled(monkeypatch, capsys):
    for terminal, notes in ((True, 1), (False, 0)):
        monkeypatch.setattr(sys.stderr, "isatty", lambda shown=terminal: shown)
        current = Session(quiet=False)
        current.compiling()
        current.compiling()
        assert capsys.readouterr().err.count("compiling for this machine") == notes
        assert current.notes == []  # it is not about the data


def test_a_log_tells_the_time_left_from_the_second_step_on(monkeypatch, capsys):
    clock = iter([0.0, 10.0, 20.0, 30.0])  # the start, and a step each ten seconds
    monkeypatch.setattr("widemargin.progress.monotonic", lambda: next(clock))
    with progress("fits", 3, 1) as advance:
        for _ in range(3):
            advance()
    assert capsys.readouterr().err.splitlines() == [
        "fits: 1 of 3",
        "fits: 2 of 3, about 10 seconds left",
        "fits: 3 of 3",
    ]
