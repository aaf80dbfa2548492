"""Weights of rows: what they mean, and what is refused."""

import html
import json

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import compute_sample_weight

import oracles.baselines
import oracles.gflip
import oracles.lmba
import oracles.margin
import widemargin
from cli_tools import invoke
from oracles.kernel_rfe import weighted_loss
from widemargin import (
    LMBA,
    AutoSelector,
    GFlip,
    KernelRFE,
    ReliefF,
    Simba,
    TuRF,
    baselines,
)
from widemargin.base import MarginSelector
from widemargin.baselines import (
    FCBF,
    MRMR,
    FeatureSimilarity,
    FisherScore,
    FRegression,
    InformationGain,
    LaplacianScore,
    PearsonScore,
    TraceRatio,
)
from widemargin.evaluation import compare, selection_curve
from widemargin.margin import evaluation

X, y = load_iris(return_X_y=True)
W = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)

# Methods without neighbours, with what a score grows by if all rows come twice.
MOMENTS = [
    FisherScore(),
    PearsonScore(),
    FisherScore(scale="rank"),
    FeatureSimilarity(scale="standard"),
    FCBF(),
    InformationGain(),
    InformationGain(bins="equal-width"),
    InformationGain(bins=None),
    MRMR(criterion="miq"),
]


@pytest.mark.parametrize("selector", MOMENTS, ids=repr)
def test_whole_numbers_are_repeated_rows(selector):
    weighted = selector.fit(X, y, sample_weight=W).scores_
    times = W.astype(int)
    repeated = selector.fit(X.repeat(times, axis=0), y.repeat(times)).scores_
    np.testing.assert_allclose(weighted, repeated, rtol=1e-11, atol=1e-13)


def test_the_correlation_in_f_is_that_of_repeated_rows():
    times, target = W.astype(int), X[:, 0] + y
    weighted = FRegression().fit(X, target, sample_weight=W).scores_
    repeated = FRegression().fit(X.repeat(times, axis=0), target.repeat(times)).scores_
    # F has as many degrees of freedom as there are rows.
    freedom = (np.sum(W > 0) - 2) / (W.sum() - 2)
    np.testing.assert_allclose(weighted, repeated * freedom, rtol=1e-10)


def test_bins_that_count_rows_are_refused():
    for bins in ("mdl", "quantile"):
        with pytest.raises(ValueError, match="counts rows, which does not go with"):
            InformationGain(bins=bins).fit(X, y, sample_weight=W)


def test_sums_over_rows_are_in_units_of_the_mean_weight():
    times = W.astype(int)
    weighted = TraceRatio().fit(X, y, sample_weight=W)
    repeated = TraceRatio().fit(X.repeat(times, axis=0), y.repeat(times))
    mean = W[W > 0].mean()
    np.testing.assert_allclose(weighted.scores_ * mean, repeated.scores_, rtol=1e-10)
    assert weighted.ratio_ == pytest.approx(repeated.ratio_, rel=1e-12)


@pytest.mark.parametrize("container", [list, pd.Series, np.float32])
def test_weights_come_in_any_container(container):
    expected = FisherScore().fit(X, y, sample_weight=W).scores_
    given = container(W.tolist())
    np.testing.assert_array_equal(
        FisherScore().fit(X, y, sample_weight=given).scores_, expected
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (W[:-1], r"shape \(150,\), got an array of shape \(149,\)"),
        (np.zeros(len(y)), "but all are zero"),
        (np.where(W == 3, -1, W), "not negative, got -1 in row"),
        (np.where(W == 3, np.nan, W), "finite.* got nan in row"),
        (np.where(W == 3, np.inf, W), "finite.* got inf in row"),
        (["a"] * len(y), "to be a number for each of 150 rows: could not convert"),
    ],
    ids=["short", "zeros", "negative", "nan", "infinite", "text"],
)
def test_wrong_weights_get_a_sentence(wrong, words):
    with pytest.raises(ValueError, match=f"^FisherScore needs sample_weight.*{words}"):
        FisherScore().fit(X, y, sample_weight=wrong)


def test_a_class_of_weight_zero_is_not_there():
    weights = (y > 0).astype(float)
    fitted = FisherScore().fit(X, y, sample_weight=weights)
    expected = FisherScore().fit(X[y > 0], y[y > 0])
    np.testing.assert_array_equal(fitted.scores_, expected.scores_)
    with pytest.raises(ValueError, match="at least 2 classes in y, got 1"):
        FisherScore().fit(X, y, sample_weight=(y == 1).astype(float))


