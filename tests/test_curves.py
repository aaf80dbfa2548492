import os
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from oracles.judge import NearestNeighbour
from waiting import LONG
from widemargin import OReliefF, ReliefF, Simba
from widemargin.base import MarginSelector
from widemargin.baselines import FisherScore, TraceRatio
from widemargin.datasets import make_xor
from widemargin.evaluation import SelectionCurve, selection_curve
from widemargin.evaluation._selectors import resolve_selectors

COLUMNS = ["method", "fold", "n_features", "score", "fit_time"]


def nearest():
    return NearestNeighbour()


class Told(MarginSelector):
    """Does what a function tells it."""

    def __init__(self, act, n_jobs=None):
        self.act = act
        self.n_jobs = n_jobs
        self.n_features_to_select = None
        self.scale = "minmax"
        self.verbose = 0

    def __sklearn_clone__(self):
        return Told(self.act, self.n_jobs)

    def _score(self, table, workers):
        return self.act(table)


def naive_curve(selector, X, y, cv, sizes):
    """Each size from scratch: a selection of that size in a pipeline, fold by fold."""
    rows = []
    for fold, (train, test) in enumerate(cv.split(X, y)):
        for k in sizes:
            model = make_pipeline(clone(selector).set_params(n_features_to_select=k))
            chosen = model.fit(X[train], y[train]).transform(X[train])
            scorer = nearest().fit(chosen, y[train])
            rows.append((fold, k, scorer.score(model.transform(X[test]), y[test])))
    return rows


def test_curve_is_that_of_one_selection_after_the_other():
    X, y = load_wine(return_X_y=True)
    cv = StratifiedKFold(4, shuffle=True, random_state=3)
    sizes = [1, 4, 13]
    curve = selection_curve(["ReliefF", FisherScore()], X, y, cv=cv, n_features=sizes)
    assert curve.complete
    assert list(curve.frame) == COLUMNS
    assert curve.methods == ("ReliefF", "FisherScore")
    for label, selector in (("ReliefF", ReliefF()), ("FisherScore", FisherScore())):
        mine = curve.frame[curve.frame["method"] == label]
        expected = naive_curve(selector, X, y, cv, sizes)
        found = mine[["fold", "n_features", "score"]].to_numpy()
        np.testing.assert_allclose(found, np.array(expected, float))
        assert (mine["fit_time"] > 0).all()
    all_features = cross_val_score(nearest(), X, y, cv=cv)
    np.testing.assert_allclose(curve.baseline, all_features)


def test_summary():
    frame = pd.DataFrame(
        {
            "method": np.repeat(["A", "B"], 6),
            "fold": np.tile(np.repeat([0, 1], 3), 2),
            "n_features": np.tile([1, 2, 4], 4),
            "score": [0.5, 0.8, 0.7, 0.7, 0.8, 0.7, 0.1, 0.2, 0.9, 0.3, 0.4, 0.7],
            "fit_time": np.repeat([1.0, 3.0, 5.0, 5.0], 3),
        }
    )
    curve = SelectionCurve(
        frame, ("B", "A", "C"), np.array([0.7, 0.9]), 4, "accuracy", False
    )
    summary = curve.summary()
    assert list(summary.index) == ["B", "A", "C"]
    assert summary["best_n_features"].isna().tolist() == [False, False, True]
    assert summary["best_n_features"].tolist()[:2] == [4, 2]
    np.testing.assert_allclose(summary["best_score"][:2], [0.8, 0.8])
    np.testing.assert_allclose(summary["best_stderr"][:2], [0.1, 0.0])
    np.testing.assert_allclose(summary["score_all"][:2], [0.8, 0.8])
    # (0.2 + 0.3) / 2 · 1 + (0.3 + 0.8) / 2 · 2 = 1.35, over a width of 3
    np.testing.assert_allclose(summary["area"].iloc[0], 1.35 / 3)
    np.testing.assert_allclose(summary["fit_time"][:2], [5.0, 2.0])
    assert "interrupted" in repr(curve)


