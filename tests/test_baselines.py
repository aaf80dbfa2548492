"""The baselines against naive formulas, and against scikit-learn where it has them.

Other packages were looked at and are no measure for some of this: skfeature-chappers
1.2.1 orders FCBF's features by uncertainties cut to integers, that is by column, weighs
MRMR's redundancy by 0.8 whatever the number of features taken, and never exchanges a
feature in its trace ratio; mrmr_selection 0.2.8 has no mutual information but F-values
and correlations.
"""

import numpy as np
import pytest
from hypothesis import given
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

from cases import CASES, gaussian, of_few_trees, small_tables
from oracles import baselines as oracle
from widemargin import baselines
from widemargin.baselines import (
    FCBF,
    MRMR,
    FeatureSimilarity,
    FisherScore,
    FRegression,
    InformationGain,
    LaplacianScore,
    MutualInformation,
    PearsonScore,
    TraceRatio,
)

ALL = [of_few_trees(getattr(baselines, name)()) for name in baselines.__all__]
BINS = ["three", "equal-width", "quantile", "mdl", None]

pytestmark = [
    pytest.mark.filterwarnings("ignore:FeatureSimilarity. n_neighbors=:UserWarning"),
    pytest.mark.filterwarnings("ignore:LaplacianScore. n_neighbors=:UserWarning"),
]

each_case = pytest.mark.parametrize("case", CASES)
each_baseline = pytest.mark.parametrize("selector", ALL, ids=lambda s: type(s).__name__)
each_binning = pytest.mark.parametrize("bins", BINS)


def check_fisher(X, y):
    scores = FisherScore().fit(X, y).scores_
    S_b, S_w = oracle.fisher(X, y)
    varies = S_w > 1e-20
    np.testing.assert_allclose(
        scores[varies], S_b[varies] / S_w[varies], rtol=1e-9, atol=1e-12
    )
    perfect = ~varies & (S_b > 1e-20)
    assert np.isfinite(scores).all()
    if perfect.any() and varies.any():
        assert scores[perfect].min() > scores[varies].max()


def check_trace_ratio(X, y):
    for m in range(1, X.shape[1] + 1):
        varying = np.flatnonzero(np.ptp(X, axis=0))
        fitted = TraceRatio(m).fit(X, y)
        if not len(varying):
            assert fitted.ratio_ == 0
            continue
        best = oracle.best_subset_ratio(X[:, varying], y, min(m, len(varying)))
        assert fitted.ratio_ == pytest.approx(best, rel=1e-9, abs=1e-12)
        kept = fitted.support_ & (np.ptp(X, axis=0) > 0)
        S_b, S_w = oracle.fisher(X, y)
        if np.isfinite(best):
            assert S_b[kept].sum() == pytest.approx(best * S_w[kept].sum(), abs=1e-9)
            expected = S_b[varying] - best * S_w[varying]
            np.testing.assert_allclose(fitted.scores_[varying], expected, atol=1e-9)


def check_pearson(X, y):
    np.testing.assert_allclose(
        PearsonScore().fit(X, y).scores_, oracle.pearson(X, y), atol=1e-12
    )


def check_laplacian(X, y):
    for labels, k in ((y, 5), (None, 1), (None, 3), (None, 100)):
        ours = LaplacianScore(n_neighbors=k).fit(X, labels).scores_
        expected = oracle.laplacian(X, labels, k=k)
        expected = np.where(np.isnan(expected), 2.0, expected)
        np.testing.assert_allclose(ours, -expected, atol=1e-9)


def check_information_gain(X, y, bins):
    columns = oracle.discretised(X, y, bins)
    expected = [oracle.information(c, list(y)) for c in columns]
    scores = InformationGain(bins=bins).fit(X, y).scores_
    np.testing.assert_allclose(scores, expected, atol=1e-12)
    assert (scores >= 0).all()


