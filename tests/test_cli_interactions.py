"""``widemargin interactions``: pairs from a file."""

import json

import numpy as np
import pandas as pd
import pytest

from cli_tools import invoke


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((300, 6)), columns=list("abcdef"))
    frame["colour"] = rng.choice(["red", "blue"], 300)
    frame["patient"] = np.arange(300) // 3
    frame["kind"] = np.where((frame["a"] > 0) ^ (frame["c"] > 0), "yes", "no")
    frame.to_csv("data.csv", index=False)


def test_pairs_are_printed_with_a_sentence():
    result = invoke("interactions", "data.csv", "--drop", "patient")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("1 of 21 pairs works together (q < 0.05)")
    assert "exactly one of a and c is high" in result.stdout
    assert len(result.stdout.split("\n\n")[1].strip().splitlines()) == 1 + 1 + 5


def test_none_may_be_found():
    result = invoke("interactions", "data.csv", "--drop", "a,patient")
    assert result.stdout.startswith("None of 15 pairs works together (q < 0.05)")


def test_json_csv_candidates_and_groups():
    call = ["data.csv", "--groups", "patient", "--candidates", "a,c,colour", "--json"]
    result = invoke("interactions", *call, "-q")
    found = json.loads(result.stdout)
    assert (found["n_possible"], found["n_found"], len(found["pairs"])) == (21, 1, 3)
    assert found["pairs"][0]["feature_a"] == "a"
    assert found["pairs"][0]["q_value"] < 1e-6
    assert invoke("interactions", "data.csv", "-o", "pairs.csv").stdout == ""
    assert pd.read_csv("pairs.csv")["feature_b"][0] == "c"


def test_unknown_candidates_are_refused():
    result = invoke("interactions", "data.csv", "--candidates", "a,q")
    assert result.exit_code == 2
    assert "--candidates: there is no column 'q'" in result.stderr