def test_standard_errors_are_those_of_the_folds_of_one_repeat():
    X, y = load_iris(return_X_y=True)
    once, thrice = (
        RepeatedStratifiedKFold(n_splits=5, n_repeats=n, random_state=0) for n in (1, 3)
    )
    curve = selection_curve("FisherScore", X, y, cv=thrice, n_features=[1, 2])
    assert curve.repeat.tolist() == [0] * 5 + [1] * 5 + [2] * 5
    scores = curve.frame.pivot(index="fold", columns="n_features", values="score")
    parts = scores.to_numpy().reshape(3, 5, 2)
    expected = np.sqrt((parts.var(axis=1, ddof=1) / 5).mean(axis=0))
    np.testing.assert_allclose(curve.lines["FisherScore"].stderr, expected)
    first = selection_curve("FisherScore", X, y, cv=once, n_features=[1, 2])
    np.testing.assert_allclose(
        first.lines["FisherScore"].stderr, scores[:5].sem(ddof=1)
    )


def test_random_splits_count_as_one_repeat():
    rng = np.random.default_rng(0)
    scores = rng.random((4, 3))
    curve = SelectionCurve(None, (), np.zeros(4), 3, "", True, repeat=np.arange(4))
    each_its_own = curve._error_of(scores, np.arange(4))
    np.testing.assert_allclose(each_its_own, scores.std(axis=0, ddof=1) / 2)
    assert curve._error_of(scores[:1], np.array([0])).tolist() == [0, 0, 0]


def test_default_sizes_are_few_and_reach_from_one_to_all():
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    for d, most in ((1, 1), (4, 4), (10, 10), (300, 26)):
        X = rng.random((20, d))
        frame = selection_curve("FisherScore", X, y, cv=2, random_state=0).frame
        sizes = frame["n_features"].unique()
        assert sizes[0] == 1
        assert sizes[-1] == d
        assert (np.diff(sizes) > 0).all()
        assert len(sizes) <= most
        assert set(range(1, min(d, 10) + 1)) <= set(sizes)


NOISE_SIZES = [1, 5, 20, 100, 500]


@pytest.mark.simulated
def test_noise_stays_at_chance_unless_selection_sees_the_test_rows():
    inside, outside = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((100, 5000)), rng.permutation(np.arange(100) % 2)
        curve = selection_curve(
            "FisherScore", X, y, n_features=NOISE_SIZES, random_state=seed
        )
        inside.append(curve.frame["score"].mean())
        ranking = FisherScore().fit(X, y).ranking_
        for k in NOISE_SIZES:
            cv = StratifiedKFold(5, shuffle=True, random_state=seed)
            kept = X[:, ranking <= k]
            with threadpool_limits(1):  # threads would only wait for each other
                outside.append(cross_val_score(nearest(), kept, y, cv=cv).mean())
    assert abs(np.mean(inside) - 0.5) < 0.06
    assert np.mean(outside) > 0.75


def test_selector_sees_the_training_rows_only():
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    X[:, 3] = np.arange(150)
    seen = []

    def look(table):
        seen.append(table.X[:, 3] * 0 + table.rows.size)
        return np.arange(4.0)

    selection_curve(Told(look), X, y, cv=5, random_state=0, n_jobs=1)
    assert [len(s) for s in seen] == [120] * 5


def test_seed_fixes_folds_and_random_selectors_whatever_the_threads():
    X, y = make_xor(n_samples=150, random_state=0)
    frames = [
        selection_curve(["Simba", "ReliefF"], X, y, random_state=5, n_jobs=n).frame
        for n in (1, 1, 3)
    ]
    for frame in frames[1:]:
        pd.testing.assert_frame_equal(
            frame.drop(columns="fit_time"), frames[0].drop(columns="fit_time")
        )
    other = selection_curve(["Simba", "ReliefF"], X, y, random_state=6).frame
    assert not np.array_equal(other["score"], frames[0]["score"])


def test_any_classifier_and_scorer():
    X, y = load_wine(return_X_y=True, as_frame=True)
    labels = y.map({0: "red", 1: "white", 2: "rose"})
    labels.index = labels.index[::-1]
    model = make_pipeline(MinMaxScaler(), LogisticRegression())
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for scoring, name in (
        ("balanced_accuracy", "balanced_accuracy"),
        ("neg_log_loss", "neg_log_loss"),
        (make_scorer(_errors), "_errors"),
    ):
        curve = selection_curve(
            FisherScore(),
            X,
            labels,
            model,
            scoring=scoring,
            cv=folds,
            n_features=[2, 13],
            random_state=0,
        )
        assert curve.scoring == name
        score = cross_val_score(model, X, labels, scoring=scoring, cv=folds)
        np.testing.assert_allclose(curve.baseline, score)