def check_mrmr(X, y, bins, criterion, m):
    columns = oracle.discretised(X, y, bins)
    varying = np.flatnonzero(np.ptp(X, axis=0))
    taken, values = oracle.mrmr(columns, y, varying.tolist(), m, criterion)
    fitted = MRMR(m, criterion=criterion, bins=bins).fit(X, y)
    order = np.argsort(fitted.ranking_)
    assert order[: len(taken)].tolist() == taken
    np.testing.assert_allclose(fitted.criterion_[taken], values, rtol=1e-6, atol=1e-9)


def check_fcbf(X, y, bins, threshold):
    columns = oracle.discretised(X, y, bins)
    kept = oracle.fcbf(columns, y, threshold)
    fitted = FCBF(bins=bins, threshold=threshold).fit(X, y)
    assert set(np.flatnonzero(fitted.support_)) == set(kept)
    expected = [oracle.uncertainty(c, list(y)) for c in columns]
    np.testing.assert_allclose(fitted.relevance_, expected, atol=1e-12)


def check_feature_similarity(X, y):
    for k in (1, 2, 3, 6):
        kept, epsilon = oracle.feature_similarity(X, k)
        fitted = FeatureSimilarity(n_neighbors=k).fit(X)
        assert np.flatnonzero(fitted.support_).tolist() == kept
        assert fitted.epsilon_ == pytest.approx(epsilon, abs=1e-12)


UNBINNED = [
    check_fisher,
    check_trace_ratio,
    check_pearson,
    check_laplacian,
    check_feature_similarity,
]


@each_case
@pytest.mark.parametrize("check", UNBINNED)
@pytest.mark.parametrize("seed", [0, 1])
def test_scores_are_those_of_the_oracle(case, check, seed):
    check(*case(np.random.default_rng(seed)))


@each_case
@each_binning
def test_information_is_that_of_the_oracle(case, bins):
    X, y = case(np.random.default_rng(2))
    check_information_gain(X, y, bins)
    for criterion in ("mid", "miq"):
        for m in (1, 3, 10):
            check_mrmr(X, y, bins, criterion, min(m, X.shape[1]))
    for threshold in (0.0, 0.1):
        check_fcbf(X, y, bins, threshold)


@given(small_tables())
def test_any_small_table_gives_what_the_oracle_gives(table):
    for check in UNBINNED:
        check(*table)
    for bins in BINS:
        check_information_gain(*table, bins)
        check_fcbf(*table, bins, 0.0)
        for criterion in ("mid", "miq"):
            check_mrmr(*table, bins, criterion, table[0].shape[1])


def test_fisher_is_the_f_value_up_to_degrees_of_freedom():
    X, y = load_wine(return_X_y=True)
    n, C = len(y), len(np.unique(y))
    F = f_classif(X, y)[0]
    np.testing.assert_allclose(FisherScore().fit(X, y).scores_, F * (C - 1) / (n - C))


def test_two_classes_give_the_correlation_with_the_label():
    X, y = load_breast_cancer(return_X_y=True)
    r = [abs(np.corrcoef(x, y)[0, 1]) for x in X.T]
    np.testing.assert_allclose(PearsonScore().fit(X, y).scores_, r)


def test_information_gain_is_scikit_learns_mutual_information():
    X, y = load_wine(return_X_y=True)
    for bins, strategy in (("equal-width", "uniform"), ("quantile", "quantile")):
        options = {"encode": "ordinal", "strategy": strategy}
        if strategy == "quantile":
            options["quantile_method"] = "linear"
        codes = KBinsDiscretizer(5, **options).fit_transform(X)
        expected = mutual_info_classif(codes, y, discrete_features=True)
        ours = InformationGain(bins=bins).fit(X, y).scores_
        np.testing.assert_allclose(ours, expected, atol=1e-12)
        codes = InformationGain(bins=None).fit(codes, y).scores_
        np.testing.assert_array_equal(codes, ours)


