"""Side-by-side timings, all in one run; prints one table of ratios.

    python evidence/speed/run.py              everything (a few minutes)
    python evidence/speed/run.py --data DIR   with real mfeat.csv.gz and adult.csv.gz
    python evidence/speed/run.py relieff      one part: relieff, skrebate, gemm, simba,
                                          gflip, lmba, frll, separability, tree, mrmr,
                                          prices, start

Peers and we work on the same arrays with two threads, after a warm-up call; times are
the best of several interleaved rounds, because machines are noisy. The naive codes that
would take minutes are timed on a sample of their steps and extrapolated.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

SIZES = {  # rows, features, classes
    "a": (1000, 500, 2),
    "b": (2600, 500, 2),
    "c": (200, 10000, 2),
    "d": (5000, 100, 10),
    "e": (20000, 50, 2),
}
THREADS = 2
DATA: Path | None = None


def make(n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian noise in which up to 20 features carry the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, n)
    X = rng.standard_normal((n, d))
    told = min(20, d // 2)
    X[:, :told] += 0.7 * rng.standard_normal((classes, told))[y]
    return np.ascontiguousarray(X[:, rng.permutation(d)]), y


def real(name: str) -> tuple[np.ndarray, np.ndarray, str] | None:
    """A data set of the folder given by --data, its text coded as numbers."""
    if DATA is None:
        return None
    import pandas as pd

    frame = pd.read_csv(DATA / f"{name}.csv.gz", keep_default_na=False, na_values=[""])
    y = frame.pop("target").astype("category").cat.codes.to_numpy()
    text = frame.select_dtypes(exclude="number").columns
    frame[text] = frame[text].apply(lambda c: c.astype("category").cat.codes)
    return frame.to_numpy(float), y, name


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


def relieff(report: Report) -> None:
    """ReliefF(k=10) against fast-select."""
    import fast_select

    from widemargin import ReliefF

    wanted = {
        "manhattan": dict(zip("abcde", ("4", "4", "2.5", "3", "4"), strict=True)),
        "euclidean": dict(zip("abcde", ("", "4", "", "4", "6"), strict=True)),
    }
    for key, size in SIZES.items():
        X, y = make(*size)
        functions = {
            "peer": lambda X=X, y=y: fast_select.ReliefF(
                n_features_to_select=10, n_neighbors=10, backend="cpu", n_jobs=THREADS
            ).fit(X, y)
        }
        for metric in wanted:
            functions[metric] = lambda X=X, y=y, metric=metric: ReliefF(
                metric=metric, n_jobs=THREADS
            ).fit(X, y)
        for function in functions.values():
            function()
        times = best_times(functions, 25, budget=15)
        for metric, least in wanted.items():
            what = f"ReliefF {metric}, {size[0]}×{size[1]} ({key}), fast-select"
            report.row(what, times["peer"], times[metric], least[key])


def skrebate(report: Report) -> None:
    """ReliefF(k=10) against skrebate."""
    import skrebate

    from widemargin import ReliefF

    for key in "ab":
        X, y = make(*SIZES[key])
        functions = {
            metric: lambda X=X, y=y, metric=metric: ReliefF(
                metric=metric, n_jobs=THREADS
            ).fit(X, y)
            for metric in ("manhattan", "euclidean")
        }
        for function in functions.values():
            function()
        theirs = best_times(
            {"peer": lambda X=X, y=y: skrebate.ReliefF(n_neighbors=10).fit(X, y)}, 1
        )
        for metric, seconds in best_times(functions, 9).items():
            what = f"ReliefF {metric}, {X.shape[0]}×{X.shape[1]} ({key}), skrebate"
            report.row(what, theirs["peer"], seconds, "500")


def gemm(report: Report) -> None:
    """Flops of a full distance matrix per second, against float64 matrix products."""
    from widemargin.data.build import build
    from widemargin.engine import each_class, nearest
    from widemargin.threads import Workers

    A = np.random.default_rng(0).random((3000, 3000))
    out = np.empty_like(A)
    for n, d in ((1000, 500), (2600, 500), (2000, 2000)):
        X, y = make(n, d, 2)
        with Workers(THREADS) as workers:
            table = build(X, y, np.unique(y), scale="minmax", workers=workers)

            def search(table=table, workers=workers) -> None:
                for _ in nearest(
                    table, 10, each_class(2), share_ties=True, workers=workers
                ):
                    pass

            search()
            times = best_times(
                {"gemm": lambda: np.dot(A, A, out=out), "search": search}, 5
            )
        peak = 2 * 3000**3 / times["gemm"]
        share = 2 * n * n * d / times["search"] / peak
        report.figure(
            f"Euclidean nearest, {n}×{d}, share of GEMM peak "
            f"({peak / 1e9:.0f} GFlop/s)",
            f"{share:.2f}",
            "0.70",
        )


def simba_loop(X: np.ndarray, y: np.ndarray, order: np.ndarray, w: np.ndarray) -> None:
    """Simba's step 2 in NumPy."""
    for i in order:
        squares = w * w
        distance = (X - X[i]) ** 2 @ squares
        distance[i] = np.inf
        hits, misses = np.flatnonzero(y == y[i]), np.flatnonzero(y != y[i])
        hit, miss = (c[np.argmin(distance[c])] for c in (hits, misses))
        push = (X[i] - X[miss]) ** 2 / np.sqrt(distance[miss])
        pull = (X[i] - X[hit]) ** 2 / np.sqrt(distance[hit])
        w += 0.5 * (push - pull) * w