def _errors(y_true, y_pred):
    return float(np.sum(np.asarray(y_true) != np.asarray(y_pred)))


def test_groups_stay_together():
    X, y = load_wine(return_X_y=True)
    groups = np.arange(len(y)) % 9
    curve = selection_curve(
        "FisherScore", X, y, cv=GroupKFold(3), groups=groups, n_features=5
    )
    assert len(curve.frame) == 3


def test_frames_with_text_and_gaps_go_through_selectors_that_take_them():
    rng = np.random.default_rng(0)
    n = 120
    colour = rng.choice(["red", "green", "blue"], n)
    y = colour == "red"
    frame = pd.DataFrame(
        {
            "noise": rng.standard_normal(n),
            "colour": colour,
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high"], n),
                categories=["low", "mid", "high"],
                ordered=True,
            ),
            "flag": rng.random(n) < 0.5,
        }
    )
    frame = frame.astype({"noise": "Float64"})
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    curve = selection_curve([ReliefF(), Simba()], frame, y, random_state=0)
    alone = curve.frame[curve.frame["n_features"] == 1].groupby("method")["score"]
    assert (alone.mean() > 0.9).all()
    assert curve.summary()["score_all"].between(0.6, 1.0).all()
    with pytest.raises(ValueError, match=r"FisherScore failed in fold \d: .*'colour'"):
        selection_curve("FisherScore", frame, y)


def test_polars_and_ordered_labels():
    X, y = load_iris(return_X_y=True)
    names = pl.Enum(["low", "mid", "high"])
    labels = pl.Series(np.array(["low", "mid", "high"])[y], dtype=names)
    frame = pl.DataFrame(X, schema=list("abcd"))
    curve = selection_curve([OReliefF(), "ReliefF"], frame, labels, random_state=0)
    assert (curve.summary()["best_score"] > 0.93).all()


def test_categories_that_only_a_selector_knows_of_are_categories_for_the_classifier():
    rng = np.random.default_rng(1)
    code = rng.permutation(np.arange(200) % 20)
    y = code % 2
    X = np.column_stack([code, rng.random(200)])
    told = selection_curve(
        ReliefF(categorical_features=[0]), X, y, n_features=1, random_state=0
    )
    assert told.frame["score"].mean() > 0.95


def test_errors_say_which_selector_and_fold():
    X, y = load_iris(return_X_y=True)

    def fail(table):
        raise OSError("no such luck")

    with pytest.raises(RuntimeError, match="mine failed in fold 0: no such luck"):
        selection_curve({"mine": Told(fail)}, X, y, n_jobs=1)
    with pytest.raises(ValueError, match="integers from 1 to 4"):
        selection_curve("ReliefF", X, y, n_features=[1, 5])
    with pytest.raises(ValueError, match="There is no method 'Releaf'; there are FRLL"):
        selection_curve("Releaf", X, y)
    with pytest.raises(ValueError, match="at least 2 classes"):
        selection_curve("ReliefF", X, np.zeros(150))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        selection_curve("ReliefF", X, y[:-1])
    model = make_pipeline(LogisticRegression(max_iter=-1))
    with pytest.raises(ValueError, match="classifier failed in fold 0, with 4 feat"):
        selection_curve("ReliefF", X, y, model, n_jobs=1)


def test_interrupt_keeps_finished_folds():
    X, y = load_iris(return_X_y=True)
    fits = []

    def interrupt_the_fourth(table):
        fits.append(1)
        if len(fits) == 4:
            raise KeyboardInterrupt
        return np.arange(4.0)

    selectors = {"a": Told(interrupt_the_fourth), "b": FisherScore()}
    with pytest.warns(UserWarning, match="interrupted; 6 of 10 fits"):
        curve = selection_curve(selectors, X, y, random_state=0, n_jobs=1)
    assert not curve.complete
    assert "interrupted" in repr(curve)
    counts = curve.frame.groupby("method")["fold"].unique()
    assert counts["a"].tolist() == counts["b"].tolist() == [0, 1, 2]
    assert np.isfinite(curve.baseline).sum() >= 3
    assert curve.summary()["best_score"].notna().all()


