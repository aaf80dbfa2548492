"""Notes on what a selection is worth: its score, near copies, signal or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from widemargin.cli.prepare import Dataset
from widemargin.cli.problem import listed, plural
from widemargin.judging.measures import measure

if TYPE_CHECKING:
    from widemargin.cli.fits import Ranking
    from widemargin.cli.session import Session


def say_what_it_is_worth(ranking: Ranking, notes: Session) -> None:
    """Note the score of a selection made by folds, and what it rests on."""
    selector, dataset = ranking.selector, ranking.dataset
    copies = getattr(selector, "redundant_with_", None)
    if copies is not None and (copies >= 0).any():
        names = [dataset.features[f] for f in (copies >= 0).nonzero()[0]]
        notes.note(
            f"{plural(len(names), 'near copy', 'near copies')} of better features "
            f"skipped: {listed(names)} (--redundancy none keeps them)."
        )
    scores = getattr(selector, "prefix_scores_", None)
    if scores is None:
        return
    kept = int(selector.n_features_)
    of_all = f"{kept} of {plural(len(dataset.features), 'feature')}"
    value = float(scores[kept - 1])
    if ranking.task == "regression":
        notes.note(f"{of_all} kept: cross-validated R² of 5-NN {value:.2f}.")
    else:
        counts, scoring = dataset.counts.values(), selector.scoring_
        chance = max(counts) / sum(counts)
        if scoring == "balanced_accuracy":
            chance = 1 / sum(count > 1 for count in counts)
        notes.note(
            f"{of_all} kept: cross-validated {measure(scoring).name} of 1-NN "
            f"{value:.1%}; the most frequent class alone gives {chance:.1%}."
        )
    _say_leaks(ranking, dataset, notes)
    _say_if_no_signal(ranking, dataset, notes)


def _say_leaks(ranking: Ranking, dataset: Dataset, notes: Session) -> None:
    """Note the features that may give the target away."""
    from widemargin.evaluation._profile import describe

    for sentence in describe(dataset.read_as("profile")).leaks:
        notes.note(sentence)


def _say_if_no_signal(ranking: Ranking, dataset: Dataset, notes: Session) -> None:
    """Test for signal, and note it if there is none to be seen."""
    if not ranking.selector._uses_labels([]):
        return
    from widemargin.evaluation._signal import signal_test

    with notes.status("looking for signal"):
        found = signal_test(
            dataset.read_as("signal"),
            None,
            random_state=ranking.selector.get_params().get("random_state", 0),
            n_jobs=ranking.selector.n_jobs,
        )
    if not found:
        notes.note(
            f"no signal was found (p = {found.p_value:.2g}): permuted labels do as "
            "well. The selected features are no better than others."
        )
