import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import widemargin
from cases import CASES, expected_failures, of_few_trees, small_tables
from oracles.judge import class_weights, cross_fitted, fold_hits
from widemargin import GFlip, Relief, ReliefF, RReliefF, Simba, baselines
from widemargin.base import MarginSelector
from widemargin.baselines import (
    FCBF,
    MRMR,
    FeatureSimilarity,
    FisherScore,
    LaplacianScore,
    TraceRatio,
)
from widemargin.datasets import make_xor
from widemargin.judging.folds import stratified_folds

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has one member:UserWarning"),
    pytest.mark.filterwarnings("ignore:.*has no prototype:UserWarning"),
]

SELECTORS = [
    member
    for package in (widemargin, baselines)
    for member in (getattr(package, name) for name in package.__all__)
    if isinstance(member, type)
    and issubclass(member, MarginSelector)
    and not member()._numeric_target
]


@parametrize_with_checks(
    [ReliefF("auto"), LaplacianScore("auto")],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


class Given(MarginSelector):
    """Ranks features as it is told."""

    def __init__(
        self, scores, n_features_to_select="auto", scale="minmax", n_jobs=None
    ):
        self.scores = scores
        self.n_features_to_select = n_features_to_select
        self.scale = scale
        self.n_jobs = n_jobs
        self.verbose = 0

    def _score(self, table, workers):
        return np.asarray(self.scores, float)


def folds_of(X, y, nominal=None):
    """The folds of "auto"."""
    codes = np.unique(y, return_inverse=True)[1]
    largest = np.bincount(codes).max()
    if largest < 2:
        return []
    n_folds = min(10, largest)
    return stratified_folds(X, codes, n_folds, nominal=nominal, keep_single=True)


def plain_ranking(selector, X, y):
    """A function that ranks by a plain fit to some rows; of one class, by columns."""
    plain = clone(selector)
    if "redundancy" in plain.get_params():
        plain.set_params(redundancy=None)
    if isinstance(plain, Given):  # which has no need of other parameters
        plain.set_params(n_features_to_select=1)
    else:
        n = None if isinstance(plain, TraceRatio) else X.shape[1]
        plain.set_params(n_features_to_select=n)

    def rank(train):
        if len(np.unique(y[train])) == 1:
            return np.arange(X.shape[1])
        return np.argsort(plain.fit(X[train], y[train]).ranking_)

    return rank


def fold_orders(selector, X, y, folds):
    """Rankings by the training rows of each fold."""
    rank = plain_ranking(selector, X, y)
    return [rank(train) for train, _ in folds]


def assert_is_the_oracle(fitted, X, y, nominal=None, rank=None, rows=None):
    X, y = np.asarray(X), np.asarray(y)
    folds = folds_of(X, y, nominal)
    orders = (
        fold_orders(fitted, X, y, folds)
        if rank is None
        else [rank(train) for train, _ in folds]
    )
    names = np.isin(np.arange(X.shape[1]), [] if nominal is None else nominal).tolist()
    rows = X.tolist() if rows is None else rows

    def hits_of(fold, order):
        return fold_hits(rows, y.tolist(), fold, order.tolist(), fitted.scale, names)

    hits = [hits_of(f, o) for f, o in zip(folds, orders, strict=True)]
    weight = class_weights(y.tolist())
    tested = [sum(weight[v] for v in y[test].tolist()) for _, test in folds] or [len(y)]
    hits = hits or [[0] * X.shape[1]]
    rows = [len(test) for _, test in folds] or [len(y)]
    scores, size = cross_fitted(hits, tested, rows)
    np.testing.assert_allclose(fitted.prefix_scores_, scores, rtol=0, atol=1e-12)
    assert fitted.n_features_ == size
    np.testing.assert_array_equal(fitted.support_, fitted.ranking_ <= size)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("scale", ["minmax", "standard", "rank", None])
def test_every_prefix_has_the_accuracy_of_the_oracle(case, scale):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    scores = rng.permutation(X.shape[1])
    assert_is_the_oracle(Given(scores, scale=scale).fit(X, y), X, y)


@given(small_tables(max_features=11))
def test_any_small_table_has_the_accuracies_of_the_oracle(table):
    X, y = table
    assert_is_the_oracle(Given(-np.arange(X.shape[1])).fit(X, y), X, y)


@pytest.mark.parametrize("selector", [Given([3, 2, 1, 4]), ReliefF(), FisherScore()])
def test_a_class_of_two_rows(selector):
    X = np.random.default_rng(0).normal(size=(14, 4))
    y = np.repeat([0, 1], [12, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes that are small
        fitted = selector.set_params(n_features_to_select="auto").fit(X, y)
        assert_is_the_oracle(fitted, X, y)


def test_more_rows_than_a_panel_and_many_classes():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, (270, 5)) / 7
    y = rng.integers(0, 40, 270)
    assert_is_the_oracle(Given(rng.random(5)).fit(X, y), X, y)


def mixed_frame(rng, n, missing):
    """Numbers, ties, two and four categories; some cells missing; y depends on them."""
    frame = pd.DataFrame(
        {
            "number": rng.standard_normal(n),
            "tied": rng.integers(0, 3, n) / 3,
            "two": pd.Categorical(rng.choice(["a", "b"], n)),
            "four": rng.choice(["p", "q", "r", "s"], n),
        }
    )
    y = (frame["four"].isin(["p", "q"]) ^ (rng.random(n) < 0.1)).to_numpy().astype(int)
    y[:3] = 0, 1, 2
    return frame.mask(rng.random(frame.shape) < missing), y


@pytest.mark.parametrize("missing", [0.0, 0.1, 0.6])
@pytest.mark.parametrize(
    "selector",
    [
        Relief("auto"),
        ReliefF("auto"),
        ReliefF("auto", scale="rank"),
        Simba("auto", random_state=0, n_starts=1),
    ],
    ids=repr,
)
def test_tables_with_categories_and_gaps(selector, missing):
    rng = np.random.default_rng(int(10 * missing))
    X, y = mixed_frame(rng, 40, missing)
    fitted = selector.fit(X, y)
    codes = X.copy()
    for column in ("two", "four"):
        codes[column] = pd.factorize(X[column])[0]
    numbers = codes.to_numpy(float, na_value=np.nan)
    numbers[:, 2:][numbers[:, 2:] < 0] = np.nan
    nominal = np.array([2, 3])
    plain = clone(selector).set_params(n_features_to_select=None)

    def rank(train):
        return np.argsort(plain.fit(X.iloc[train], y[train]).ranking_)

    rows = X.astype(object).where(X.notna(), None).to_numpy().tolist()
    assert_is_the_oracle(fitted, numbers, y, nominal, rank, rows)


@pytest.mark.parametrize("small", [20, 80])
def test_unbalanced_classes_are_judged_by_their_mean(small):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [400 - small, small])
    X = rng.standard_normal((400, 6))  # nothing to find
    fitted = ReliefF("auto").fit(X, y)
    guessing = 1 - small / 400
    if small == 20:
        assert fitted.scoring_ == "balanced_accuracy"
        assert fitted.prefix_scores_.max() < 0.6 < guessing
    else:  # four to one, which is not more than that
        assert fitted.scoring_ == "accuracy"
        assert fitted.prefix_scores_.max() > 0.6
    assert ReliefF(3).fit(X, y).scoring_ is None
    assert RReliefF("auto").fit(X, X[:, 0]).scoring_ == "r2"


def test_thread_count_memory_layout_and_type_change_nothing():
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 9, (200, 30)), rng.integers(0, 3, 200)
    expected = ReliefF("auto", n_jobs=1).fit(X, y).prefix_scores_
    for Z in (np.asfortranarray(X.astype(float)), X.astype(np.float32)):
        for n_jobs in (1, 3):
            scores = ReliefF("auto", n_jobs=n_jobs).fit(Z, y).prefix_scores_
            np.testing.assert_array_equal(scores, expected)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("method", [ReliefF, Simba])
