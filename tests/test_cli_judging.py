"""How the command judges features: folds, classifiers, scores, the user's own set."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli_tools import invoke
from widemargin import Selection

QUICK = ("-m", "FisherScore", "--folds", "3")


@pytest.fixture(autouse=True)
def frame(tmp_path, monkeypatch):
    """Near-copies within groups; classes of groups are a coin's toss."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 6)
    X = rng.normal(size=(20, 4))[groups] + 0.05 * rng.normal(size=(120, 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.insert(0, "patient", [f"p{g}" for g in groups])
    frame["day"] = np.tile(pd.date_range("2024-01-01", periods=60).astype(str), 2)
    frame["kind"] = np.where(rng.permutation(np.arange(20) % 2)[groups], "yes", "no")
    frame.to_csv("data.csv", index=False)
    return frame


def compared(*arguments):
    result = invoke("compare", "data.csv", *QUICK, "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def refused(*arguments):
    result = invoke("compare", "data.csv", *QUICK, *arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    *notes, said = result.stderr.splitlines()
    assert all(note.startswith("note: ") for note in notes)
    return said


def test_groups_are_kept_together_and_are_no_feature():
    apart = compared("--drop", "patient,day")
    together = compared("--drop", "day", "--groups", "patient")
    assert apart["n_features"] == together["n_features"] == 4
    assert apart["methods"][0]["score"] > 0.95
    assert together["methods"][0]["score"] < 0.8


def test_columns_of_groups_and_time_must_be_there():
    assert "--groups: there is no column 'x'" in refused("--groups", "x")
    assert "is the target" in refused("--groups", "kind")
    said = refused("--drop", "day", "--time", "patient")
    assert "numbers or dates such as 2024-12-31, got 'p0'" in said


def test_groups_without_a_value_are_refused(frame):
    frame.loc[3, "patient"] = None
    frame.to_csv("data.csv", index=False)
    said = refused("--drop", "day", "--groups", "patient")
    assert "none for 1 of 120 rows" in said


def test_groups_that_time_would_part_are_refused():
    said = refused("--groups", "patient", "--time", "day")
    assert "does not keep groups together" in said


@pytest.mark.parametrize(
    "options",
    [("--cv", "time", "--drop", "patient,day"), ("--time", "day", "--drop", "patient")],
)
def test_time_goes_forward(frame, tmp_path, options):
    (tmp_path / "watching.py").write_text(
        "from sklearn.dummy import DummyClassifier\n"
        "folds = []\n"
        "class Judge(DummyClassifier):\n"
        "    def fit(self, X, y):\n"
        "        self.seen_ = X\n"
        "        return super().fit(X, y)\n"
        "    def predict(self, X):\n"
        "        folds.append((self.seen_, X))\n"
        "        return super().predict(X)\n"
    )
    sys.modules.pop("watching", None)
    # Every feature grows with time.
    when = frame["day"] if "--time" in options else frame.index.to_series()
    grown = when.rank(method="first") + 0.5 * np.random.default_rng(0).random(120)
    for place, name in enumerate("abcd"):
        frame[name] = grown ** (1 + place / 10)
    frame.to_csv("data.csv", index=False)
    judge = ("--estimator", "watching:Judge", "--folds", "3")
    assert compared(*options, *judge)["n_features"] == 4
    folds = sys.modules["watching"].folds
    assert len({len(train) for train, _ in folds}) == 3
    assert all((train.max(axis=0) < test.min(axis=0)).all() for train, test in folds)


def test_scores_and_classifiers_by_name():
    judge = ("--estimator", "forest", "--scoring", "roc_auc", "--folds", "2")
    found = compared("--drop", "patient,day", *judge)
    assert found["chance"] == 0.5
    assert "the ROC AUC of a random forest is 0.98 ± 0.0" in found["answer"]


def test_classifier_of_ones_own(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from sklearn.dummy import DummyClassifier\n"
        "class Mine(DummyClassifier): pass\n"
        "class Bad(DummyClassifier):\n"
        "    def fit(self, X, y): raise KeyError('oops')\n"
    )
    found = compared("--drop", "patient,day", "--estimator", "mine:Mine")
    assert "Mine" in found["answer"]
    said = refused("--drop", "patient,day", "--estimator", "mine:Bad")
    assert "the classifier failed in fold" in said
    assert "oops" in said


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--scoring", "auc", "Did you mean 'roc_auc', 'roc_auc_ovr' or"),
        ("--estimator", "florest", "there are 1-nn, logistic, svm"),
        ("--estimator", "no.such:Thing", "cannot import 'no.such'"),
        ("--baseline", "zz", "there is no column 'zz'"),
        ("--baseline", "kind", "'kind' is not among the features"),
        ("--baseline", "empty.txt", "empty.txt is empty"),
        ("--baseline", "other.txt", "names none of the 4 features"),
        ("--baseline", "other.json", "is not a selection"),
    ],
)
def test_unknown_names_are_refused(tmp_path, option, value, message):
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "other.txt").write_text("nothing\nhere\n")
    (tmp_path / "other.json").write_text("{}")
    assert message in refused("--drop", "patient,day", option, value)


BASELINES = {
    "names.txt": "b\na\n",
    "table.csv": "b;a;kind\n1;2;yes\n",
    "commas.txt": "a,b\n",
    "one.txt": "a\nb",
}


@pytest.mark.parametrize("given", ["a,b", "b, a", "1,2", "saved.json", *BASELINES])
def test_baseline_by_name_or_file(tmp_path, given):
    Selection(["a", "b"]).save("saved.json")
    for name, text in BASELINES.items():
        (tmp_path / name).write_text(text)
    found = compared("--drop", "patient,day", "--folds", "2", "--baseline", given)
    assert found["settings"]["baseline"] in (["a", "b"], ["b", "a"])
    row = found["methods"][-1]
    assert (row["method"], row["n_features"]) == ("baseline", 2)


def test_table_has_a_line_for_the_baseline():
    call = ("--drop", "patient,day", "--scoring", "neg_log_loss", "--baseline", "a")
    result = invoke(
        *("compare", "data.csv", *QUICK, *call, "--folds", "2"),
        *("--estimator", "logistic", "-o", "x.html"),
    )
    assert result.exit_code == 0, result.stderr
    answer, _, head, method, baseline, *_ = result.stdout.splitlines()
    assert " log loss " in head
    assert method.startswith("FisherScore")
    assert baseline.startswith("baseline")
    assert "%" not in answer + method + baseline
    assert "your own features" in Path("x.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("mixed", [False, True])
def test_code_of_the_report_runs_and_selects_the_same(frame, mixed):
    frame = frame.rename(columns={"a": "größe", "b": 'it\'s "b"'})
    mean = frame.groupby("patient")["größe"].transform("mean")
    frame["kind"] = np.where(mean > mean.median(), "yes", "no")
    if mixed:
        frame["word"] = np.where(frame["kind"] == "yes", "x", "y")
        frame.loc[::9, "größe"] = np.nan
        frame.loc[5, "kind"] = None
    frame.to_csv("data.csv", index=False, sep=";", decimal=",", encoding="cp1252")
    method = ("-m", "ReliefF") if mixed else ("-m", "FisherScore")
    call = ("report", "data.csv", *method, "--drop", "day", "--groups", "patient")
    result = invoke(*call, "-o", "page.json", "-o", "page.html")
    assert result.exit_code == 0, result.stderr
    data = json.loads(Path("page.json").read_text(encoding="utf-8"))
    names = np.array(data["features"]["name"])
    kept = set(names[data["methods"][0]["selected"]])
    space: dict = {}
    exec(data["provenance"]["pipeline"], space)
    assert set(space["kept"]) == kept
    assert space["selection"].transform(space["X"]).shape[1] == len(kept)
    again = space["selector"].fit(space["X"], space["y"], groups=space["groups"])
    assert set(again.get_feature_names_out()) == kept
    space["model"].fit(space["X"], space["y"])
    exec(data["provenance"]["code"], space)
    best = space["results"].selected
    assert set(names[best]) == kept


def test_a_budget_counts_work_and_leaves_methods_out(frame):
    frame.drop(columns=["patient", "day"]).to_csv("data.csv", index=False)
    few, usual = (
        json.loads(invoke("compare", "data.csv", "--json", *more).stdout)
        for more in (("--budget", "0.0001"), ())
    )
    assert few["settings"]["budget"] == 0.0001
    assert usual["settings"]["budget"] == 40
    names = [{m["method"] for m in found["methods"]} for found in (few, usual)]
    assert names[0] < names[1]
    assert few["selected"] == usual["selected"]
    assert "'0' is not a positive number of seconds" in refused("--budget", "0")


def test_options_that_are_gone_are_refused():
    for name in ("--permutations", "--resamples"):
        assert f"there is no option '{name}'" in refused(name, "3")
