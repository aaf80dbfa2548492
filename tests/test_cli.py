"""The command, run as its users run it: as a process of its own."""

import os
import re
import subprocess
import sys
from contextlib import suppress
from threading import Thread

import pytest

from widemargin._version import __version__

pytest.importorskip("click")
pytest.importorskip("rich")


def run(*arguments, **streams):
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE"}
    }
    return subprocess.run(
        [sys.executable, *arguments],
        text=True,
        env=environment,
        stdin=subprocess.DEVNULL,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
        timeout=300,
        check=False,
    )


def run_main(before, *arguments):
    """Run the command after some lines that prepare the interpreter."""
    return run(
        "-c",
        f"import sys; sys.argv = {['widemargin', *arguments]!r}\n{before}\n"
        "from widemargin.cli.main import main\nsys.exit(main())",
    )


@pytest.fixture(scope="module")
def demo():
    return run("-m", "widemargin", "demo")


def test_help_lists_every_command_with_a_sentence():
    result = run("-m", "widemargin", "--help")
    assert result.returncode == 0
    assert result.stdout.startswith("Usage: widemargin ")
    assert re.search(r"^  demo +Rank a bundled data set", result.stdout, re.MULTILINE)


def test_version():
    result = run("-m", "widemargin", "--version")
    assert result.returncode == 0
    assert result.stdout.split() == ["widemargin", __version__]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["demo", "--help"]])
def test_help_and_version_import_nothing_heavy(arguments):
    result = run_main(
        "import atexit\n"
        "heavy = {'numpy', 'numba', 'sklearn', 'scipy', 'pandas', 'rich'}\n"
        "atexit.register(lambda: print('loaded:', sorted(heavy & set(sys.modules))))",
        *arguments,
    )
    assert result.returncode == 0
    assert result.stdout.endswith("loaded: []\n")


def test_unknown_command_is_named_with_exit_code_2():
    result = run("-m", "widemargin", "dmeo")
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
        "def interrupted():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(60)\n"
        "sklearn.datasets.load_breast_cancer = interrupted",
        "demo",
    )
    assert result.returncode == 130
    assert result.stdout == ""
    assert result.stderr == "widemargin: interrupted\n"


def test_demo_prints_one_readable_table_when_piped(demo):
    assert demo.returncode == 0
    assert demo.stderr == ""
    assert "\x1b" not in demo.stdout
    lines = demo.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    header = next(i for i, line in enumerate(lines) if line.startswith("feature"))
    assert lines[header].split()[-4:] == ["Relief", "ReliefF", "Simba", "GFlip"]
    assert lines[header + 13].startswith("18 more")


def test_demo_sorts_by_mean_rank_and_marks_the_set_of_gflip(demo):
    row = r"^(\w[a-z ]+?) +(\d+\.\d) +(\d+) +(\d+) +(\d+) +(\d+)( \*)? *$"
    rows = re.findall(row, demo.stdout, re.MULTILINE)
    assert len(rows) == 12
    means = [float(mean) for _, mean, *_ in rows]
    assert means == sorted(means)
    for _, mean, *ranks, _ in rows:
        assert sum(map(int, ranks)) / 4 == pytest.approx(float(mean), abs=0.06)
    kept = [int(rank) for *_, rank, mark in rows if mark]
    left = [int(rank) for *_, rank, mark in rows if not mark]
    assert kept
    assert max(kept) < min(left, default=31)


def test_demo_says_what_each_method_kept_and_how_well_neighbours_do(demo):
    row = r"^(Relief|ReliefF|Simba|GFlip) +(\d+) +([\d.]+)% +\d+ ms +\w+"
    rows = re.findall(row, demo.stdout, re.MULTILINE)
    assert [name for name, *_ in rows] == ["Relief", "ReliefF", "Simba", "GFlip"]
    assert [int(kept) for _, kept, _ in rows][:3] == [10, 10, 10]
    assert all(float(accuracy) > 90 for *_, accuracy in rows)
    assert "95.3% of the time with all 30" in " ".join(demo.stdout.split())


def test_quiet_changes_nothing_on_stdout(demo):
    def without_times(text):
        return re.sub(r" *\d+ ms", "", text)

    quiet = run("-m", "widemargin", "demo", "--quiet")
    assert quiet.returncode == 0
    assert quiet.stderr == ""
    assert without_times(quiet.stdout) == without_times(demo.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX terminal")
@pytest.mark.parametrize("quiet", [False, True])
def test_progress_bar_is_on_the_terminal_unless_quiet(quiet):
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
        arguments = ["demo", "--quiet"] if quiet else ["demo"]
        result = run("-m", "widemargin", *arguments, stderr=theirs)
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)
    assert result.returncode == 0
    assert "\x1b" not in result.stdout
    assert (b"GFlip" in shown) is not quiet


def test_methods_lists_every_method_with_its_paper():
    listed = run("-m", "widemargin", "methods")
    assert listed.returncode == 0
    for word in ("ReliefF", "GFlip", "FCBF", "ordered", "Kononenko 1994"):
        assert word in listed.stdout
