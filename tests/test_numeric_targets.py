"""Evaluation of numeric targets: curves, tests, comparison, recommendation."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import somersd
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.dummy import DummyRegressor
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import KFold, cross_val_score

from oracles.judge import mean_of_nearest
from widemargin import AutoSelector, MultiSURF, ReliefF, RReliefF
from widemargin.baselines import ForestImportance, FRegression
from widemargin.data.read import read_dataset
from widemargin.data.targets import looks_numeric
from widemargin.evaluation import (
    compare,
    default_selectors,
    profile,
    resample,
    selection_curve,
    signal,
    significance,
)
from widemargin.evaluation._null_scores import Refits, source_of
from widemargin.evaluation._selectors import Call
from widemargin.evaluation._verdicts import numeric_directions
from widemargin.judging.nearest import NearestMean

X, y = load_diabetes(return_X_y=True, as_frame=True)
FRIEDMAN = make_friedman1(200, 8, noise=1.0, random_state=0)


@pytest.fixture(scope="module")
def compared():
    return compare(X, y, ["RReliefF", "FRegression"], random_state=0)


@pytest.mark.parametrize(
    ("values", "numeric"),
    [
        ([0.5, 1.0], True),
        (np.arange(50), True),
        ([0, 1, 1, 0], False),
        ([0.0, 1.0, 1.0], False),
        (list("abab"), False),
        (np.array([True, False]), False),
        (pd.Series(np.linspace(0, 1, 50)), True),
        (pd.Series(np.linspace(0, 1, 50)).astype("category"), False),
        (pd.Series(range(50), dtype=object), True),
        (pd.Series([1.5, None]), True),
        (np.repeat(np.arange(30), 5), False),
    ],
)
def test_numbers_are_told_from_classes(values, numeric):
    assert looks_numeric(values) == numeric


# The judge.


def test_the_judge_is_the_oracles():
    rng = np.random.default_rng(0)
    train, test = (rng.integers(0, 4, (m, 3)).astype(float) for m in (30, 12))
    target = rng.standard_normal(30)
    predicted = NearestMean().fit(train, target).predict(test)
    span = np.ptp(train, axis=0)
    for x, found in zip(test, predicted, strict=True):
        squares = np.sum(((x - train) / span) ** 2, axis=1)
        assert found == pytest.approx(mean_of_nearest(squares, target, 5))


def test_all_sizes_at_once_are_one_by_one():
    A, b = FRIEDMAN
    nearest = NearestMean().fit(A[:150], b[:150])
    order = np.random.default_rng(1).permutation(8)
    sizes = np.array([1, 4, 8])
    for size, known in zip(
        sizes, nearest.predicted(A[150:], order, sizes), strict=True
    ):
        kept = np.sort(order[:size])
        alone = NearestMean().fit(A[:150][:, kept], b[:150]).predict(A[150:][:, kept])
        np.testing.assert_allclose(known, alone, atol=1e-12)


def test_few_training_rows_are_all_neighbours():
    assert NearestMean().fit([[0.0], [1]], [1.0, 3]).predict([[0.2]]) == [2.0]


# Curves.


@pytest.mark.parametrize(
    ("scoring", "score"),
    [
        (None, r2_score),
        ("r2", r2_score),
        ("neg_mean_absolute_error", lambda a, b: -mean_absolute_error(a, b)),
    ],
)
def test_a_curve_is_what_a_plain_loop_finds(scoring, score):
    A, b = FRIEDMAN
    folds = list(KFold(4, shuffle=True, random_state=0).split(A))
    curve = selection_curve(
        FRegression(), A, b, cv=folds, n_features=[1, 3, 8], scoring=scoring
    )
    for fold, (train, test) in enumerate(folds):
        order = np.argsort(FRegression().fit(A[train], b[train]).ranking_)
        for k in (1, 3, 8):
            kept = np.sort(order[:k])
            judge = NearestMean().fit(A[train][:, kept], b[train])
            expected = score(b[test], judge.predict(A[test][:, kept]))
            found = curve.frame.set_index(["fold", "n_features"])["score"]
            assert found[fold, k] == pytest.approx(expected)
    assert curve.scoring == (scoring or "r2")


def test_folds_do_not_depend_on_the_order_of_the_rows():
    A, b = FRIEDMAN
    order = np.random.default_rng(2).permutation(len(b))
    one = selection_curve("RReliefF", A, b, random_state=0)
    two = selection_curve("RReliefF", A[order], b[order], random_state=0)
    pd.testing.assert_frame_equal(
        one.frame.drop(columns="fit_time"), two.frame.drop(columns="fit_time")
    )


@pytest.mark.parametrize("name", ["linear", "svm", "tree", "3-nn", "sklearn.svm:SVR"])
def test_regressors_by_name(name):
    A, b = FRIEDMAN
    curve = selection_curve("FRegression", A, b, name, n_features=[4], random_state=0)
    assert curve.frame["score"].notna().all()


def test_groups_stay_together_and_time_goes_on():
    A, b = FRIEDMAN
    groups = np.repeat(np.arange(20), 10)
    for options in ({"groups": groups}, {"cv": "time"}):
        curve = selection_curve("FRegression", A, b, random_state=0, **options)
        assert len(curve.baseline) == 5


def test_names_of_methods_for_both_take_the_task_of_y():
    curve = selection_curve(["ForestImportance", "MultiSURF"], *FRIEDMAN, n_features=2)
    assert curve.scoring == "r2"


@pytest.mark.parametrize(
    ("selectors", "target", "message"),
    [
        (
            [FRegression(), ReliefF()],
            y,
            "ReliefF is for classes, but y is treated as a",
        ),
        ([FRegression(), MultiSURF()], y, r'Use MultiSURF\(task="regression"\)'),
        (ReliefF(), y, "y looks like a measurement"),
        (FRegression(), ["a"] * 442, "needs numbers in y"),
    ],
)
def test_methods_for_the_other_task_are_refused(selectors, target, message):
    with pytest.raises(ValueError, match=message):
        selection_curve(selectors, X, target)


def test_a_task_is_taken_at_its_word():
    ages = np.repeat(np.arange(5), 40)
    curve = selection_curve(
        "ForestImportance", FRIEDMAN[0], ages, task="regression", n_features=2
    )
    assert curve.scoring == "r2"
    with pytest.raises(
        ValueError, match="needs task to be one of 'classification', 'reg"
    ):
        selection_curve("ForestImportance", FRIEDMAN[0], ages, task="clustering")


# Tests.


@pytest.mark.parametrize("n_samples", [None, 25])
@pytest.mark.parametrize("weights", ["rank", "uniform", "distance"])
def test_one_search_gives_the_scores_of_fits(weights, n_samples):
    rng = np.random.default_rng(3)
    A = rng.integers(0, 5, (60, 6)).astype(float)
    b = A[:, 0] + rng.standard_normal(60)
    selector = RReliefF(
        weights=weights, n_neighbors=7, n_samples=n_samples, random_state=0
    )
    data = read_dataset(A, b, "test", task="regression")
    orders = [rng.permutation(60) for _ in range(5)]
    found = []
    for kind in (source_of, Refits):
        scores = np.empty((5, 4))
        kind(selector, data).draw(
            orders,
            np.array([0, 2, 3, 5]),
            Call("test", "fits", 1, 0),
            lambda b, row, scores=scores: scores.__setitem__(b, row),
        )
        found.append(scores)
    np.testing.assert_allclose(*found, atol=1e-12)


def test_relevant_features_are_significant_and_noise_is_not():
    A, b = FRIEDMAN
    for selector in (RReliefF(), FRegression()):
        found = significance(selector, A, b, random_state=0)
        assert found.significant()[[3]].all()
        assert not found.significant()[5:].any()


@pytest.mark.simulated
@pytest.mark.filterwarnings("ignore:.*too few:UserWarning")
def test_p_values_of_noise_are_uniform():
    rng = np.random.default_rng(4)
    p = [
        significance(
            RReliefF(),
            rng.standard_normal((40, 5)),
            rng.standard_exponential(40),
            n_permutations=99,
            method="permutation",
            random_state=i,
        ).p_values
        for i in range(60)
    ]
    assert 0.02 < np.mean(np.array(p) <= 0.1) < 0.16


def test_subsamples_of_ours_and_of_scikit_learns():
    A, b = FRIEDMAN
    for selector in (RReliefF(2), SelectKBest(f_regression, k=2)):
        result = resample(selector, A, b, n=10, random_state=0)
        assert result.frequency[3] == 1


def test_signal_is_found_where_there_is_one():
    A, b = FRIEDMAN
    assert signal(A, b, random_state=0, n_permutations=199)
    together = np.random.default_rng(5).standard_normal((300, 4))
    product = together[:, 0] * together[:, 1]
    assert signal(together, product, random_state=0, n_permutations=199)
    groups = np.repeat(np.arange(100), 2)
    assert signal(A, b, groups=groups, random_state=0, n_permutations=199)


def test_signal_of_nominal_and_missing_values():
    rng = np.random.default_rng(6)
    colour = rng.choice(["red", "green", "blue"], 200)
    frame = pd.DataFrame({"colour": colour, "noise": rng.standard_normal(200)})
    frame.loc[:20, "noise"] = np.nan
    found = signal(frame, (colour == "red") + rng.standard_normal(200), random_state=0)
    assert found
    assert "the targets of nearest rows" in found.p_values


@pytest.mark.simulated
def test_signal_keeps_its_level():
    rng = np.random.default_rng(7)
    found = [
        bool(
            signal(
                rng.standard_normal((40, 6)),
                np.exp(2 * rng.standard_normal(40)),
                n_permutations=99,
                random_state=i,
                n_jobs=1,
            )
        )
        for i in range(120)
    ]
    assert np.mean(found) < 0.11  # 5 % and three standard errors


# Comparison and recommendation.


def test_the_comparison_of_a_numeric_target(compared):
    assert compared.curve.scoring == "r2"
    assert compared.signal
    assert compared.settings["task"] == "regression"
    assert "the R² of 5-NN" in compared.answer
    assert -0.05 < compared.chance < 0.02
    assert set(compared.alone) == {"RReliefF", "FRegression"}
    features = compared.features.set_index("feature")
    assert features.loc["bmi", "direction"] == 1
    assert features.loc["s3", "direction"] == -1
    assert features.loc["bmi", "verdict"] == "kept"
    assert features.loc["bmi", "q_value"] < 0.05


def test_chance_is_predicting_the_mean(compared):
    folds = [*KFold(5, shuffle=True, random_state=0).split(X)]
    dummy = cross_val_score(DummyRegressor(), X, y, cv=folds)
    assert compared.chance == pytest.approx(dummy.mean(), abs=0.02)


def test_noise_keeps_nothing():
    rng = np.random.default_rng(8)
    result = compare(
        rng.standard_normal((80, 5)),
        rng.standard_normal(80),
        ["FRegression"],
        random_state=0,
    )
    assert len(result.selected) == 0
    assert "by predicting the mean" in result.answer


def test_methods_that_suit_a_numeric_target():
    names = ["KernelRFE", "RReliefF", "MultiSURF", "FRegression", "MutualInformation"]
    assert list(default_selectors(X, y)) == [*names, "ForestImportance"]
    frame = X.assign(colour=np.where(y > 100, "a", "b"))
    assert list(default_selectors(frame, y)) == names[:3]
    assert list(default_selectors(X, np.repeat([0, 1], 221))) != names


def test_a_profile_of_a_numeric_target():
    frame = X.assign(copy=-np.log(y), noise=1.0)
    about = profile(frame, y)
    assert repr(about).startswith("Profile(442 × 12, numeric target")
    assert about.target_copies == [10]
    assert about.leaks == [
        "'copy' puts the rows in the order of the target, as a copy of the target "
        "would: make sure that it is known before the target is."
    ]
    heavy = profile(X, np.exp(y / 20))
    assert any("outliers" in said for said in heavy.warnings)


def test_auto_selector_of_numbers():
    A, b = FRIEDMAN
    auto = AutoSelector(["RReliefF", "FRegression"], random_state=0).fit(A, b)
    assert auto.signal_
    assert {0, 1, 3} <= set(auto.get_support(indices=True).tolist())
    assert 0.3 < auto.score_ < 0.9
    assert auto.features_.set_index("feature").loc["x3", "direction"] == 1
    assert clone(auto).get_params()["task"] is None


def test_forest_by_name_has_the_task_of_y_in_a_comparison():
    few = {"cv": 2, "n_features": [1, 8]}
    result = compare(*FRIEDMAN, ["ForestImportance"], random_state=0, **few)
    assert isinstance(result.selectors["ForestImportance"], ForestImportance)
    assert result.selectors["ForestImportance"].task == "regression"


def test_directions_are_somers_d():
    rng = np.random.default_rng(9)
    A = rng.integers(0, 6, (50, 3)).astype(float)
    A[:5, 2] = np.nan
    b = rng.integers(0, 4, 50).astype(float) + A[:, 0]
    sign, share = numeric_directions(np.column_stack([A, np.ones(50)]), b)
    for f in range(3):
        there = ~np.isnan(A[:, f])
        D, p_value = (found := somersd(b[there], A[there, f])).statistic, found.pvalue
        assert share[f] == pytest.approx((1 + D) / 2)
        assert sign[f] == (np.sign(D) if p_value < 0.05 else 0)
    assert sign[0] == 1
    assert share[3] == 0.5
    assert sign[3] == 0