def simba(report: Report) -> None:
    """One pass, with the first and with later weights; one start on one thread."""
    from widemargin import kernels
    from widemargin.data.build import build
    from widemargin.engine.screens import Screen
    from widemargin.margin import neighbors_at
    from widemargin.selectors.simba import one_pass
    from widemargin.threads import Workers

    X, y = make(*SIZES["b"])
    n, d = X.shape
    rng = np.random.default_rng(1)
    with Workers(THREADS) as workers:
        table = build(X, y, np.unique(y), scale="minmax", workers=workers)
        seeds, _ = neighbors_at(table, np.ones(d), workers)
    linear = kernels.Utility(kernels.LINEAR, 1.0)
    sample = rng.permutation(n)[:60]
    loop = best_times(
        {"loop": lambda: simba_loop(table.X, table.y, sample, np.ones(d))}, 3
    )["loop"] * (n / len(sample))
    one_pass(Screen(table), np.ones(d), sample, seeds.copy(), linear, 1)
    times = np.full(4, np.inf)
    for _ in range(3):
        w, mine = np.ones(d), seeds.copy()
        for t in range(len(times)):
            visits = rng.permutation(n)
            begin = time.perf_counter()
            one_pass(Screen(table), w, visits, mine, linear, 1)
            times[t] = min(times[t], time.perf_counter() - begin)
    for t, seconds in enumerate(times):
        what = f"Simba pass {t + 1}, {n}×{d}, one thread, NumPy loop"
        report.row(what, loop, seconds, "10" if t == 0 else "30")


def e_by_products(X: np.ndarray, y: np.ndarray, F: np.ndarray) -> float:
    """e(F) from scratch, through one matrix product."""
    Z = X[:, F]
    squares = (Z * Z).sum(axis=1)
    D = np.maximum(squares[:, None] + squares - 2 * Z @ Z.T, 0)
    np.fill_diagonal(D, np.inf)
    same = y[:, None] == y
    near = np.where(same, D, np.inf).min(axis=1)
    far = np.where(same, np.inf, D).min(axis=1)
    return float(0.5 * (np.sqrt(far) - np.sqrt(near)).sum())


def gflip(report: Report) -> None:
    """Epochs of G-flip against evaluating every flip from scratch."""
    from widemargin import kernels
    from widemargin.data.build import build
    from widemargin.selectors.gflip import FlipSearch
    from widemargin.threads import Workers

    linear = kernels.Utility(kernels.LINEAR, 1.0)
    for (n, d), least in (((2600, 500), "60"), ((1000, 5100), "250")):
        X, y = make(n, d, 2)
        rng = np.random.default_rng(1)
        with Workers(THREADS) as workers:
            table = build(X, y, np.unique(y), scale="minmax", workers=workers)
            FlipSearch(table, linear, workers).epoch(np.arange(4))
            orders = [rng.permutation(d) for _ in range(3)]
            ours, sizes = np.full(3, np.inf), [0]
            for _ in range(3):
                search, sizes = FlipSearch(table, linear, workers), [0]
                for t, order in enumerate(orders):
                    begin = time.perf_counter()
                    search.epoch(order)
                    ours[t] = min(ours[t], time.perf_counter() - begin)
                    sizes.append(int(search.F.sum()))
            for t in range(3):
                # What the naive epoch costs depends on how large F is on its way.
                half = (sizes[t] + sizes[t + 1]) // 2
                F = np.sort(rng.permutation(d)[: max(1, half)])
                naive = best_times(
                    {"e": lambda F=F, table=table: e_by_products(table.X, table.y, F)},
                    3,
                )["e"]
                what = f"G-flip epoch {t + 1}, {n}×{d}, |F| about {half}, from scratch"
                report.row(what, naive * d, ours[t], least)


