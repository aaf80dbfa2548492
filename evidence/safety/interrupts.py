"""Ctrl-C at random moments of every method and every evaluation function.

    python evidence/safety/interrupts.py                       2 000 interrupts
    python evidence/safety/interrupts.py --interrupts 200 --seed 1
    python evidence/safety/interrupts.py --only GFlip ReliefF

Each method is fitted, and each function called, many times with one and with two
threads. A timer interrupts the call at a random moment of its usual duration; every
fourth time it interrupts again shortly afterwards. What must come of it:

- KeyboardInterrupt, a finished call with the same result as without the interrupt, or
  (`selection_curve`, `compare`, `significance`) what was finished by then, marked as
  incomplete;
- a selector as it was before the fit, or a fitted one, nothing in between;
- the right result of the next call, and BLAS and OpenMP with as many threads as before.

Work is done in another process, whose crash (a signal) or hang (no word from it for a
while) is noted before the rest goes on in a new one. Exit code 1 if there was any. For
systems with interval timers, which Windows is not.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import select
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

WARM, QUIET = 900, 300  # seconds for the first call, which may compile, and the others
Check = Callable[[Any], bytes]


class Subject(NamedTuple):
    """What is interrupted: a call with a number of threads, and its result in bytes."""

    call: Callable[[int], Any]
    digest: Check
    selector: Any = None


def subjects() -> dict[str, Subject]:
    """All methods and functions by name."""
    import widemargin
    from widemargin import baselines, evaluation, margin
    from widemargin.base import MarginSelector

    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 90)
    X = rng.random((270, 24)) + 0.2 * y[:, None] * (np.arange(24) < 5)
    few = slice(0, 270, 2)
    fast = {"cv": 3, "n_features": [3, 9], "random_state": 0}
    fisher, relief = baselines.FisherScore(), widemargin.ReliefF()
    told = {
        "selection_curve": lambda jobs: evaluation.selection_curve(
            [fisher, relief], X, y, **fast, n_jobs=jobs
        ),
        "significance": lambda jobs: evaluation.significance(
            relief, X[few], y[few], n_permutations=19, random_state=0, n_jobs=jobs
        ),
        "significance of any selector": lambda jobs: evaluation.significance(
            fisher, X, y, n_permutations=19, random_state=0, n_jobs=jobs
        ),
        "resample": lambda jobs: evaluation.resample(
            relief, X, y, n=6, random_state=0, n_jobs=jobs
        ),
        "agreement": lambda jobs: evaluation.agreement(
            {"a": relief.fit(X, y), "b": fisher.fit(X, y)}
        ),
        "redundancy": lambda jobs: evaluation.redundancy(X, y, n_jobs=jobs),
        "profile": lambda jobs: evaluation.profile(X, y),
        "compare": lambda jobs: evaluation.compare(
            X[few], y[few], [fisher, relief], **fast, n_jobs=jobs
        ),
        "signal": lambda jobs: evaluation.signal(
            X, y, n_permutations=99, random_state=0, n_jobs=jobs
        ),
        "AutoSelector": lambda jobs: widemargin.AutoSelector(
            [fisher, relief], cv=3, random_state=0, n_jobs=jobs
        ).fit(X, y),
        "TuRF": lambda jobs: widemargin.TuRF(widemargin.ReliefF(n_jobs=jobs)).fit(X, y),
        "RankingTree": lambda jobs: evaluation.RankingTree().fit(X, y).predict(X),
        "hypothesis_margins": lambda jobs: margin.hypothesis_margins(X, y),
        "margin.evaluation": lambda jobs: margin.evaluation(X, y, utility="sigmoid"),
        "generalization_bound": lambda jobs: margin.generalization_bound(
            X, y, features=range(5), gamma=0.1
        ),
    }
    found = {name: Subject(call, _digest) for name, call in told.items()}
    for module, name in [
        *((widemargin, name) for name in widemargin.__all__),
        *((baselines, name) for name in baselines.__all__),
    ]:
        kind = getattr(module, name)
        if isinstance(kind, type) and issubclass(kind, MarginSelector):
            found[name] = _fit(kind, X, y)
    return found


def _fit(kind: type, X: np.ndarray, y: np.ndarray) -> Subject:
    settings: dict[str, Any] = {"n_features_to_select": 3}
    if "random_state" in kind().get_params():
        settings["random_state"] = 0

    def call(jobs: int) -> Any:
        return kind(**settings, n_jobs=jobs).fit(X, y)

    return Subject(call, _digest, (kind, settings, X, y))


def _digest(result: Any) -> bytes:
    """What is to be the same whenever the same call is made."""
    if hasattr(result, "scores_"):
        chosen = [getattr(result, a, None) for a in ("method_", "score_", "signal_")]
        return b"".join(
            [result.scores_.tobytes(), result.support_.tobytes(), _text(chosen)]
        )
    if hasattr(result, "selectors"):  # a comparison, whose times differ
        scores = [s.scores_.tobytes() for s in result.selectors.values()]
        told = [result.answer, result.signal_test, result.notes]
        if result.recommendation is not None:
            told.append(result.features.to_csv())
        return b"".join([*scores, _text(told)])
    frame = getattr(result, "frame", None)
    if frame is not None:
        return frame.drop(columns="fit_time", errors="ignore").to_csv().encode()
    return (
        repr(np.asarray(result)).encode() if np.ndim(result) else repr(result).encode()
    )


def _text(values: Any) -> bytes:
    return repr(values).encode()


class Timer:
    """Raises KeyboardInterrupt in the main thread, once or twice, while armed."""

    def __init__(self) -> None:
        self.armed, self.left = False, 0
        signal.signal(signal.SIGALRM, self._fire)

    def _fire(self, *_: Any) -> None:
        self.left -= 1
        if self.left <= 0:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if self.armed:
            raise KeyboardInterrupt

    def interrupt(self, call: Callable[[], Any], after: float, again: float) -> Any:
        """What the call returns; None if it was interrupted."""
        result, self.left = None, 2 if again else 1
        self.armed = True
        try:
            signal.setitimer(signal.ITIMER_REAL, after, again)
            result = call()
        except KeyboardInterrupt:
            self.armed = False
        self.armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        return result


def attack(subject: Subject, jobs: int, count: int, dice: random.Random) -> Counter:
    """Interrupt a call so many times; how often it ended how."""
    os.environ["NUMBA_NUM_THREADS"] = str(jobs)  # for functions without n_jobs
    right = subject.digest(subject.call(jobs))
    duration = min(_seconds(subject, jobs) for _ in range(min(count, 3)))
    say("warm")
    ends: Counter = Counter()
    timer = Timer()
    for turn in range(count):
        after = 1e-6 + dice.random() * duration
        again = dice.random() * 0.1 * duration + 1e-5 if turn % 4 == 3 else 0
        if subject.selector is None:
            result = timer.interrupt(lambda: subject.call(jobs), after, again)
            if result is None:
                ends["interrupted"] += 1
            elif not getattr(result, "complete", True):
                ends["incomplete"] += 1
            elif subject.digest(result) == right:
                ends["finished"] += 1
            else:
                ends["WRONG"] += 1
        else:
            ends[_attack_fit(subject, jobs, timer, after, again, right, turn)] += 1
        if subject.digest(subject.call(jobs)) != right:
            ends["NEXT WRONG"] += 1
        say("turn")
    return ends


def _seconds(subject: Subject, jobs: int) -> float:
    began = time.perf_counter()
    subject.call(jobs)
    return time.perf_counter() - began


def _attack_fit(
    subject: Subject,
    jobs: int,
    timer: Timer,
    after: float,
    again: float,
    right: bytes,
    turn: int,
) -> str:
    kind, settings, X, y = subject.selector
    selector = kind(**settings, n_jobs=jobs)
    if turn % 2:  # a fitted one
        selector.fit(X[::3, ::-1], y[::3])
    before = vars(selector).copy()
    finished = timer.interrupt(lambda: selector.fit(X, y), after, again)
    now = vars(selector)
    if now.keys() == before.keys() and all(now[k] is before[k] for k in now):
        return "interrupted" if finished is None else "NOTHING DONE"
    whole = hasattr(selector, "support_") and hasattr(selector, "n_features_")
    return "finished" if whole and subject.digest(selector) == right else "HALF FITTED"


def library_threads() -> dict[str, int]:
    return {m["filepath"]: m["num_threads"] for m in threadpool_info()}


def say(*words: Any) -> None:
    print(*words, sep="\t", flush=True)


def work(names: list[str], count: int, seed: int) -> None:
    """In a process of its own: attack one subject after the other."""
    from widemargin.settings import Settings, using

    faulthandler.enable()
    warnings.simplefilter("ignore")
    # Threads and compiled code also for a table on which a fit takes no time.
    with using(Settings(single_thread_work=0, small_table_rows=0)):
        attack_each(names, count, seed)


def attack_each(names: list[str], count: int, seed: int) -> None:
    known = subjects()
    import scipy.linalg  # noqa: F401  has a BLAS of its own

    threadpool_limits(2, "blas")
    threads = library_threads()
    for label in names:
        name, jobs = label.split("/")
        say("begin", label)
        dice = random.Random(f"{seed} {label}")
        ends = attack(known[name], int(jobs), count, dice)
        for _ in range(1200):
            if library_threads().items() >= threads.items():
                break
            time.sleep(0.05)
        else:
            ends["THREADS LIMITED"] += 1
        say("end", label, *(f"{n} {end}" for end, n in sorted(ends.items())))


def attack_all(labels: list[str], count: int, seed: int) -> dict[str, str]:
    """What came of each subject, in as many processes as it takes."""
    found: dict[str, str] = {}
    while left := [label for label in labels if label not in found]:
        command = [sys.executable, __file__, "--interrupts", str(count)]
        process = subprocess.Popen(
            [*command, "--seed", str(seed), "--work", *left],
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        at, problem = _listen(process, found)
        if problem:
            found[at or left[0]] = problem
    return found


def _listen(process: subprocess.Popen, found: dict[str, str]) -> tuple[str, str]:
    """Take down what a process says; the subject at which it ended badly, and how."""
    assert process.stdout is not None
    at, patience = "", WARM
    while True:
        ready, _, _ = select.select([process.stdout], [], [], patience)
        if not ready:
            process.send_signal(signal.SIGABRT)  # faulthandler says where
            process.wait()
            return at, "HANG"
        line = process.stdout.readline().decode().rstrip("\n")
        if not line:
            code = process.wait()
            return (at, f"CRASH, exit code {code}") if code else ("", "")
        word, *rest = line.split("\t")
        patience = QUIET if word in {"warm", "turn"} else WARM
        if word == "begin":
            at = rest[0]
        elif word == "end":
            found[rest[0]] = ", ".join(rest[1:])
            print(f"{rest[0]:32} {found[rest[0]]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--interrupts", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--work", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        work(chosen.work, chosen.interrupts, chosen.seed)
        return
    names = chosen.only or list(subjects())
    labels = [f"{name}/{jobs}" for name in names for jobs in (1, 2)]
    each = -(-chosen.interrupts // len(labels))
    found = attack_all(labels, each, chosen.seed)
    bad = {label: end for label, end in found.items() if end != end.lower()}
    print(f"{each * len(labels)} interrupts, {len(bad)} of {len(labels)} went wrong")
    for label, end in bad.items():
        print(f"{label}: {end}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
