"""One row per feature: how good, how sure, which way, and what to make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau, norm, rankdata

from widemargin.data.dataset import Names
from widemargin.data.frames import data_frame
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation._profile import Profile
from widemargin.threads import spans

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05  # of the q-values, and of the test of a direction
FREQUENT = 0.6  # share of the fits in which a reliable feature is selected
CELLS = 2**22  # ranked at a time

CONFIRMED, TENTATIVE, REJECTED = "confirmed", "tentative", "rejected"


class Known(NamedTuple):
    """What is known about d features; None where nothing is."""

    names: Names
    ranking: Ints
    scores: Floats
    frequency: Floats | None  # share of the fits that select it
    p_values: Floats | None
    q_values: Floats | None
    instead: Ints | None  # the better feature that it is a near copy of, −1 for none
    n_selected: int
    signal: bool | None  # False: nothing is to be believed
    constants: Ints | None = None  # features with a single value


def verdicts(known: Known) -> dict[str, Any]:
    """Columns of a frame with one row per feature, best first.

    A feature is *confirmed* if its q-value is below 0.05 and at least 60 % of the fits
    to parts of the rows select it; *tentative* if one of the two holds, or if only one
    of them is known and holds; else *rejected*. If neither is known, what is kept is
    tentative. Without signal, all are rejected.
    """
    order = np.argsort(known.ranking, kind="stable")
    d = len(order)
    sure = None if known.q_values is None else known.q_values < LEVEL
    steady = None if known.frequency is None else known.frequency >= FREQUENT
    kept = known.ranking <= known.n_selected
    evidence = [given for given in (sure, steady) if given is not None] or [kept]
    verdict, why = [], []
    for f in order.tolist():
        holds = [bool(given[f]) for given in evidence]
        if known.signal is False or not any(holds):
            verdict.append(REJECTED)
        else:
            verdict.append(CONFIRMED if holds == [True, True] else TENTATIVE)
        why.append(_why(known, f, sure, steady))
    nothing = np.full(d, np.nan)
    return {
        "feature": known.names[order],
        "rank": known.ranking[order],
        "score": known.scores[order],
        "p_value": (nothing if known.p_values is None else known.p_values)[order],
        "q_value": (nothing if known.q_values is None else known.q_values)[order],
        "frequency": (nothing if known.frequency is None else known.frequency)[order],
        "verdict": verdict,
        "why": why,
    }


def features_frame(known: Known, direction: tuple[Ints, Floats]) -> pd.DataFrame:
    """The same as a frame, with sign and AUC of each feature; see `directions_of`."""
    order = np.argsort(known.ranking, kind="stable")
    sign, auc = (values[order] for values in direction)
    return data_frame({**verdicts(known), "direction": sign, "auc": auc})


def _why(
    known: Known,
    f: int,
    sure: NDArray[np.bool_] | None,
    steady: NDArray[np.bool_] | None,
) -> str:
    """What speaks against a feature, if anything does."""
    if known.constants is not None and f in known.constants:
        return "constant"
    if known.signal is False:
        return "no signal"
    reasons = []
    if known.instead is not None and known.instead[f] >= 0:
        reasons.append(f"near copy of {known.names[known.instead[f]]}")
    if sure is not None and not sure[f]:
        reasons.append("not significant")
    if known.ranking[f] > known.n_selected:
        if not reasons:
            reasons.append("below the cut")
    elif steady is not None and not steady[f]:
        reasons.append("unstable")
    return "; ".join(reasons)


def directions(X: Floats, codes: Ints, n_classes: int) -> tuple[Ints, Floats]:
    """Which way each feature goes with the classes, and its AUC.

    The AUC is the probability that of two rows of different classes, the one of the
    higher class has the higher value; equal values count half. Rows without a value
    are left out.

    Returns
    -------
    sign : array of shape (d,)
        1 if values rise with the classes, −1 if they fall, 0 if Kendall's test (for two
        classes, that of Mann and Whitney) cannot tell at the level `LEVEL`.
    auc : array of shape (d,)
        NaN if there are no two such rows.
    """
    d = X.shape[1]
    auc = np.full(d, np.nan)
    for part in spans(d, max(1, CELLS // len(X))):
        auc[part] = _concordance(X[:, part], codes, n_classes)
    return _signs(X, codes, auc), auc


def directions_of(
    X: Floats, codes: Ints, about: Profile, ordered: bool
) -> tuple[Ints, Floats]:
    """The same for any target; 0 and NaN where they mean nothing.

    That is for three or more classes that are not ``ordered``.
    """
    if about.target is not None:
        return numeric_directions(X, about.target)
    if about.n_classes == 2 or ordered:
        return directions(X, about._oriented(codes), about.n_classes)
    return np.zeros(X.shape[1], np.int64), np.full(X.shape[1], np.nan)


def numeric_directions(X: Floats, target: Floats) -> tuple[Ints, Floats]:
    """Which way each feature goes with a numeric target, and the share of pairs.

    In the place of the AUC is the probability that of two rows with different targets,
    the one with the higher target has the higher value; equal values count half. That
    is (1 + D) / 2 for Somers' D. Sign and shape are as for `directions`.
    """
    share = np.full(X.shape[1], np.nan)
    for f, values in enumerate(X.T):
        there = ~np.isnan(values)
        v, y = values[there], target[there]
        pairs = len(y) * (len(y) - 1) / 2
        apart_v, apart_y = (pairs - _tied_pairs(a) for a in (v, y))
        if apart_y:
            tau = kendalltau(v, y).statistic if apart_v else 0.0
            share[f] = (1 + tau * np.sqrt(apart_v / apart_y)) / 2
    return _signs(X, target, share), share


def _signs(X: Floats, target: Ints | Floats, share: Floats) -> Ints:
    """Where the share of concordant pairs differs from a half by more than chance."""
    signs = np.zeros(X.shape[1], np.int64)
    for f in np.flatnonzero(~np.isnan(share)):
        there = ~np.isnan(X[:, f])
        ties_x, ties_y = _ties(X[there, f]), _ties(target[there])
        n = int(there.sum())
        apart = (n * (n - 1) - (ties_y * (ties_y - 1)).sum()) / 2
        balance = (2 * share[f] - 1) * apart  # concordant less discordant pairs
        error = _kendall_error(n, ties_x, ties_y)
        if abs(balance) > norm.isf(LEVEL / 2) * error + 1e-9:
            signs[f] = np.sign(balance)
    return signs


def _kendall_error(n: int, *ties: Floats) -> float:
    """Standard deviation, under no association, of concordant less discordant pairs.

    With groups of equal values of these sizes on either side (Kendall, *Rank
    correlation methods*, 1970, chapter 4).
    """
    if n < 3:
        return np.inf
    (pairs_x, triples_x), (pairs_y, triples_y) = (
        ((t * (t - 1)).sum(), (t * (t - 1) * (t - 2)).sum()) for t in ties
    )
    weighted = sum((t * (t - 1) * (2 * t + 5)).sum() for t in ties)
    variance = (
        (n * (n - 1) * (2 * n + 5) - weighted) / 18
        + pairs_x * pairs_y / (2 * n * (n - 1))
        + triples_x * triples_y / (9 * n * (n - 1) * (n - 2))
    )
    return float(np.sqrt(max(variance, 0.0)))


def _ties(values: Ints | Floats) -> Floats:
    """Sizes of the groups of equal values."""
    return np.unique(values, return_counts=True)[1].astype(np.float64)


def _tied_pairs(values: Floats) -> float:
    counts = _ties(values)
    return float(np.sum(counts * (counts - 1) / 2))


def _concordance(X: Floats, codes: Ints, n_classes: int) -> Floats:
    above, pairs = np.zeros((2, X.shape[1]))
    for low in range(n_classes):
        for high in range(low + 1, n_classes):
            mine = X[(codes == low) | (codes == high)]
            upper = codes[(codes == low) | (codes == high)] == high
            ranks = rankdata(mine, axis=0, nan_policy="omit")
            there = ~np.isnan(mine)
            m = (there & upper[:, None]).sum(axis=0)
            n = there.sum(axis=0) - m
            above += np.nansum(ranks[upper], axis=0) - m * (m + 1) / 2
            pairs += m * n
    return np.divide(above, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
