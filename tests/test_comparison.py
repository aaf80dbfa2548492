"""Several methods side by side: what is recommended, said, left out and kept."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from settings_tools import changed_settings, effort_settings
from widemargin import ReliefF, Simba
from widemargin.baselines import FisherScore
from widemargin.data.dataset import read_dataset
from widemargin.datasets import make_ordinal, make_xor
from widemargin.evaluation import (
    Comparison,
    SelectionCurve,
    compare,
    default_selectors,
    profile,
    significance,
)
from widemargin.evaluation import (
    _stages as stages,
)
from widemargin.evaluation._curves import Choice
from widemargin.evaluation._signal import Signal
from widemargin.judging.recommend import Configuration, Evidence
from widemargin.judging.splits import some_of_each

LIGHT = {"n_permutations": 0, "n_resamples": 0, "redundancy_threshold": None}


def table(n=40, d=10, seed=0):
    """Two classes of n/2 rows, which the first feature tells apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d))
    X[:, 0] += 4 * y
    return X, y


def curve_of(scores, scoring="accuracy", baseline=0.6):
    """A curve from {method: {size: scores of the folds}}."""
    rows = [
        (method, fold, size, score, 0.1)
        for method, sizes in scores.items()
        for size, folds in sizes.items()
        for fold, score in enumerate(folds)
    ]
    columns = ["method", "fold", "n_features", "score", "fit_time"]
    frame = pd.DataFrame(rows, columns=columns)
    folds = frame["fold"].max() + 1
    return SelectionCurve(
        frame, tuple(scores), np.full(folds, baseline), 10, scoring, True
    )


def comparison_of(scores, *, chance=0.5, baseline=0.6, scoring="accuracy", p=0.002):
    X, y = table(1000)
    selectors = {m: FisherScore().fit(X, y) for m in scores}
    return Comparison(
        X=X,
        y=y,
        feature_names=np.array([f"x{f}" for f in range(10)], dtype=object),
        profile=profile(X, y),
        selectors=selectors,
        times=dict.fromkeys(scores, 0.5),
        curve=curve_of(scores, scoring, baseline),
        signal_test=Signal(p, 0.05, 499, "the strongest feature", {}),
        chance=chance,
    )


def recommended_by(scores):
    """The same with evidence of all folds, of configurations that are as stable."""
    c = comparison_of(scores)
    each = [(m, k, folds) for m, sizes in scores.items() for k, folds in sizes.items()]
    V, many = len(c.curve.baseline), 10**6
    evidence = Evidence(
        [Configuration(m, None, k) for m, k, _ in each],
        np.column_stack([folds for *_, folds in each]).astype(float),
        np.array([-np.inf if k == 10 else 0.5 for _, k, _ in each]),
        c.curve.baseline,
        np.zeros(V, int),
        np.full(V, many),
        np.full(V, many),
        {},
        10,
    )
    return replace(c, curve=replace(c.curve, evidence=evidence))


def near(mean, error=0.01):
    """Two folds of that mean and standard error."""
    return [mean - error, mean + error]


@pytest.mark.parametrize("made", [recommended_by, comparison_of])  # all folds, or some
class TestRecommendation:
    def test_the_fewest_features_within_one_standard_error_win(self, made):
        c = made(
            {
                "wide": {1: near(0.6), 5: near(0.85), 10: near(0.90, 0.02)},
                "short": {1: near(0.6), 3: near(0.885), 10: near(0.60)},
            }
        )
        assert (c.best, c.n_features) == ("short", 3)

    def test_a_score_outside_one_standard_error_does_not(self, made):
        c = made(
            {
                "wide": {5: near(0.85), 10: near(0.90, 0.02)},
                "short": {3: near(0.87), 10: near(0.60)},
            }
        )
        assert (c.best, c.n_features) == ("wide", 10)

    def test_of_equal_sizes_the_better_score_wins(self, made):
        c = made({"a": {2: near(0.89)}, "b": {2: near(0.90)}, "c": {2: near(0.895)}})
        assert c.best == "b"

    def test_the_selected_are_the_first_of_the_best_ranking(self, made):
        c = made({"a": {3: near(0.9)}})
        ranking = c.selectors["a"].ranking_
        assert ranking[c.selected].tolist() == [1, 2, 3]

    def test_one_fold_has_no_standard_error(self, made):
        c = made({"a": {1: [0.7], 4: [0.9]}})
        assert c.n_features == 4