@pytest.fixture
def perfect():
    """Column 1 is constant within classes, 3 is constant, 4 is column 1 in reverse."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 12)
    X = rng.standard_normal((36, 5))
    X[:, 0] += y
    X[:, 1] = np.array([0.1, 0.7, 0.3])[y]
    X[:, 3] = 0.1
    X[:, 4] = -3 * X[:, 1]
    return X, y


@pytest.mark.parametrize(
    "selector",
    [FisherScore(), TraceRatio(2), PearsonScore(), LaplacianScore(), InformationGain()],
    ids=lambda s: type(s).__name__,
)
@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_perfect_features_come_first_and_stay_finite(perfect, selector, scale):
    fitted = clone(selector).set_params(scale=scale).fit(*perfect)
    assert np.isfinite(fitted.scores_).all()
    # Correlation sees one class against the rest, for which 1 and 4 are not perfect.
    if not isinstance(selector, PearsonScore):
        assert set(np.argsort(fitted.ranking_)[:2]) == {1, 4}
    assert fitted.ranking_[3] == 5


@each_baseline
@each_case
def test_scores_are_finite_and_agree_with_the_ranking(selector, case):
    X, y = case(np.random.default_rng(3))
    for wanted in (None, 1, 0.7):
        fitted = clone(selector).set_params(n_features_to_select=wanted).fit(X, y)
        assert np.isfinite(fitted.scores_).all()
        order = np.argsort(fitted.ranking_)
        varying = order[np.ptp(X[:, order], axis=0) > 0]
        assert (np.diff(fitted.scores_[varying]) <= 0).all()
        assert varying.tolist() == order[: len(varying)].tolist()
        if len(varying):
            last = fitted.scores_[varying[-1]]
            assert (fitted.scores_[order[len(varying) :]] <= last + 1e-12).all()


@each_baseline
def test_threads_and_layout_change_nothing(selector):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 300)
    X = rng.integers(0, 9, (300, 700)).astype(float)
    X[:, :9] += y[:, None]
    if isinstance(selector, MutualInformation):  # scikit-learn's, slow and in no tiles
        X = X[:, :60]
    if "random_state" in selector.get_params():
        selector = clone(selector).set_params(random_state=0)
    one = clone(selector).set_params(n_jobs=1).fit(X, y)
    for other in (X.astype(np.int8), np.asfortranarray(X), X.astype(np.float32)):
        two = clone(selector).set_params(n_jobs=3).fit(other, y)
        np.testing.assert_array_equal(one.scores_, two.scores_)
        np.testing.assert_array_equal(one.support_, two.support_)


@pytest.mark.parametrize("selector", [InformationGain(), MRMR(4), FCBF()], ids=repr)
@each_binning
def test_bins_do_not_depend_on_units_rows_or_names_of_classes(selector, bins):
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 6, (90, 12)) / 7, rng.integers(0, 3, 90)
    X[:, 3] = y + rng.integers(0, 2, 90) / 7
    selector = clone(selector).set_params(bins=bins)
    scores = selector.fit(X, y).scores_
    order = rng.permutation(90)
    for X2, y2 in (
        (1e6 + 300 * X, y),
        (X[order], y[order]),
        (X, np.array(["c", "a", "b"])[y]),
    ):
        for scale in ("minmax", "standard", None):
            again = clone(selector).set_params(scale=scale).fit(X2, y2).scores_
            np.testing.assert_array_equal(again, scores)


def test_relabelled_features_are_equal_to_the_last_bit():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 3, 101)
    x = (y + rng.integers(0, 3, 101)) % 5
    X = np.column_stack([rng.permutation(5)[x] for _ in range(8)])
    fitted = InformationGain(bins=None).fit(X, y)
    assert len(set(fitted.scores_)) == 1
    np.testing.assert_array_equal(fitted.ranking_, np.arange(1, 9))


def test_values_as_they_are_must_be_few():
    X, y = np.random.default_rng(0).random((300, 2)), np.arange(300) % 2
    with pytest.raises(ValueError, match=r"MRMR with bins=None .* column 0 has 300"):
        MRMR(bins=None).fit(X, y)


def test_mdl_makes_no_more_intervals_than_a_byte_can_count():
    x = np.arange(60_000)
    y = x // 100 % 2
    fitted = InformationGain(bins="mdl").fit(x[:, None], y)
    assert 0.2 < fitted.scores_[0] <= np.log(2)


def test_mrmr_prefers_the_second_source_to_a_copy_of_the_first():
    rng = np.random.default_rng(7)
    a, b = rng.integers(0, 2, (2, 400))
    y = 2 * a + b
    X = np.column_stack([a, a, b, rng.integers(0, 2, 400)])
    for criterion in ("mid", "miq"):
        fitted = MRMR(2, criterion=criterion, bins=None).fit(X, y)
        assert fitted.get_support(indices=True).tolist() == [0, 2]


def test_mrmr_takes_the_same_first_features_however_many_are_wanted():
    X, y = load_breast_cancer(return_X_y=True)
    full = MRMR(30).fit(X, y).ranking_
    for m in (1, 5, 12):
        part = MRMR(m).fit(X, y).ranking_
        np.testing.assert_array_equal(part[full <= m], full[full <= m])


def test_fcbf_keeps_one_of_copies_and_nothing_irrelevant():
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 2, (2, 400))
    y = 2 * a + b
    X = np.column_stack([np.tile([0, 1], 200), a, 1 - a, b, b])
    fitted = FCBF(bins=None, threshold=0.1).fit(X, y)
    assert fitted.get_support(indices=True).tolist() == [1, 3]
    assert fitted.ranking_[0] == 5
    assert FCBF(4, bins=None).fit(X, y).support_.sum() == 4


def test_fcbf_above_every_uncertainty_selects_nothing():
    X, y = load_iris(return_X_y=True)
    assert not FCBF(threshold=0.99).fit(X, y).support_.any()


@pytest.mark.parametrize(
    "selector", [FeatureSimilarity(), LaplacianScore(supervised=False)], ids=repr
)
def test_unsupervised_methods_do_not_look_at_y(selector):
    X, y = load_iris(return_X_y=True)
    scores = clone(selector).fit(X).scores_
    for labels in (y, None, ["one class"] * 150, np.linspace(0, 1, 150)):
        again = clone(selector).fit(X, labels)
        np.testing.assert_array_equal(again.scores_, scores)
    assert make_pipeline(clone(selector)).fit_transform(X).shape[0] == 150


def test_laplacian_score_is_supervised_if_there_are_labels():
    X, y = load_iris(return_X_y=True)
    with_labels = LaplacianScore(supervised=True).fit(X, y).scores_
    np.testing.assert_array_equal(LaplacianScore().fit(X, y).scores_, with_labels)
    assert not np.allclose(LaplacianScore().fit(X).scores_, with_labels)
    with pytest.raises(ValueError, match="requires y to be passed"):
        LaplacianScore(supervised=True).fit(X)


def test_laplacian_score_is_worst_where_only_lone_samples_differ():
    # Both 0s of the first column are alone in their class, so joined to nothing; the
    # weighted mean of the others is 1 up to rounding.
    X = np.array([[0, 0, 0], [2, 0, 0], [0, 0, 0], [2, 0, 1], [2, 1, 2]]) / 2
    fitted = LaplacianScore().fit(X, [0, 1, 2, 1, 1])
    assert fitted.scores_[0] == -2
    assert (fitted.scores_[1:] > -2).all()


def test_laplacian_width_may_be_given():
    X, y = gaussian(np.random.default_rng(9))
    fitted = LaplacianScore(delta=0.3).fit(X, y)
    assert fitted.delta_ == 0.3
    expected = oracle.laplacian(X, y, delta=0.3)
    np.testing.assert_allclose(fitted.scores_, -expected, atol=1e-12)


@pytest.mark.filterwarnings("default:LaplacianScore. n_neighbors=:UserWarning")
@pytest.mark.filterwarnings("default:FeatureSimilarity. n_neighbors=:UserWarning")
def test_too_many_neighbors_says_what_is_done():
    X = load_iris().data
    with pytest.warns(UserWarning, match="n_neighbors=150, but X has 150 rows"):
        LaplacianScore(n_neighbors=150).fit(X)
    with pytest.warns(UserWarning, match="n_neighbors=4, but X has 4 features"):
        FeatureSimilarity(n_neighbors=4).fit(X)


def test_feature_similarity_keeps_one_of_each_group():
    rng = np.random.default_rng(10)
    sources = rng.standard_normal((200, 4))
    X = np.repeat(sources, 6, axis=1) * rng.choice([-2.0, 3.0], 24)
    fitted = FeatureSimilarity(n_neighbors=5).fit(X)
    assert (fitted.get_support(indices=True) // 6).tolist() == [0, 1, 2, 3]
    assert fitted.epsilon_ == pytest.approx(0, abs=1e-12)


def test_feature_similarity_lists_neighbours_again_when_they_have_gone():
    """Many features, few neighbours: lists run out and are made again."""
    rng = np.random.default_rng(11)
    X = rng.standard_normal((30, 12)) @ rng.standard_normal((12, 80))
    for k in (1, 3, 30):
        kept, epsilon = oracle.feature_similarity(X, k)
        fitted = FeatureSimilarity(n_neighbors=k).fit(X)
        assert fitted.get_support(indices=True).tolist() == kept
        assert fitted.epsilon_ == pytest.approx(epsilon)


@pytest.mark.parametrize(
    ("selector", "name"),
    [
        (MRMR(criterion="max"), "criterion"),
        (MRMR(bins="four"), "bins"),
        (InformationGain(n_bins=1), "n_bins"),
        (FCBF(threshold=-0.1), "threshold"),
        (LaplacianScore(delta=-1.0), "delta"),
        (FeatureSimilarity(n_neighbors=0), "n_neighbors"),
        (TraceRatio(max_iter=0), "max_iter"),
    ],
)
def test_bad_parameters_are_named(selector, name):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=f"'{name}' parameter of"):
        selector.fit(X, y)


@pytest.mark.parametrize(
    "selector",
    [s for s in ALL if not isinstance(s, (FeatureSimilarity, FRegression))],
    ids=lambda s: type(s).__name__,
)
def test_one_class_is_refused(selector):
    with pytest.raises(ValueError, match=r"at least 2 classes in y, got 1 \('a'\)"):
        selector.fit(np.eye(4), ["a"] * 4)


def test_feature_similarity_looks_for_the_neighbours_that_leave_so_many_features():
    rng = np.random.default_rng(12)
    X = rng.standard_normal((40, 10)) @ rng.standard_normal((10, 30))
    for wanted in (3, 8, 15, 29):
        fitted = FeatureSimilarity(wanted, n_neighbors="auto").fit(X)
        kept, epsilon = oracle.feature_similarity(X, fitted.n_neighbors_)
        assert fitted.epsilon_ == pytest.approx(epsilon)
        assert set(fitted.get_support(indices=True)) <= set(kept) or len(kept) < wanted
        assert fitted.n_features_ == wanted
        if fitted.n_neighbors_ > 1:
            assert len(kept) >= wanted
        if fitted.n_neighbors_ < 29:
            fewer, _ = oracle.feature_similarity(X, fitted.n_neighbors_ + 1)
            assert len(fewer) < wanted
    plain = FeatureSimilarity(n_neighbors="auto").fit(X)
    assert plain.n_neighbors_ == 5
