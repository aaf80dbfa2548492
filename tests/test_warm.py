"""After `warm`, first fits compile nothing; it says where the code is."""

import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import widemargin
from cli_tools import invoke
from widemargin import warm
from widemargin.warming import Warmed

pytestmark = pytest.mark.processes

PACKAGE = Path(widemargin.__file__).parent

# Fits of each kind, at sizes that real tables have. Prints how many functions were
# compiled, how many were loaded, and which method compiled something.
FITS = """
import sys, warnings
import numpy as np
from widemargin.kernels._jit import cache_counts
from widemargin.evaluation._selectors import known_methods
warnings.simplefilter("ignore")
rng = np.random.default_rng(1)
guilty = []
for name in sys.argv[1:] or known_methods():
    for n, d in ((300, 8), (1000, 30), (260, 900)):
        X = rng.normal(size=(n, d))
        number = X[:, 0] + X[:, 1]
        y = np.digitize(number, [-0.5, 0.5])
        with_gaps = np.where(rng.random(X.shape) < 0.03, np.nan, X)
        for kept in (2, "auto"):
            if kept == "auto" and d > 100:
                continue
            selector = known_methods()[name](n_features_to_select=kept)
            if "verbose" not in selector.get_params():
                continue
            before = cache_counts().compiled
            target = number if selector._numeric_target else y
            selector.fit(X, target)
            if selector._mixed:
                selector.fit(with_gaps, target)
            if cache_counts().compiled > before:
                guilty.append((name, n, d, kept))
if not sys.argv[1:]:
    from widemargin.evaluation import RankingTree, significance
    before = cache_counts().compiled
    significance("ReliefF", with_gaps, y, n_permutations=5, random_state=0)
    RankingTree().fit(X, y).predict(X)
    if cache_counts().compiled > before:
        guilty.append("evaluation")
print(*cache_counts(), guilty)
"""


def run_python(code, *arguments, package=PACKAGE.parent, **options):
    """Run code in a new process, with the compiled code of NUMBA_CACHE_DIR only."""
    variables = options.pop("env", {})
    return subprocess.run(
        [sys.executable, "-B", "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(package), **variables},
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
        **options,
    )


@pytest.fixture
def package(tmp_path):
    """A copy of the package beside which nothing is compiled."""
    shutil.copytree(
        PACKAGE, tmp_path / "widemargin", ignore=shutil.ignore_patterns("*.nbc")
    )
    return tmp_path


COMMAND = "import sys\nfrom widemargin.cli.main import main\nsys.exit(main())"
# The command, and then the fits.
BOTH = (
    """
import sys
from widemargin.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code, end
sys.argv[1:] = ["FCBF"]
"""
    + FITS
)


def test_a_warmed_method_compiles_nothing_in_another_process(package):
    cache = {"NUMBA_CACHE_DIR": str(package / "cache")}
    command = ["warm", "--method", "fcbf", "--json"]
    first, second = (
        run_python(code, *command, package=package, env=cache)
        for code in (COMMAND, BOTH)
    )
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    warmed = json.loads(first.stdout)
    again, end = json.JSONDecoder().raw_decode(second.stdout)
    assert warmed["n_compiled"] > 0
    assert warmed["processor_seconds"] > 0
    assert Path(warmed["folder"]).is_relative_to(package / "cache")
    assert list(Path(warmed["folder"]).rglob("*.nbc"))
    assert (again["n_compiled"], again["n_found"] > 0) == (0, True)
    assert second.stdout[end:].strip().startswith("0 "), second.stdout


@pytest.mark.skipif(os.name != "posix", reason="limits are those of POSIX")
def test_where_nothing_can_be_kept_the_command_fails_in_a_line(package):
    full_disk = (
        "import joblib, resource\n"  # joblib would say something of its own
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    )
    done = run_python(full_disk + COMMAND, "warm", "-q", "-m", "FCBF", package=package)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("widemargin: the compiled code cannot be cached: writing to")
    assert "Set NUMBA_CACHE_DIR" in line


def test_selectors_and_names_are_taken():
    from widemargin.baselines import FisherScore

    for methods in ("PearsonScore", ["pearsonscore", FisherScore(2)]):
        assert warm(methods).problem is None
    with pytest.raises(ValueError, match="There is no method 'Nope'"):
        warm("Nope")


def test_unknown_methods_are_refused():
    result = invoke("warm", "-m", "relif")
    assert result.exit_code == 2
    assert "there is no method 'relif'. Did you mean 'Relief'" in result.output


@pytest.mark.slow
def test_after_warming_everything_first_fits_compile_nothing(package):
    cache = {"NUMBA_CACHE_DIR": str(package / "cache")}
    assert run_python(COMMAND, "warm", package=package, env=cache).returncode == 0
    done = run_python(FITS, package=package, env=cache)
    assert done.stdout.startswith("0 "), done.stdout + done.stderr


def test_warnings_of_what_is_fitted_are_not_shown(monkeypatch):
    def careless(chosen, verbose):
        warnings.simplefilter("always")
        warnings.warn("said in a thread of another package", stacklevel=1)
        return Warmed(0, 0, 0.0, 0.0, None, None)

    monkeypatch.setattr("widemargin.warming.warm", careless)
    result = invoke("warm", "-m", "FisherScore")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "Nothing was left to compile.\n"
