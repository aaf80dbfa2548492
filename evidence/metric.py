"""What scores are worth as a distance, and few prototypes: `-m evidence.metric`.

Mean accuracy of four times five folds, the selector fitted inside the folds. Results
are kept in ``metric.json``, and printed; `docs/guides/metric.md` sums them up.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from evidence.data import load
from widemargin import (
    FRLL,
    IRelief,
    MarginPrototypes,
    MarginScaler,
    ReliefF,
    Simba,
)

KEPT = Path(__file__).with_name("metric.json")
SETS = "iris", "wine", "wdbc", "glass", "sonar", "ionosphere", "vehicle", "musk1"
FOLDS = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)


def ways() -> dict[str, Any]:
    """What is compared; all but the first learn something of the classes."""
    nearest = KNeighborsClassifier(1)
    simba = Simba(random_state=0)
    made = {
        "1-NN": (),
        "Simba, top half": (simba,),
        "Simba": (MarginScaler(simba),),
        "ReliefF": (MarginScaler(ReliefF()),),
        "I-Relief": (MarginScaler(IRelief()),),
        "FRLL": (MarginScaler(FRLL(criterion="difference")),),
    }
    found = {
        name: make_pipeline(MinMaxScaler(), *steps, nearest)
        for name, steps in made.items()
    }
    few = {f"{k} per class": MarginPrototypes(k, random_state=0) for k in (1, 3)}
    return {**found, **few}


def measure(name: str, known: dict[str, float]) -> dict[str, float]:
    """Accuracies on one set, in percent, of those that are not known."""
    data = load(name)
    X, y = np.asarray(data.data, float), np.asarray(data.target)
    found = dict(known)
    for way, estimator in ways().items():
        if way not in found:
            scores = cross_val_score(estimator, X, y, cv=FOLDS, n_jobs=1)
            found[way] = round(100 * float(scores.mean()), 1)
    return found


def main() -> int:
    """Measure what is missing, keep it, and print the table."""
    warnings.simplefilter("ignore")
    kept = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    for name in SETS:
        kept[name] = measure(name, kept.get(name, {}))
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    header = list(ways())
    print("| table |", " | ".join(header), "|")
    print("| --- " * (len(header) + 1) + "|")
    for name, row in kept.items():
        print(f"| {name} |", " | ".join(f"{row[way]:.1f}" for way in header), "|")
    return 0


if __name__ == "__main__":
    sys.exit(main())
