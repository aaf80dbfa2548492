"""Every block of code in these pages runs: `pytest docs`, a part of `make docs`.

Python blocks of a page share their names, whether they have prompts or not. Commands
run where `credit.csv`, `iris.csv` and `new.csv` are: of ``sh`` blocks the exit code
counts, of ``console`` blocks what is printed, too. `<!-- skip: next "reason" -->`
before a block leaves it out; `<!-- invisible-code-block: python … -->` is not shown.
"""

import doctest
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from sybil import Example, Sybil
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser, SkipParser

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from example_data import write_example_data  # noqa: E402

collect_ignore_glob = ["*.py", "_build/*", "gallery/*", "api/generated/*"]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def in_folder_with_data(namespace: dict) -> None:
    import matplotlib

    matplotlib.use("Agg")
    folder = tempfile.TemporaryDirectory(prefix="widemargin-docs-")
    namespace["_folder"], namespace["_before"] = folder, Path.cwd()
    write_example_data(Path(folder.name))
    os.chdir(folder.name)
    np.random.seed(0)  # noqa: NPY002  the same numbers where a page gives no seed


def leave_folder(namespace: dict) -> None:
    import matplotlib.pyplot as plt

    plt.close("all")
    os.chdir(namespace["_before"])
    namespace["_folder"].cleanup()


def _run(command: str) -> str:
    script = f'widemargin() {{ "{sys.executable}" -m widemargin "$@"; }}\n{command}'
    here = dict(os.environ, COLUMNS="100", NO_COLOR="1", PYTHONWARNINGS="default")
    source = str(HERE.parent / "src")
    here["PYTHONPATH"] = source
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        capture_output=True,
        text=True,
        env=here,
        check=False,
        timeout=600,  # seconds; what takes longer hangs
    )
    if done.returncode:
        raise AssertionError(
            f"{command!r} ended with {done.returncode}:\n{done.stderr}{done.stdout}"
        )
    return done.stdout


def run_shell(example: Example) -> None:
    _run(example.parsed)


def run_console(example: Example) -> str | None:
    """Compare what each `$ command` prints with the lines below it."""
    checker = doctest.OutputChecker()
    for part in ("\n" + example.parsed).split("\n$ ")[1:]:
        command, _, wanted = part.partition("\n")
        while command.endswith("\\"):
            more, _, wanted = wanted.partition("\n")
            command = command[:-1] + more
        got = _run(command)
        pair = doctest.Example(command, wanted.strip("\n") + "\n")
        if not checker.check_output(pair.want, got, FLAGS):
            return checker.output_difference(pair, got, FLAGS)
    return None


pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(doctest_optionflags=FLAGS),
        CodeBlockParser("sh", run_shell),
        CodeBlockParser("console", run_console),
        SkipParser(),
    ],
    patterns=["*.md"],
    setup=in_folder_with_data,
    teardown=leave_folder,
).pytest()


def pytest_collection_modifyitems(items):
    """Blocks may warn, as they do at a user's; nothing else may be wrong."""
    for item in items:
        if item.path.suffix == ".md":
            item.add_marker(pytest.mark.filterwarnings("ignore::UserWarning"))
