"""The command with a numeric target: what it takes it for, and what comes out."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from cli_tools import invoke
from widemargin.data.read import read_dataset
from widemargin.reporting.distributions import distributions
from widemargin.reporting.html import render
from widemargin.reporting.summarize import summarize

QUICK = ("-m", "FRegression")


@pytest.fixture(autouse=True)
def frame(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    frame = X[["age", "sex", "bmi", "s5"]].assign(progression=y)
    frame.to_csv("data.csv", index=False)
    frame.assign(progression=np.where(y > 140, "high", "low")).to_csv(
        "classes.csv", index=False
    )
    frame.assign(progression=np.digitize(y, [100, 150, 200])).to_csv(
        "grades.csv", index=False
    )
    return frame


def ranked(*arguments):
    result = invoke("rank", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def refused(*arguments):
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    return result.stderr.splitlines()[-1]


def test_a_measurement_is_predicted_and_the_command_says_so():
    found = ranked("data.csv")
    assert (found["task"], found["method"]) == ("regression", "KernelRFE")
    assert found["features"][0]["feature"] == "bmi"
    assert found["classes"] == {}
    (said,) = [note for note in found["notes"] if "treated as numeric" in note]
    assert "'progression', is treated as numeric: 214 distinct" in said
    assert "--task classification, --bins 3 or --categorical progression" in said


def test_a_measurement_may_have_a_currency_or_a_unit(frame):
    plain = ranked("data.csv")
    price = [f"${1000 * value:,.0f}" for value in frame["progression"]]
    frame.assign(progression=price).to_csv("price.csv", index=False)
    found = ranked("price.csv")
    assert found["task"] == "regression"
    assert found["features"] == plain["features"]
    assert "commas separate thousands, in the target, 'progression'." in found["notes"]
    done = invoke("compare", "price.csv", *QUICK, "-o", "price.json")
    assert done.exit_code == 0, done.stderr
    code = json.loads(Path("price.json").read_text())["provenance"]["pipeline"]
    assert "y = as_feature(data['progression'])" in code
    classes = ranked("price.csv", "--bins", "3")
    assert len(classes["classes"]) == 3


def test_a_last_column_that_names_the_rows_is_noted(frame):
    frame.assign(id=np.arange(len(frame))).to_csv("id.csv", index=False)
    said = " ".join(ranked("id.csv")["notes"])
    assert "the target, 'id', has a value of its own in (nearly) every row" in said
    frame.assign(id=frame["progression"]).to_csv("id.csv", index=False)
    assert "a value of its own" not in " ".join(ranked("id.csv")["notes"])


def test_few_values_with_a_unit_are_classes(frame):
    years = np.digitize(frame["progression"], [100, 200])
    frame.assign(progression=[f"{n} years" for n in years]).to_csv("a.csv", index=False)
    assert list(ranked("a.csv")["classes"]) == ["0 years", "1 years", "2 years"]


def test_the_headline_says_what_the_numbers_are():
    printed = invoke("rank", "data.csv").stdout
    assert "numbers in 'progression' (25 to 346, median 140.5)" in printed


def test_grades_are_classes_unless_told_otherwise():
    assert ranked("grades.csv")["method"] == "KernelRFE"
    told = ranked("grades.csv", "--task", "regression")
    assert (told["task"], told["method"]) == ("regression", "KernelRFE")
    by_method = ranked("grades.csv", "-m", "KernelRFE", "--task", "regression")
    assert by_method["features"] == told["features"]


def test_methods_for_both_take_the_task_of_the_target():
    found = ranked("data.csv", "-m", "MultiSURF")
    assert found["parameters"]["task"] == "regression"
    assert ranked("grades.csv", "-m", "MultiSURF")["task"] == "classification"


def test_bins_make_classes_of_numbers():
    assert ranked("data.csv", "--bins", "3")["task"] == "classification"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rank", "data.csv", "-m", "ReliefF"), "ReliefF is for classes, but the"),
        (("rank", "data.csv", "-m", "ReliefF"), "RReliefF, SURF"),
        (
            ("rank", "data.csv", "--task", "classification"),
            "looks like a measurement: 214 distinct numbers in 442 rows, 84 of them",
        ),
        (("rank", "classes.csv", "--task", "regression"), "'progression' is text"),
        (("rank", "classes.csv", "-m", "FRegression"), "'progression' is text"),
        (
            ("rank", "data.csv", "--task", "regression", "--bins", "3"),
            "--bins, --ordinal and --categorical make classes",
        ),
        (
            ("rank", "grades.csv", "-m", "RReliefF", "--task", "classification"),
            "RReliefF is for numeric targets",
        ),
        (("compare", "data.csv", *QUICK, "--estimator", "logistic"), "linear"),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments, message):
    assert message in refused(*arguments)


def test_methods_to_use_instead_suit_the_target(frame):
    frame.assign(town=["Ulm", "Bonn"] * 221).to_csv("towns.csv", index=False)
    said = refused("rank", "towns.csv", "-t", "progression", "-m", "FRegression")
    assert said.endswith(
        "or use SURF, KernelRFE, MultiSURF, MultiSURFStar, RReliefF, SURFStar."
    )


def test_a_target_that_is_the_same_in_every_row(frame):
    frame.assign(progression=2.5).to_csv("same.csv", index=False)
    said = refused("rank", "same.csv", "--task", "regression")
    assert "'progression', is 2.5 in every row" in said


def test_a_selection_of_as_many_as_are_needed():
    result = invoke("select", "data.csv")
    assert result.exit_code == 0
    assert {"bmi", "s5"} <= set(result.stdout.split())


def test_a_sample_of_the_rows(frame):
    found = ranked("data.csv", "--sample", "100")
    assert found["n_samples"] == 100
    # The sign of a number is not a class: the same rows are drawn.
    centred = frame["progression"] - 140
    frame.assign(progression=centred).to_csv("centred.csv", index=False)
    again = ranked("centred.csv", "--sample", "100")
    for one, other in zip(found["features"], again["features"], strict=True):
        assert one["feature"] == other["feature"]
        assert one["score"] == pytest.approx(other["score"])


def test_a_comparison_and_its_page(tmp_path):
    result = invoke("compare", "data.csv", *QUICK, "-o", "a.html", "-o", "a.json")
    assert result.exit_code == 0, result.stderr
    assert "the R² of 5-NN" in result.stdout
    assert "in folds  with the target" in result.stdout
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    for text in ("Against the target", "by predicting the mean", "numeric target"):
        assert text in page
    assert "Class by class" not in page
    saved = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert saved["data"]["target"]["quartiles"][1] == pytest.approx(140.5)
    assert saved["data"]["majority"] is None
    assert "KNeighborsRegressor(5)" in saved["provenance"]["pipeline"]
    assert "Classifier" not in saved["provenance"]["pipeline"]
    assert "task='regression'" in saved["provenance"]["code"]
    assert invoke("report", "a.json", "-o", "b.html").exit_code == 0
    assert "Against the target" in (tmp_path / "b.html").read_text(encoding="utf-8")


def test_the_json_of_a_comparison_says_the_task():
    result = invoke("compare", "data.csv", *QUICK, "--json", "--estimator", "linear")
    found = json.loads(result.stdout)
    assert found["task"] == "regression"
    assert found["settings"]["scoring"] == "r2"


def test_losses_are_in_the_units_of_the_target():
    result = invoke(
        "compare", "data.csv", *QUICK, "--scoring", "neg_mean_absolute_error"
    )
    assert "mean absolute error: lower is better" in result.stdout


def test_figures_against_the_target(frame):
    from widemargin.evaluation import profile

    rng = np.random.default_rng(0)
    colour = pd.Series(rng.choice(list("abcdefghijkl"), 442))
    X = frame.drop(columns="progression").assign(colour=colour)
    X.loc[:9, "bmi"] = np.nan
    about = profile(X, frame["progression"])
    data = read_dataset(X, frame["progression"], "report", task="regression")
    found = distributions(data, np.array([2, 1, 4]), about)
    bmi, sex, colours = found["features"]
    assert (bmi["kind"], bmi["missing"]) == ("scatter", [10])
    assert bmi["rho"] == pytest.approx(
        X["bmi"].corr(frame["progression"], method="spearman")
    )
    assert len(bmi["points"]) == bmi["n_points"] == 432
    assert len(bmi["trend"]) == 10
    assert sex["kind"] == "boxes"
    by_sex = frame.groupby("sex")["progression"]
    assert [b["quartiles"][1] for b in sex["boxes"]] == by_sex.median().tolist()
    assert [b["count"] for b in sex["boxes"]] == by_sex.size().tolist()
    assert colours["rho"] is None
    assert colours["levels"][-1] == "other"
    assert sum(b["count"] for b in colours["boxes"]) == 442


def test_a_page_on_a_fitted_selector(frame):
    from widemargin import RReliefF

    X, y = frame.drop(columns="progression"), frame["progression"]
    data = summarize(RReliefF("auto").fit(X, y), X=X, y=y)
    assert data["curve"]["scoring"] == "r2"
    assert "R² of 5-NN" in render(data)
