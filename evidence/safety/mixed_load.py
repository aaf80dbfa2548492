"""Mixed load in one process for half an hour: does memory stay flat?

    python evidence/safety/mixed_load.py [--minutes 30] [--seed 0]

Rounds of what a long session does, in random order: fits of every method to tables of
several sizes, with gaps and categories, in one and two threads and from two Python
threads at once; evaluation and reports; selections saved and read; files read; calls
that fail. After each round, memory is measured. Fails if the median of the last
quarter of the rounds is more than 3 % above that of the second; in the first, code is
compiled and pools are filled. For Linux, which tells a process its memory.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import random
import statistics
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import widemargin
from widemargin import Selection, baselines, evaluation
from widemargin.base import MarginSelector
from widemargin.cli.prepare import DataOptions, load
from widemargin.reporting import report

ALLOWED = 0.03  # growth
KINDS = [
    kind
    for module in (widemargin, baselines)
    for name in module.__all__
    if isinstance(kind := getattr(module, name), type)
    and issubclass(kind, MarginSelector)
]
MIXED = [widemargin.Relief, widemargin.ReliefF, widemargin.Simba]


class Load:
    """Pieces of work, each on data of its own."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.dice, self.folder = random.Random(seed), folder
        self.rng = np.random.default_rng(seed)

    def table(self, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
        y = self.rng.integers(0, 3, rows)
        X = self.rng.standard_normal((rows, columns))
        return X + y[:, None] * (np.arange(columns) < 3), y

    def frame(self, rows: int) -> tuple[pd.DataFrame, pd.Series]:
        X, y = self.table(rows, 8)
        frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)])
        frame["town"] = self.rng.choice(["Rome", "Oslo", "Bern"], rows)
        frame.loc[frame.index % 7 == 0, "x1"] = np.nan
        return frame, pd.Series(y, name="kind").map(["a", "b", "c"].__getitem__)

    def fit(self) -> None:
        kind, jobs = self.dice.choice(KINDS), self.dice.choice([1, 2])
        X, y = self.table(*self.dice.choice([(60, 300), (400, 30), (1500, 12)]))
        kind(n_jobs=jobs).fit(X, y).transform(X)

    def fit_mixed(self) -> None:
        self.dice.choice(MIXED)().fit(*self.frame(self.dice.choice([90, 700])))

    def fit_at_once(self) -> None:
        both = [threading.Thread(target=self.fit) for _ in range(2)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()

    def evaluate(self) -> None:
        X, y = self.table(150, 12)
        relief = widemargin.ReliefF()
        evaluation.selection_curve(relief, X, y, cv=3)
        evaluation.resample(relief, X, y, n=4)
        evaluation.significance(relief, X, y, n_permutations=9)
        evaluation.redundancy(X, y)

    def report(self) -> None:
        X, y = self.frame(120)
        found = evaluation.compare(X, y, ["ReliefF"], cv=2)
        page = report(found)
        page.save(self.folder / "page.html")
        found._repr_html_()

    def files(self) -> None:
        X, y = self.frame(300)
        path = self.folder / "data.csv"
        X.assign(kind=y).to_csv(path, index=False)
        read = load(str(path), DataOptions())
        selector = widemargin.ReliefF().fit(X, y)
        Selection.from_selector(selector).save(self.folder / "selection.json")
        Selection.load(self.folder / "selection.json").transform(X)
        assert read.n_rows == 300

    def fail(self) -> None:
        X, y = self.table(50, 5)
        X[3, 2] = np.inf
        for wrong in (y, y[:10], np.zeros(50)):
            with contextlib.suppress(ValueError):
                widemargin.ReliefF().fit(X, wrong)


def resident() -> float:
    """Megabytes that the process takes now."""
    gc.collect()
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise OSError("this system does not say how much memory a process takes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found: list[float] = []
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        load_of = Load(options.seed, Path(folder))
        works: list[Callable[[], None]] = [
            *[load_of.fit] * 20,
            *[load_of.fit_mixed] * 6,
            *[load_of.fit_at_once] * 4,
            *[load_of.fail] * 3,
            load_of.evaluate,
            load_of.report,
            load_of.files,
        ]
        began = time.monotonic()
        while (minutes := (time.monotonic() - began) / 60) < options.minutes:
            load_of.dice.shuffle(works)
            for work in works:
                with contextlib.redirect_stdout(io.StringIO()):
                    work()
                done[work.__name__] += 1
            found.append(resident())
            print(f"{minutes:5.1f} min  {found[-1]:6.1f} MB", flush=True)
    quarter = len(found) // 4
    if not quarter:
        sys.exit(f"{len(found)} rounds in that time; four are needed.")
    before = statistics.median(found[quarter : 2 * quarter])
    after = statistics.median(found[-quarter:])
    growth = after / before - 1
    print(", ".join(f"{count} × {name}" for name, count in done.items()))
    print(f"{before:.1f} MB, then {after:.1f} MB: {growth:+.1%}")
    sys.exit(growth > ALLOWED)


if __name__ == "__main__":
    main()