def test_interrupt_before_anything_is_finished():
    X, y = load_iris(return_X_y=True)

    def interrupt(table):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="before any fold was finished"):
        selection_curve(Told(interrupt), X, y, n_jobs=1)


@pytest.mark.processes
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_in_the_middle(n_jobs):
    script = f"""
        import itertools, os, signal, time
        import numpy as np
        from sklearn.base import BaseEstimator, ClassifierMixin
        from widemargin.evaluation import selection_curve

        class Slow(ClassifierMixin, BaseEstimator):
            numbers = itertools.count(1)
            def fit(self, X, y):
                number = next(self.numbers)
                if number == 12:
                    os.kill(os.getpid(), signal.SIGINT)
                if number >= 12:  # those under way are waited for, no others
                    time.sleep(1)
                self.classes_ = np.unique(y)
                return self
            def predict(self, X):
                return np.full(len(X), self.classes_[0])

        rng = np.random.default_rng(0)
        X, y = rng.random((60, 5)), np.arange(60) % 2
        curve = selection_curve(
            "FisherScore", X, y, Slow(), cv=30, n_jobs={n_jobs}, n_features=[1, 5]
        )
        print("complete", curve.complete, "rows", len(curve.frame))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=LONG,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert words[:2] == ["complete", "False"]
    assert 0 < int(words[3]) < 60
    assert "interrupted" in done.stderr
    assert "Traceback" not in done.stderr


def test_progress_is_shown_on_request_only(capsys):
    X, y = load_iris(return_X_y=True)
    selection_curve("FisherScore", X, y, cv=2, n_features=[1])
    assert capsys.readouterr() == ("", "")
    selection_curve("FisherScore", X, y, cv=2, n_features=[1], verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "selection_curve: 4 of 4\n"


def test_plot_draws_a_line_per_method():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = load_iris(return_X_y=True)
    display = selection_curve(["FisherScore", "ReliefF"], X, y, cv=2).plot()
    assert len(display.lines) == 2
    matplotlib.pyplot.close(display.figure_)


def test_selectors_are_labelled():
    one = resolve_selectors(ReliefF())
    assert list(one) == ["ReliefF"]
    assert isinstance(resolve_selectors("relieff")["ReliefF"], ReliefF)
    twice = resolve_selectors([ReliefF(), ReliefF(), ReliefF(n_neighbors=3)])
    assert list(twice) == ["ReliefF() #1", "ReliefF() #2", "ReliefF(n_neighbors=3)"]
    mine = resolve_selectors({"mine": "Simba", 2: FisherScore()})
    assert list(mine) == ["mine", "2"]
    for wrong in (ReliefF, 3, [KNeighborsClassifier()], {"a": None}):
        with pytest.raises(TypeError, match="selectors must be"):
            resolve_selectors(wrong)
    with pytest.raises(ValueError, match="at least one"):
        resolve_selectors([])


def test_each_size_may_be_a_fit_of_its_own():
    X, y = load_wine(return_X_y=True)
    sizes = [1, 3, 6, 13]
    folds = [*StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)]
    options = {"cv": folds, "n_features": sizes, "refit_sizes": True}
    curve = selection_curve(TraceRatio(scale=None), X, y, nearest(), **options)
    for fold, (train, test) in enumerate(folds):
        for k in sizes:
            ratio = TraceRatio(k, scale=None).fit(X[train], y[train])
            expected = nearest().fit(ratio.transform(X[train]), y[train])
            place = (curve.frame["fold"] == fold) & (curve.frame["n_features"] == k)
            mine = curve.frame.loc[place, "score"]
            score = expected.score(ratio.transform(X[test]), y[test])
            assert mine.tolist() == [pytest.approx(score)]


def test_repeated_folds_are_all_tried():
    X, y = load_iris(return_X_y=True)
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
    curve = selection_curve(FisherScore(), X, y, cv=cv, n_features=[2])
    assert len(curve.baseline) == 15
    scores = curve.frame["score"].to_numpy()
    once = selection_curve(
        FisherScore(), X, y, cv=[*cv.split(X, y)][5:10], n_features=[2]
    )
    np.testing.assert_array_equal(scores[5:10], once.frame["score"])
