import itertools
import os
import signal
import sys
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from settings_tools import changed_settings

# Written for other packages, and run with another import by test_compat.py.
collect_ignore = ["scripts", "typing"]

# A shell that starts the tests in the background has Ctrl-C ignored, here and by what
# is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine takes its time to start a process that Dask waits for.
os.environ.setdefault("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "600s")

# The same few examples every time, and no word about how long they take, which is up to
# the machine. New examples, and four times as many:
# `pytest --hypothesis-profile=search`.
settings.register_profile(
    "search", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "same", settings.get_profile("search"), derandomize=True, max_examples=25
)
settings.load_profile("same")

# Files that take long begin. The first compiles what most others use, the next ones do
# not use it, so that two processes hardly compile the same.
FIRST = [
    "common",
    "common_baselines",
    "ranking_tree",
    "cli_reading",
    "plotting",
    "frames",
    "targets",
    "kernel_cache",
    "report_browser",
    "warm",
    "cli",
    "dask_cluster",
]


def pytest_configure(config):
    """Let xdist keep the order of files."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items):
    """Begin with files that take long, and go on with those of many tests."""
    count = Counter(item.path for item in items)
    first = {f"test_{name}.py": place for place, name in enumerate(FIRST)}
    items.sort(key=lambda i: (first.get(i.path.name, len(first)), -count[i.path]))


def pytest_collection_finish():
    """Replace the clock, for tests and doctests.

    Tables show how long fits take, and so do logs. Here, everything takes one tick,
    however busy the machine is.
    """
    # Imported here: the process that only hands out tests does not come here, and the
    # others do not start before it has read this file.
    from widemargin import progress
    from widemargin.judging import trials

    ticks = itertools.count(2**10, 2**-20)
    trials.time = SimpleNamespace(perf_counter=ticks.__next__)
    progress.monotonic = ticks.__next__


@pytest.fixture(autouse=True, scope="module")
def scheduler_as_before():
    """Clients that close out of order leave Dask with a scheduler that is gone."""
    yield
    if "dask" in sys.modules:
        sys.modules["dask"].config.config.pop("scheduler", None)


def seconds_in_processes():
    """Processor time of processes that were started here and have ended."""
    times = os.times()
    return times.children_user + times.children_system


STARTED = pytest.StashKey[float]()
# Readers of AnnData and MATLAB look at a file in another process first, for some tenths
# of a second of processor time; much more on a slow machine that has compiled nothing.
ALLOWED = 5.0


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    """Note the time, before a fixture may start a process."""
    item.stash[STARTED] = seconds_in_processes()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    """Fail a test that starts processes without the mark, which would slow the rest."""
    result = yield
    spent = seconds_in_processes() - item.stash[STARTED]
    marks = {mark.name for mark in item.iter_markers()}
    of_evidence = "evidence" in item.path.parts  # these have a target of their own
    if spent > ALLOWED and not of_evidence and not marks & {"processes", "entry_point"}:
        pytest.fail(
            f"This test spent {spent:.1f} seconds in processes it started. Mark "
            "it with @pytest.mark.processes, or use cli_tools.invoke instead of run."
        )
    return result


@pytest.fixture(autouse=True)
def small_data_like_large():
    """Use threads and the compiled search for the small data of tests, too."""
    with changed_settings(single_thread_work=0, small_table_rows=0):
        yield


@pytest.fixture(autouse=True)
def same_random_numbers():
    """Draw the same numbers every time where a test gives no `random_state`."""
    np.random.seed(0)  # noqa: NPY002
