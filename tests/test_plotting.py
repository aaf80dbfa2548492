"""Displays: what is drawn, not how it looks to the pixel."""

import sys
from itertools import pairwise
from types import SimpleNamespace

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import colors
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection, PolyCollection
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

from widemargin import ReliefF
from widemargin.baselines import FisherScore
from widemargin.evaluation import SelectionCurve, hard_rows
from widemargin.plotting import (
    AgreementDisplay,
    ClassScoresDisplay,
    FeatureMapDisplay,
    HardRowsDisplay,
    RankingDisplay,
    SelectionCurveDisplay,
)
from widemargin.plotting._ranking import KEPT, LEFT_OUT, NAMED

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def fitted(d, kept=2, names=None, seed=0):
    """A selector of d features whose first ones are the best."""
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 2
    X = rng.standard_normal((40, d))
    X[:, :3] += y[:, None] * np.array([6, 4, 3])[:d]
    if names is not None:
        X = pd.DataFrame(X, columns=names)
    return FisherScore(kept).fit(X, y)


def bar_labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def draw(display):
    """Render for real, in which layout and fonts may fail."""
    display.figure_.canvas.draw()
    return display


class TestRanking:
    @pytest.mark.parametrize("d", [1, 4, 60])
    def test_few_features_have_a_bar_each_best_on_top(self, d):
        selector = fitted(d, kept=1)
        display = draw(RankingDisplay.from_estimator(selector))
        order = np.argsort(selector.ranking_)
        assert display.top_ax_ is None
        widths = [bar.get_width() for bar in display.ax_.patches]
        np.testing.assert_array_equal(widths, selector.scores_[order])
        assert bar_labels(display.ax_) == [f"x{f}" for f in order]
        bottom, top = display.ax_.get_ylim()
        assert bottom > top  # the first bar is the upmost

    def test_colours_tell_the_kept_ones(self):
        display = RankingDisplay.from_estimator(fitted(5, kept=2))
        shown = [colors.to_hex(b.get_facecolor()).upper() for b in display.ax_.patches]
        assert shown == [KEPT] * 2 + [LEFT_OUT] * 3
        assert "2 of 5 kept" in display.ax_.get_title(loc="left")

    def test_many_features_are_a_curve_with_the_best_named(self):
        selector = fitted(10_000, kept=76)
        display = draw(RankingDisplay.from_estimator(selector))
        whole, kept = display.ax_.lines[:2]
        assert len(whole.get_xdata()) == 10_000
        assert len(kept.get_xdata()) == 76
        assert np.all(np.diff(whole.get_ydata()) <= 0)
        assert display.ax_.get_xscale() == "log"
        names = bar_labels(display.top_ax_)
        best = np.argsort(selector.ranking_)[:NAMED]
        assert names == [f"x{f}" for f in best]

    def test_labels_do_not_overlap(self):
        for d in (4, 60, 10_000):
            display = draw(RankingDisplay.from_estimator(fitted(d)))
            ax = display.top_ax_ or display.ax_
            boxes = [t.get_window_extent() for t in ax.get_yticklabels()]
            for upper, lower in pairwise(boxes):
                assert upper.y0 >= lower.y1 - 1
            assert min(t.get_fontsize() for t in ax.get_yticklabels()) >= 6

    def test_nothing_is_cut_off_by_the_edge(self):
        names = [f"a rather long name of feature {f} " * 3 for f in range(60)]
        display = draw(RankingDisplay.from_estimator(fitted(60, names=names)))
        width = display.figure_.bbox.width
        for label in display.ax_.get_yticklabels():
            box = label.get_window_extent()
            assert box.x0 >= 0
            assert box.x1 <= width

    def test_shortened_names_stay_different(self):
        names = [f"the same beginning {f} and the same end as ever" for f in range(8)]
        shown = bar_labels(RankingDisplay.from_estimator(fitted(8, names=names)).ax_)
        assert len(set(shown)) == 8
        assert all(len(name) <= 30 for name in shown)

    def test_top_shows_that_many(self):
        display = RankingDisplay.from_estimator(fitted(10_000), top=7)
        assert len(display.ax_.patches) == 7
        assert display.top_ax_ is None

    @pytest.mark.parametrize("layout", [None, "constrained"])
    def test_small_axes_of_the_caller_get_the_curve(self, layout):
        figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4), layout=layout)
        display = RankingDisplay.from_estimator(fitted(60), ax=left)
        assert display.ax_ is left
        assert display.figure_ is figure
        assert display.top_ax_ is not None
        draw(display)
        assert display.top_ax_.get_position().x1 < right.get_position().x0

    def test_axes_outside_a_grid_are_drawn_into(self):
        figure = plt.figure()
        ax = figure.add_axes((0.1, 0.1, 0.8, 0.8))
        display = draw(RankingDisplay.from_estimator(fitted(500), ax=ax))
        assert display.top_ax_ is None
        assert figure.axes == [ax]

    def test_intervals_become_error_bars(self):
        selector = fitted(5)
        interval = np.stack([selector.scores_ - 0.5, selector.scores_ + 0.25], axis=1)
        display = RankingDisplay.from_estimator(selector, interval=interval)
        (bars,) = [c for c in display.ax_.collections if isinstance(c, LineCollection)]
        best = int(np.argmin(selector.ranking_))
        ends = bars.get_segments()[0][:, 0]
        np.testing.assert_allclose(ends, interval[best])

    def test_a_selector_brings_its_own_interval(self):
        selector = fitted(5)
        selector.scores_interval_ = np.stack([selector.scores_] * 2, axis=1)
        display = RankingDisplay.from_estimator(selector)
        assert display.interval.shape == (5, 2)

    def test_intervals_of_a_curve_are_a_band(self):
        selector = fitted(300)
        interval = np.stack([selector.scores_ - 1, selector.scores_ + 1], axis=1)
        display = draw(RankingDisplay.from_estimator(selector, interval=interval))
        bands = [c for c in display.ax_.collections if isinstance(c, PolyCollection)]
        assert len(bands) == 1

    def test_wrong_arguments_are_named(self):
        selector = fitted(5)
        with pytest.raises(ValueError, match="5 feature_names, got 2"):
            RankingDisplay.from_estimator(selector, feature_names=["a", "b"])
        with pytest.raises(ValueError, match=r"shape \(5, 2\), got \(5,\)"):
            RankingDisplay.from_estimator(selector, interval=selector.scores_)
        with pytest.raises(NotFittedError):
            RankingDisplay.from_estimator(FisherScore())

    def test_it_can_be_drawn_again(self):
        display = RankingDisplay.from_estimator(fitted(5))
        first = display.figure_
        assert display.plot().figure_ is not first


