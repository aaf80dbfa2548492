"""What importing and using the package loads, in whichever order it is done."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.processes

# One process, in which each step loads more than those before it.
STEPS = """
import importlib, pkgutil, sys
from widemargin import evaluation

def absent(*names):
    loaded = [name for name in names if name in sys.modules]
    assert not loaded, loaded

# Naming what is there.
assert "RankingTree" in dir(evaluation)
absent("numba", "sklearn", "matplotlib", "jinja2", "pandas", "dask")

# The report needs nothing before it is made, and can be called whatever was imported.
import widemargin
from widemargin.reporting import report
absent("jinja2", "pandas")

# KernelRFE, the default of the command, needs no compiled code.
import numpy as np
X, y = np.random.default_rng(0).random((40, 3)), [0, 1] * 20
widemargin.KernelRFE().fit(X, y)
absent("numba")

import widemargin.reporting.html as part
assert callable(widemargin.report)
assert widemargin.reporting.html is part
absent("jinja2")

# matplotlib is imported only to draw.
import widemargin.plotting
absent("matplotlib")

# Nobody imports Dask without need.
import widemargin.baselines
widemargin.ReliefF().fit(X, y)
absent("dask", "distributed")

# Importing the tools one by one leaves their names.
for m in pkgutil.iter_modules(evaluation.__path__):
    importlib.import_module(f"widemargin.evaluation.{m.name}")
for name in evaluation.__all__:
    assert callable(getattr(evaluation, name)), name
"""


def test_nothing_is_imported_before_it_is_needed():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", STEPS],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
