"""Two versions of the package, fit by fit in turn, and whether their scores agree.

    git worktree add ../old COMMIT
    python evidence/speed/old_against_new.py ../old .            all cases
    python evidence/speed/old_against_new.py ../old . relieff-a  some of them
    python evidence/speed/old_against_new.py ../old . --first    first fits, 1000 × 20

Each version runs in a process of its own, warmed up by one fit. They take turns, so
that what else the machine does slows both alike; shown is the median of the ratios of
neighbouring fits, new over old, by the clock and by processor time. Scores are compared
feature by feature, relatively to the largest.

A first fit runs in a new process on a copy of the version, with an empty cache folder;
"cached" is the same in another new process that finds what the first has compiled.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

THREADS = 2
SIZES = {  # rows, features, classes
    "a": (1000, 500, 2),
    "b": (2600, 500, 2),
    "c": (200, 10000, 2),
    "d": (5000, 100, 10),
    "e": (20000, 50, 2),
}

METHODS: dict[str, dict[str, Any]] = {
    "Relief": {},
    "ReliefF": {},
    "Simba": {"random_state": 0},
    "GFlip": {"random_state": 0},
    "LMBA": {"random_state": 0},
    "IPCMSR": {},
    "IPICSR": {},
    "OReliefF": {},
    "OSimba": {"random_state": 0},
    "FRLL": {},
}
# method, parameters, and size: rows, features, classes
CASES: dict[str, tuple[str, dict[str, Any], tuple[int, int, int]]] = {
    **{f"relieff-{name}": ("ReliefF", {}, size) for name, size in SIZES.items()},
    "relieff-manhattan": ("ReliefF", {"metric": "manhattan"}, (2600, 500, 2)),
    "relieff-manhattan-few": ("ReliefF", {"metric": "manhattan"}, (5000, 50, 2)),
    "relieff-k100": ("ReliefF", {"n_neighbors": 100}, SIZES["b"]),
    "auto": ("ReliefF", {"n_features_to_select": "auto"}, (1000, 100, 2)),
    "simba": ("Simba", {"random_state": 0}, (2000, 100, 2)),
    "frll": ("FRLL", {}, (2600, 200, 2)),
    "osimba": ("OSimba", {"random_state": 0}, (1000, 50, 4)),
    "gflip": ("GFlip", {"random_state": 0, "max_epochs": 3}, (1000, 300, 2)),
    "lmba": ("LMBA", {"random_state": 0}, (2000, 100, 2)),
    "surf-a": ("SURF", {}, SIZES["a"]),
    "multisurf-a": ("MultiSURF", {}, SIZES["a"]),
    "multisurf-c": ("MultiSURF", {}, SIZES["c"]),
    "multisurf": ("MultiSURF", {}, (2600, 500, 2)),
    "surf": ("SURF", {}, (5000, 100, 10)),
    "lmba-wide": ("LMBA", {"random_state": 0}, (1500, 500, 2)),
    "ipcmsr": ("IPCMSR", {}, (2000, 100, 2)),
}


def make(n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian noise in which up to 20 features carry the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, n)
    X = rng.standard_normal((n, d))
    told = min(20, d // 2)
    X[:, :told] += 0.7 * rng.standard_normal((classes, told))[y]
    return np.ascontiguousarray(X[:, rng.permutation(d)]), y


def fit(name: str, options: dict[str, Any], X: np.ndarray, y: np.ndarray) -> Any:
    import widemargin

    return getattr(widemargin, name)(**options, n_jobs=THREADS).fit(X, y)


def serve() -> None:
    """In a process of its own: fit what standard input names, one case per line."""
    import warnings

    warnings.simplefilter("ignore")
    known: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for line in sys.stdin:
        case = line.strip()
        name, options, size = CASES[case]
        if case not in known:
            known[case] = make(*size)
            fit(name, options, *known[case])  # compiles, or loads
        clock, processor = time.perf_counter(), time.process_time()
        scores = fit(name, options, *known[case]).scores_
        clock, processor = (
            time.perf_counter() - clock,
            time.process_time() - processor,
        )
        print(json.dumps([clock, processor, scores.tolist()]), flush=True)


def start(tree: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    """A process in which ``import widemargin`` finds the given version."""
    return subprocess.Popen(
        [sys.executable, __file__, *arguments],
        env={**os.environ, "PYTHONPATH": str(tree / "src"), **variables},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def ask(process: subprocess.Popen[str], case: str) -> tuple[float, float, np.ndarray]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(case + "\n")
    process.stdin.flush()
    clock, processor, scores = json.loads(process.stdout.readline())
    return clock, processor, np.array(scores)


def compare(trees: list[Path], cases: list[str], rounds: int) -> None:
    processes = [start(tree, "--serve", *map(str, trees)) for tree in trees]
    print(f"{'case':24}{'old s':>8}{'clock':>8}{'cpu':>8}  difference of scores")
    for case in cases:
        times = np.empty((rounds, 2, 2))
        for turn in range(rounds):
            for version in (0, 1) if turn % 2 == 0 else (1, 0):
                *times[turn, version], scores = ask(processes[version], case)
                if version == 0:
                    old = scores
                else:
                    new = scores
        clock, processor = np.median(times[:, 1] / times[:, 0], axis=0)
        same = np.array_equal(old, new)
        apart = np.abs(old - new).max() / np.abs(old).max()
        print(
            f"{case:24}{times[:, 0, 0].min():8.2f}{clock:8.2f}{processor:8.2f}"
            f"  {'none' if same else f'{apart:.1e}'}",
            flush=True,
        )
    for process in processes:
        process.communicate()


def first_fit(name: str) -> None:
    """In a process of its own: the time of one fit, importing aside."""
    import widemargin

    X, y = make(1000, 20, 3)
    getattr(widemargin, name)
    clock, processor = time.perf_counter(), time.process_time()
    fit(name, METHODS[name], X, y)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(clock, processor, count_compiled())


def count_compiled() -> int:
    """Functions of the package that were compiled, not loaded, by this process."""
    functions = {
        id(value): value
        for name, module in list(sys.modules.items())
        if name.startswith("widemargin")
        for value in vars(module).values()
        if hasattr(value, "stats") and hasattr(value, "py_func")
    }
    return sum(sum(f.stats.cache_misses.values()) for f in functions.values())


def time_first_fit(tree: Path, name: str) -> list[float]:
    """Clock, processor time and compiled functions of a fit in a process of its own."""
    cache = str(tree / "cache")
    process = start(tree, "--first-fit", name, "", "", NUMBA_CACHE_DIR=cache)
    return [float(number) for number in process.communicate()[0].split()]


def copy_of(tree: Path, folder: Path) -> Path:
    """A copy of a version beside which no compiled code lies; only bytecode."""
    shutil.copytree(
        tree / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__")
    )
    compileall.compile_dir(folder / "src", quiet=2)
    return folder


def first_fits(trees: list[Path], names: list[str]) -> None:
    """Seconds of the first fit, with nothing compiled and then with all of it.

    Code is looked for in ``NUMBA_CACHE_DIR`` and beside the source, so that either has
    to be empty.
    """
    print(f"{'method':12}" + "".join(f"{w:>22}" for w in ("old", "new")))
    print(f"{'':12}" + f"{'clock':>7}{'cpu':>7}{'cached':>8}" * 2)
    for name in names:
        shown = f"{name:12}"
        for tree in trees:
            with tempfile.TemporaryDirectory() as folder:
                copy = copy_of(tree, Path(folder))
                runs = [time_first_fit(copy, name) for _ in range(2)]
            (clock, processor, compiled), (_, cached, compiled_again) = runs
            if not compiled or compiled_again:
                raise RuntimeError(
                    f"{name}: {compiled:g} functions were compiled in the first "
                    f"process and {compiled_again:g} in the second"
                )
            shown += f"{clock:7.1f}{processor:7.1f}{cached:8.2f}"
        print(shown, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old", type=Path, help="folder of a version")
    parser.add_argument("new", type=Path)
    parser.add_argument("cases", nargs="*", help="cases, or methods with --first")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--first", action="store_true", help="time first fits")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--first-fit", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
    elif given.first_fit:
        first_fit(given.first_fit)
    elif given.first:
        first_fits([given.old, given.new], given.cases or list(METHODS))
    else:
        compare([given.old, given.new], given.cases or list(CASES), given.rounds)


if __name__ == "__main__":
    main()
