"""Ctrl-C at any moment: no crash, no hang, nothing half done."""

import _thread
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from threadpoolctl import threadpool_info, threadpool_limits

from cli_tools import run_main
from settings_tools import changed_settings
from waiting import LONG, wait_until
from widemargin import AutoSelector, GFlip, ReliefF, evaluation, helpers, threads
from widemargin.baselines import FisherScore
from widemargin.evaluation import RankingTree
from widemargin.evaluation._selectors import known_methods
from widemargin.judging import trials
from widemargin.kernels import _jit
from widemargin.threads import Workers, single_threaded_blas

SCRIPT = Path(__file__).parents[1] / "evidence" / "safety" / "interrupts.py"

needs_timer = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="needs an interval timer"
)


@pytest.fixture
def interrupt_after():
    """Call it with seconds until a KeyboardInterrupt.

    Its event `came` is set when it has come, however long that took.
    """

    def arm(seconds):
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def fire(*_):
        arm.came.set()
        raise KeyboardInterrupt

    arm.came = threading.Event()
    before = signal.signal(signal.SIGALRM, fire)
    gc.disable()  # what an interrupt hits in a finalizer is lost
    yield arm
    gc.enable()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def interrupted_again(monkeypatch):
    """Who waits for pieces under way after an interrupt is interrupted once more."""
    rest = threads._Team._rest

    def and_interrupt(self):
        if self.stopped:
            signal.raise_signal(signal.SIGINT)
        rest(self)

    monkeypatch.setattr(threads._Team, "_rest", and_interrupt)


def table(n=300, d=20):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return rng.random((n, d)) + 0.1 * y[:, None], y


