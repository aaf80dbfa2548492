"""Sparse tables: time, memory and what is found, beside scikit-learn's chi2 and RFE.

Writes ``results/sparse.json`` beside this file, of which the figures in
`docs/guides/text.md` are taken:

    python -m evidence.speed.sparse_tables [basehock] [wide]

Times are processor seconds, memory is the peak of what Python allocates during a fit
beyond X itself, in megabytes.

basehock: two newsgroups, 1 993 texts and 4 862 words, 1.4 % filled; accuracy of
logistic regression with the 50 features chosen by two thirds of the rows, on the rest.
wide: 20 000 rows of 50 cells in 1 000 000 columns, 20 of which tell two classes apart;
how many of these are among the best 20.
"""

import json
import os
import sys
import time
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_selection import RFE, SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from widemargin import KernelRFE, ReliefF
from widemargin.baselines import FisherScore

RESULTS = Path(__file__).parent / "results" / "sparse.json"
SPLITS = 3


def methods(k):
    """What is compared, keeping k features."""
    logistic = LogisticRegression(solver="liblinear")
    return {
        "chi2": SelectKBest(chi2, k=k),
        "RFE(LogisticRegression)": RFE(logistic, n_features_to_select=k, step=0.2),
        "FisherScore": FisherScore(k),
        "ReliefF": ReliefF(k),
        "KernelRFE": KernelRFE(k, random_state=0),
    }


def basehock():
    """Counts of words, and the newsgroup."""
    with np.load(Path(os.environ["WIDEMARGIN_DATA"]) / "basehock.npz") as file:
        cells = file["data"].astype(np.float64), file["indices"], file["indptr"]
        return sp.csr_array(cells, shape=tuple(file["shape"])), file["y"]


def wide():
    """Random cells, and twenty columns that are three times as frequent in a class."""
    rng = np.random.default_rng(0)
    n, d, cells = 20_000, 10**6, 50
    y, rows = np.arange(n) % 2, np.repeat(np.arange(n), cells)
    places = rng.integers(20, d, n * cells)
    X = sp.csr_array((rng.random(n * cells) + 0.5, (rows, places)), shape=(n, d))
    tells = rng.random((n, 20)) < np.where(y, 0.15, 0.05)[:, None]
    X = sp.hstack([sp.csr_array(tells.astype(float)), X[:, 20:]]).tocsr()
    # scikit-learn's logistic regression takes no others.
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y


def measured(selector, X, y):
    """Processor seconds and megabytes of a fit; the fitted selector."""
    start = time.process_time()
    fitted = clone(selector).fit(X, y)
    seconds = time.process_time() - start
    tracemalloc.start()
    clone(selector).fit(X, y)
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return fitted, {"seconds": round(seconds, 2), "memory": round(memory / 1e6, 1)}


def on_basehock():
    X, y = basehock()
    found = {"dense": round(8 * np.prod(X.shape) / 1e6, 1)}
    for name, selector in methods(50).items():
        _, row = measured(selector, X, y)
        scores = []
        for seed in range(SPLITS):
            parts = train_test_split(X, y, test_size=1 / 3, random_state=seed)
            train, test, of_train, of_test = parts
            few = clone(selector).fit(train, of_train)
            judge = LogisticRegression(max_iter=1000)
            judge.fit(few.transform(train), of_train)
            scores.append(judge.score(few.transform(test), of_test))
        found[name] = {**row, "accuracy": round(float(np.mean(scores)), 3)}
        print(name, found[name], flush=True)
    return found


def on_wide():
    X, y = wide()
    found = {"dense": round(8 * np.prod(X.shape, dtype=float) / 1e6, 1)}
    for name, selector in methods(20).items():
        fitted, row = measured(selector, X, y)
        hits = int((fitted.get_support(indices=True) < 20).sum())
        found[name] = {**row, "found": hits}
        print(name, found[name], flush=True)
    return found


def main(wanted):
    """Measure, and store what comes out."""
    warnings.simplefilter("ignore")
    stored = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    X, y = basehock()
    for selector in methods(5).values():  # compiles what the fits need
        clone(selector).fit(X[::8, :500], y[::8])
    for name, part in {"basehock": on_basehock, "wide": on_wide}.items():
        if name in wanted or not wanted:
            stored[name] = part()
            RESULTS.parent.mkdir(exist_ok=True)
            RESULTS.write_text(json.dumps(stored, indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
