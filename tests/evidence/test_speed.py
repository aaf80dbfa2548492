"""Scripts of evidence/speed that use private names of the package still run."""

import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "evidence" / "speed"


@pytest.fixture
def beside(monkeypatch):
    """What the scripts import from each other; first on the path, as for a script."""
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("dask_model", "keep"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_no_script_hides_a_package():
    # A script finds those beside it first, and so does what it imports.
    names = {path.stem for path in FOLDER.glob("*.py")}
    assert not names & {"dask", "distributed", "numba", "sparse"}


def test_rates_of_dask_tasks_are_measured(beside):
    import dask_model

    assert (dask_model.rates(4, n=64, m=8) >= 0).all()


def test_figures_are_kept_as_json(beside, tmp_path, monkeypatch):
    import keep

    (tmp_path / "results").mkdir()
    monkeypatch.setattr(keep, "__file__", str(tmp_path / "keep.py"))
    keep.keep("times", seconds=1.5)
    assert json.loads((tmp_path / "results" / "times.json").read_text()) == {
        "seconds": 1.5
    }
