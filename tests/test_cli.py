"""The command, run as its users run it: as a process of its own."""

import os
import re
import sys
from contextlib import suppress
from threading import Thread

import pytest
from sklearn.datasets import load_breast_cancer

from cli_tools import imported_by, run, run_main
from widemargin import AutoSelector
from widemargin._version import __version__

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo with a terminal for stderr, if there are terminals."""
    folder = tmp_path_factory.mktemp("demo")
    if sys.platform == "win32":
        return folder, run("demo", cwd=folder), None
    return folder, *run_on_terminal("demo", cwd=folder)


def run_on_terminal(*arguments, **streams):
    """Run with a terminal for stderr; return what the process and the terminal say."""
    ours, theirs = os.openpty()
    shown = bytearray()

    def read():
        # A terminal whose other end is closed answers with an error, not with nothing.
        with suppress(OSError):
            while chunk := os.read(ours, 4096):
                shown.extend(chunk)

    # Read while it runs: a full terminal buffer would stop it.
    reader = Thread(target=read)
    reader.start()
    try:
        result = run(*arguments, stderr=theirs, **streams)
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)
    return result, bytes(shown)


@pytest.mark.parametrize("arguments", [["--help"], []])
def test_help_lists_every_command_with_a_sentence(arguments):
    result = run(*arguments)
    assert result.returncode == 0
    assert result.stdout.startswith("Usage: widemargin ")
    assert re.search(r"\n  demo +Choose features of a bundled", result.stdout)


def test_version():
    result = run("--version")
    assert result.returncode == 0
    assert result.stdout.split() == ["widemargin", __version__]


def test_help_and_version_import_nothing_heavy():
    heavy = {"numpy", "numba", "sklearn", "scipy", "pandas", "rich"}
    calls = [["--help"], ["--version"], ["demo", "--help"]]
    assert imported_by(heavy, calls) == [(0, [])] * 3


def test_unknown_command_is_named_with_exit_code_2():
    result = run("dmeo")
    assert result.returncode == 2
    assert "dmeo" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("package", ["click", "rich"])
def test_missing_package_is_one_sentence_that_says_what_to_install(package):
    result = run_main(f"sys.modules[{package!r}] = None", "demo")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert 'pip install "widemargin[cli]"' in result.stderr
    assert package in result.stderr


def test_an_error_of_our_own_is_not_taken_for_a_missing_package():
    result = run_main("sys.modules['sklearn.datasets'] = None", "demo")
    assert result.returncode == 1
    assert "ModuleNotFoundError" in result.stderr
    assert "pip install" not in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_interrupt_is_one_line_and_exit_code_130():
    result = run_main(
        "import os, signal, time, sklearn.datasets\n"
        "def interrupted(**_):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(60)\n"
        "sklearn.datasets.load_breast_cancer = interrupted",
        "demo",
    )
    assert result.returncode == 130
    assert result.stdout == ""
    assert result.stderr == "widemargin: interrupted\n"


def test_demo_prints_the_answer_and_where_the_report_is(demo):
    folder, result, _ = demo
    assert result.returncode == 0
    assert "\x1b" not in result.stdout
    bunch = load_breast_cancer(as_frame=True)
    labels = bunch.target_names[bunch.target]
    auto = AutoSelector(random_state=0).fit(bunch.data, labels)
    found = re.findall(r"^(\w[a-z ]+?) {2,}kept ", result.stdout, re.MULTILINE)
    assert set(found) == set(auto.get_feature_names_out())
    assert f"\n{len(found)} of 30 features, as KernelRFE ranks" in result.stdout
    assert f"% ± {100 * auto.score_stderr_:.1f}" in result.stdout.split("\n\n")[1]
    assert "1-NN" in result.stdout
    assert max(map(len, result.stdout.splitlines()[7:])) <= 80
    assert result.stdout.rstrip().endswith("widemargin-demo.html")
    assert os.listdir(folder) == ["widemargin-demo.html"]
    page = (folder / "widemargin-demo.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "worst concave points" in page


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX terminal")
def test_progress_and_a_first_ranking_are_on_the_terminal(demo):
    _, result, shown = demo
    assert b"100%" in shown
    assert b"First ranking, by KernelRFE: worst " in shown
    assert "First ranking" not in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX terminal")
def test_quiet_leaves_the_terminal_alone(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,c\n" + "1,2,x\n4,3,y\n" * 20)
    result, shown = run_on_terminal("rank", "x.csv", "-m", "Simba", "-q", cwd=tmp_path)
    assert result.returncode == 0
    assert shown == b""


def test_methods_lists_every_method_with_its_paper():
    listed = run("methods")
    assert listed.returncode == 0
    for word in ("ReliefF", "GFlip", "FCBF", "ordered", "Kononenko 1994"):
        assert word in listed.stdout