def relieff(X, y, w, k):
    """ReliefF with weights of rows, one row at a time (no distances are equal)."""
    X, score = (X - X.min(axis=0)) / np.ptp(X, axis=0), np.zeros(X.shape[1])
    P = {c: w[y == c].sum() / w.sum() for c in np.unique(y)}
    for i in range(len(y)):
        for c in P:
            others = [j for j in np.flatnonzero(y == c) if j != i]
            others = sorted(others, key=lambda j, i=i: np.sum((X[i] - X[j]) ** 2))[:k]
            counts_for = -1 if c == y[i] else P[c] / (1 - P[y[i]])
            for j in others:
                share = w[j] / w[others].sum()
                score += w[i] * counts_for * share * np.abs(X[i] - X[j])
    return score / w.sum()


def test_relieff_is_its_definition():
    rng = np.random.default_rng(1)
    X, y, w = (
        rng.standard_normal((60, 5)),
        rng.integers(0, 3, 60),
        rng.uniform(1, 9, 60),
    )
    fitted = ReliefF(n_neighbors=4).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(fitted.scores_, relieff(X, y, w, 4), atol=1e-12)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_kernel_rfe_takes_whole_numbers_for_repeated_rows(task):
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((60, 14)), rng.integers(1, 4, 60)
    y = (X[:, 0] * X[:, 1] > 0) if task == "classification" else X[:, 0] * X[:, 1]
    # The penalty is per row. A pair of a row and its copy counts in the mean distance.
    N, mean = w.sum(), w.mean()
    gamma = 2 * (N**2 - w @ w) / (N**2 - N)
    weighted = KernelRFE(task=task).fit(X, y, sample_weight=w)
    repeated = KernelRFE(task=task, alpha=mean, gamma=gamma)
    repeated.fit(X.repeat(w, axis=0), y.repeat(w))
    np.testing.assert_array_equal(weighted.ranking_, repeated.ranking_)
    np.testing.assert_allclose(weighted.scores_ / mean, repeated.scores_, atol=1e-12)


def test_kernel_rfe_minimises_the_weighted_loss():
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((40, 12)), rng.uniform(0.1, 5, 40)
    y, seen = (X[:, 0] * X[:, 1] > 0).astype(int), []

    class Watched(KernelRFE):
        def _step(self, *args):
            seen.append(super()._step(*args))
            return seen[-1]

    Watched().fit(X, y, sample_weight=w)
    assert seen[0].loss == pytest.approx(weighted_loss(X, y, w), rel=1e-10)


ALL = [
    member()
    for home in (widemargin, baselines)
    for member in (getattr(home, name) for name in home.__all__)
    if isinstance(member, type) and issubclass(member, MarginSelector)
]
SEEDED = [
    s.set_params(random_state=0) if "random_state" in s.get_params() else s for s in ALL
]
WEIGHING = [s for s in SEEDED if s._instead_with_weights is None]
REFUSING = [s for s in SEEDED if s._instead_with_weights is not None]
quietly = pytest.mark.filterwarnings("ignore::UserWarning")


@quietly
@pytest.mark.parametrize("selector", WEIGHING, ids=repr)
def test_equal_weights_are_none_and_units_do_not_matter(selector):
    selector = clone(selector)
    plain = selector.fit(X, y).scores_
    np.testing.assert_array_equal(
        selector.fit(X, y, sample_weight=np.full(len(y), 0.3)).scores_, plain
    )
    uneven = selector.fit(X, y, sample_weight=1 + W).scores_
    assert not np.allclose(uneven, plain, rtol=1e-6)
    other_units = selector.fit(X, y, sample_weight=3.7 * (1 + W)).scores_
    np.testing.assert_allclose(other_units, uneven, rtol=1e-11)


@quietly
@pytest.mark.parametrize("selector", WEIGHING, ids=repr)
def test_rows_of_weight_zero_are_not_there(selector):
    selector = clone(selector)
    fitted = selector.fit(X, y, sample_weight=W).scores_
    there = W > 0
    without = selector.fit(X[there], y[there], sample_weight=W[there]).scores_
    np.testing.assert_array_equal(fitted, without)