def curve_of(sizes, n_methods=2, n_folds=5):
    rng = np.random.default_rng(0)
    rows = [
        (f"m{m}", fold, size, rng.random(), 0.1)
        for m in range(n_methods)
        for fold in range(n_folds)
        for size in sizes
    ]
    columns = ["method", "fold", "n_features", "score", "fit_time"]
    frame = pd.DataFrame(rows, columns=columns)
    methods = tuple(f"m{m}" for m in range(n_methods))
    baseline = np.zeros(n_folds)
    return SelectionCurve(
        frame, methods, baseline, max(sizes), "balanced_accuracy", True
    )


class TestSelectionCurve:
    def test_lines_are_means_over_the_folds(self):
        curve = curve_of([1, 2, 4, 8])
        display = draw(SelectionCurveDisplay.from_curve(curve))
        mine = curve.frame[curve.frame.method == "m1"]
        scores = mine.pivot(index="fold", columns="n_features", values="score")
        line = next(x for x in display.ax_.lines if x.get_label() == "m1")
        np.testing.assert_array_equal(line.get_xdata(), [1, 2, 4, 8])
        np.testing.assert_allclose(line.get_ydata(), scores.mean())
        np.testing.assert_allclose(display.lines["m1"].stderr, scores.sem())
        assert display.ax_.get_ylabel() == "balanced accuracy"

    @pytest.mark.parametrize(
        ("sizes", "scale"), [([1, 4], "linear"), ([1, 60], "linear"),
                             ([1, 100, 10_000], "log")]
    )  # fmt: skip
    def test_the_axis_is_logarithmic_over_two_decades(self, sizes, scale):
        display = draw(SelectionCurveDisplay.from_curve(curve_of(sizes)))
        assert display.ax_.get_xscale() == scale
        texts = [t.get_text() for t in display.ax_.get_xticklabels()]
        assert not any("$" in text for text in texts)

    def test_a_ring_marks_the_best_size(self):
        display = SelectionCurveDisplay({"a": ([1, 2, 3], [0.5, 0.9, 0.7], [0] * 3)})
        display.plot()
        ring, explained = display.ax_.lines[-2:]
        assert (explained.get_marker(), *explained.get_xdata()) == (ring.get_marker(),)
        assert (*ring.get_xdata(), *ring.get_ydata()) == (2, 0.9)

    def test_twelve_methods_look_different(self):
        curve = curve_of([1, 2, 3], n_methods=12)
        display = draw(SelectionCurveDisplay.from_curve(curve, chance=0.5))
        lines = [x for x in display.ax_.lines if x.get_label().startswith("m")]
        assert len({(x.get_color(), x.get_linestyle()) for x in lines}) == 12
        texts = [t.get_text() for t in display.ax_.get_legend().get_texts()]
        assert texts == [f"m{i}" for i in range(12)] + [
            "best of a method",
            "guessing (0.50)",
        ]

    @pytest.mark.parametrize("chance", [0.1, 0.85, 0.99])
    def test_guessing_is_always_on_the_axis(self, chance):
        lines = {"a": ([1, 2], [0.9, 0.95], [0.01, 0.01])}
        low, high = SelectionCurveDisplay(lines, chance=chance).plot().ax_.get_ylim()
        assert low < chance < high

    def test_a_loss_is_drawn_as_such(self):
        lines = {"a": ([1, 2, 3], [-0.9, -0.3, -0.4], [0.1] * 3)}
        display = SelectionCurveDisplay(lines, "neg_rank_loss", -1.2).plot()
        assert display.ax_.get_ylabel() == "rank loss (lower is better)"
        np.testing.assert_array_equal(display.ax_.lines[0].get_ydata(), [0.9, 0.3, 0.4])
        ring = display.ax_.lines[1]
        assert (*ring.get_xdata(), *ring.get_ydata()) == (2, 0.3)
        texts = [t.get_text() for t in display.ax_.get_legend().get_texts()]
        assert texts[-1] == "guessing (1.20)"

    def test_one_fold_has_no_error(self):
        display = SelectionCurveDisplay.from_curve(curve_of([1, 2], n_folds=1))
        np.testing.assert_array_equal(display.lines["m0"].stderr, [0, 0])
        draw(display)

    def test_it_goes_into_axes(self):
        _, ax = plt.subplots()
        assert SelectionCurveDisplay.from_curve(curve_of([1, 2]), ax=ax).ax_ is ax
        _, other = plt.subplots()
        assert (
            SelectionCurveDisplay.from_curve(curve_of([1, 2])).plot(other).ax_ is other
        )