@pytest.mark.processes
@pytest.mark.slow  # at random moments; at some that are known: TestFit
@needs_timer
def test_every_method_and_function_survives_interrupts():
    done = subprocess.run(
        [sys.executable, SCRIPT, "--interrupts", "60"],
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 of " in done.stdout


@pytest.mark.processes
@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process")
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_during_gflip_ends_the_command_in_one_line(jobs, tmp_path):
    X, y = table(600, 60)
    data = tmp_path / "data.csv"
    np.savetxt(data, np.column_stack([X, y]), delimiter=",", fmt="%.6f")
    # The signal comes while compiled code runs.
    before = (
        "import os, signal, threading\n"
        "from widemargin.selectors.gflip import FlipSearch\n"
        "epoch = FlipSearch.epoch\n"
        "def interrupted(self, *args):\n"
        "    kill = lambda: os.kill(os.getpid(), signal.SIGINT)\n"
        "    epoch(self, *args)\n"
        "    threading.Timer(0.02, kill).start()\n"
        "    while True:\n"
        "        epoch(self, *args)\n"
        "FlipSearch.epoch = interrupted"
    )
    result = run_main(
        before, "select", data, "--method", "GFlip", "--jobs", jobs, "--no-header"
    )
    assert result.returncode == 130, result.stderr
    assert result.stderr.splitlines()[-1] == "widemargin: interrupted"
    assert "Traceback" not in result.stderr


class TestFit:
    def test_an_unfinished_fit_leaves_the_selector_unfitted(self):
        class Interrupted(ReliefF):
            def _score(self, table, workers):
                raise KeyboardInterrupt

        selector = Interrupted()
        with pytest.raises(KeyboardInterrupt):
            selector.fit(*table())
        assert vars(selector) == selector.get_params()
        with pytest.raises(NotFittedError):
            selector.get_support()

    @pytest.mark.parametrize("name", known_methods())
    def test_an_interrupt_between_pieces_leaves_every_method_unfitted(
        self, name, monkeypatch
    ):
        calls, fatal, run = [], [], Workers.run

        def interrupted(self, *args, **options):
            calls.append(1)
            if [len(calls)] == fatal:
                raise KeyboardInterrupt
            run(self, *args, **options)

        monkeypatch.setattr(Workers, "run", interrupted)
        selector, (X, y) = known_methods()[name](), table(60, 8)
        if "random_state" in selector.get_params():
            selector.set_params(random_state=0)
        y = X[:, 0] if getattr(selector, "_numeric_target", False) else y
        whole = clone(selector).fit(X, y).scores_
        for number in sorted({1, len(calls) // 2, len(calls)} - {0}):
            calls[:], fatal[:] = [], [number]
            unfitted = clone(selector)
            before = vars(unfitted).copy()
            with pytest.raises(KeyboardInterrupt):
                unfitted.fit(X, y)
            assert vars(unfitted) == before
            np.testing.assert_array_equal(unfitted.fit(X, y).scores_, whole)

    @pytest.mark.parametrize(
        "estimator", [ReliefF(), GFlip(random_state=0), FisherScore(), RankingTree()]
    )
    def test_a_failed_second_fit_changes_nothing(self, estimator):
        X, y = table()
        before = vars(estimator.fit(X, y)).copy()
        with pytest.raises(ValueError, match="classes"):
            estimator.fit(X[:, :5], np.zeros(len(X)))
        assert vars(estimator) == before

    def test_a_fit_can_be_repeated(self):
        X, y = table()
        selector = ReliefF().fit(X, y)
        again = ReliefF().fit(X[:, :5], y).fit(X, y)
        np.testing.assert_array_equal(selector.scores_, again.scores_)


class Counted(FisherScore):
    """Is interrupted in fit number ``fatal``, if it comes to that."""

    fits, fatal = 0, 0

    def _score(self, table, workers):
        Counted.fits += 1
        if Counted.fits == Counted.fatal:
            raise KeyboardInterrupt
        return super()._score(table, workers)


class TestEvaluation:
    """An interrupt, in whichever fit, is raised or told; no result is another one."""

    @pytest.fixture(autouse=True)
    def counted(self):
        Counted.fits, Counted.fatal = 0, 0

    def test_no_fit_in_which_an_interrupt_is_swallowed(self):
        X, y = table(60, 4)
        X[:, 0] += y
        X[0] = X[1]  # no feature is a copy of the target
        auto = AutoSelector(Counted(), cv=3, random_state=0, n_jobs=1)
        clone(auto).fit(X, y)
        total = Counted.fits
        assert total == 3 + 1  # folds, all rows
        for number in range(1, total + 1):
            Counted.fits, Counted.fatal = 0, number
            unfitted = clone(auto)
            with pytest.raises(KeyboardInterrupt):
                unfitted.fit(X, y)
            assert Counted.fits == number
            assert vars(unfitted) == unfitted.get_params(deep=False)

    def test_a_comparison_interrupted_in_a_fold_is_not_complete(self):
        X, y = table(60, 4)
        options = {"cv": 3, "n_jobs": 1}
        compare = partial(evaluation.compare, X, y, Counted(), random_state=0)
        assert compare(**options).complete
        assert Counted.fits == 1 + 3  # all rows, the folds
        for number in (3, Counted.fits):
            Counted.fits, Counted.fatal = 0, number
            with pytest.warns(UserWarning, match="not finished: curve, signal"):
                found = compare(**options)
            assert not found.complete
            assert not found.curve.complete
            assert "no answer yet" in found.answer

    def test_an_interrupt_after_the_last_fold_is_not_forgotten(self, monkeypatch):
        X, y = table(60, 4)

        def run(*args):
            original(*args)
            raise KeyboardInterrupt

        original = trials.run
        monkeypatch.setattr(trials, "run", run)
        with pytest.raises(KeyboardInterrupt):
            AutoSelector(["FisherScore"], random_state=0).fit(X, y)
        with pytest.warns(UserWarning, match="15 of 15 fits"):
            curve = evaluation.selection_curve("FisherScore", X, y, cv=15)
        assert not curve.complete


class TestWorkers:
    @needs_timer
    def test_an_interrupted_caller_waits_for_pieces_under_way_only(
        self, interrupt_after
    ):
        begun, ended = [], []

        def piece(number):
            begun.append(number)
            if number == 0:
                interrupt_after(1e-6)
            interrupt_after.came.wait(LONG)
            time.sleep(0.2)
            ended.append(number)

        with pytest.raises(KeyboardInterrupt):
            Workers(2).run(piece, range(50))
        assert sorted(begun) == sorted(ended)
        assert len(begun) < 10

    @needs_timer
    @pytest.mark.usefixtures("interrupted_again")
    def test_a_second_interrupt_ends_the_waiting(self, interrupt_after):
        free, ended, done = threading.Event(), [], []

        def piece(number):
            if number == 0:
                interrupt_after(1e-6)
            free.wait(LONG)
            ended.append(number)

        with pytest.raises(KeyboardInterrupt):
            Workers(2).run(piece, range(50))
        assert ended == []
        free.set()
        Workers(2).run(done.append, range(10))
        assert sorted(done) == list(range(10))

    @needs_timer
    def test_work_inside_a_piece_stops_too(self, interrupt_after):
        done = []

        def inner(number):
            if number == 3:
                interrupt_after(1e-6)
            if number >= 3:
                interrupt_after.came.wait(LONG)
            time.sleep(0.05)
            done.append(number)

        with pytest.raises(KeyboardInterrupt):
            Workers(2).run(lambda _: Workers(1).run(inner, range(200)), range(2))
        assert len(done) < 100

    def test_pieces_with_the_same_claim_do_not_meet(self):
        at_work, met, lock = set(), [], threading.Lock()

        def piece(pair):
            with lock:
                met.extend(at_work & set(pair))
                at_work.update(pair)
            time.sleep(0.001)
            with lock:
                at_work.difference_update(pair)

        pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)]
        Workers(3).run(piece, pairs, claims=set)
        assert not met

    def test_runs_inside_of_runs_have_threads_of_their_own(self):
        done = []
        Workers(3).run(
            lambda _: Workers(3).run(
                lambda _: Workers(2).run(done.append, "ab"), "cde"
            ),
            "fgh",
        )
        assert len(done) == 18

    def test_the_work_is_not_kept_in_memory(self):
        class Data:
            pass

        data = Data()
        gone = weakref.ref(data)
        gc.disable()
        try:
            Workers(2).run(lambda _, data=data: None, range(4))
            with pytest.raises(ZeroDivisionError):
                Workers(2).run(lambda _, data=data: 1 / 0, range(4))
            del data
            wait_until(lambda: gone() is None)
        finally:
            gc.enable()

    def test_threads_are_used_again(self):
        Workers(3).run(lambda _: None, range(9))
        there = _thread._count()
        for _ in range(50):
            Workers(3).run(lambda _: None, range(9))
        assert _thread._count() == there

    @pytest.mark.processes
    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
    def test_a_forked_child_starts_its_own_threads(self):
        script = (
            "import os, sys\n"
            "from widemargin.threads import Workers, single_threaded_blas\n"
            "def both():\n"
            "    done = []\n"
            "    with single_threaded_blas():\n"
            "        Workers(2).run(done.append, range(8))\n"
            "    return len(done)\n"
            "both()\n"
            "child = os.fork()\n"
            "if not child:\n"
            "    os._exit(both())\n"
            "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) - 8)\n"
        )
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script], timeout=LONG, check=False
        )
        assert done.returncode == 0