@pytest.mark.parametrize("selector", REFUSING, ids=repr)
def test_what_cannot_be_weighed_names_what_can(selector):
    name, instead = type(selector).__name__, selector._instead_with_weights
    words = f"^{name} does not take sample_weight. Use {instead}, or leave it out.$"
    with pytest.raises(ValueError, match=words):
        clone(selector).fit(X, y, sample_weight=W)


def test_weights_pass_through_what_scikit_learn_has():
    expected = ReliefF(2).fit(X, y, sample_weight=W)
    np.testing.assert_array_equal(
        ReliefF(2).fit_transform(X, y, sample_weight=W), expected.transform(X)
    )
    chosen = SelectFromModel(ReliefF(), threshold=0.2).fit(X, y, sample_weight=W)
    np.testing.assert_array_equal(chosen.estimator_.scores_, expected.scores_)
    turf = TuRF(ReliefF(), 2).fit(X, y, sample_weight=W)
    assert turf.selector_.n_features_in_ == 2
    with config_context(enable_metadata_routing=True):
        relieff = ReliefF(2).set_fit_request(sample_weight=True)
        last = KNeighborsClassifier().set_score_request(sample_weight=True)
        model = make_pipeline(relieff, last)
        model.fit(X, y, sample_weight=W)
        np.testing.assert_array_equal(model[0].scores_, expected.scores_)
        search = GridSearchCV(model, {"relieff__n_neighbors": [3, 10]}, cv=3)
        search.fit(X, y, sample_weight=W)
        refitted = clone(relieff).set_params(
            **{"n_neighbors": search.best_params_["relieff__n_neighbors"]}
        )
        np.testing.assert_array_equal(
            search.best_estimator_[0].scores_,
            refitted.fit(X, y, sample_weight=W).scores_,
        )


def test_weights_reach_auto_selector_in_a_pipeline_in_a_search():
    weights = W + 0.5
    expected = AutoSelector("ReliefF", random_state=0).fit(X, y, sample_weight=weights)
    with config_context(enable_metadata_routing=True):
        auto = AutoSelector("ReliefF", random_state=0)
        auto.set_fit_request(sample_weight=True, groups=False)
        last = KNeighborsClassifier().set_score_request(sample_weight=True)
        grid = {"autoselector__redundancy": [None, 0.9]}
        search = GridSearchCV(make_pipeline(auto, last), grid, cv=3)
        search.fit(X, y, sample_weight=weights)
        model = make_pipeline(auto, last).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(model[0].scores_, expected.scores_)
    assert set(search.best_params_) == set(grid)


def test_compare_weighs_classes_as_auto_selector_does():
    few = np.flatnonzero((y > 0) | (np.arange(len(y)) % 4 == 0))
    options = {"class_weight": "balanced", "random_state": 0}
    auto = AutoSelector("KernelRFE", **options).fit(X[few], y[few])
    found = compare(X[few], y[few], "KernelRFE", **options)
    np.testing.assert_array_equal(found.recommendation.consensus, auto.scores_)
    assert found.recommendation.score == auto.score_
    plain = compare(X[few], y[few], "KernelRFE", random_state=0)
    assert (plain.recommendation.consensus != auto.scores_).any()
    assert found.settings["class_weight"] == "balanced"
    assert found.settings["sample_weight"] is None
    turf = TuRF(KernelRFE(class_weight="balanced"), 2).fit(X[few], y[few])
    assert turf.selector_.class_weight == "balanced"


def test_auto_selector_sees_no_rows_of_weight_zero():
    rng = np.random.default_rng(0)
    weights, there = W * rng.uniform(1, 2, len(y)), W > 0
    groups = np.arange(len(y)) // 2
    auto = AutoSelector("ReliefF", random_state=0)
    fitted = clone(auto).fit(X, y, groups, weights)
    without = clone(auto).fit(X[there], y[there], groups[there], weights[there])
    assert fitted.score_ == without.score_
    np.testing.assert_array_equal(fitted.scores_, without.scores_)
    folds = list(StratifiedKFold(3).split(X, y))
    place = np.cumsum(there) - 1
    kept = [tuple(place[part[there[part]]] for part in fold) for fold in folds]
    fitted = clone(auto).set_params(cv=folds).fit(X, y, sample_weight=weights)
    without = clone(auto).set_params(cv=kept)
    without.fit(X[there], y[there], sample_weight=weights[there])
    assert fitted.score_ == without.score_


