"""mypy and pyright know parameters, what `fit` returns, and fitted attributes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import widemargin

SCRIPT = Path(__file__).parent / "typing" / "user_script.py"
SOURCE = Path(widemargin.__file__).parents[1]


@pytest.fixture
def script(tmp_path):
    """The script in a folder of its own, as a user has it."""
    (tmp_path / "script.py").write_text(SCRIPT.read_text())
    return tmp_path / "script.py"


@pytest.mark.processes
@pytest.mark.slow
def test_mypy_understands_a_users_script(script, monkeypatch):
    pytest.importorskip("mypy")
    monkeypatch.setenv("MYPYPATH", str(SOURCE))
    (script.parent / "mypy.ini").write_text(
        "[mypy]\nwarn_unused_ignores = True\nfollow_imports = silent\n"
        "[mypy-sklearn.*,scipy.*,numba.*,llvmlite.*,pandas.*]\n"
        "ignore_missing_imports = True\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "script.py"],
        cwd=script.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.processes
@pytest.mark.slow
def test_pyright_understands_a_users_script(script):
    # basedpyright is pyright in a wheel that brings its own node.
    pytest.importorskip("basedpyright")
    settings = {
        "typeCheckingMode": "standard",
        "include": ["script.py"],
        "extraPaths": [str(SOURCE)],
        "enableTypeIgnoreComments": False,
        "reportUnnecessaryTypeIgnoreComment": "error",
        "reportMissingTypeStubs": False,
    }
    (script.parent / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable],
        cwd=script.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