def test_xor_keeps_exactly_the_three_features(seed, method):
    X, y = make_xor(random_state=seed)
    selector = method("auto")
    if "random_state" in selector.get_params():
        selector.set_params(random_state=seed)
    assert selector.fit(X, y).get_support(indices=True).tolist() == [0, 1, 2]


def test_few_features_of_a_hypercube_among_many_are_found():
    X, y = make_classification(
        n_samples=1000,
        n_features=100,
        n_informative=5,
        n_redundant=10,
        n_clusters_per_class=8,
        class_sep=1.5,
        flip_y=0.01,
        shuffle=False,
        random_state=0,
    )
    order = np.random.default_rng(0).permutation(1000)
    X, y = X[order], y[order]
    fitted = ReliefF("auto").fit(X, y)
    assert 4 <= fitted.n_features_ <= 20
    assert fitted.get_support(indices=True).max() < 15
    nearest = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))
    with_all = cross_val_score(nearest, X, y).mean()
    with_best = cross_val_score(nearest, fitted.transform(X), y).mean()
    assert with_all < 0.75
    assert with_best > with_all + 0.1
    assert with_best > 0.83
    assert abs(fitted.prefix_scores_[fitted.n_features_ - 1] - with_best) < 0.03


@pytest.mark.parametrize("method", SELECTORS, ids=lambda c: c.__name__)
def test_every_method_finds_a_number(method):
    X, y = load_iris(return_X_y=True)
    fitted = of_few_trees(method(n_features_to_select="auto")).fit(X, y)
    assert 1 <= fitted.n_features_ == fitted.support_.sum() <= 4
    if fitted._gives_subset:
        natural = method().fit(X, y)
        assert fitted.prefix_scores_ is None
        np.testing.assert_array_equal(fitted.support_, natural.support_)
    elif fitted._own_size() is not None:
        assert fitted.n_features_ == fitted._own_size()
    else:
        assert_is_the_oracle(
            fitted.set_params(random_state=0).fit(X, y)
            if "random_state" in fitted.get_params()
            else fitted,
            X,
            y,
        )


