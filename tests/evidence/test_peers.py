"""docs/benchmarks.md is what the stored results say, and says where we fall short."""

import numpy as np
import pytest

from evidence.framework.store import Store
from evidence.peers import comparisons, fits, oracle
from evidence.peers.__main__ import machine
from evidence.peers.page import pages
from waiting import LONG


def side(seconds, megabytes, error=None):
    found = {"seconds": seconds, "times": [seconds], "bytes": megabytes * 2**20}
    return found if error is None else {**found, "error": error}


def store(folder, name, *rows):
    for case, result in rows:
        Store(folder / f"{name}.json", machine).add(case, result)


def page(folder):
    (text,) = pages(folder).values()
    return text


@pytest.fixture
def results(tmp_path):
    common = {"method": "SURF", "peer": "fast-select SURF"}
    problem = "ModuleNotFoundError: No module named 'fast_select'"
    store(
        tmp_path,
        "comparisons",
        (
            {**common, "size": "a"},
            {"shape": [1000, 500, 2]}
            | {"ours": side(0.1, 8, 1e-16), "theirs": side(0.5, 16, 1e-7)},
        ),
        (
            {**common, "size": "b"},
            {"shape": [2600, 500, 2], "ours": side(2.0, 0.2), "theirs": side(1.0, 4)},
        ),
        (
            {**common, "size": "d"},
            {"shape": [5000, 100, 10], "ours": side(1.0, 40), "theirs": side(4.0, 3)},
        ),
        ({**common, "size": "e"}, {"shape": [20000, 50, 2], "problem": problem}),
    )
    return tmp_path


def test_the_page_says_what_was_measured(results):
    text = page(results)
    good = "| `SURF` | fast-select SURF | 1000 × 500 (a) | 100 ms | 500 ms | 5 "
    assert good + "|  | 2 | 1e-16 | 1e-07 |" in text
    # Less than a megabyte of memory is no measurement.
    assert "| 2 s | 1 s | 0.5 |  |  |  |  |" in text
    assert "The other package is faster: SURF against fast-select SURF (b)." in text
    speeds, memory = "0.5 to 5 times as fast", "with 0.075 to 2 times our memory"
    assert f"\n- fast-select: {speeds}, {memory} (3 tables)\n" in text
    assert "- fast-select SURF, 20000 × 50: ModuleNotFoundError" in text


def test_growth_is_fitted(results):
    by_rows = [
        ([n, 50], {"processor": n**2 / 1e8, "bytes": 8192 * n})
        for n in (1000, 2000, 4000)
    ]
    by_features = [
        ([1000, d], {"processor": 1e-4 * d, "bytes": 8**7}) for d in (100, 200)
    ]
    rows = [
        ({"method": "SURF", "shape": shape}, result)
        for shape, result in by_rows + by_features
    ]
    store(results, "growth", *rows)
    limit = {"shape": [9, 5], "share": 0.5, "speed": 7e10}
    store(results, "limits", ({"size": "a"}, limit))
    text = page(results)
    assert "| `SURF` | 2.00 | 1.00 | " in text
    assert "| 9 × 5 (a) | 70 | 0.50 |" in text


def test_cases_are_of_sizes_and_packages_that_there_are():
    for case in (*comparisons.cases(False), *comparisons.cases(True)):
        assert case["size"] in fits.SIZES
        assert case["peer"].partition(" ")[0] in fits.PEERS


def test_a_package_that_is_not_there_is_stored_with_its_error():
    case = {"method": "ReliefF", "peer": "nowhere SURF", "size": "small"}
    assert "nowhere" in comparisons.measure(case, None)["problem"]


@pytest.mark.parametrize(
    ("method", "name"), [("ReliefF", "relieff"), ("MultiSURF", "multisurf")]
)
def test_our_scores_are_the_oracles(method, name):
    X, y = oracle.table()
    scores = fits.ours(method)(X, y)
    assert oracle.error(scores, name) < 1e-13
    assert oracle.error(scores + 0.1 * np.abs(scores).max(), name) > 0.05


def test_two_processes_take_turns():
    peer = "scikit-learn mutual_info_classif"
    case = {"method": "ReliefF", "peer": peer, "size": "small"}
    found = comparisons.measure(case, None, rounds=2, longest=LONG)
    assert "problem" not in found
    assert len(found["ours"]["times"]) == len(found["theirs"]["times"]) == 2
    assert found["ours"]["seconds"] > 0
