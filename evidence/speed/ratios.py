"""What our own methods cost relative to each other and to scikit-learn's and SciPy's.

    python evidence/speed/ratios.py         everything (a few minutes)
    python evidence/speed/ratios.py tree    one part: frll, separability, tree, prices

All work on the same arrays with two threads, after a warm-up call; times are the best
of several interleaved rounds, because machines are noisy. `evidence.peers` compares
with other packages, `first_fits.py` measures compilation.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from old_against_new import SIZES, THREADS, make


def best_times(
    functions: dict[str, Callable[[], object]], rounds: int, budget: float = 20.0
) -> dict[str, float]:
    """Best time of each function over interleaved rounds."""
    times = dict.fromkeys(functions, np.inf)
    start = time.perf_counter()
    for _ in range(rounds):
        for name, function in functions.items():
            time.sleep(0.1)  # OpenMP and BLAS threads spin for a while when done
            begin = time.perf_counter()
            function()
            times[name] = min(times[name], time.perf_counter() - begin)
        if time.perf_counter() - start > budget:
            break
    return times


class Report:
    """Rows of the table, printed as they come."""

    def __init__(self) -> None:
        head = f"{'what':<46}{'theirs':>11}{'ours':>11}{'ratio':>9}{'wanted':>9}"
        print(head + "\n" + "-" * len(head), flush=True)

    def row(self, what: str, theirs: float, ours: float, wanted: str) -> None:
        print(
            f"{what:<46}{theirs * 1e3:>8.1f} ms{ours * 1e3:>8.1f} ms"
            f"{theirs / ours:>9.1f}{wanted:>9}",
            flush=True,
        )

    def figure(self, what: str, value: str, wanted: str) -> None:
        print(f"{what:<68}{value:>9}{wanted:>9}", flush=True)


def frll(report: Report) -> None:
    """FRLL against ReliefF with the same k."""
    from widemargin import FRLL, ReliefF

    for key in "cd":
        X, y = make(*SIZES[key])
        selectors = {
            "relieff": ReliefF(n_neighbors=5, n_jobs=THREADS),
            "frll": FRLL(n_neighbors=5, n_jobs=THREADS),
        }
        functions = {k: lambda s=s, X=X, y=y: s.fit(X, y) for k, s in selectors.items()}
        for function in functions.values():
            function()
        times = best_times(functions, 9)
        what = f"FRLL, {X.shape[0]}×{X.shape[1]} ({key}), our ReliefF, k=5"
        report.row(what, times["relieff"], times["frll"], "0.83")


def separability(report: Report) -> None:
    """IPCMSR against ReliefF and SciPy's average linkage of the same classes."""
    from scipy.cluster.hierarchy import linkage

    from widemargin import IPCMSR, ReliefF

    X, y = make(2000, 649, 10)
    X = (X - X.min(axis=0)) / np.maximum(np.ptp(X, axis=0), 1e-12)

    def parts() -> None:
        ReliefF(n_jobs=THREADS).fit(X, y)
        for c in np.unique(y):
            linkage(X[y == c], method="average")

    functions = {"parts": parts, "ours": lambda: IPCMSR(n_jobs=THREADS).fit(X, y)}
    for function in functions.values():
        function()
    times = best_times(functions, 5)
    what = "IPCMSR, 2000×649, ReliefF + SciPy's linkage"
    report.row(what, times["parts"], times["ours"], "0.33")


def tree(report: Report) -> None:
    """RankingTree against scikit-learn's tree, on data of the size of Adult."""
    from sklearn.tree import DecisionTreeClassifier

    from widemargin.evaluation import RankingTree

    X, y = make(48842, 14, 2)
    X[:, 6:] = X[:, 6:].round()
    for depth in (5, None):
        functions = {
            "sklearn": lambda d=depth: DecisionTreeClassifier(max_depth=d).fit(X, y),
            "ours": lambda d=depth: RankingTree(max_depth=d).fit(X, y),
        }
        for function in functions.values():
            function()
        times = best_times(functions, 5)
        what = f"RankingTree, 48842×14, depth {depth}, scikit-learn's"
        report.row(what, times["sklearn"], times["ours"], "0.2")


def prices(report: Report) -> None:
    """What is asked for besides scores, in fits of the same selector."""
    from widemargin import Relief, ReliefF
    from widemargin.evaluation import significance

    for key in "ab":
        n, d, _ = size = SIZES[key]
        X, y = make(*size)
        rng = np.random.default_rng(1)
        for cells in (20, 1000):
            gappy = X.copy()
            gappy.ravel()[rng.choice(X.size, cells, replace=False)] = np.nan
            for selector in (
                Relief(n_jobs=THREADS),
                ReliefF(metric="manhattan", n_jobs=THREADS),
                ReliefF(metric="euclidean", n_jobs=THREADS),
            ):
                functions = {
                    "clean": lambda s=selector, X=X, y=y: s.fit(X, y),
                    "gappy": lambda s=selector, X=gappy, y=y: s.fit(X, y),
                }
                for function in functions.values():
                    function()
                times = best_times(functions, 15)
                who = type(selector).__name__, getattr(selector, "metric", "euclidean")
                ratio = times["gappy"] / times["clean"]
                what = f"{cells} missing cells, {n}×{d}, {' '.join(who)}"
                report.figure(what, f"{ratio:.2f}", "< 2")

    X, y = make(*SIZES["b"])
    times = best_times(
        {
            name: lambda n=n, X=X, y=y: ReliefF(n, n_jobs=THREADS).fit(X, y)
            for name, n in (("warm up", "auto"), ("fit", None), ("auto", "auto"))
        },
        5,
    )
    ratio = times["auto"] / times["fit"] - 1
    report.figure("how many features, 2600×500, in fits", f"{ratio:.1f}", "< 8")

    X, y = make(*SIZES["a"])
    selector = ReliefF(n_jobs=THREADS)
    options = {"n_permutations": 100, "n_jobs": THREADS, "random_state": 0}
    times = best_times(
        {
            "warm up": lambda: significance(selector, X, y, **options),
            "fit": lambda: selector.fit(X, y),
            "all": lambda: significance(selector, X, y, **options),
        },
        5,
    )
    ratio = times["all"] / times["fit"]
    report.figure("100 permutations, 1000×500, in fits", f"{ratio:.1f}", "< 60")


PARTS = {f.__name__: f for f in (frll, separability, tree, prices)}


def main() -> None:
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parts = parser.parse_args().parts or list(PARTS)
    warnings.simplefilter("ignore")
    report = Report()
    for part in parts:
        PARTS[part](report)


if __name__ == "__main__":
    main()
