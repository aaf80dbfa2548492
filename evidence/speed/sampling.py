"""ReliefF with n_samples="auto" on a large table, against visiting all rows.

    python evidence/speed/sampling.py  1 000 000 × 100, 20 informative
    python evidence/speed/sampling.py --rows 100000 --shift 0.5
    python evidence/speed/sampling.py --mapped  X is a memory-mapped file
    python evidence/speed/sampling.py --mapped --keep  store what was found

Visiting all rows would take most of an hour, so its time is extrapolated, in two ways:

- by row: what 4096 more rows cost on the same table, times the number of rows. That is
  how the exact run works at this size, where the lists of all rows do not fit into the
  budget of the search.
- by pair: an exact run on 30 000 rows, which fit, and where each pair of rows is looked
  at once for both; times the number of pairs. What the exact run would cost with
  unlimited memory.

Fixed costs (validation, scaling, packing) count against "auto" and not against the
extrapolation by row. Besides the time on the clock there is the time of the processor,
which tells the same when the machine has other things to do. Informative features
differ between the two classes by ``shift`` standard deviations.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time

import numpy as np
from keep import keep

from widemargin import ReliefF

INFORMATIVE = 20


def make(n: int, d: int, shift: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    X = rng.standard_normal((n, d), dtype=np.float32)
    informative = np.sort(rng.permutation(d)[:INFORMATIVE])
    X[:, informative] += np.float32(shift) * y[:, None]
    return X, y, informative


def timed(selector: ReliefF, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Seconds on the clock and of the processor."""
    begin = np.array([time.perf_counter(), time.process_time()])
    selector.fit(X, y)
    return np.array([time.perf_counter(), time.process_time()]) - begin


def gigabytes() -> float:
    """Most memory used so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--shift", type=float, default=0.7)
    parser.add_argument("--mapped", action="store_true")
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    n, d = args.rows, args.features

    X, y, informative = make(n, d, args.shift)
    few, pairs = 4096, min(30_000, n)
    ReliefF(n_samples="auto").fit(X[:2000], y[:2000])  # compiles
    ReliefF().fit(X[:5000], y[:5000])
    with tempfile.TemporaryDirectory() as folder:
        if args.mapped:
            np.save(f"{folder}/X.npy", X)
            X = np.load(f"{folder}/X.npy", mmap_mode="r")
        before = gigabytes()
        fitted = ReliefF(INFORMATIVE, n_samples="auto", random_state=0)
        auto = timed(fitted, X, y)
        memory = gigabytes()
        found = len(np.intersect1d(fitted.get_support(indices=True), informative))
        if args.keep:
            visited = fitted.n_samples_
            keep("sampling", visited=visited, found=found, peak=memory, before=before)
            return
        once = timed(ReliefF(n_samples=few, random_state=0), X, y)
        twice = timed(ReliefF(n_samples=2 * few, random_state=0), X, y)
        small = timed(ReliefF(), X[:pairs], y[:pairs])

    print(f"{n} × {d}, {INFORMATIVE} informative features, shift {args.shift}")
    print(
        f'n_samples="auto": {auto[0]:.1f} s, {fitted.n_samples_} rows visited, '
        f"{found} of {INFORMATIVE} found, converged {fitted.converged_}, widest "
        f"half-width {np.ptp(fitted.scores_interval_, axis=1).max() / 2:.4f}; "
        f"peak memory {memory:.2f} GB, {before:.2f} GB before"
    )
    print(
        f"{'all rows, extrapolated':<24}{'time':>9}{'ratio':>7}{'processor':>12}"
        f"{'ratio':>7}{'wanted':>9}"
    )
    for what, total in (
        ("by row", (twice - once) / few * n),
        ("by pair", small * (n / pairs) ** 2),
    ):
        (clock, processor), ratios = total, total / auto
        print(
            f"{what:<24}{clock:>7.0f} s{ratios[0]:>7.0f}{processor:>10.0f} s"
            f"{ratios[1]:>7.0f}{'≥ 100':>9}"
        )


if __name__ == "__main__":
    main()
