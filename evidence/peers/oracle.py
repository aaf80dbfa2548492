"""What the methods should score, by the naive twins of the tests."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

ROWS, FEATURES = 120, 12


def table() -> tuple[np.ndarray, np.ndarray]:
    """Numbers without ties, two classes: what all packages take to mean the same."""
    rng = np.random.default_rng(1)
    y = rng.permutation(np.arange(ROWS) % 2)
    X = rng.standard_normal((ROWS, FEATURES))
    X[:, :4] += 0.7 * y[:, None]
    return X, y


def scores(name: str) -> np.ndarray:
    """Scores of the table by the oracle of that name."""
    from oracles.radius import radius
    from oracles.relief import relieff

    X, y = table()
    if name == "relieff":
        return relieff(X, y, 10, metric="manhattan")
    return radius(X, y, own=name == "multisurf", star=False)


def error(found: np.ndarray, name: str) -> float:
    """Largest difference from the oracle, relative to its largest score."""
    wanted = scores(name)
    return float(np.abs(np.asarray(found) - wanted).max() / np.abs(wanted).max())
