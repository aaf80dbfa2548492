"""The study of which method wins where: its arithmetic, and its page."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

pytest.importorskip("matplotlib")

from study import analysis, page  # noqa: E402
from study.run import similarity  # noqa: E402


def result(table, split, way, accuracy, order=(0, 1, 2, 3, 4)):
    scores = dict.fromkeys(analysis.CLASSIFIERS, accuracy)
    return {
        "table": table,
        "split": split,
        "way": way,
        "order": [*order],
        "n_features": 50,
        "seconds": 1.0,
        "similarity": 0.5,
        "5": scores,
        "10": scores,
        "20": scores,
    }


def test_the_critical_difference_is_that_of_the_literature():
    """Demšar 2006, sect. 3.2.2: 4 classifiers, 14 data sets, 1.25."""
    rng = np.random.default_rng(0)
    rows = [result(t, 0, w, rng.random()) for t in range(14) for w in "abcd"]
    found = analysis.ranks(rows, "abcd", "1-NN", 5)
    assert found.n_tables == 14
    assert found.critical == pytest.approx(1.25, abs=0.005)


def test_splits_are_averaged_before_methods_are_ranked():
    rows = [result("t", 0, "a", 0.9), result("t", 1, "a", 0.5)]
    rows += [result("t", 0, "b", 0.8), result("t", 1, "b", 0.8)]
    rows += [result("t", s, "c", 0.1) for s in range(2)]
    rows += [{**row, "table": "u"} for row in rows]
    found = analysis.ranks(rows, "abc", "logistic", 10)
    assert found.mean.tolist() == [2, 1, 3]
    assert found.accuracy == pytest.approx([0.7, 0.8, 0.1])


def test_splits_that_a_method_was_not_run_on_do_not_count():
    rows = [result("t", 0, "a", 0.9), result("t", 0, "b", 0.8), result("t", 1, "b", 0)]
    assert len(analysis.complete(rows, ["a", "b"])) == 2
    assert analysis.wins(rows, "a", "b", "1-NN", 5) == (1, 0, pytest.approx(0.1))


def test_stability_is_one_for_equal_sets_and_none_for_chance():
    same = [result("t", s, "a", 0.5) for s in range(3)]
    assert analysis.stability(same, "a", 5) == pytest.approx(1)
    rng = np.random.default_rng(0)
    drawn = [result("t", s, "a", 0, rng.permutation(50)[:5]) for s in range(80)]
    assert analysis.stability(drawn, "a", 5) == pytest.approx(0, abs=0.02)
    assert np.isnan(analysis.stability(same[:1], "a", 5))


def test_similarity_of_copies_is_one():
    x = np.random.default_rng(0).normal(size=(100, 1))
    assert similarity(np.hstack([x, -x])) == pytest.approx(1)
    constant = np.zeros((100, 1))
    assert similarity(np.hstack([x, constant])) == 0


def test_the_page_is_the_one_that_the_stored_results_give():
    text = (page.DOCS / "study.md").read_text(encoding="utf-8")
    assert text == page.page(page.stored())
