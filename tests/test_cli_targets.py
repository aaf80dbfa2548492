"""The command with several targets, sets of labels and survival times."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_tools import invoke
from widemargin import KernelRFE


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    X = random.standard_normal((150, 6))
    frame = pd.DataFrame(X, columns=list("abcdef"))
    time, end = random.exponential(np.exp(2 * X[:, 0])), random.exponential(2, 150)
    frame["died"] = np.where(time < end, "yes", "no")
    frame["days"] = np.minimum(time, end)
    frame["u"] = (X[:, 1] > 0).astype(int)
    frame["v"] = (X[:, 2] > 0.5).astype(int)
    frame["height"] = X[:, 3] + random.random(150)
    frame["weight"] = X[:, 4] + random.random(150)
    frame.to_csv("data.csv", index=False)
    return frame


ASIDE = {
    "survival": ("--event", "died", "--time", "days", "--drop", "u,v,height,weight"),
    "multilabel": ("-t", "u,v", "--drop", "died,days,height,weight"),
    "regression": ("-t", "height,weight", "--drop", "died,days,u,v"),
}
BEST = {"survival": {"a"}, "multilabel": {"b", "c"}, "regression": {"d", "e"}}
NAMES = {"survival": ["died", "days"], "multilabel": ["u", "v"]}


def said(*arguments):
    result = invoke(*arguments)
    assert result.exit_code == 0, result.stderr
    return result


@pytest.mark.parametrize("task", ASIDE)
def test_rank(task, table):
    found = json.loads(said("rank", "data.csv", *ASIDE[task], "--json").stdout)
    assert found["task"] == task
    assert found["target"] == NAMES.get(task, ["height", "weight"])
    best = found["features"][: len(BEST[task])]
    assert {row["feature"] for row in best} == BEST[task]
    assert [row["feature"] for row in found["features"]] != list("abcdef")
    table["died"] = table["died"] == "yes"
    y = table[found["target"]]
    ours = KernelRFE(task=task, random_state=0).fit(table[list("abcdef")], y)
    assert np.allclose(
        [row["score"] for row in found["features"]], np.sort(ours.scores_)[::-1]
    )


@pytest.mark.parametrize("task", ASIDE)
def test_select_writes_the_targets_too(task):
    result = said("select", "data.csv", *ASIDE[task], "-o", "few.csv")
    few = pd.read_csv("few.csv")
    targets = NAMES.get(task, ["height", "weight"])
    assert list(few.columns[-2:]) == targets
    assert BEST[task] <= set(few.columns[:-2])
    assert "of 5-NN" in result.stderr


def test_select_with_a_method_says_its_score():
    result = said("select", "data.csv", *ASIDE["survival"], "-m", "RReliefF")
    assert "cross-validated concordance index of 5-NN 0." in result.stderr


def test_rows_without_an_event_or_a_time_are_left_out(table):
    table.loc[3, "died"] = None
    table.loc[5, "days"] = None
    table.to_csv("data.csv", index=False)
    result = said("rank", "data.csv", *ASIDE["survival"], "--json")
    assert json.loads(result.stdout)["n_samples"] == 148
    assert "2 rows without a target left out" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--event", "died"), "--event needs --time"),
        (("--time", "days"), "--time needs --event"),
        (("--event", "days", "--time", "died"), "'days' needs 1, true or yes"),
        (("-t", "u,u"), "in different columns"),
        (("-t", "u,height", "--bins", "3"), "with --bins or --ordinal"),
        (("-t", "height,weight", "--task", "classification"), "needs one target"),
        ((*ASIDE["survival"], "-m", "MultiSURF"), "MultiSURF is not for survival"),
        ((*ASIDE["survival"], "--engine", "dask", "-m", "RReliefF"), "--engine local"),
    ],
)
def test_what_cannot_be_is_refused(arguments, message):
    result = invoke("rank", "data.csv", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("task", ASIDE)
def test_compare_and_its_code_give_the_answer_of_select(task, table):
    result = said("compare", "data.csv", *ASIDE[task], "--json", "-o", "x.html")
    found = json.loads(result.stdout)
    assert found["task"] == task
    assert BEST[task] <= set(found["selected"])
    said("select", "data.csv", *ASIDE[task], "-o", "few.csv")
    kept = set(pd.read_csv("few.csv").columns) - set(NAMES.get(task, ()))
    assert set(found["selected"]) == kept - {"height", "weight"}
    said("report", "data.csv", *ASIDE[task], "-o", "x.json")
    provenance = json.loads(Path("x.json").read_text(encoding="utf-8"))["provenance"]
    code = {}
    exec(provenance["code"].replace('.save("report.html")', ""), code)
    assert code["results"].answer == found["answer"]
    if task != "survival":  # for a model of scikit-survival
        exec(provenance["pipeline"], code)
        assert code["model"].fit(code["X"], code["y"]).predict(code["X"]).shape[1] == 2


def test_compare_with_event_takes_time_as_survival_times_else_as_an_order(table):
    pytest.importorskip("sksurv")
    aside = [*ASIDE["survival"], "--estimator", "cox", "--json", "-o", "x.html"]
    found = json.loads(said("compare", "data.csv", *aside).stdout)
    assert "Cox's model" in found["answer"]
    assert found["settings"]["cv"] is None
    aside = ["-t", "u", "--drop", "v,died,height,weight", "--time", "days"]
    more = ["--json", "-o", "x.html", "--force"]
    found = json.loads(said("compare", "data.csv", *aside, *more).stdout)
    assert found["settings"]["cv"].startswith("TimeSeriesSplit")