def blas_threads():
    return {m["num_threads"] for m in threadpool_info() if m["user_api"] == "blas"}


def assert_soon(expected):
    """Without `Workers` around the block, a helper restores BLAS when it gets to it."""
    wait_until(lambda: blas_threads() == expected)


class TestSingleThreadedBlas:
    @pytest.fixture(autouse=True)
    def two_threads(self):
        with threadpool_limits(2, "blas"):
            yield

    def test_blocks_that_overlap_restore_what_was_there(self):
        first, second = single_threaded_blas(), single_threaded_blas()
        with first:
            assert blas_threads() == {1}
            second.__enter__()
        assert blas_threads() == {1}
        second.__exit__(None, None, None)
        assert_soon({2})

    def test_concurrent_fits_restore_what_was_there(self):
        X, y = table()

        def fit():
            for _ in range(10):
                ReliefF(n_jobs=1).fit(X, y)

        at_once = [threading.Thread(target=fit) for _ in range(3)]
        for thread in at_once:
            thread.start()
        for thread in at_once:
            thread.join()
        assert blas_threads() == {2}

    def test_an_error_in_the_block_restores_what_was_there(self):
        with pytest.raises(KeyboardInterrupt), single_threaded_blas():
            raise KeyboardInterrupt
        assert_soon({2})

    @pytest.mark.parametrize(
        "work",
        [
            lambda X, y: ReliefF().fit(X, y),
            lambda X, y: evaluation.selection_curve("FisherScore", X, y, cv=3),
            lambda X, y: evaluation.significance("FisherScore", X, y),
            lambda X, y: evaluation.significance("RReliefF", X, X[:, 0]),
        ],
    )
    def test_what_was_there_is_restored_before_a_call_returns(self, work, monkeypatch):
        limited, set_threads = [], helpers._set_blas_threads

        def slow_to_restore(numbers):
            numbers = list(numbers)
            if set(numbers) == {1}:
                limited.append(True)
            else:
                time.sleep(0.2)
            set_threads(numbers)

        monkeypatch.setattr(helpers, "_set_blas_threads", slow_to_restore)
        with changed_settings(small_table_rows=0):
            work(*table(90, 4))
        assert limited
        assert blas_threads() == {2}

    def test_leaving_a_block_does_not_end_that_of_another_thread(self):
        inside, leave = threading.Event(), threading.Event()

        def other():
            with single_threaded_blas():
                inside.set()
                leave.wait(LONG)

        thread = threading.Thread(target=other)
        thread.start()
        inside.wait(LONG)
        with Workers(1), single_threaded_blas():
            pass
        assert blas_threads() == {1}
        leave.set()
        thread.join()
        assert_soon({2})

    @needs_timer
    @pytest.mark.usefixtures("interrupted_again")
    def test_threads_that_outlive_their_caller_do_not_restore_the_limit(
        self, interrupt_after
    ):
        free, both, ended = threading.Event(), threading.Barrier(2), []

        def piece(number):
            both.wait(LONG)
            before = [library.get_num_threads() for library in helpers._blas()]
            if number == 0:
                interrupt_after(1e-6)
            free.wait(LONG)
            helpers._set_blas_threads(before)  # as scikit-learn's search does
            ended.append(number)

        with pytest.raises(KeyboardInterrupt), single_threaded_blas():
            Workers(2).run(piece, range(2))
        assert ended == []
        free.set()
        wait_until(lambda: len(ended) == 2)
        assert_soon({2})

    @needs_timer
    def test_interrupts_around_the_block_restore_what_was_there(self, interrupt_after):
        rng = np.random.default_rng(0)
        count = 0
        for _ in range(100):
            try:
                interrupt_after(rng.random() * 3e-4 + 1e-6)
                for _ in range(100):
                    with single_threaded_blas():
                        pass
                time.sleep(1)
            except KeyboardInterrupt:
                count += 1
        assert count == 100
        assert_soon({2})


class TestKernels:
    def test_a_kernel_that_returns_more_than_a_number_is_refused(self):
        @_jit.jit
        def pair(x):
            return x, x

        with pytest.raises(TypeError, match=r"returns UniTuple.*a number or nothing"):
            pair(1)

    def test_compiled_outside_of_the_main_thread(self):
        where = _jit._compile_aside(threading.current_thread)
        assert where is not threading.main_thread()

    def test_what_is_wrong_with_the_code_is_told(self):
        with pytest.raises(ZeroDivisionError):
            _jit._compile_aside(lambda: 1 / 0)

    @needs_timer
    def test_an_interrupt_comes_after_compiling(self, interrupt_after):
        done = []

        def compile_for(value):
            interrupt_after(1e-6)
            interrupt_after.came.wait(LONG)
            time.sleep(0.1)
            done.append(value)

        with pytest.raises(KeyboardInterrupt):
            _jit._compile_aside(compile_for, 5)
        assert done == [5]