def lmba_loop(X: np.ndarray, y: np.ndarray, sample: np.ndarray, targets) -> None:
    """LMBA's step 3 in NumPy, hinges tested under w; targets and θ are given."""
    w = np.ones(X.shape[1])
    for t, i in enumerate(sample, 1):
        squares = (X - X[i]) ** 2
        d, misses = squares @ w**2, np.flatnonzero(y != y[i])
        ids = targets.ids[i]
        active = targets.theta[i] + d[ids][:, None] >= d[misses]
        pulled = (1 + active.sum(axis=1)) @ squares[ids]
        gradient = 2 * w * (pulled - active.sum(axis=0) @ squares[misses])
        w -= gradient / np.linalg.norm(gradient) / np.sqrt(t)


def lmba(report: Report) -> None:
    """One pass of LMBA over all rows, from given target neighbours."""
    from widemargin import LMBA
    from widemargin.data.build import build
    from widemargin.selectors.lmba import _Descent
    from widemargin.threads import Workers

    for n, d in ((2600, 500), (1000, 5100)):
        X, y = make(n, d, 2)
        with Workers(THREADS) as workers:
            table = build(X, y, np.unique(y), scale="minmax", workers=workers)
            method, visits = LMBA(), np.random.default_rng(1).permutation(n)
            targets = method._targets(table, workers)
            path = _Descent(method, table, targets, workers)
            steps = method._steps(0, n)

            def ours(d=d, path=path, visits=visits, steps=steps) -> None:
                path.one_pass(np.ones(d), visits, steps)

            def loop(table=table, visits=visits, targets=targets) -> None:
                lmba_loop(table.X, table.y, visits[:40], targets)

            ours()
            times = best_times({"loop": loop, "ours": ours}, 5)
        what = f"LMBA pass, {n}×{d}, NumPy loop"
        report.row(what, times["loop"] * n / 40, times["ours"], "50")
        fit = best_times(
            {"fit": lambda X=X, y=y: LMBA(random_state=0, n_jobs=THREADS).fit(X, y)}, 3
        )["fit"]
        report.figure(f"LMBA fit, {n}×{d}", f"{fit * 1e3:.0f} ms", "")


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

    X, y, source = real("mfeat") or (*make(2000, 649, 10), "artificial")
    X = (X - X.min(axis=0)) / np.maximum(np.ptp(X, axis=0), 1e-12)

    def parts() -> None:
        ReliefF(n_jobs=THREADS).fit(X, y)
        for c in np.unique(y):
            linkage(X[y == c], method="average")

    functions = {"parts": parts, "ours": lambda: IPCMSR(n_jobs=THREADS).fit(X, y)}
    for function in functions.values():
        function()
    times = best_times(functions, 5)
    what = f"IPCMSR, {source} 2000×649, ReliefF + SciPy's linkage"
    report.row(what, times["parts"], times["ours"], "0.33")


def tree(report: Report) -> None:
    """RankingTree against scikit-learn's tree, on data of the size of Adult."""
    from sklearn.tree import DecisionTreeClassifier

    from widemargin.evaluation import RankingTree

    X, y, source = real("adult") or (*make(48842, 14, 2), "artificial")
    if source == "artificial":
        X[:, 6:] = X[:, 6:].round()
    for depth in (5, None):
        functions = {
            "sklearn": lambda d=depth: DecisionTreeClassifier(max_depth=d).fit(X, y),
            "ours": lambda d=depth: RankingTree(max_depth=d).fit(X, y),
        }
        for function in functions.values():
            function()
        times = best_times(functions, 5)
        what = f"RankingTree, {source}, depth {depth}, scikit-learn's"
        report.row(what, times["sklearn"], times["ours"], "0.2")