class TestAnswer:
    def test_fewer_features_that_score_higher_carry_the_signal(self):
        c = comparison_of({"ReliefF": {3: near(0.88)}}, baseline=0.65)
        assert c.answer == (
            "3 of 10 features, as ReliefF ranks them, carry the signal; 1-NN rises "
            "from 65 % with all to 88 %."
        )

    def test_fewer_features_that_score_the_same_are_enough(self):
        c = comparison_of({"ReliefF": {1: near(0.879)}}, baseline=0.881)
        assert c.answer == (
            "1 of 10 features, as ReliefF ranks them, is enough; the accuracy of 1-NN "
            "is 87.9 % with it and 88.1 % with all."
        )

    def test_all_may_be_needed(self):
        c = comparison_of({"a": {3: near(0.7), 10: near(0.9)}}, baseline=0.9)
        assert c.answer == (
            "All 10 features are needed: the accuracy of 1-NN is 90 % with them."
        )

    def test_no_signal_is_said_plainly(self):
        c = comparison_of({"a": {1: near(0.53), 2: near(0.51)}}, baseline=0.5, p=0.4)
        assert c.signal is False
        assert c.answer == (
            "No signal found (p = 0.400, level 0.05): whichever of the 10 features are "
            "kept, the accuracy of 1-NN is at most 53 %, and 50 % by guessing; that "
            "much may be chance."
        )

    def test_no_signal_and_no_score_above_chance(self):
        c = comparison_of({"a": {1: near(0.47)}}, baseline=0.5, p=0.4)
        assert c.answer.endswith("is at most 47 %, and 50 % by guessing.")

    def test_signal_that_the_classifier_does_not_use_is_not_called_enough(self):
        c = comparison_of({"ReliefF": {2: near(0.507)}}, baseline=0.503, p=0.002)
        assert c.signal is True
        assert c.answer == (
            "There is signal (p = 0.002), but 1-NN does not clearly beat guessing: the "
            "accuracy of 1-NN is 50.7 % with 2 of 10 features, as ReliefF ranks them, "
            "50.3 % with all, and 50.0 % by guessing. Another classifier or score, "
            "such as balanced_accuracy, may show more."
        )
        assert c.beats_chance is False
        c = comparison_of({"a": {10: near(0.507)}}, baseline=0.507, p=0.002)
        assert "is 51 % with all 10 features, and 50 % by guessing" in c.answer

    def test_significant_features_are_named_where_the_classifier_uses_none(self):
        c = comparison_of({"a": {2: near(0.505)}}, baseline=0.5, p=0.002)
        tested = significance(c.selectors["a"], c.X, c.y, random_state=0)
        c = replace(c, significance={"a": tested})
        sure = c.features.loc[c.features["q_value"] < 0.05, "feature"].tolist()
        assert sure
        named = ", ".join(sure[:5])
        assert f"Features with significant scores (q < 0.05): {named}" in c.answer

    def test_only_all_features_together_may_beat_guessing(self):
        c = comparison_of({"a": {2: near(0.505)}}, baseline=0.6, p=0.002)
        assert "does not clearly beat guessing with fewer than all features" in c.answer

    def test_a_loss_is_above_chance_if_it_is_lower(self):
        scores = {"a": {2: near(-0.5)}}
        options = {"scoring": "neg_rank_loss", "chance": -0.9}
        assert "enough" in comparison_of(scores, baseline=-0.5, **options).answer
        options["chance"] = -0.505
        found = comparison_of(scores, baseline=-0.5, **options).answer
        assert "does not clearly beat guessing" in found

    def test_signal_is_the_verdict_of_the_test(self):
        scores = {"a": {1: near(0.56, 0.001)}}
        assert comparison_of(scores, p=0.05).signal is True
        assert comparison_of(scores, p=0.06).signal is False

    def test_other_scores_are_named(self):
        scores = {"a": {2: near(0.8)}}
        c = comparison_of(scores, scoring="balanced_accuracy")
        assert "the balanced accuracy of 1-NN rises from 60 % with all to 80 %" in (
            c.answer
        )
        assert "the ROC AUC of 1-NN rises from 0.60 with all to 0.80" in (
            comparison_of(scores, scoring="roc_auc").answer
        )

    def test_without_a_curve_there_is_none(self):
        X, y = table()
        c = Comparison(
            X, y, np.array([]), profile(X, y), {"a": FisherScore()}, {"a": 1}
        )
        assert c.answer.startswith("There is no answer")
        assert c.best is c.n_features is c.selected is c.signal is c.score_all is None
        assert c.summary()["n_features"].isna().all()


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

        c = compare(X, y, choose, random_state=0, **LIGHT)
        assert list(c.selectors) == ["FisherScore"]
        assert seen == [X.shape]

    def test_it_finds_the_three_features_of_xor(self):
        X, y = make_xor(300, random_state=0)
        c = compare(X, y, ["ReliefF", "FisherScore"], n_permutations=20, random_state=0)
        assert c.complete
        assert c.best == "ReliefF"
        assert sorted(c.selected) == [0, 1, 2]
        assert c.signal
        assert "3 of 10 features, as ReliefF ranks them, carry the signal" in c.answer
        assert c.agreement.labels == ["ReliefF", "FisherScore"]
        assert c.agreement.k == 3
        assert c.resampling["ReliefF"].supports.sum(axis=1).tolist() == [3] * 50
        assert c.significance["ReliefF"].significant().nonzero()[0].tolist() == [
            0,
            1,
            2,
        ]
        assert c.redundancy.groups == []
        assert set(c.times) == {"ReliefF", "FisherScore"}
        assert all(s.scores_.shape == (10,) for s in c.selectors.values())

    def test_noise_is_called_noise(self):
        rng = np.random.default_rng(0)
        claims = 0
        for seed in range(3):
            X, y = rng.standard_normal((60, 200)), np.arange(60) % 2
            selectors = ["FisherScore", "PearsonScore"]
            c = compare(X, y, selectors, random_state=seed, **LIGHT)
            claims += c.signal
            assert c.signal or c.answer.startswith("No signal found")
        assert claims == 0

    def test_the_summary_has_a_row_per_method(self):
        X, y = table()
        options = {"n_resamples": 4, "n_permutations": 0, "random_state": 0}
        c = compare(X, y, ["ReliefF", "Simba"], **options)
        frame = c.summary()
        assert frame.columns.tolist() == [
            "method",
            "n_features",
            "score",
            "score_all",
            "area",
            "fold_stability",
            "stability",
            "fit_time",
        ]
        assert frame["method"].tolist() == ["ReliefF", "Simba"]
        assert frame.notna().all(axis=None)
        assert frame["fit_time"].tolist() == list(c.times.values())
        stability = frame.set_index("method")["fold_stability"]
        assert stability[c.best] == c.choice.stability

    def test_the_same_seed_gives_the_same_comparison(self):
        X, y = table()
        options = {"n_resamples": 4, "n_permutations": 30, "random_state": 1}
        one, two = (compare(X, y, ["Simba"], **options) for _ in range(2))
        pd.testing.assert_frame_equal(
            one.summary().drop(columns="fit_time"),
            two.summary().drop(columns="fit_time"),
        )
        np.testing.assert_array_equal(
            one.significance["Simba"].p_values, two.significance["Simba"].p_values
        )

    def test_settings_reproduce_the_call(self):
        X, y = table()
        c = compare(X, y, {"mine": Simba(2)}, cv=3, n_features=[1, 5], **LIGHT)
        settings = json.loads(json.dumps(c.settings))
        seed = settings["random_state"]
        assert settings["selectors"] == {
            "mine": f"Simba(n_features_to_select=2, random_state={seed})"
        }
        assert settings["n_features"] == [1, 5]
        assert settings["scoring"] == "accuracy"
        names = {"Simba": Simba}
        again = {k: eval(s, names) for k, s in settings.pop("selectors").items()}
        twin = compare(X, y, again, **settings)
        pd.testing.assert_frame_equal(
            c.curve.frame.drop(columns="fit_time"),
            twin.curve.frame.drop(columns="fit_time"),
        )

    def test_a_classifier_and_a_score_of_ones_own(self):
        X, y = table()
        c = compare(
            X, y, "FisherScore", estimator=LogisticRegression(), scoring="roc_auc",
            cv=StratifiedKFold(3), random_state=0, **LIGHT,
        )  # fmt: skip
        assert c.classifier == "LogisticRegression"
        assert c.chance == 0.5
        assert "ROC AUC of LogisticRegression" in c.answer
        assert c.settings["cv"].startswith("StratifiedKFold(n_splits=3")

    def test_lopsided_classes_are_scored_by_balanced_accuracy(self):
        X, _ = table(100)
        y = np.arange(100) % 10 == 0
        X[:, 1] += 3 * y
        c = compare(X, y, "FisherScore", random_state=0, **LIGHT)
        assert c.curve.scoring == "balanced_accuracy"
        assert c.chance == 0.5

    def test_parts_can_be_left_out(self):
        X, y = table()
        c = compare(X, y, "FisherScore", random_state=0, **LIGHT)
        assert c.agreement is None
        assert c.redundancy is None
        assert c.resampling == c.significance == {}
        assert c.complete
        assert not any("left out" in note for note in c.notes)

    def test_many_features_are_tested_with_permutations_as_they_need(self):
        X, y = table(40, 60)
        c = compare(X, y, "FisherScore", random_state=0, n_resamples=0)
        assert c.significance["FisherScore"].method == "permutation"
        assert c.significance["FisherScore"].n_permutations == 1200
        assert c.significance["FisherScore"].significant()[0]

    def test_too_few_permutations_are_noted(self):
        X, y = table(40, 60)
        c = compare(X, y, "FisherScore", n_resamples=0, n_permutations=5)
        assert any("with 5 permutations, which are too few" in n for n in c.notes)

    def test_what_the_budget_does_not_allow_is_left_out(self):
        X, y = table(40, 60)
        c = compare(X, y, "FisherScore", n_resamples=0, budget=1e-6)
        assert c.significance == {}
        assert any("Significance was left out for FisherScore" in n for n in c.notes)

    def test_relative_scores_are_tested_by_what_they_are_made_of(self):
        X, y = table(40, 3)
        X[:, 1] += 3 * y
        c = compare(X, y, "Simba", random_state=0, n_resamples=0)
        assert c.significance["Simba"].method == "permutation"
        assert c.significance["Simba"].significant()[1]

    def test_redundant_features_are_grouped_around_the_better_one(self):
        X, y = table()
        X[:, 5] = X[:, 0] + 0.01 * np.random.default_rng(1).standard_normal(40)
        c = compare(X, y, "FisherScore", random_state=0, n_permutations=0)
        (group,) = c.redundancy.groups
        assert sorted(group) == [0, 5]
        assert group == sorted(
            group, key=lambda f: -c.selectors["FisherScore"].scores_[f]
        )

    def test_mixed_tables_go_through(self):
        X, y = table(60, 4)
        frame = pd.DataFrame(X, columns=list("abcd"))
        frame["colour"] = np.where(np.arange(60) % 3 > 0, "red", "blue")
        frame.loc[[1, 20], "b"] = np.nan
        frame.loc[4, "colour"] = None
        c = compare(
            frame, np.where(y, "yes", "no"), random_state=0, cv=3,
            n_resamples=3, n_permutations=19,
        )  # fmt: skip
        assert list(c.selectors) == ["KernelRFE", "ReliefF", "MultiSURF"]
        assert c.feature_names[c.selected[0]] == "a"
        assert c.signal
        assert c.redundancy.measure == "uncertainty"
        assert set(c.resampling) == set(c.significance) == set(c.selectors)

    def test_ordered_classes_go_through(self):
        X, y = make_ordinal(60, random_state=0)[:2]
        few = {"cv": 2, "n_features": [1, 5], **LIGHT}
        c = compare(X, pd.Categorical(y, ordered=True), random_state=0, **few)
        assert "OReliefF" in c.selectors
        assert c.complete

    def test_polars_frames_and_lists_go_through(self):
        polars = pytest.importorskip("polars")
        X, y = table()
        by_list = compare(X.tolist(), y.tolist(), "ReliefF", random_state=0, **LIGHT)
        frame = polars.DataFrame(X, schema=[f"c{f}" for f in range(10)])
        by_frame = compare(frame, y, "ReliefF", random_state=0, **LIGHT)
        assert by_frame.feature_names[0] == "c0"
        np.testing.assert_array_equal(by_list.selected, by_frame.selected)

    def test_small_classes_get_fewer_folds(self):
        X, _ = table(9)
        y = np.arange(9) % 3
        with warnings.catch_warnings(action="ignore"):
            c = compare(X, y, "FisherScore", random_state=0, **LIGHT)
        assert c.curve.frame["fold"].nunique() == 9
        assert any("3 folds instead of 5" in note for note in c.notes)

    def test_warnings_of_the_methods_are_said_once_and_noted(self):
        X, y = table(16)
        with pytest.warns(UserWarning, match="n_neighbors=10") as caught:
            c = compare(X, y, ["ReliefF"], random_state=0, cv=2, n_resamples=3)
        assert len(caught) == 1
        assert any("n_neighbors=10" in note for note in c.notes)

    def test_threads_are_not_a_setting_of_the_methods(self):
        X, y = table()
        own = {"all": FisherScore(), "own": FisherScore(n_jobs=1)}
        c = compare(X, y, own, n_jobs=2, random_state=0, **LIGHT)
        assert c.selectors["all"].n_jobs == 2
        assert c.selectors["own"].n_jobs == 1
        assert c.settings["selectors"]["all"] == "FisherScore()"

    def test_the_arguments_are_not_changed(self):
        X, y = table()
        before, selector = X.copy(), ReliefF(3)
        compare(X, y, selector, random_state=0, **LIGHT)
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

    def test_images_keep_their_shape(self):
        X, y = table()
        c = compare(X, y, "FisherScore", image_shape=(2, 5), **LIGHT)
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

        c = compare(
            X, y, Watched(), max_samples=50, n_resamples=3, n_permutations=0,
            random_state=0,
        )  # fmt: skip
        after_the_fit = seen[seen.index(200) + 1 :]
        assert after_the_fit
        assert max(after_the_fit) <= 50
        assert any("random 50 of the 200 rows" in note for note in c.notes)
        expected = FisherScore().fit(X, y).scores_
        np.testing.assert_array_equal(c.selectors["Watched"].scores_, expected)

    def test_what_the_budget_does_not_allow_is_left_out_with_a_note(self):
        X, y = table()
        c = compare(X, y, ["ReliefF", "FisherScore"], budget=1e-9, random_state=0)
        assert c.resampling == c.significance == {}
        assert any(n.startswith("Stability was left out for") for n in c.notes)
        assert any(n.startswith("Significance was left out for") for n in c.notes)
        assert c.complete

    def test_the_recommended_method_comes_first(self):
        X, y = make_xor(200, random_state=0)
        c = compare(X, y, ["FisherScore", "ReliefF"], random_state=0, n_resamples=3)
        assert c.best == "ReliefF"
        assert next(iter(c.resampling)) == next(iter(c.significance)) == "ReliefF"

    def test_other_methods_have_a_quarter_of_the_budget(self):
        X, y = table()
        methods = {"best": ReliefF(), "quick": FisherScore(), "slow": Simba()}
        data = read_dataset(X, y, "a test")
        setup = stages.Setup(data, profile(X, y), methods, 0, 1, budget=8.0)
        times = {"best": 5.0, "quick": 1.0, "slow": 3.0}
        parts = stages.Parts(setup, times=times, choice=Choice("best", 3, 0.9, 0.01))
        assert list(parts.affordable("Stability", lambda _: 1.0)) == ["best", "quick"]
        assert parts.notes == ["Stability was left out for slow (about 3 seconds)."]

    def test_a_fit_that_seems_too_long_is_timed_again(self):
        X, y = table()
        data, methods = read_dataset(X, y, "a test"), {"a": FisherScore()}
        setup = stages.Setup(data, profile(X, y), methods, 0, 1, budget=60.0)
        parts = stages.Parts(setup)
        parts.times = {"a": 0.5}  # the machine did something else at first
        assert parts.permutations("a") is None
        assert parts.times["a"] < 0.001  # by the clock of conftest.py

    def test_no_budget_is_no_limit(self):
        X, y = table()
        c = compare(X, y, "FisherScore", budget=None, n_resamples=3, random_state=0)
        assert set(c.resampling) == set(c.significance) == {"FisherScore"}

    def test_rare_classes_survive_sampling(self):
        codes = np.repeat([0, 1], [1000, 3])
        rows = some_of_each(codes, 0.1, np.random.default_rng(0))
        assert np.bincount(codes[rows]).tolist() == [100, 2]
        assert len(np.unique(rows)) == len(rows)

    def test_rows_to_warm_up_are_of_all_classes(self):
        codes = np.repeat([0, 1, 2], [1000, 7, 1])
        with changed_settings(small_table_rows=9):
            rows = stages._warm_up_rows(codes)
        assert np.bincount(codes[rows])[1:].tolist() == [7, 1]
        assert 42 <= len(rows) - 8 <= 52

    @pytest.mark.parametrize(("n", "few"), [(300, 257), (100, 100)])
    def test_what_a_timed_fit_needs_is_compiled_before(self, n, few):
        # Small tables are not searched. What makes ready for a large one is not small.
        sizes = []

        class Noted(FisherScore):
            def _score(self, table, workers):
                sizes.append(len(table.X))
                return super()._score(table, workers)

        with changed_settings(small_table_rows=256):
            compare(*table(n), Noted(), **LIGHT, random_state=0)
        assert sizes[0] >= few
        assert sizes[1] == n