def test_natural_subsets_are_kept():
    X, y = make_xor(random_state=0)
    threshold = Relief("auto", threshold=0.01).fit(X, y)
    np.testing.assert_array_equal(threshold.support_, threshold.scores_ > 0.01)
    for selector in (GFlip(random_state=0), FCBF(), FeatureSimilarity()):
        natural = selector.fit(X, y).support_.copy()
        auto = selector.set_params(n_features_to_select="auto").fit(X, y)
        np.testing.assert_array_equal(auto.support_, natural)
        assert auto.n_features_ == natural.sum()
        assert auto.prefix_scores_ is None


def test_mrmr_takes_all_features_before_it_chooses():
    X, y = make_xor(random_state=0)
    full = MRMR(n_features_to_select=10).fit(X, y)
    np.testing.assert_array_equal(MRMR("auto").fit(X, y).ranking_, full.ranking_)


def test_trace_ratio_ranks_as_by_default():
    X, y = load_iris(return_X_y=True)
    default, auto = TraceRatio().fit(X, y), TraceRatio("auto").fit(X, y)
    np.testing.assert_array_equal(auto.scores_, default.scores_)


def test_unsupervised_ranking_needs_labels_to_find_a_number():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"LaplacianScore requires y .*auto"):
        LaplacianScore("auto").fit(X)
    fitted = LaplacianScore("auto", supervised=False).fit(X, y)
    assert_is_the_oracle(fitted, X, y)
    plain = LaplacianScore(supervised=False).fit(X)
    np.testing.assert_array_equal(fitted.scores_, plain.scores_)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        LaplacianScore("auto", supervised=False).fit(X, y[:-1])
    assert FeatureSimilarity("auto").fit(X).prefix_scores_ is None


def test_a_number_again_forgets_the_prefixes():
    X, y = load_iris(return_X_y=True)
    selector = FisherScore("auto").fit(X, y)
    assert selector.prefix_scores_.shape == (4,)
    selector.set_params(n_features_to_select=2).fit(X, y)
    assert selector.n_features_ == 2
    assert selector.prefix_scores_ is None


def test_any_other_word_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="'n_features_to_select' parameter of ReliefF"):
        ReliefF("best").fit(X, y)