def agreement_of(m):
    values = np.corrcoef(np.random.default_rng(m).standard_normal((m, 9)))
    labels = [f"Selector{i}(n_neighbors={i}, metric='manhattan')" for i in range(m)]
    return SimpleNamespace(labels=labels, correlation=values, overlap=np.abs(values))


class TestAgreement:
    @pytest.mark.parametrize("m", [2, 5, 12])
    @pytest.mark.parametrize("kind", ["correlation", "overlap"])
    def test_every_cell_has_its_number(self, m, kind):
        agreement = agreement_of(m)
        display = AgreementDisplay.from_agreement(agreement, kind=kind)
        draw(display)
        texts = {t.get_position(): t.get_text() for t in display.ax_.texts}
        expected = getattr(agreement, kind)
        assert texts == {
            (j, i): f"{expected[i, j]:.2f}" for i in range(m) for j in range(m)
        }
        assert len(bar_labels(display.ax_)) == m
        cell = display.ax_.get_window_extent().width / m
        assert all(t.get_window_extent().width < cell for t in display.ax_.texts)
        assert min(t.get_fontsize() for t in display.ax_.texts) >= 7
        low, high = display.ax_.images[0].get_clim()
        assert (low, high) == (-1 if kind == "correlation" else 0, 1)

    def test_labels_stay_inside_the_figure(self):
        for m in (2, 12):
            agreement = agreement_of(m)
            display = draw(AgreementDisplay.from_agreement(agreement))
            for label in display.ax_.get_yticklabels() + display.ax_.get_xticklabels():
                box = label.get_window_extent()
                assert box.x0 >= 0
                assert box.y0 >= 0

    def test_undefined_values_are_a_dash(self):
        values = np.array([[1.0, np.nan], [np.nan, 1.0]])
        display = AgreementDisplay(values, ["a", "b"]).plot()
        assert [t.get_text() for t in display.ax_.texts] == ["1.00", "–", "–", "1.00"]

    def test_an_unknown_kind_is_refused(self):
        with pytest.raises(ValueError, match="got 'jaccard'"):
            AgreementDisplay.from_agreement(agreement_of(2), kind="jaccard")