class InterruptedLater(FisherScore):
    """Is interrupted after so many fits."""

    fits, most = 0, np.inf

    def _score(self, table, workers):
        InterruptedLater.fits += 1
        if InterruptedLater.fits > InterruptedLater.most:
            raise KeyboardInterrupt
        return super()._score(table, workers)


class TestInterruption:
    @pytest.mark.parametrize(
        ("stage", "missing"),
        [
            (
                "carry_out",
                "curve, signal, agreement, stability, significance, redundancy",
            ),
            ("resample", "stability, significance, redundancy"),
            ("significance", "significance, redundancy"),
            ("redundancy", "redundancy"),
        ],
    )
    def test_what_is_finished_is_kept(self, monkeypatch, stage, missing):
        def interrupted(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr(stages, stage, interrupted)
        X, y = table()
        with pytest.warns(UserWarning, match=f"not finished: {missing}"):
            c = compare(X, y, ["ReliefF", "FisherScore"], n_resamples=3, random_state=0)
        assert not c.complete
        assert repr(c).endswith("interrupted)")
        assert (c.curve is None) == (stage == "carry_out")
        assert (c.agreement is None) == (stage == "carry_out")
        assert bool(c.resampling) == (stage in ("significance", "redundancy"))
        assert bool(c.significance) == (stage == "redundancy")
        assert c.redundancy is None
        assert isinstance(c.answer, str)
        assert len(c.summary()) == 2

    def test_methods_finished_before_it_are_kept(self):
        X, y = table()
        methods = [FisherScore(), InterruptedLater()]
        InterruptedLater.fits, InterruptedLater.most = 0, np.inf
        compare(X, y, methods, **LIGHT, random_state=0)
        InterruptedLater.fits, InterruptedLater.most = 0, InterruptedLater.fits
        with pytest.warns(UserWarning, match="not finished: stability"):
            c = compare(X, y, methods, n_resamples=3, random_state=0)
        assert set(c.resampling) == {"FisherScore"}

    def test_a_curve_with_some_folds_is_used_but_ends_it(self):
        # A warm-up, all rows, and the folds; then those without another one.
        InterruptedLater.fits, InterruptedLater.most = 0, 2 + 10 + 5
        with pytest.warns(UserWarning, match="not finished: curve, signal"):
            c = compare(*table(), InterruptedLater(), random_state=0)
        assert c.best == "InterruptedLater"
        assert c.agreement is None

    def test_during_the_fits_nothing_is_to_be_kept(self):
        class Interrupted(FisherScore):
            def _score(self, table, workers):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            compare(*table(), Interrupted())


def test_progress_goes_to_stderr(capsys):
    X, y = table()
    compare(X, y, "FisherScore", random_state=0, n_resamples=3, verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "fits: 1 of 1" in err
    assert "cross-validation: 30 of 30" in err
    assert "stability of FisherScore: 3 of 3" in err
    compare(X, y, "FisherScore", random_state=0, n_resamples=3, verbose=0)
    assert capsys.readouterr() == ("", "")


def test_iris_from_a_frame_has_its_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    c = compare(X, y, ["ReliefF", "FisherScore"], random_state=0, **LIGHT)
    assert set(c.feature_names[c.selected]) <= {"petal length (cm)", "petal width (cm)"}
    assert repr(c) == "Comparison(ReliefF, FisherScore on 150 × 4)"


def test_directions_refer_to_the_rarer_class_unless_one_is_named():
    X, y = table(60)
    y[:10] = 1
    X[:, 0] = y + 0.01 * X[:, 1]
    rare = compare(X, y, "FisherScore", **LIGHT)
    assert rare.profile.positive == 0
    first = rare.features.iloc[0]
    assert (first["direction"], first["auc"]) == (-1, 0.0)
    told = compare(X, y, "FisherScore", positive=1, **LIGHT)
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
        compare(table()[0], y, **LIGHT, positive=positive)