def mrmr(report: Report) -> None:
    """MRMR and FCBF against other packages, each on its own reading of the method."""
    import mrmr as peer
    import pandas as pd

    from widemargin.baselines import FCBF, MRMR

    X, y = make(*SIZES["c"])
    frame, labels = pd.DataFrame(X).rename(columns=str), pd.Series(y)
    ours = {
        "mrmr": lambda: MRMR(n_features_to_select=50, n_jobs=THREADS).fit(X, y),
        "fcbf": lambda: FCBF(n_jobs=THREADS).fit(X, y),
    }
    for function in ours.values():
        function()
    times = best_times(ours, 5)
    theirs = best_times(
        {
            "peer": lambda: peer.mrmr_classif(
                frame, labels, K=50, show_progress=False, n_jobs=1
            )
        },
        1,
    )
    what = "MRMR top 50, 200×10000, mrmr_selection"
    report.row(what, theirs["peer"], times["mrmr"], "20")

    # It wants whole numbers, so it gets the bins; what it selects is not the same,
    # because it also cuts the uncertainties down to whole numbers.
    from skfeature.function.information_theoretical_based.FCBF import fcbf

    codes = (X - X.mean(axis=0)) / X.std(axis=0)
    codes = (codes > 1).astype(int) + (codes > -1)
    theirs = best_times({"fcbf": lambda: fcbf(codes, y, mode="index", delta=0.0)}, 1)
    what = "FCBF, 200×10000, skfeature"
    report.row(what, theirs["fcbf"], times["fcbf"], "20")


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


def start(report: Report) -> None:
    """What a new process waits for."""
    small = "from sklearn.datasets import load_iris; X, y = load_iris(return_X_y=True)"
    # Beyond a few hundred rows, neighbours need the compiled search.
    large = (
        "from sklearn.datasets import make_classification;"
        "X, y = make_classification(1000, 20, random_state=0)"
    )
    papers = ["Relief", "ReliefF", "Simba", "GFlip", "LMBA", "IPCMSR", "OSimba", "FRLL"]
    for name in papers:
        cold, warm = first_fits(name, small)
        report.figure(f"first {name} fit, nothing compiled yet", f"{cold:.1f} s", "10")
        report.figure(f"first {name} fit, compiled code cached", f"{warm:.2f} s", "1.5")
    for name in papers[:4]:
        cold, warm = first_fits(name, large)
        what = f"first {name} fit, 1000×20,"
        report.figure(f"{what} nothing compiled yet", f"{cold:.1f} s", "10")
        report.figure(f"{what} compiled code cached", f"{warm:.2f} s", "1.5")
    commands = {
        "sklearn": ["-c", "import sklearn.feature_selection"],
        "import": ["-c", "import widemargin"],
        "help": ["-m", "widemargin", "--help"],
    }
    times = best_times(
        {
            name: lambda args=args: subprocess.run(
                [sys.executable, *args], check=True, capture_output=True
            )
            for name, args in commands.items()
        },
        5,
    )
    wanted = f"{times['sklearn'] + 0.3:.2f} s"
    report.figure("import sklearn.feature_selection", f"{times['sklearn']:.2f} s", "")
    report.figure("import widemargin", f"{times['import']:.2f} s", wanted)
    report.figure("widemargin --help", f"{times['help']:.2f} s", wanted)


def first_fits(name: str, data: str) -> list[float]:
    """Seconds that a fit takes in a new process: without compiled code, and with it."""
    code = (
        f"import time; {data}; from widemargin import {name};"
        f"t = time.perf_counter(); {name}().fit(X, y); print(time.perf_counter() - t)"
    )
    with tempfile.TemporaryDirectory() as cache:
        return [float(python(code, NUMBA_CACHE_DIR=cache)) for _ in range(2)]


def python(code: str, **environment: str) -> str:
    """What a new Python process prints."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


PARTS = {
    f.__name__: f
    for f in (
        relieff,
        skrebate,
        gemm,
        simba,
        gflip,
        lmba,
        frll,
        separability,
        tree,
        mrmr,
        prices,
        start,
    )
}


def main() -> None:
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--data", type=Path, help="folder of mfeat and adult")
    arguments = parser.parse_args()
    global DATA
    DATA = arguments.data
    parts = arguments.parts or list(PARTS)
    warnings.simplefilter("ignore")
    report = Report()
    for part in parts:
        PARTS[part](report)


if __name__ == "__main__":
    main()
