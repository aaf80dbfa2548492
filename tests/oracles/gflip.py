"""G-flip: greedy search for the set of features F that maximises e(F).

Gilad-Bachrach, Navot, Tishby (2004), Algorithm 1.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from .margin import automatic_beta, evaluation
from .neighbours import scaled

# Values of e this close, relative to max(1, |e|), are equal.
TIE = 1e-10


class GFlipResult(NamedTuple):
    """F as a mask, the features flipped in turn, e(F), epochs run, scores."""

    selected: np.ndarray
    flips: list
    margin: float
    epochs: int
    scores: np.ndarray


def gflip(
    X,
    y,
    orders,
    *,
    scale="minmax",
    utility="linear",
    beta="auto",
    max_epochs=100,
    start=(),
    row_weights=1.0,
):
    """Algorithm 1 with one given permutation of the features per epoch.

    The paper starts from the empty set; ``start`` are the features to start from.

    Ends after an epoch without change (which counts as an epoch), after
    ``max_epochs``, or with the last of ``orders``.
    """
    X = scaled(X, scale)
    if beta == "auto":
        beta = automatic_beta(X, y, row_weights)

    @cache
    def e(F):
        indicator = [1.0 if f in F else 0.0 for f in range(X.shape[1])]
        return evaluation(X, y, indicator, utility, beta, row_weights)

    F, flips, epochs = frozenset(map(int, start)), [], 0
    for permutation in orders[:max_epochs]:
        epochs += 1
        changed = False
        for f in map(int, permutation):
            e1, e2 = e(F | {f}), e(F - {f})
            if abs(e1 - e2) <= TIE * max(1, abs(e1), abs(e2)):
                continue
            chosen = F | {f} if e1 > e2 else F - {f}
            if chosen != F:
                F, changed = chosen, True
                flips.append(f)
        if not changed:
            break

    features = range(X.shape[1])
    selected = np.array([f in F for f in features])
    # For f in F this is e(F) - e(F \ f), for any other f it is e(F u f) - e(F).
    scores = np.array([e(F | {f}) - e(F - {f}) for f in features])
    return GFlipResult(selected, flips, e(F), epochs, scores)
