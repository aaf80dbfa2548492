"""One row per feature: how good, how sure, which way, and what to make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import kendalltau, rankdata

from widemargin.data.dataset import Dataset, Names
from widemargin.data.frames import data_frame
from widemargin.data.protocol import Floats, Ints
from widemargin.evaluation._findings import GROUP
from widemargin.evaluation._profile import Profile
from widemargin.evaluation._significance import Significance
from widemargin.judging.recommend import Recommendation
from widemargin.threads import spans

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05  # of the q-values, and of the test of a direction
CELLS = 2**22  # ranked at a time

KEPT, COPY, SPARE = "kept", "copy", "relevant, not needed"
IRRELEVANT, UNTESTED = "not relevant", "not tested"
VERDICTS = (KEPT, COPY, SPARE, IRRELEVANT, UNTESTED)


def features_frame(
    names: Names,
    found: Recommendation,
    relevance: Significance | None,
    signal: bool | None,
    direction: tuple[Ints, Floats],
    constants: Ints,
    kept: Ints,
) -> pd.DataFrame:
    """One row per feature, best first: the choice, the test, and a verdict on both.

    ``kept`` are the columns to keep, which are none if there is no signal.
    """
    order = np.argsort(found.ranking, kind="stable")
    d, unknown = len(order), np.full(len(order), np.nan)
    p, q = unknown, unknown
    if relevance is not None:
        p, q = relevance.p_values, relevance.q_values
    chosen, relevant = np.isin(np.arange(d), kept), q < LEVEL
    if signal is False:
        relevant = np.zeros(d, np.bool_)

    def verdict_of(f: int) -> tuple[str, str, str | None]:
        """A verdict, the reason, and the better feature that it is a copy of."""
        like = int(found.redundant_with[f])
        if chosen[f]:
            return KEPT, "", None
        if like >= 0 and (chosen[like] or relevant[f] or relevance is None):
            return COPY, f"near copy of {names[like]}", str(names[like])
        if f in constants:
            return IRRELEVANT, "constant", None
        if relevance is None:
            return UNTESTED, "there was no test", None
        if relevant[f]:
            return SPARE, "adds nothing to those that are kept", None
        missing = "no signal" if signal is False else "scores like permuted copies"
        return IRRELEVANT, missing, None

    verdicts = [verdict_of(f) for f in order.tolist()]
    sign, auc = direction
    frame = data_frame(
        {
            "feature": names[order],
            "rank": found.ranking[order],
            "score": found.consensus[order],
            **{
                name: [verdict[i] for verdict in verdicts]
                for i, name in enumerate(("verdict", "why", "copy_of"))
            },
            "relevant": [None] * d if relevance is None else relevant[order],
            "p_value": p[order],
            "q_value": q[order],
            "frequency": found.frequency[order],
            "direction": sign[order],
            "auc": auc[order],
        }
    )
    return frame.astype({"relevant": "boolean"})  # which may be unknown


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
    sign = np.zeros(d, np.int64)
    for f in np.flatnonzero(~np.isnan(auc)):
        there = ~np.isnan(X[:, f])
        sign[f] = _kendall(X[there, f], codes[there])[1]
    return sign, auc


def directions_of(data: Dataset, about: Profile, ordered: bool) -> tuple[Ints, Floats]:
    """The same for any target; 0 and NaN where they mean nothing.

    That is for nominal features, for three or more classes that are not ``ordered``,
    and for all but the fullest columns of a sparse table.
    """
    some = data.fullest
    # Numbers may be names, too.
    X = data.apart().numbers
    if data.feature_of is not None:  # groups of columns have no direction
        X = X[:, np.unique(data.feature_of, return_index=True)[1]]
    X = np.where(np.isin(about.kinds[some], ("nominal", GROUP)), np.nan, X)
    sign, auc = np.zeros(data.shape[1], np.int64), np.full(data.shape[1], np.nan)
    sign[some], auc[some] = _directions_in(X, data, about, ordered)
    return sign, auc


def _directions_in(
    X: Floats, data: Dataset, about: Profile, ordered: bool
) -> tuple[Ints, Floats]:
    if about.target is not None and about.target.ndim == 1:
        return numeric_directions(X, about.target)
    if about.n_classes == 2 or ordered:
        return directions(X, about._oriented(data.codes), about.n_classes)
    return np.zeros(X.shape[1], np.int64), np.full(X.shape[1], np.nan)


def numeric_directions(X: Floats, target: Floats) -> tuple[Ints, Floats]:
    """Which way each feature goes with a numeric target, and the share of pairs.

    In the place of the AUC is the probability that of two rows with different targets,
    the one with the higher target has the higher value; equal values count half. That
    is (1 + D) / 2 for Somers' D. Sign and shape are as for `directions`.
    """
    share, sign = np.full(X.shape[1], np.nan), np.zeros(X.shape[1], np.int64)
    for f, values in enumerate(X.T):
        there = ~np.isnan(values)
        v, y = values[there], target[there]
        pairs = len(y) * (len(y) - 1) / 2
        apart_v, apart_y = (pairs - _tied_pairs(a) for a in (v, y))
        if apart_y:
            tau, sign[f] = _kendall(v, y)
            share[f] = (1 + tau * np.sqrt(apart_v / apart_y)) / 2
    return sign, share


def _kendall(values: Floats, target: Ints | Floats) -> tuple[float, int]:
    """Kendall's tau, 0 for a constant, and its sign if it is not 0 by chance."""
    method = "asymptotic" if len(target) > 2 else "auto"  # which two rows do not allow
    tau, p_value = kendalltau(values, target, method=method)
    return (0.0, 0) if np.isnan(tau) else (tau, int(np.sign(tau) * (p_value < LEVEL)))


def _tied_pairs(values: Floats) -> float:
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
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