class TestFeatureMap:
    @pytest.mark.parametrize("shape", [(2, 2), (6, 10), (100, 100)])
    def test_scores_become_an_image(self, shape):
        selector = fitted(shape[0] * shape[1], kept=2)
        display = draw(FeatureMapDisplay.from_estimator(selector, shape))
        (image,) = display.ax_.images
        np.testing.assert_array_equal(
            image.get_array(), selector.scores_.reshape(shape)
        )
        assert display.ax_.collections  # the outline

    def test_columns_first(self):
        selector = fitted(6)
        display = FeatureMapDisplay.from_estimator(selector, (2, 3), order="F")
        np.testing.assert_array_equal(display.scores, selector.scores_.reshape(3, 2).T)

    def test_the_outline_runs_around_the_kept_pixels(self):
        support = np.zeros((4, 5), dtype=bool)
        support[1, 1:3] = True
        display = FeatureMapDisplay(np.zeros((4, 5)), support).plot()
        (lines,) = display.ax_.collections
        sides = {tuple(map(tuple, s)) for s in lines.get_segments()}
        assert sides == {
            ((0.5, 0.5), (0.5, 1.5)),
            ((2.5, 0.5), (2.5, 1.5)),
            ((0.5, 0.5), (1.5, 0.5)),
            ((1.5, 0.5), (2.5, 0.5)),
            ((0.5, 1.5), (1.5, 1.5)),
            ((1.5, 1.5), (2.5, 1.5)),
        }

    def test_scattered_pixels_are_coloured_instead(self):
        selector = fitted(10_000, kept=5000)
        display = draw(FeatureMapDisplay.from_estimator(selector, (100, 100)))
        assert not display.ax_.collections
        assert display.ax_.images[0].get_array().mask.sum() == 5000

    def test_a_background_shows_through(self):
        selector = fitted(64, kept=5)
        picture = np.arange(64.0)
        display = draw(
            FeatureMapDisplay.from_estimator(selector, (8, 8), background=picture)
        )
        below, above = display.ax_.images
        np.testing.assert_array_equal(below.get_array(), picture.reshape(8, 8))
        np.testing.assert_array_equal(~above.get_array().mask, display.support)

    def test_top_overrides_what_is_kept(self):
        display = FeatureMapDisplay.from_estimator(fitted(64), (8, 8), top=9)
        assert display.support.sum() == 9

    def test_a_shape_that_does_not_fit_is_refused(self):
        with pytest.raises(ValueError, match=r"height × width = 64 .* got \(8, 9\)"):
            FeatureMapDisplay.from_estimator(fitted(64), (8, 9))


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    display = AgreementDisplay(np.eye(2), ["a", "b"])
    with pytest.raises(ImportError, match=r'pip install "widemargin\[plot\]"'):
        display.plot()


class TestHardRows:
    def test_suspects_are_marked_by_their_numbers(self):
        X, y = load_wine(return_X_y=True)
        y[[3, 80]] = [1, 2]
        found = hard_rows(X, y, [0, 6, 12], random_state=0)
        display = draw(HardRowsDisplay.from_hard_rows(found))
        marks = display.ax_.lines[0].get_xdata()
        np.testing.assert_array_equal(marks, found.margins[found.suspects])
        named = {int(text.get_text()) for text in display.ax_.texts}
        assert {3, 80} <= named
        assert sum(display.ax_.patches[0].get_data().values) == len(y)


class TestClassScores:
    def test_the_best_feature_of_each_class_is_darkest(self):
        rng = np.random.default_rng(0)
        y = np.repeat(["a", "b", "c"], 30)
        X = pd.DataFrame(rng.standard_normal((90, 20))).add_prefix("x")
        X["x3"] += 5 * (y == "a")
        X["x7"] += 5 * (y == "b")
        display = draw(ClassScoresDisplay.from_estimator(ReliefF().fit(X, y), top=6))
        assert list(display.classes) == ["a", "b", "c"]
        assert display.values.shape == (6, 3)
        np.testing.assert_allclose(display.values.max(axis=0), 1)
        best = [display.features[f] for f in display.values.argmax(axis=0)]
        assert best[:2] == ["x3", "x7"]
        assert bar_labels(display.ax_) == list(display.features)

    def test_a_selector_without_is_refused(self):
        with pytest.raises(ValueError, match="got FisherScore"):
            ClassScoresDisplay.from_estimator(fitted(4))
