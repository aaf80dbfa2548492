"""The stages of a comparison: fits, curve and choice, tests, agreement, groups.

Each takes a `Setup`, what is to be done, and returns fields of the `Comparison`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import cross_val_score

from widemargin.data.protocol import Ints
from widemargin.evaluation._answer import Setup, quiet
from widemargin.evaluation._judges import as_scorer, guesser, name_of
from widemargin.evaluation._redundancy import redundancy
from widemargin.evaluation._selection_curve import curve_of
from widemargin.evaluation._stability import agreement
from widemargin.notices import warn
from widemargin.progress import announce, progress, tell, titled

LONG_FITS = 5 * 10**9  # differences between cells, from which fits take seconds
N_FIRST = 5  # features of the first ranking to show
LARGE_TABLE = 10**6  # cells, from which trees and near copies do

Parts = dict[str, Any]  # fields of the `Comparison` that have come out so far


def fit_all(setup: Setup, parts: Parts) -> None:
    """Fit every method to all rows."""
    n, d = setup.data.shape
    if n * n * d > LONG_FITS or n * d > LARGE_TABLE:
        size = f"{len(setup.methods)} methods on {n} rows and {d} features"
        announce(f"Fitting {size}", None, setup.verbose)
    said = list[str]()
    with progress("fits", len(setup.methods), setup.verbose) as advance:
        for label in setup.methods:
            with warnings.catch_warnings(record=True, action="always") as caught:
                parts["selectors"][label] = setup.fitted(label)
            said += [str(w.message) for w in caught if w.category is UserWarning]
            advance()
            if label == setup.candidates[0]:
                _show_first(setup, label, parts["selectors"][label].ranking_)
    for message in dict.fromkeys(said):
        parts["notes"].append(message)
        warn(message)


def _show_first(setup: Setup, label: str, ranking: Ints) -> None:
    """Name the best features on a terminal while all else is still to come."""
    best = np.argsort(ranking, kind="stable")[:N_FIRST]
    names = ", ".join(str(setup.data.names[f]) for f in best)
    tell(f"First ranking, by {label}: {names} …", setup.verbose)


def choose(setup: Setup, parts: Parts) -> None:
    """Score the rankings in folds, and choose the features to keep."""
    data, n = setup.sample, setup.data.shape[0]
    if data.shape[0] < n:
        parts["notes"].append(
            f"Scores and tests are from a random {data.shape[0]} of the {n} rows."
        )
    with titled("cross-validation"):
        results = setup.cross_validate()
    scoring = name_of(setup.score, numeric=data.numeric)
    parts["curve"] = curve_of(results, scoring)
    if results.interrupted:
        raise KeyboardInterrupt
    parts["times"] = {
        label: float(np.median([trial.seconds for trial in results.of(label)]))
        for label in setup.methods
    }
    with quiet():
        parts["chance"] = float(
            np.mean(
                cross_val_score(
                    guesser(setup.score, data.codes, numeric=data.numeric),
                    np.zeros((data.shape[0], 1)),
                    data.labels_given if data.numeric else data.codes,
                    scoring=as_scorer(setup.score, data.codes),
                    cv=results.plan.folds,
                )
            )
        )
        fitted = parts["selectors"]
        parts["alone"] = {
            label: setup.recommend(results, [label], fitted.__getitem__)
            for label in setup.methods
        }
        first, *others = setup.candidates
        parts["recommendation"] = (
            setup.recommend(results, setup.candidates, fitted.__getitem__)
            if others
            else parts["alone"][first]
        )


def test_signal(setup: Setup, parts: Parts) -> None:
    """Test whether there is anything in the table at all."""
    with titled("signal test"):
        found = parts["signal_test"] = setup.test_signal()
    if not found.conclusive:
        parts["notes"].append(found.sentence)


def test_relevance(setup: Setup, parts: Parts) -> None:
    """Test which features are relevant."""
    with titled("test of relevance"):
        parts["relevance"] = setup.test_relevance()
    if parts["relevance"] is None:
        parts["notes"].append(
            "Relevance was not tested: permuted copies assume independent rows, which "
            "rows of one group are not."
        )


def choose_without_leaks(setup: Setup, parts: Parts) -> None:
    """See what is chosen without features that may be copies of the target."""
    with titled("the choice without suspected leaks"):
        without = setup.recommend_without_leaks()
    if without is not None:
        parts["without_leaks"], parts["names_without_leaks"] = without


def agree(setup: Setup, parts: Parts) -> None:
    """Say how far the methods agree on the best features."""
    if len(setup.methods) > 1:
        k = parts["recommendation"].n_features
        parts["agreement"] = agreement(parts["selectors"], k=k)


def group(setup: Setup, parts: Parts) -> None:
    """Find groups of redundant features, of which one would suffice."""
    if setup.redundancy is None:
        return
    parts["redundancy"] = redundancy(
        setup.sample,
        threshold=setup.redundancy,
        measure="correlation" if setup.profile.plain else "uncertainty",
        scores=parts["recommendation"].consensus,
        n_jobs=setup.n_jobs,
        verbose=setup.verbose,
    )


STAGES = {
    "curve": choose,
    "signal": test_signal,
    "relevance": test_relevance,
    "leaks": choose_without_leaks,
    "agreement": agree,
    "redundancy": group,
}


def go_through(setup: Setup) -> Parts:
    """Do one stage after the other; Ctrl-C leaves what the finished ones found."""
    notes = [*setup.profile.leaks]
    parts: Parts = {"selectors": {}, "times": {}, "notes": notes, "complete": True}
    fit_all(setup, parts)
    for place, stage in enumerate(STAGES.values()):
        try:
            stage(setup, parts)
        except KeyboardInterrupt:
            left = ", ".join(list(STAGES)[place:])
            message = f"compare was interrupted; not finished: {left}."
            notes.append(message)
            warn(message)
            parts["complete"] = False
            break
    return parts