@quietly
def test_rows_of_weight_zero_need_no_covariates():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 6)), rng.integers(0, 2, 60)
    weights, batch = rng.integers(0, 4, 60), rng.integers(0, 3, 60)
    X[:, 1] += y
    groups, there = ["a", "b", None, "a", None, "b"], weights > 0
    for selector in (
        ReliefF(feature_groups=groups),
        KernelRFE(feature_groups=groups),
        FRegression(),
        TuRF(ReliefF(), 2),
        AutoSelector("ReliefF", feature_groups=groups, random_state=0),
    ):
        fitted = clone(selector).fit(X, y, sample_weight=weights, covariates=batch)
        few = {"sample_weight": weights[there], "covariates": batch[there]}
        without = clone(selector).fit(X[there], y[there], **few)
        np.testing.assert_array_equal(fitted.scores_, without.scores_)
    with pytest.raises(ValueError, match="covariates of each of"):
        ReliefF().fit(X, y, sample_weight=weights, covariates=batch[:5])


@pytest.mark.parametrize("estimator", [None, LogisticRegression(max_iter=1000)])
def test_accuracy_is_the_share_of_the_weight(estimator):
    weights = np.where(y == 2, 5.0, 1.0) / (7 / 3)  # of mean 1, for penalties
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    curve = selection_curve(
        "FisherScore", X, y, estimator, cv=folds, n_features=[4], sample_weight=weights
    )
    expected = []
    for train, test in folds:
        low, high = X[train].min(axis=0), X[train].max(axis=0)
        Z = X if estimator else (X - low) / (high - low)
        judge = clone(estimator) if estimator else KNeighborsClassifier(1)
        w = {"sample_weight": weights[train]} if estimator else {}
        right = judge.fit(Z[train], y[train], **w).predict(Z[test]) == y[test]
        expected.append(np.average(right, weights=weights[test]))
    np.testing.assert_allclose(curve.frame["score"], expected, rtol=1e-12)


@quietly
def test_balanced_classes_weigh_the_same():
    few = np.r_[0:50, 50:60, 100:105]
    by_hand = compute_sample_weight("balanced", y[few])
    expected = KernelRFE().fit(X[few], y[few], sample_weight=by_hand)
    fitted = KernelRFE(class_weight="balanced").fit(X[few], y[few])
    np.testing.assert_array_equal(fitted.scores_, expected.scores_)
    auto = AutoSelector("KernelRFE", class_weight={0: 1, 1: 5, 2: 10}, random_state=0)
    by_class = np.array([1.0, 5.0, 10.0])[y[few]]
    same = AutoSelector("KernelRFE", random_state=0)
    same.fit(X[few], y[few], sample_weight=by_class)
    assert auto.fit(X[few], y[few]).score_ == same.score_
    with pytest.raises(ValueError, match="class_weight to be positive"):
        KernelRFE(class_weight={0: 0, 1: 1, 2: 1}).fit(X, y)
    with pytest.raises(ValueError, match="needs classes for class_weight='balanced'"):
        KernelRFE(task="regression", class_weight="balanced").fit(X, X[:, 0])


def test_compare_says_what_is_weighed():
    answer = compare(X, y, "FisherScore", sample_weight=1 + W, random_state=0)
    assert any("Rows are weighed in rankings and scores." in n for n in answer.notes)
    # By chance: always the class that weighs most.
    heavy = np.where(y == 2, 3.0, 1.0)
    answer = compare(X, y, "FisherScore", sample_weight=heavy, random_state=0)
    assert answer.chance == pytest.approx(0.6, abs=1e-9)


