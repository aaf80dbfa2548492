"""What is said of a feature, and why."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from widemargin import AutoSelector
from widemargin.evaluation import compare, relevance
from widemargin.evaluation._significance import Significance
from widemargin.evaluation._verdicts import VERDICTS, features_frame
from widemargin.judging.recommend import Recommendation

NAMES = np.array(["best", "copy", "weak", "noise", "flat"], dtype=object)
FOUND = Recommendation(
    "ReliefF",
    None,
    columns=np.array([0]),
    consensus=np.array([1.0, 0.4, 0.3, 0.2, 0.1]),
    ranking=np.array([1, 5, 2, 3, 4]),
    redundant_with=np.array([-1, 0, -1, -1, -1]),
    fold_scores=np.full(2, 0.9),
    score=0.9,
    stderr=0.01,
    score_all=0.8,
    p_value=0.01,
    supports=np.array([[1, 0, 0, 0, 0], [0, 1, 1, 0, 0]], bool),
)
q = np.array([0.005, 0.005, 0.02, 0.9, 1.0])
TEST = Significance(FOUND.consensus, q / 5, q, NAMES, 30, "copies", "")


def frame(test=TEST, signal=True, kept=(0,), found=FOUND):
    directions = np.zeros(5, int), np.full(5, np.nan)
    made = features_frame(
        NAMES, found, test, signal, directions, np.array([4]), np.array(kept, int)
    )
    return made.set_index("feature")


def test_what_is_relevant_and_what_is_kept_are_two_things():
    found = frame()
    assert found.index.tolist() == ["best", "weak", "noise", "flat", "copy"]
    assert found["verdict"].to_dict() == {
        "best": "kept",
        "weak": "relevant, not needed",
        "noise": "not relevant",
        "flat": "not relevant",
        "copy": "copy",
    }
    assert found["why"].to_dict() == {
        "best": "",
        "weak": "adds nothing to those that are kept",
        "noise": "scores like permuted copies",
        "flat": "constant",
        "copy": "near copy of best",
    }
    assert found["relevant"].tolist() == [True, True, False, False, True]
    assert found.loc["copy", "copy_of"] == "best"
    assert found["copy_of"].notna().sum() == 1
    # A fold that chooses the copy chooses the feature.
    assert found["frequency"].tolist() == [1.0, 0.5, 0.0, 0.0, 1.0]


def test_without_a_test_nothing_is_called_irrelevant_but_constants():
    found = frame(test=None)
    assert found["verdict"].tolist() == [
        "kept",
        "not tested",
        "not tested",
        "not relevant",
        "copy",
    ]
    assert found["relevant"].isna().all()
    assert found["q_value"].isna().all()


def test_without_signal_nothing_is_relevant():
    found = frame(signal=False, kept=())
    assert set(found["verdict"]) == {"not relevant"}
    assert found["why"].tolist() == ["no signal"] * 3 + ["constant", "no signal"]
    assert not found["relevant"].any()
    assert found["copy_of"].isna().all()


def test_what_is_kept_is_called_so_whatever_the_test_says():
    found = frame(kept=(0, 1, 3, 4))
    kept = found.loc[["best", "copy", "noise", "flat"]]
    assert set(kept["verdict"]) == {"kept"}
    assert kept["copy_of"].isna().all()


def test_a_copy_of_what_is_not_kept_is_called_so_if_it_is_relevant():
    found = replace(FOUND, redundant_with=np.array([-1, 2, -1, 2, -1]))
    verdicts = frame(found=found)["verdict"]
    assert verdicts["copy"] == "copy"
    assert verdicts["noise"] == "not relevant"


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.filterwarnings("ignore:AutoSelector. Whether there is:UserWarning")
def test_every_feature_has_one_verdict(groups):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = pd.DataFrame(rng.standard_normal((120, 8)), columns=list("abcdefgh"))
    X["a"] += 2 * y
    X["b"] += 2 * y
    X["twin"] = 3 - X["a"]
    X["flat"] = 1.0
    who = np.arange(120) // 2 if groups else None
    auto = AutoSelector(random_state=0).fit(X, y, groups=who)
    compared = compare(X, y, ["KernelRFE"], groups=who, random_state=0)
    for found in (auto.features_, compared.features):
        assert sorted(found["feature"]) == sorted(X)
        assert set(found["verdict"]) <= set(VERDICTS)
        kept = found.loc[found["verdict"] == "kept", "feature"].tolist()
        assert kept == found["feature"][: auto.n_features_].tolist()
        by_name = found.set_index("feature")
        assert by_name.loc["flat", "verdict"] == "not relevant"
        copy, original = ("twin", "a") if "a" in kept else ("a", "twin")
        told = by_name.loc[copy, ["verdict", "copy_of"]].tolist()
        assert told == ["copy", original]
        assert by_name.loc[copy, "rank"] > by_name.loc[original, "rank"]
        untested = found["verdict"] == "not tested"
        assert untested.any() == groups
        if not groups:
            assert {"a", "b", "twin"} <= set(found.loc[found["relevant"], "feature"])
            expected = relevance(X, y, random_state=0).p_values
            np.testing.assert_array_equal(
                by_name.loc[list(X), "p_value"].to_numpy(), expected
            )
    assert sorted(compared.relevant["q_value"]) == list(compared.relevant["q_value"])
    assert (len(compared.relevant) == 0) == groups
