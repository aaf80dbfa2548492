"""docs/benchmarks.md is what the stored results say, and says where we fall short."""

import json

import numpy as np
import pytest

from evidence.peers import cases, oracle, page, run
from waiting import LONG


def side(seconds, megabytes, error=None):
    found = {"seconds": seconds, "times": [seconds], "bytes": megabytes * 2**20}
    return found if error is None else {**found, "error": error}


@pytest.fixture
def results(tmp_path):
    common = {"method": "SURF", "peer": "fast-select SURF", "oracle": "surf"}
    rows = [
        {**common, "size": "a", "shape": [1000, 500, 2]}
        | {"ours": side(0.1, 8, 1e-16), "theirs": side(0.5, 16, 1e-7)},
        {**common, "size": "b", "shape": [2600, 500, 2]}
        | {"ours": side(2.0, 0.2), "theirs": side(1.0, 4)},
        {**common, "size": "d", "shape": [5000, 100, 10]}
        | {"ours": side(1.0, 40), "theirs": side(4.0, 3)},
        {**common, "size": "e", "shape": [20000, 50, 2]}
        | {"problem": "ModuleNotFoundError: No module named 'fast_select'"},
    ]
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"machine": run.machine(), "rows": rows}))
    return path


def test_the_page_says_what_was_measured(results):
    text = page.write(results)
    good = "| `SURF` | fast-select SURF | 1000 × 500 (a) | 100 ms | 500 ms | 5 "
    assert good + "|  | 2 | 1e-16 | 1e-07 |" in text
    # Less than a megabyte of memory is no measurement.
    assert "| 2 s | 1 s | 0.5 |  |  |  |  |" in text
    assert "The other package is faster: SURF against fast-select SURF (b)." in text
    assert "\n- fast-select SURF: 3 against 40 (d)\n" in text
    assert "- fast-select SURF, 20000 × 50: ModuleNotFoundError" in text


def test_growth_is_fitted(results):
    stored = json.loads(results.read_text())
    stored["growth"] = [
        {
            "method": "SURF",
            "shape": [n, 50],
            "processor": n**2 / 1e8,
            "bytes": 8192 * n,
        }
        for n in (1000, 2000, 4000)
    ] + [
        {"method": "SURF", "shape": [1000, d], "processor": 1e-4 * d, "bytes": 8**7}
        for d in (100, 200)
    ]
    stored["growth"][0] |= {"processor": 5e-3 * 2}
    stored["limits"] = [{"size": "a", "shape": [9, 5], "share": 0.5, "speed": 7e10}]
    results.write_text(json.dumps(stored))
    text = page.write(results)
    assert "| `SURF` | 2.00 | 1.00 | " in text
    assert "| 9 × 5 (a) | 70 | 0.50 |" in text


def test_the_stored_page_is_the_one_that_the_stored_results_give():
    assert page.RESULTS.exists() == page.PAGE.exists()
    if page.RESULTS.exists():
        assert page.PAGE.read_text(encoding="utf-8") == page.write()


def test_cases_are_of_sizes_and_packages_that_there_are():
    for case in cases.CASES:
        assert set(case.sizes) <= set(cases.SIZES)
        assert case.peer.partition(" ")[0] in cases.PEERS


def test_a_package_that_is_not_there_is_stored_with_its_error():
    found = run.compare(cases.Case("ReliefF", "nowhere SURF", ("small",)), "small")
    assert "nowhere" in found["problem"]


@pytest.mark.parametrize(
    ("method", "name"), [("ReliefF", "relieff"), ("MultiSURF", "multisurf")]
)
def test_our_scores_are_the_oracles(method, name):
    X, y = oracle.table()
    scores = cases.ours(method)(X, y)
    assert oracle.error(scores, name) < 1e-13
    assert oracle.error(scores + 0.1 * np.abs(scores).max(), name) > 0.05


def test_two_processes_take_turns():
    case = cases.Case("ReliefF", "scikit-learn mutual_info_classif", ("small",))
    found = run.compare(case, "small", rounds=2, longest=LONG)
    assert "problem" not in found
    assert len(found["ours"]["times"]) == len(found["theirs"]["times"]) == 2
    assert found["ours"]["seconds"] > 0
