"""Several methods side by side: what is recommended, said, left out and kept."""

import itertools
import json
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from settings_tools import effort_settings
from widemargin import ReliefF, Simba
from widemargin.baselines import FisherScore
from widemargin.data.read import read_dataset
from widemargin.datasets import make_ordinal, make_xor
from widemargin.evaluation import (
    Comparison,
    SelectionCurve,
    compare,
    default_selectors,
    profile,
    relevance,
)
from widemargin.evaluation import (
    _compare as stages,
)
from widemargin.evaluation._signal import Signal
from widemargin.judging import trials
from widemargin.judging.folds import some_of_each
from widemargin.judging.recommend import Recommendation


def table(n=40, d=10, seed=0):
    """Two classes of n/2 rows, which the first feature tells apart, but for a few."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d))
    X[:, 0] += 3 * y
    return X, y


def comparison_of(
    score, n_features=3, *, chance=0.5, baseline=0.6, scoring="accuracy", p=0.002
):
    """A comparison of one method, with these scores."""
    X, y = table(1000)
    method = "ReliefF"
    fitted = FisherScore().fit(X, y)
    frame = pd.DataFrame(
        {"method": method, "fold": [0, 1], "n_features": n_features, "score": score}
    )
    found = Recommendation(
        method,
        fitted,
        np.argsort(fitted.ranking_)[:n_features],
        1 / fitted.ranking_,
        fitted.ranking_,
        np.full(10, -1),
        np.full(2, score),
        score,
        0.01,
        baseline,
        0.01 if score > baseline else 0.5,
        np.tile(fitted.ranking_ <= n_features, (2, 1)),
    )
    return Comparison(
        data=read_dataset(X, y, "test"),
        feature_names=np.array([f"x{f}" for f in range(10)], dtype=object),
        profile=profile(X, y),
        selectors={method: fitted},
        times={method: 0.5},
        directions=(np.zeros(10, int), np.full(10, np.nan)),
        recommendation=found,
        alone={method: found},
        curve=SelectionCurve(frame, (method,), np.full(2, baseline), 10, scoring, True),
        signal_test=Signal(p, 0.05, 499, "the strongest feature", {}),
        chance=chance,
    )


class TestAnswer:
    def test_fewer_features_that_score_higher_carry_the_signal(self):
        c = comparison_of(0.88, baseline=0.65)
        assert c.answer == (
            "3 of 10 features, as ReliefF ranks them, carry the signal; 1-NN rises "
            "from 65 % with all to 88 % ± 1.0."
        )

    def test_fewer_features_that_score_the_same_are_enough(self):
        c = comparison_of(0.879, 1, baseline=0.881)
        assert c.answer == (
            "1 of 10 features, as ReliefF ranks them, is enough; the accuracy of 1-NN "
            "is 87.9 % ± 1.0 with it and 88.1 % with all."
        )

    def test_fewer_features_that_score_lower_are_not_called_enough(self):
        c = comparison_of(0.66, baseline=0.74)
        assert c.answer == (
            "3 of 10 features, as ReliefF ranks them, are kept; 1-NN falls from 74 % "
            "with all to 66 % ± 1.0."
        )

    def test_a_loss_that_is_larger_rises(self):
        c = comparison_of(
            -0.9, 1, chance=-2.0, baseline=-0.5, scoring="neg_mean_absolute_error"
        )
        assert "is kept; " in c.answer
        assert "rises from 0.50 with all to 0.90" in c.answer

    def test_all_may_be_needed(self):
        c = comparison_of(0.9, 10, baseline=0.9)
        assert c.answer == (
            "All 10 features are needed: the accuracy of 1-NN is 90 % ± 1.0 with them."
        )

    def test_near_copies_that_were_skipped_are_mentioned(self):
        c = comparison_of(0.88)
        instead = c.recommendation.redundant_with.copy()
        instead[7] = 0
        found = replace(c.recommendation, redundant_with=instead)
        told = replace(c, recommendation=found).answer
        assert told.startswith(
            "3 of 10 features, as ReliefF ranks them without near copies, carry"
        )

    def test_no_signal_is_said_plainly(self):
        c = comparison_of(0.53, baseline=0.5, p=0.4)
        assert c.signal is False
        assert len(c.selected) == 0
        assert c.answer == (
            "No signal found (p = 0.400, level 0.05): whichever of the 10 features are "
            "kept, the accuracy of 1-NN is at most 53 %, and 50 % by guessing; that "
            "much may be chance."
        )

    def test_no_signal_and_no_score_above_chance(self):
        c = comparison_of(0.47, baseline=0.5, p=0.4)
        assert c.answer.endswith("is at most 47 %, and 50 % by guessing.")

    def test_signal_that_the_classifier_does_not_use_is_not_called_enough(self):
        c = comparison_of(0.507, 2, baseline=0.503)
        assert c.signal is True
        assert c.answer == (
            "There is signal (p = 0.002), but 1-NN does not clearly beat guessing: the "
            "accuracy of 1-NN is 50.7 % with 2 of 10 features, as ReliefF ranks them, "
            "50.3 % with all, and 50.0 % by guessing. Another classifier or score, "
            "such as balanced_accuracy, may show more."
        )
        assert c.beats_chance is False
        c = comparison_of(0.507, 10, baseline=0.507)
        assert "is 51 % with all 10 features, and 50 % by guessing" in c.answer

    def test_relevant_features_are_named_where_the_classifier_uses_none(self):
        c = comparison_of(0.505, 2, baseline=0.5)
        tested = relevance(c.X[:200], c.y[:200], n_rounds=10, random_state=0)
        c = replace(c, relevance=tested)
        sure = c.relevant["feature"].tolist()
        assert "x0" in sure
        named = ", ".join(sure[:5])
        assert f"Relevant features (q < 0.05): {named}" in c.answer

    def test_only_all_features_together_may_beat_guessing(self):
        c = comparison_of(0.505, 2, baseline=0.6)
        assert "does not clearly beat guessing with fewer than all features" in c.answer

    def test_a_loss_is_above_chance_if_it_is_lower(self):
        options = {"scoring": "neg_rank_loss", "baseline": -0.5}
        assert "enough" in comparison_of(-0.5, 2, chance=-0.9, **options).answer
        found = comparison_of(-0.5, 2, chance=-0.505, **options).answer
        assert "does not clearly beat guessing" in found

    def test_signal_is_the_verdict_of_the_test(self):
        assert comparison_of(0.56, 1, p=0.05).signal is True
        assert comparison_of(0.56, 1, p=0.06).signal is False

    def test_other_scores_are_named(self):
        c = comparison_of(0.8, scoring="balanced_accuracy")
        assert "the balanced accuracy of 1-NN rises from 60 % with all to 80 %" in (
            c.answer
        )
        assert "the ROC AUC of 1-NN rises from 0.60 with all to 0.80 ± 0.01" in (
            comparison_of(0.8, scoring="roc_auc").answer
        )

    def test_without_a_choice_there_is_none(self):
        c = replace(comparison_of(0.8), curve=None, recommendation=None, alone={})
        c = replace(c, signal_test=None)
        assert c.answer.startswith("There is no answer")
        assert c.best is c.n_features is c.selected is c.signal is c.score_all is None
        assert c.summary()["n_features"].isna().all()
        with pytest.raises(AttributeError, match="there are no verdicts"):
            _ = c.features


class TestDefaultSelectors:
    def names(self, *args, **kwargs):
        return list(default_selectors(*args, **kwargs))

    def test_a_plain_table(self):
        expected = ["KernelRFE", "ReliefF", "FisherScore", "MRMR", "ForestImportance"]
        assert self.names(*table()) == expected

    @pytest.mark.parametrize("odd", ["missing", "nominal", "told"])
    def test_other_tables_get_methods_that_can(self, odd):
        X, y = table()
        frame = pd.DataFrame(X).rename(columns=str)
        told = None
        if odd == "missing":
            frame.iloc[0, 0] = np.nan
        elif odd == "nominal":
            frame["9"] = np.where(y, "a", "b")
        else:
            told = ["3"]
        chosen = default_selectors(frame, y, categorical_features=told)
        assert list(chosen) == ["KernelRFE", "ReliefF", "MultiSURF"]
        assert all(s.categorical_features == told for s in chosen.values())
        for selector in chosen.values():
            selector.set_params(n_features_to_select=1).fit(frame, y)

    def test_booleans_are_plain(self):
        X, y = table()
        frame = pd.DataFrame(X > 0).rename(columns=str)
        assert "FisherScore" in self.names(frame, y)

    def test_ordered_classes_get_methods_that_use_the_order(self):
        X, y = table(60)
        grades = pd.Categorical(np.arange(60) % 3, ordered=True)
        names = self.names(X, grades)
        assert names[:2] == ["OReliefF", "OSimba"]
        two = pd.Categorical(y, ordered=True)
        assert "OReliefF" not in self.names(X, two)
        assert "OReliefF" not in self.names(X, np.arange(60) % 3)

    def test_huge_tables_get_cheap_methods(self):
        X, y = table(1000, 5)
        grades = pd.Categorical(np.arange(1000) % 3, ordered=True)
        with effort_settings(all_starts_work=10**6):
            assert default_selectors(X, grades)["OSimba"].n_starts == 1
        with effort_settings(one_start_work=10**6, all_rows_work=4 * 10**6):
            chosen = default_selectors(X, y, random_state=3)
        cheap = ["KernelRFE", "ReliefF", "FisherScore", "MRMR", "ForestImportance"]
        assert list(chosen) == cheap
        with effort_settings(forest_work=10**4):
            assert "ForestImportance" not in default_selectors(X, y)
        frame = pd.DataFrame(X).assign(kind=np.where(X[:, 0] > 0, "a", "b"))
        with effort_settings(one_start_work=10**6):
            chosen_for_kinds = default_selectors(frame.rename(columns=str), y)
        assert list(chosen_for_kinds) == ["KernelRFE", "ReliefF", "Relief"]
        assert chosen["ReliefF"].n_samples == 80
        assert chosen["ReliefF"].random_state == 3

    def test_mrmr_does_not_take_thousands_one_by_one(self):
        X, y = table(20, 3000)
        assert default_selectors(X, y)["MRMR"].n_features_to_select == 100


class TestCompare:
    def test_a_function_chooses_the_methods_by_the_profile(self):
        X, y = table(30)
        seen = []

        def choose(about):
            seen.append((about.n_samples, about.n_features))
            return ["FisherScore"]

        c = compare(X, y, choose, random_state=0)
        assert list(c.selectors) == ["FisherScore"]
        assert seen == [X.shape]

    def test_it_finds_the_three_features_of_xor(self):
        X, y = make_xor(400, random_state=0)
        c = compare(X, y, ["ReliefF", "FisherScore"], random_state=0)
        assert c.complete
        assert c.best == "ReliefF"
        assert sorted(c.selected) == [0, 1, 2]
        assert c.signal
        assert "3 of 10 features, as ReliefF ranks them, carry the signal" in c.answer
        assert c.agreement.labels == ["ReliefF", "FisherScore"]
        assert c.agreement.k == 3
        assert sorted(c.relevant["feature"]) == ["x0", "x1", "x2"]
        assert c.redundancy.groups == []
        assert set(c.times) == set(c.alone) == {"ReliefF", "FisherScore"}
        assert all(s.scores_.shape == (10,) for s in c.selectors.values())

    def test_methods_that_the_caller_did_not_name_are_not_chosen(self):
        X, y = table()
        c = compare(X, y, random_state=0)
        assert len(c.selectors) > 3
        assert c.best == "KernelRFE"
        assert c.recommendation is c.alone["KernelRFE"]

    def test_noise_is_called_noise(self):
        rng = np.random.default_rng(0)
        claims = 0
        for seed in range(3):
            X, y = rng.standard_normal((60, 200)), np.arange(60) % 2
            selectors = ["FisherScore", "PearsonScore"]
            c = compare(X, y, selectors, random_state=seed)
            claims += c.signal
            assert c.signal or c.answer.startswith("No signal found")
        assert claims == 0

    def test_the_summary_has_a_row_per_method(self):
        X, y = table()
        c = compare(X, y, ["ReliefF", "Simba"], random_state=0)
        frame = c.summary()
        assert frame.columns.tolist() == [
            "method",
            "n_features",
            "score",
            "stderr",
            "score_all",
            "area",
            "stability",
            "fit_time",
        ]
        assert frame["method"].tolist() == ["ReliefF", "Simba"]
        assert frame.notna().all(axis=None)
        assert frame["fit_time"].tolist() == list(c.times.values())
        assert frame["score"].tolist() == [a.score for a in c.alone.values()]

    def test_a_baseline_is_scored_in_the_same_folds(self):
        X, y = table()
        c = compare(X, y, "FisherScore", baseline=["x0", "x1"], random_state=0)
        last = c.summary().iloc[-1]
        assert (last["method"], last["n_features"]) == ("baseline", 2)
        folds = len(c.recommendation.fold_scores)
        assert len(c.curve.reference_scores) == folds == 5
        assert last["score"] == pytest.approx(c.curve.reference_scores.mean())

    def test_the_same_seed_gives_the_same_comparison(self):
        X, y = table()
        one, two = (compare(X, y, ["Simba"], random_state=1) for _ in range(2))
        pd.testing.assert_frame_equal(
            one.summary().drop(columns="fit_time"),
            two.summary().drop(columns="fit_time"),
        )
        pd.testing.assert_frame_equal(one.features, two.features)

    def test_settings_reproduce_the_call(self):
        X, y = table()
        c = compare(X, y, {"mine": Simba(2)}, cv=3, n_features=[1, 5])
        settings = json.loads(json.dumps(c.settings))
        seed = settings["random_state"]
        assert settings["methods"] == {
            "mine": f"Simba(n_features_to_select=2, random_state={seed})"
        }
        assert settings["n_features"] == [1, 5]
        assert settings["scoring"] == "accuracy"
        names = {"Simba": Simba}
        again = {k: eval(s, names) for k, s in settings.pop("methods").items()}
        assert settings.pop("rate") > 0
        twin = compare(X, y, again, **settings)
        pd.testing.assert_frame_equal(
            c.curve.frame.drop(columns="fit_time"),
            twin.curve.frame.drop(columns="fit_time"),
        )

    def test_a_classifier_and_a_score_of_ones_own(self):
        X, y = table()
        c = compare(
            X, y, "FisherScore", estimator=LogisticRegression(), scoring="roc_auc",
            cv=StratifiedKFold(3), random_state=0,
        )  # fmt: skip
        assert c.classifier == "LogisticRegression"
        assert c.chance == 0.5
        assert "ROC AUC of LogisticRegression" in c.answer
        assert c.settings["cv"].startswith("StratifiedKFold(n_splits=3")

    def test_lopsided_classes_are_scored_by_balanced_accuracy(self):
        X, _ = table(100)
        y = np.arange(100) % 10 == 0
        X[:, 1] += 3 * y
        c = compare(X, y, "FisherScore", random_state=0)
        assert c.curve.scoring == "balanced_accuracy"
        assert c.chance == 0.5

    def test_parts_can_be_left_out(self):
        X, y = table()
        c = compare(X, y, "FisherScore", redundancy=None, random_state=0)
        assert c.agreement is None
        assert c.redundancy is None
        assert c.without_leaks is None
        assert c.complete
        assert c.notes == []

    def test_redundant_features_are_grouped_around_the_better_one(self):
        X, y = table()
        X[:, 5] = X[:, 0] + 0.01 * np.random.default_rng(1).standard_normal(40)
        c = compare(X, y, "FisherScore", random_state=0)
        (group,) = c.redundancy.groups
        assert sorted(group) == [0, 5]
        kept, copy = group
        assert kept in c.selected
        frame = c.features.set_index("feature")
        assert frame.loc[f"x{copy}", "verdict"] == "copy"
        assert frame.loc[f"x{copy}", "copy_of"] == f"x{kept}"

    def test_mixed_tables_go_through(self):
        X, y = table(60, 4)
        frame = pd.DataFrame(X, columns=list("abcd"))
        frame["colour"] = np.where(np.arange(60) % 3 > 0, "red", "blue")
        frame.loc[[1, 20], "b"] = np.nan
        frame.loc[4, "colour"] = None
        c = compare(frame, np.where(y, "yes", "no"), random_state=0, cv=3)
        assert list(c.selectors) == ["KernelRFE", "ReliefF", "MultiSURF"]
        assert c.feature_names[c.selected[0]] == "a"
        assert c.signal
        assert c.redundancy.measure == "uncertainty"
        assert "a" in c.relevant["feature"].tolist()

    def test_ordered_classes_go_through(self):
        X, y = make_ordinal(60, random_state=0)[:2]
        few = {"cv": 2, "n_features": [1, 5]}
        c = compare(X, pd.Categorical(y, ordered=True), random_state=0, **few)
        assert "OReliefF" in c.selectors
        assert c.complete

    def test_polars_frames_and_lists_go_through(self):
        polars = pytest.importorskip("polars")
        X, y = table()
        by_list = compare(X.tolist(), y.tolist(), "ReliefF", random_state=0)
        frame = polars.DataFrame(X, schema=[f"c{f}" for f in range(10)])
        by_frame = compare(frame, y, "ReliefF", random_state=0)
        assert by_frame.feature_names[0] == "c0"
        np.testing.assert_array_equal(by_list.selected, by_frame.selected)

    def test_small_classes_get_fewer_folds(self):
        X, _ = table(9)
        y = np.arange(9) % 3
        with warnings.catch_warnings(action="ignore"):
            c = compare(X, y, "FisherScore", random_state=0)
        assert c.curve.frame["fold"].nunique() == 3

    def test_warnings_of_the_methods_are_said_once_and_noted(self):
        X, y = table(16)
        with pytest.warns(UserWarning, match="n_neighbors=10") as caught:
            c = compare(X, y, ["ReliefF"], random_state=0, cv=2)
        assert len(caught) == 1
        assert any("n_neighbors=10" in note for note in c.notes)

    def test_threads_are_not_a_setting_of_the_methods(self):
        X, y = table()
        own = {"all": FisherScore(), "own": FisherScore(n_jobs=1)}
        c = compare(X, y, own, n_jobs=2, random_state=0)
        assert c.selectors["all"].n_jobs == 2
        assert c.selectors["own"].n_jobs == 1
        assert c.settings["methods"]["all"] == "FisherScore()"

    def test_the_arguments_are_not_changed(self):
        X, y = table()
        before, selector = X.copy(), ReliefF(3)
        compare(X, y, selector, random_state=0)
        np.testing.assert_array_equal(X, before)
        assert not hasattr(selector, "scores_")
        assert selector.get_params() == ReliefF(3).get_params()

    def test_wrong_arguments_are_refused(self):
        X, y = table()
        with pytest.raises(ValueError, match="no method 'Releif'"):
            compare(X, y, "Releif")
        with pytest.raises(ValueError, match=r"height × width = 10.*got \(2, 4\)"):
            compare(X, y, image_shape=(2, 4))
        with pytest.raises(ValueError, match="at least 2 classes"):
            compare(X, np.zeros(40))
        with pytest.raises(ValueError, match="budget of more than 0, got 0"):
            compare(X, y, budget=0)
        with pytest.raises(ValueError, match=r"redundancy to be None or .* got 1\.5"):
            compare(X, y, redundancy=1.5)
        for wrong in (0, 1.5, "3", True):
            with pytest.raises(ValueError, match=f"to_select to be .* got {wrong!r}"):
                compare(X, y, n_features_to_select=wrong)

    def test_images_keep_their_shape(self):
        X, y = table()
        c = compare(X, y, "FisherScore", image_shape=(2, 5))
        assert c.image_shape == (2, 5)
        assert c.settings["image_shape"] == [2, 5]


class TestCost:
    def test_too_many_rows_are_sampled_for_all_but_the_fits(self):
        X, y = table(200)
        seen = []

        class Watched(FisherScore):
            def _score(self, table, workers):
                seen.append(len(table.X))
                return super()._score(table, workers)

        c = compare(X, y, Watched(), max_samples=50, random_state=0)
        after_the_fit = seen[seen.index(200) + 1 :]
        assert after_the_fit
        assert max(after_the_fit) <= 50
        assert any("random 50 of the 200 rows" in note for note in c.notes)
        expected = FisherScore().fit(X, y).scores_
        np.testing.assert_array_equal(c.selectors["Watched"].scores_, expected)

    def test_a_smaller_budget_leaves_out_methods_and_rounds(self):
        X, y = table(200)
        with effort_settings(forest_work=10**4):  # what a usual budget can pay
            usual, small = (
                compare(X, y, random_state=0, cv=2, budget=b) for b in (40.0, 0.04)
            )
        assert set(small.selectors) < set(usual.selectors)
        assert usual.relevance.n_permutations == 30
        assert small.relevance.n_permutations == 10
        # What is recommended is the same, and it is tested all the same.
        assert small.best == usual.best == "KernelRFE"
        np.testing.assert_array_equal(small.selected, usual.selected)
        assert small.recommendation.score == usual.recommendation.score
        assert small.features["q_value"].notna().all()

    def test_a_busy_machine_gives_the_same_result(self, monkeypatch):
        X, y = table()
        idle = compare(X, y, random_state=0, cv=2)
        ages = itertools.count(0, 10**5)
        slow = SimpleNamespace(perf_counter=ages.__next__, monotonic=ages.__next__)
        monkeypatch.setattr(trials, "time", slow)
        busy = compare(X, y, random_state=0, cv=2)
        assert min(busy.times.values()) >= 10**5
        assert busy.settings == idle.settings
        assert busy.notes == idle.notes
        pd.testing.assert_frame_equal(busy.features, idle.features)
        pd.testing.assert_frame_equal(
            busy.summary().drop(columns="fit_time"),
            idle.summary().drop(columns="fit_time"),
        )

    def test_rare_classes_survive_sampling(self):
        codes = np.repeat([0, 1], [1000, 3])
        rows = some_of_each(codes, 0.1, np.random.default_rng(0))
        assert np.bincount(codes[rows]).tolist() == [100, 2]
        assert len(np.unique(rows)) == len(rows)


class InterruptedLater(FisherScore):
    """Is interrupted after so many fits."""

    fits, most = 0, np.inf

    def _score(self, table, workers):
        InterruptedLater.fits += 1
        if InterruptedLater.fits > InterruptedLater.most:
            raise KeyboardInterrupt
        return super()._score(table, workers)


class TestInterruption:
    @pytest.mark.parametrize("number", range(7))
    def test_what_is_finished_is_kept(self, monkeypatch, number):
        stage = list(stages.STAGES)[number]
        fields = ["recommendation", "signal_test", "relevance", "interactions"]
        fields += ["without_leaks", "agreement", "redundancy"]

        def interrupted(setup, parts):
            raise KeyboardInterrupt

        monkeypatch.setitem(stages.STAGES, stage, interrupted)
        X, y = table()
        X[:, 5] = y  # a leak
        missing = ", ".join(list(stages.STAGES)[number:])
        with pytest.warns(UserWarning, match=f"not finished: {missing}"):
            c = compare(X, y, ["ReliefF", "FisherScore"], random_state=0)
        assert not c.complete
        assert repr(c).endswith("interrupted)")
        for place, name in enumerate(fields):
            assert (getattr(c, name) is None) == (place >= number), name
        assert isinstance(c.answer, str)
        assert len(c.summary()) == 2
        if number > 0:
            tested = set(c.features["verdict"]) != {"kept", "not tested"}
            assert tested == (number > 2)

    def test_a_curve_with_some_folds_is_kept_but_ends_it(self):
        # A warm-up, all rows, and some of the folds.
        InterruptedLater.fits, InterruptedLater.most = 0, 2 + 3
        with pytest.warns(UserWarning, match="not finished: curve, signal"):
            c = compare(*table(), InterruptedLater(), n_jobs=1, random_state=0)
        assert 0 < c.curve.frame["fold"].nunique() < 5
        assert not c.curve.complete
        assert c.best is c.agreement is None
        assert c.answer.startswith("There is no answer yet")

    def test_during_the_fits_nothing_is_to_be_kept(self):
        class Interrupted(FisherScore):
            def _score(self, table, workers):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            compare(*table(), Interrupted())


def test_progress_goes_to_stderr(capsys):
    X, y = table()
    compare(X, y, "FisherScore", random_state=0, verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "fits: 1 of 1" in err
    assert "cross-validation: 10 of 10" in err
    assert "test of relevance: 30 of 30" in err
    compare(X, y, "FisherScore", random_state=0, verbose=0)
    assert capsys.readouterr() == ("", "")


def test_iris_from_a_frame_has_its_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    c = compare(X, y, ["ReliefF", "FisherScore"], random_state=0)
    assert set(c.feature_names[c.selected]) <= {"petal length (cm)", "petal width (cm)"}
    assert repr(c) == "Comparison(ReliefF, FisherScore on 150 × 4)"


def test_directions_refer_to_the_rarer_class_unless_one_is_named():
    X, y = table(60)
    y[:10] = 1
    X[:, 0] = y + 0.01 * X[:, 1]
    rare = compare(X, y, "FisherScore", random_state=0)
    assert rare.profile.positive == 0
    first = rare.features.iloc[0]
    assert (first["direction"], first["auc"]) == (-1, 0.0)
    told = compare(X, y, "FisherScore", positive=1, random_state=0)
    assert told.settings["positive"] == 1
    first = told.features.iloc[0]
    assert (first["direction"], first["auc"]) == (1, 1.0)
    assert told.answer == rare.answer


@pytest.mark.parametrize(
    ("y", "positive", "got"),
    [
        (np.arange(40) % 2, 2, "got 2"),
        (np.arange(40) % 3, 2, "and y has 3 classes"),
        (np.arange(40) / 7, 1, "and y has no classes"),
    ],
)
def test_a_positive_class_has_to_be_one_of_two(y, positive, got):
    with pytest.raises(ValueError, match=f"positive to be one of two classes.*{got}"):
        compare(table()[0], y, positive=positive)