def test_the_command_takes_a_column_of_weights(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(w=W, y=y)
    frame.to_csv(path := tmp_path / "w.csv", index=False)
    done = invoke("rank", path, "-m", "FisherScore", "--weights", "w", "--json")
    ranked = json.loads(done.stdout)["features"]
    expected = FisherScore().fit(X, y, sample_weight=W).scores_
    found = [next(f["score"] for f in ranked if f["feature"] == n) for n in "abcd"]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert len(ranked) == 4
    frame.assign(w=W - 1).to_csv(path, index=False)
    done = invoke("select", path, "-m", "ReliefF", "--weights", "w")
    assert done.exit_code != 0
    assert "--weights: 'w' needs a number of at least 0 in every row" in done.stderr
    done = invoke("select", path, "--weights", "y")
    assert "--weights: 'y' is the target" in done.stderr


def test_the_report_weighs_rows_as_the_command_did(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(w=W, y=y)
    frame.to_csv(path := tmp_path / "w.csv", index=False)
    page = tmp_path / "page.html"
    done = invoke("compare", path, "-m", "FisherScore", "--weights", "w", "-o", page)
    assert done.exit_code == 0
    text = html.unescape(page.read_text("utf-8"))
    assert "sample_weight = data['w']" in text
    assert "sample_weight=sample_weight" in text


def weighed_table(seed=3):
    """Scaled rows of three classes, and weights of mean 1."""
    rng = np.random.default_rng(seed)
    X, y = rng.random((36, 5)), rng.integers(0, 3, 36)
    X[:, 1] += y
    X, weights = (X - X.min(axis=0)) / np.ptp(X, axis=0), rng.uniform(0.2, 3, 36)
    return X, y, weights / weights.mean(), rng


@pytest.mark.parametrize("utility", ["linear", "sigmoid", "zero-one"])
def test_gflip_climbs_the_weighted_margin(utility):
    X, y, weights, rng = weighed_table()
    orders = [rng.permutation(5) for _ in range(6)]
    theirs = oracles.gflip.gflip(X, y, orders, utility=utility, row_weights=weights)
    fitted = GFlip(order=orders, utility=utility).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(fitted.support_, theirs.selected)
    np.testing.assert_allclose(fitted.scores_, theirs.scores, atol=1e-10)
    assert fitted.margin_ == pytest.approx(theirs.margin, rel=1e-10)


@pytest.mark.parametrize("batch_size", [1, 7, 36])
def test_lmba_descends_the_weighted_loss(batch_size):
    X, y, weights, rng = weighed_table()
    order = rng.permutation(36)
    fitted = LMBA(order=order, batch_size=batch_size).fit(X, y, sample_weight=weights)
    w = oracles.lmba.lmba(X, y, [order], batch_size=batch_size, row_weights=weights)
    np.testing.assert_allclose(fitted.weights_, w, rtol=1e-9)
    loss = oracles.lmba.loss(X, y, w, row_weights=weights)
    assert fitted.loss_ == pytest.approx(loss, rel=1e-9)


@pytest.mark.parametrize("supervised", [True, False])
def test_an_edge_of_the_laplacian_graph_weighs_what_its_ends_do(supervised):
    X, y, weights, _ = weighed_table()
    labels = y if supervised else None
    expected = oracles.baselines.laplacian(X, labels, row_weights=weights)
    fitted = LaplacianScore().fit(X, labels, sample_weight=weights)
    np.testing.assert_allclose(fitted.scores_, -expected, rtol=1e-10)


def test_the_weighted_margin_can_be_evaluated():
    X, y, weights, _ = weighed_table()
    w = [1.0, 0.5, 0, 2, 1]
    for utility in ("linear", "sigmoid", "zero-one"):
        expected = oracles.margin.evaluation(X, y, w, utility, row_weights=weights)
        found = evaluation(X, y, w, utility, sample_weight=5 * weights)
        assert found == pytest.approx(expected, rel=1e-10)


def test_simba_climbs_the_weighted_margin():
    """One visit of each row, by the paper's step times the weight of the row."""
    rng = np.random.default_rng(3)
    X, y = rng.random((30, 3)), rng.integers(0, 2, 30)
    X, weights = (X - X.min(axis=0)) / np.ptp(X, axis=0), rng.uniform(0.2, 3, 30)
    weights /= weights.mean()
    w, order = np.ones(3), rng.permutation(30)
    for i in order:
        delta = np.zeros(3)
        for same, sign in ((True, -0.5), (False, 0.5)):
            rows = [j for j in range(30) if (y[j] == y[i]) == same and j != i]
            r = [np.sqrt(w**2 @ (X[i] - X[j]) ** 2) for j in rows]
            near = int(np.argmin(r))
            delta += sign * (X[i] - X[rows[near]]) ** 2 / r[near] * w
        w += weights[i] * delta
    fitted = Simba(scale=None, order=order).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(fitted.weights_, w, rtol=1e-10)
