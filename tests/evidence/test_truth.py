"""What docs/truth.md promises: that it is up to date, and a small version of it."""

import importlib
from pathlib import Path

import pytest

from evidence.truth import Verdict, page, run
from evidence.truth.store import Store

ROOT = Path(__file__).parents[2]


# Their small version says too little, or needs too long, to be judged by.
WITHOUT_VERDICT = {"usefulness", "halves", "numeric_targets"}


def test_the_page_is_the_one_that_the_stored_results_give():
    assert page.PAGE.read_text(encoding="utf-8") == page.write()


@pytest.mark.parametrize("name", run.part_names())
def test_stored_results_are_of_cases_that_there_are(name):
    part = importlib.import_module(f"evidence.truth.parts.{name}")
    store = Store(name)
    known = Store(name, ROOT / "nowhere")
    for case in part.cases(False):
        known._rows[str(case)] = case
    cases = [row["case"] for row in store._rows.values()]
    assert [case for case in cases if case not in known._rows.values()] == []


def test_results_are_kept_and_not_measured_again(tmp_path, monkeypatch):
    measured = []

    class Part:
        @staticmethod
        def cases(small):
            yield from ({"seed": seed} for seed in range(3))

        @staticmethod
        def measure(case, data):
            measured.append(case["seed"])
            if len(measured) == 2:
                raise RuntimeError("stopped")
            return {"value": 1 / 3}

    monkeypatch.setattr(run, "import_module", lambda name: Part)
    with pytest.raises(RuntimeError, match="stopped"):
        list(run.run_part("made_up", None, folder=tmp_path))
    assert len(list(run.run_part("made_up", None, folder=tmp_path))) == 2
    assert measured == [0, 1, 1, 2]
    rows = Store("made_up", tmp_path).rows()
    assert [row["seed"] for row in rows] == [0, 1, 2]
    assert rows[0]["value"] == 0.33333


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", run.part_names())
def test_a_small_version_keeps_the_promises(name, tmp_path):
    part = importlib.import_module(f"evidence.truth.parts.{name}")
    lines = list(run.run_part(name, None, small=True, folder=tmp_path))
    assert lines
    rows = Store(name, tmp_path).rows()
    verdicts = part.verdicts(rows)
    assert part.tables(rows)
    assert all(isinstance(verdict, Verdict) for verdict in verdicts)
    if name not in WITHOUT_VERDICT:
        assert [v for v in verdicts if not v.holds] == []
