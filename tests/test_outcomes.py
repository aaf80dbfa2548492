"""Several targets, sets of labels and survival times, against their definitions."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from oracles import outcomes as oracle
from oracles.kernel_rfe import kernel_rfe
from oracles.radius import numeric_radius
from oracles.regression import rrelieff
from widemargin import AutoSelector, KernelRFE, MultiSURF, ReliefF, RReliefF, SURFStar
from widemargin.baselines import FRegression
from widemargin.data.outcomes import Differences, macro_f1, standardised, target_columns
from widemargin.evaluation import (
    compare,
    concordance_index,
    relevance,
    selection_curve,
    signal,
    significance,
)
from widemargin.reporting import report

SEVERAL = ("regression", "multilabel")


def survival(event, time):
    y = np.empty(len(time), [("event", bool), ("time", float)])
    y["event"], y["time"] = event, time
    return y


@pytest.fixture(scope="module", params=["distinct", "tied", "mostly censored"])
def lives(request):
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 4))
    time = random.exponential(np.exp(-2 * X[:, 0]))
    if request.param == "tied":
        time = np.ceil(2 * time)
    share = 0.9 if request.param == "mostly censored" else 0.5
    event = random.random(40) > share
    event[:3] = True
    return X, event, time


@pytest.fixture(scope="module")
def several():
    random = np.random.default_rng(1)
    X = random.standard_normal((50, 5))
    Y = np.column_stack([3 * X[:, 0], X[:, 1] * X[:, 2] - 7, random.random(50)])
    return X, Y


def labels_of(Y):
    return (np.median(Y, axis=0) < Y).astype(int)


def test_risks_are_residuals_of_the_null_model_with_the_sign_turned(lives):
    _, event, time = lives
    target = np.column_stack([event, time])
    risks = target_columns(target, "survival")
    assert_allclose(risks[:, 0], -oracle.residuals(event, time), atol=1e-12)


def test_differences_of_survival_times_are_expected_ones(lives):
    _, event, time = lives
    n = len(time)
    found = Differences(np.column_stack([event, time]), "survival")
    i, j = (a.ravel() for a in np.indices((n, n)))
    expected = oracle.expected_differences(event, time).ravel()
    known = event[i] & event[j]
    assert_allclose(found(i, j), expected, atol=2e-3)
    assert_allclose(found(i, j)[known], expected[known], atol=1e-12)
    assert_allclose(found(i, j), found(j, i), atol=1e-12)


def test_without_censoring_survival_is_a_regression_on_ranks():
    random = np.random.default_rng(2)
    X, time = random.standard_normal((80, 6)), random.permutation(80) + 1.0
    y = survival(np.ones(80, bool), time)
    risk = KernelRFE(task="survival").fit(X, y)
    assert_allclose(
        risk.scores_, KernelRFE(task="regression").fit(X, time).scores_, atol=1e-10
    )
    ranks = RReliefF(task="survival").fit(X, y).scores_
    # A range of (n − 1)/n instead of 1 changes the odds of agreeing, not the order.
    plain = RReliefF().fit(X, time).scores_
    assert_array_equal(np.argsort(ranks), np.argsort(plain))


@pytest.mark.parametrize("weights", ["rank", "uniform"])
def test_rrelieff_of_survival_times(lives, weights):
    X, event, time = lives
    found = RReliefF(task="survival", n_neighbors=5, weights=weights)
    found.fit(X, survival(event, time))
    expected = rrelieff(
        X,
        time,
        5,
        weights=weights,
        apart=oracle.expected_differences(event, time),
    )
    assert_allclose(found.scores_, expected, atol=1e-4)


@pytest.mark.parametrize("task", SEVERAL)
def test_relief_of_several_targets(several, task):
    X, Y = several
    Y = labels_of(Y) if task == "multilabel" else Y
    apart = oracle.differences(Y)
    found = RReliefF(task=task, n_neighbors=7).fit(X, Y)
    assert_allclose(found.scores_, rrelieff(X, None, 7, apart=apart), atol=1e-10)
    for method, own, star in ((MultiSURF, True, False), (SURFStar, False, True)):
        expected = numeric_radius(X, None, own=own, star=star, apart=apart)
        assert_allclose(method(task=task).fit(X, Y).scores_, expected, atol=1e-10)


def test_kernel_rfe_of_several_targets(several):
    X, Y = several
    ranking, gradient, errors = kernel_rfe(X, Y, numeric=True, with_errors=True)
    found = KernelRFE(task="regression").fit(X, Y)
    assert_array_equal(found.ranking_, ranking)
    assert_allclose(found.gradient_, gradient, rtol=1e-6)
    assert_allclose(found.loss_path_, errors)


def test_kernel_rfe_of_survival_times(lives):
    X, event, time = lives
    ranking, gradient, _ = kernel_rfe(X, oracle.residuals(event, time), numeric=True)
    found = KernelRFE(task="survival").fit(X, survival(event, time))
    assert_array_equal(found.ranking_, ranking)
    assert_allclose(found.gradient_, gradient, rtol=1e-6)


def test_a_second_target_that_says_the_same_changes_nothing(several):
    X, Y = several
    y = Y[:, 0]
    twice = np.column_stack([y, -5 * y])
    for method in (
        RReliefF(),
        MultiSURF(task="regression"),
        KernelRFE(task="regression"),
    ):
        one, two = (method.fit(X, target).scores_ for target in (y, twice))
        assert_allclose(one, two, atol=1e-10)


def test_labels_are_standardised_columns(several):
    X, Y = several
    Y = labels_of(Y)
    p = Y.mean(axis=0)
    assert_allclose(standardised(Y.astype(float)), (Y - p) / np.sqrt(p * (1 - p)))
    labels = KernelRFE(task="multilabel").fit(X, Y)
    numbers = KernelRFE(task="regression").fit(X, Y)
    assert_array_equal(labels.scores_, numbers.scores_)
    frame = KernelRFE(task="multilabel").fit(X, pd.DataFrame(Y == 1))
    assert_array_equal(labels.scores_, frame.scores_)


def test_a_label_that_nobody_has_says_nothing(several):
    X, Y = several
    Y = labels_of(Y)
    more = np.column_stack([Y, np.zeros(len(Y))])
    for method in (RReliefF, KernelRFE):
        one, two = (method(task="multilabel").fit(X, y).scores_ for y in (Y, more))
        assert_allclose(one, two)


def test_the_concordance_index(lives):
    X, event, time = lives
    y, random = survival(event, time), np.random.default_rng(3)
    for risk in (X[:, 0], np.round(X[:, 0]), random.random(40), np.zeros(40)):
        expected = oracle.concordance(event, time, risk)
        assert concordance_index(y, risk) == pytest.approx(expected, abs=1e-12)
    frame = pd.DataFrame({"died": event, "days": time})
    assert concordance_index(frame, time) == concordance_index(y, time)
    assert np.isnan(concordance_index(survival(event & False, time), time))


def test_concordance_as_scikit_survival_has_it(lives):
    metrics = pytest.importorskip("sksurv.metrics")
    _, event, time = lives
    risk = np.round(np.random.default_rng(4).random(40), 1)
    expected = metrics.concordance_index_censored(event, time, risk)[0]
    assert concordance_index(survival(event, time), risk) == pytest.approx(expected)


def test_macro_f1():
    random = np.random.default_rng(5)
    Y, P = random.random((2, 30, 4)) < [0.5, 0.2, 0.05, 0]
    Y, P = Y.astype(float), P.astype(float)
    assert macro_f1(Y, P) == pytest.approx(oracle.macro_f1(Y, P))
    assert macro_f1(Y * 0, P * 0) == 0


@pytest.fixture(scope="module")
def tables():
    """Features 0 and 1 of 12 matter, for each kind of target."""
    random = np.random.default_rng(6)
    X = random.standard_normal((240, 12))
    signs = X[:, :2] @ [[2, 1], [-1, 2]]
    time, censored = random.exponential(np.exp(1.5 * (X[:, 0] - X[:, 1]))), None
    censored = random.exponential(2, 240)
    return {
        "regression": (X, signs + random.standard_normal((240, 2)) / 2),
        "multilabel": (X, (signs > [1, 0]).astype(int)),
        "survival": (X, survival(time < censored, np.minimum(time, censored))),
    }


SCORES = {
    "regression": "r2",
    "multilabel": "f1_macro",
    "survival": "concordance_index",
}


@pytest.mark.parametrize("task", SCORES)
def test_the_number_of_features_is_chosen(tables, task):
    X, y = tables[task]
    for method in (KernelRFE, RReliefF):
        found = method("auto", task=task, n_jobs=1).fit(X, y)
        assert found.support_[:2].all()
        assert found.n_features_ <= 4
        assert found.scoring_ == SCORES[task]
        assert 0.5 < found.prefix_scores_[found.n_features_ - 1] < 1


@pytest.mark.parametrize("task", SCORES)
def test_auto_selector(tables, task):
    X, y = tables[task]
    found = AutoSelector(task=task, random_state=0, n_jobs=1).fit(X, y)
    assert found.support_[:2].all()
    assert found.scoring_ == SCORES[task]
    assert 0.5 < found.score_ < 1
    assert found.signal_
    verdicts = found.features_.set_index("feature")["relevant"]
    assert verdicts[["x0", "x1"]].all()
    assert verdicts.sum() <= 4


@pytest.mark.parametrize("task", SCORES)
def test_noise_has_no_signal(tables, task):
    _, y = tables[task]
    X = np.random.default_rng(8).standard_normal((240, 12))
    with pytest.warns(UserWarning, match="no signal was found"):
        found = AutoSelector(task=task, random_state=0, n_jobs=1).fit(X, y)
    assert not found.features_["relevant"].any()


@pytest.mark.parametrize("task", SCORES)
def test_curves_and_tests_take_every_target(tables, task):
    X, y = tables[task]
    methods = ["KernelRFE", "RReliefF"]
    curve = selection_curve(methods, X, y, n_features=[2, 12], task=task, n_jobs=1)
    best = curve.frame.groupby("n_features")["score"].mean()
    assert best[2] > best[12] - 0.02
    assert curve.scoring == SCORES[task]
    assert signal(X, y, task=task, n_permutations=99, random_state=0)
    assert relevance(X, y, task=task, random_state=0, n_jobs=1).significant()[:2].all()


@pytest.mark.parametrize("task", SCORES)
def test_sparse_rows_are_judged_as_dense_ones(tables, task):
    X, y = tables[task]
    X = np.where(X > 0.5, X, 0)
    options = {"task": task, "scale": "maxabs", "n_jobs": 1}
    dense, sparse = (KernelRFE("auto", **options).fit(Z, y) for Z in (X, csr_array(X)))
    assert_allclose(dense.scores_, sparse.scores_, atol=1e-9)
    assert_allclose(dense.prefix_scores_, sparse.prefix_scores_, atol=1e-9)


def test_directions_of_survival_are_those_of_the_risk(tables):
    X, y = tables["survival"]
    found = AutoSelector(task="survival", random_state=0, n_jobs=1).fit(X, y)
    frame = found.features_.set_index("feature")
    assert frame["direction"][["x0", "x1"]].tolist() == [-1, 1]


def test_folds_learn_nothing_of_each_other(tables):
    X, y = tables["survival"]
    y = y.copy()
    y["time"] *= 1000  # only the order counts
    (a,), (b,) = (
        selection_curve("KernelRFE", X, t, n_features=[2], task="survival")
        .frame.groupby("method")["score"]
        .mean()
        for t in (tables["survival"][1], y)
    )
    assert a == b


def test_a_cox_model_of_scikit_survival_judges(tables):
    pytest.importorskip("sksurv")
    X, y = tables["survival"]
    curve = selection_curve(
        "KernelRFE", X, y, "cox", n_features=[2], task="survival", n_jobs=1
    )
    assert 0.7 < curve.frame["score"].mean() < 1


@pytest.mark.parametrize(
    ("method", "task", "message"),
    [
        (ReliefF(), "survival", "KernelRFE and RReliefF take them"),
        (ReliefF(), "multilabel", 'with task="multilabel"'),
        (FRegression(), "regression", "FRegression is for one number for each row"),
        (KernelRFE(task="survival"), "regression", "structured array or a DataFrame"),
        (KernelRFE(task="multilabel"), "regression", "needs 0 and 1 in y"),
        (KernelRFE(), "multilabel", "y has 2 columns"),
    ],
)
def test_a_method_for_another_target_says_what_to_use(tables, method, task, message):
    X, y = tables[task]
    with pytest.raises(ValueError, match=message):
        method.fit(X, y)


@pytest.mark.parametrize(
    ("event", "time", "message"),
    [
        ([0, 1, 2], [1, 2, 3.0], "first whether there was an event"),
        ([3.5, 1, 2], [1, 0, 1], "first whether there was an event"),
        ([True] * 3, [1.0, 2, np.nan], "needs event and time in every row, 1 lack"),
        ([True] * 3, [1.0, 2, -1], "a time that is not negative"),
        ([False] * 3, [1.0, 2, 3], "0 events that tell no rows apart"),
    ],
)
def test_survival_times_that_are_none_are_refused(event, time, message):
    frame = pd.DataFrame({"event": event, "time": time})
    with pytest.raises(ValueError, match=message):
        RReliefF(task="survival").fit(np.eye(3), frame)


@pytest.mark.parametrize("task", SCORES)
def test_compare_and_the_report_give_the_answer_of_auto_selector(tables, task):
    X, y = tables[task]
    auto = AutoSelector(task=task, random_state=0, n_jobs=1).fit(X, y)
    found = compare(X, y, task=task, random_state=0, n_jobs=1)
    assert_array_equal(found.selected, auto.recommendation_.columns)
    assert (found.recommendation.score, found.curve.scoring) == (
        auto.score_,
        SCORES[task],
    )
    assert len(found.selectors) > 1  # others that take such a target are shown, too
    assert all(s._task == task for s in found.selectors.values())
    assert found.signal
    assert found.hard_rows is None
    assert found.interactions is None
    assert "Pairs were not tested: that is for classes" in " ".join(found.notes)
    features = auto.features_.drop(columns=["score"])
    pd.testing.assert_frame_equal(found.features[features.columns], features)
    data = report(found).data
    assert report(found).html
    directed = data["verdicts"]["direction"] is not None
    assert directed == (task == "survival")
    assert data["data"]["task"] == task
    json.dumps(data, allow_nan=False)


def test_guessing_is_half_of_the_pairs_or_labels_at_random(tables):
    X, y = tables["survival"]
    found = compare(X, y, "KernelRFE", task="survival", random_state=0, n_jobs=1)
    assert found.chance == 0.5
    X, y = tables["multilabel"]
    found = compare(X, y, "KernelRFE", task="multilabel", random_state=0, n_jobs=1)
    random = np.random.default_rng(0)
    drawn = [
        macro_f1(y, (random.random(y.shape) < y.mean(axis=0)).astype(float))
        for _ in range(200)
    ]
    assert abs(found.chance - np.mean(drawn)) < 0.02


def test_labels_are_drawn_one_beside_the_other_and_risks_against_features(tables):
    X, y = tables["multilabel"]
    y = pd.DataFrame(y, columns=["cat", "dog"])
    fitted = KernelRFE(2, task="multilabel").fit(X, y)
    data = report(fitted, X=X, y=y).data
    looks = data["distributions"]
    assert looks["classes"] == ["cat", "dog"]
    first = looks["features"][0]
    assert [sum(counts) for counts in first["counts"]] == y.sum().tolist()
    assert data["data"]["classes"] == [
        {"label": name, "count": count} for name, count in y.sum().items()
    ]
    X, y = tables["survival"]
    data = report(KernelRFE(2, task="survival").fit(X, y), X=X, y=y).data
    assert data["distributions"]["features"][0]["kind"] == "scatter"
    event, time = y["event"], y["time"]
    risk = target_columns(np.column_stack([event, time]), "survival")[:, 0]
    assert data["data"]["target"]["high"] == risk.max()
    X, y = tables["regression"]
    data = report(KernelRFE(2, task="regression").fit(X, y), X=X, y=y).data
    assert data["distributions"] is None


def test_what_takes_one_target_only_says_so(tables):
    for task, (X, y) in tables.items():
        with pytest.raises(ValueError, match="significance is for classes, or for"):
            significance(KernelRFE(task=task), X, y)


def test_a_fold_without_an_event_scores_as_chance():
    random = np.random.default_rng(9)
    X, time = random.standard_normal((60, 3)), random.exponential(1, 60)
    y = survival(np.arange(60) < 4, time)
    found = KernelRFE("auto", task="survival", n_jobs=1).fit(X, y)
    assert np.isfinite(found.prefix_scores_).all()
