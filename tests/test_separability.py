import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import cdist, pdist
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris

from cases import CASES, gaussian, small_tables, tied
from oracles import separability as oracle
from settings_tools import changed_settings
from widemargin import IPCMSR, IPICSR
from widemargin.base import prototypes, separation_ratio
from widemargin.threads import Workers

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*has no prototype:UserWarning"),
    pytest.mark.filterwarnings("ignore:IPCMSR. n_neighbors=:UserWarning"),
]

LINKAGES = ["summed", "average", "ward", "complete"]


def same_partition(a, b):
    """Whether two labellings group the rows alike."""
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


def labelled(clusters):
    labels = np.empty(sum(map(len, clusters)), np.int64)
    for number, members in enumerate(clusters):
        labels[members] = number
    return labels


def check_scores(selector, X, y, **options):
    """Regular scores are the oracle's; perfect features come first, by denominator."""
    k = selector.n_neighbors if isinstance(selector, IPCMSR) else None
    within, between = oracle.ratio_parts(X, y, k, **options)
    scores = selector.fit(X, y).scores_
    assert np.isfinite(scores).all()
    regular = within > 0
    assert_allclose(scores[regular], between[regular] / within[regular], rtol=1e-9)
    # In the oracle, too, a constant feature is known by its values alone.
    perfect = ~regular & (between > 0) & (np.ptp(X, axis=0) > 0)
    if perfect.any():
        assert (scores[perfect] > scores[~perfect].max(initial=0)).all()
        top = between[perfect]
        larger = top[:, None] > top * (1 + 1e-9)
        assert (np.greater.outer(scores[perfect], scores[perfect]) >= larger).all()
    silent = ~regular & ~perfect
    assert (scores[silent] <= 0).all()
    assert scores[~silent].min(initial=np.inf) > scores[silent].max(initial=-np.inf)


class TestLinkage:
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize(
        "draw",
        [
            lambda rng: rng.standard_normal((40, 3)),
            lambda rng: rng.integers(0, 3, (40, 2)).astype(float),
            lambda rng: rng.integers(0, 4, (35, 3)) / 3,
            lambda rng: np.repeat(rng.standard_normal((9, 4)), 4, axis=0),
            lambda rng: np.arange(24.0)[:, None] * [0.1, 0.3],
            lambda rng: np.eye(16),
            lambda rng: np.zeros((9, 2)),
            lambda rng: rng.standard_normal((2, 2)),
        ],
        ids=[
            "random",
            "grid",
            "thirds",
            "duplicates",
            "line",
            "simplex",
            "equal",
            "two",
        ],
    )
    def test_chain_makes_the_greedy_merges(self, draw, seed):
        X = draw(np.random.default_rng(seed))
        merges, heights = prototypes.agglomerate(cdist(X, X), "summed")
        greedy = list(oracle.greedy_merges(X))
        assert_allclose(heights, [height for height, _ in greedy], rtol=1e-12)
        for _, clusters in greedy:
            labels = prototypes.cut(merges, len(clusters))
            assert_array_equal(labels, labelled(clusters))

    @given(small_tables(max_rows=20))
    def test_chain_is_greedy_on_any_small_table(self, table):
        X, _ = table
        merges, heights = prototypes.agglomerate(cdist(X, X), "summed")
        greedy = list(oracle.greedy_merges(X))
        assert_allclose(heights, [height for height, _ in greedy], rtol=1e-12)
        for _, clusters in greedy:
            labels = prototypes.cut(merges, len(clusters))
            assert_array_equal(labels, labelled(clusters))

    @pytest.mark.parametrize("linkage", LINKAGES[1:])
    def test_other_linkages_are_greedy_too(self, linkage):
        X = np.random.default_rng(0).standard_normal((30, 3))
        merges, heights = prototypes.agglomerate(cdist(X, X), linkage)
        greedy = list(oracle.greedy_merges(X, linkage))
        assert_allclose(heights, [height for height, _ in greedy], rtol=1e-12)
        for _, clusters in greedy:
            labels = prototypes.cut(merges, len(clusters))
            assert_array_equal(labels, labelled(clusters))

    def test_heights_are_sums_over_the_sum_of_sizes(self):
        # 0 and 1 merge at 1/2; then 10 + 9 over 3, against 19 / 2 for the average.
        X = np.array([[0.0], [1.0], [10.0]])
        _, heights = prototypes.agglomerate(cdist(X, X), "summed")
        assert_allclose(heights, [1 / 2, 19 / 3])

    @pytest.mark.parametrize("seed", range(5))
    def test_distances_that_are_nearly_ties_end_in_a_tree(self, seed):
        # Steps of about the tolerance: being tied is not transitive here.
        rng = np.random.default_rng(seed)
        X = np.cumsum(1 + rng.integers(0, 5, 60) * 4e-11)[:, None]
        merges, heights = prototypes.agglomerate(cdist(X, X), "summed")
        assert (np.diff(heights) >= 0).all()
        for n_clusters in (1, 2, 17, 60):
            labels = prototypes.cut(merges, n_clusters)
            assert_array_equal(np.unique(labels), np.arange(n_clusters))

    def test_ties_that_lead_in_a_circle_come_to_an_end(self):
        # 0 takes 1 as tied with 2, 1 takes 2 as nearer, 2 takes 0 as tied with 1.
        a, b, c = 1 + 1.5e-10, 1.0, 1 + 0.9e-10
        D = np.array([[0, a, c], [a, 0, b], [c, b, 0]])
        merges, heights = prototypes.agglomerate(D, "summed")
        assert_array_equal(merges, [[1, 2], [0, 1]])
        assert_allclose(heights, [b / 2, (a + c) / 3])

    def test_distances_are_left_below_the_diagonal(self):
        X = np.random.default_rng(1).standard_normal((20, 3))
        D = cdist(X, X)
        prototypes.agglomerate(D, "summed")
        below = np.tril_indices(20, -1)
        assert_array_equal(D[below], cdist(X, X)[below])

    def test_cut_agrees_with_scipy(self):
        X = np.random.default_rng(2).standard_normal((50, 2))
        merges, _ = prototypes.agglomerate(cdist(X, X), "average")
        for n_clusters in (1, 2, 7, 50):
            theirs = fcluster(
                scipy_linkage(pdist(X), "average"), n_clusters, "maxclust"
            )
            assert same_partition(prototypes.cut(merges, n_clusters), theirs)

    @pytest.mark.parametrize("shape", [(1, 3), (2, 1), (33, 5), (70, 649), (131, 2)])
    def test_class_distances_are_direct(self, shape):
        X = np.random.default_rng(3).standard_normal(shape)
        X[-1] = X[0]
        with Workers(2) as workers:
            D = prototypes.class_distances(X, workers)
        assert_allclose(D, cdist(X, X), rtol=1e-14)
        assert D[0, -1] == D[-1, 0] == 0


class TestKnee:
    def test_two_lines_meet_where_they_should(self):
        # x = 2 … 6 on a steep line, x = 7 … 20 on a flat one.
        steep = 10 - 1.5 * np.arange(5)
        flat = 2 - 0.1 * np.arange(14)
        heights = np.sort(np.concatenate([steep, flat]))
        assert prototypes.knee(heights) == oracle.l_method(heights) == 6

    @pytest.mark.parametrize("size", [4, 5, 6, 30, 300])
    @pytest.mark.parametrize("seed", range(5))
    def test_knee_is_the_one_of_the_naive_method(self, seed, size):
        rng = np.random.default_rng([seed, size])
        for heights in (
            rng.random(size),
            rng.pareto(1.0, size),
            rng.integers(0, 4, size),
        ):
            heights = np.sort(heights).astype(float)
            assert prototypes.knee(heights) == oracle.l_method(heights)

    @pytest.mark.parametrize(
        "heights", [[], [1.0], [1.0, 2.0], [1.0, 2.0, 9.0], [3.0] * 10, [0.0] * 4]
    )
    def test_curve_without_a_knee_is_one_cluster(self, heights):
        assert prototypes.knee(np.array(heights)) == 1
        assert oracle.l_method(heights) == 1

    def test_straight_curve_takes_the_fewest_clusters(self):
        heights = np.arange(1.0, 30.0) / 7
        assert prototypes.knee(heights) == oracle.l_method(heights) == 3

    @pytest.mark.parametrize("size", [1, 2, 3, 50])
    def test_line_errors_are_those_of_fitted_lines(self, size):
        y = np.random.default_rng(size).standard_normal(size)
        errors = [
            k * oracle.line_rmse(np.arange(k), y[:k]) ** 2 for k in range(1, size + 1)
        ]
        assert_allclose(prototypes.line_errors(y), errors, atol=1e-12)


class TestRatio:
    @pytest.mark.parametrize("case", CASES)
    @pytest.mark.parametrize("k", [1, 3, 5, 100])
    def test_ipcmsr_is_the_oracle(self, case, k):
        check_scores(IPCMSR(n_neighbors=k), *case(np.random.default_rng(0)))

    @pytest.mark.parametrize("case", CASES)
    def test_ipicsr_is_the_oracle(self, case):
        check_scores(IPICSR(), *case(np.random.default_rng(1)))

    @pytest.mark.parametrize("case", CASES)
    def test_prototypes_and_delta_are_the_oracles(self, case):
        X, y = case(np.random.default_rng(2))
        for selector in (IPCMSR(), IPICSR()):
            selector.fit(X, y)
            assert_array_equal(selector.prototypes_, oracle.prototypes(X, y))
            delta = oracle.automatic_delta(oracle.scaled(X, "minmax"))
            assert selector.delta_ == pytest.approx(delta, rel=1e-12)

    @given(small_tables())
    def test_any_small_table_gives_the_scores_of_the_oracle(self, table):
        X, y = table
        check_scores(IPCMSR(n_neighbors=2), X, y)
        check_scores(IPICSR(min_prototype_size=2), X, y, min_size=2)

    @pytest.mark.parametrize("linkage", LINKAGES)
    def test_linkage_decides_the_prototypes(self, linkage):
        X, y = gaussian(np.random.default_rng(3))
        check_scores(IPCMSR(linkage=linkage), X, y, linkage=linkage)
        check_scores(IPICSR(linkage=linkage), X, y, linkage=linkage)

    @pytest.mark.parametrize("scale", ["standard", None])
    def test_other_scales(self, scale):
        X, y = gaussian(np.random.default_rng(4))
        X = 3 * X + 5
        X[:, 2] = 0.1
        check_scores(IPCMSR(scale=scale), X, y, scale=scale)
        check_scores(IPICSR(scale=scale), X, y, scale=scale)

    @pytest.mark.parametrize("delta", [0.1, 2, 1e6])
    def test_given_delta_is_used(self, delta):
        X, y = gaussian(np.random.default_rng(5))
        for selector in (IPCMSR(delta=delta), IPICSR(delta=delta)):
            check_scores(selector, X, y, delta=delta)
            assert selector.delta_ == delta

    def test_delta_is_one_where_every_row_has_many_duplicates(self):
        X = np.repeat([[0.0], [1.0], [5.0], [6.0]], 5, axis=0)
        assert IPICSR().fit(X, np.repeat([0, 0, 1, 1], 5)).delta_ == 1

    @pytest.mark.parametrize("seed", range(3))
    def test_pairs_of_a_large_class_are_summed_in_parts(self, seed):
        X, y = tied(np.random.default_rng(seed))
        whole = IPICSR().fit(X, y).scores_
        with changed_settings(prototype_pairs=64):
            parts = IPICSR().fit(X, y).scores_
        assert_allclose(parts, whole, rtol=1e-13)


class TestPerfectFeature:
    @pytest.mark.parametrize("selector", [IPCMSR(), IPICSR()])
    def test_perfect_features_come_first_and_stay_finite(self, selector):
        X, y = load_iris(return_X_y=True)
        noise = np.random.default_rng(0).random(len(y))
        weak, strong = np.where(y == 1, 0.1, 0.4), np.array([0.1, 0.9, 1.7])[y]
        X = np.column_stack([X, weak, np.full(len(y), 3.7), strong, noise])
        fitted = selector.set_params(scale=None).fit(X, y)
        assert np.isfinite(fitted.scores_).all()
        assert fitted.ranking_[6] == 1
        assert fitted.ranking_[4] == 2
        assert fitted.ranking_[5] == 8
        assert fitted.scores_[6] > fitted.scores_[4] > fitted.scores_[:4].max()

    def test_ratio_orders_regular_perfect_and_silent_features(self):
        between = np.array([2.0, 1.0, 0.0, 0.0, 5.0, 3.0])
        within = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 2.0])
        scores = separation_ratio(between, within)
        assert_array_equal(np.argsort(-scores), [4, 1, 0, 5, 3, 2])
        assert_allclose(scores[[0, 5, 3]], [2, 1.5, 0])

    @pytest.mark.parametrize("within", [0.0, 5e-324, 1e-310])
    def test_ratio_is_finite_where_nothing_is_regular(self, within):
        scores = separation_ratio(np.array([4.0, 2.0]), np.full(2, within))
        assert np.isfinite(scores).all()
        assert scores[0] > scores[1] > 0


class TestPrototypes:
    def test_groups_of_a_class_are_found_in_the_order_of_the_rows(self):
        rng = np.random.default_rng(0)
        corners = np.array([[0, 0], [9, 9], [0, 9], [9, 0]])
        group = rng.permutation(np.repeat([0, 1, 2, 3], 25))
        X = corners[group] + rng.standard_normal((100, 2)) / 10
        y = np.array(["low", "low", "mixed", "mixed"])[group]
        # The left line needs two points: never fewer than 3 clusters.
        p = IPCMSR().fit(X, y).prototypes_
        assert (p >= 0).sum() >= 90
        for number in range(p.max() + 1):
            assert len(set(group[p == number])) == 1
        first = [np.flatnonzero(p == number)[0] for number in range(p.max() + 1)]
        border = (y[first] == "low").sum()
        assert (y[first[:border]] == "low").all()
        assert first[:border] == sorted(first[:border])

    def test_small_prototypes_are_dropped_and_still_count_between_classes(self):
        rng = np.random.default_rng(1)
        X = np.concatenate([rng.random((20, 2)), [[9, 9]], rng.random((20, 2)) + 3])
        y = np.repeat([0, 1], [21, 20])
        check_scores(IPICSR(), X, y)
        p = IPICSR().fit(X, y).prototypes_
        assert p[20] == -1
        sizes = np.bincount(p[p >= 0])
        assert sizes.min() >= 3
        everyone = IPICSR(min_prototype_size=1).fit(X, y).prototypes_
        assert everyone.min() == 0
        assert np.bincount(everyone).min() < 3

    @pytest.mark.filterwarnings("default:.*has no prototype:UserWarning")
    @pytest.mark.parametrize("selector", [IPCMSR(n_neighbors=1), IPICSR()])
    def test_class_without_prototype_is_named(self, selector):
        X = np.random.default_rng(2).random((9, 3))
        y = np.repeat(["a", "b", "c"], [4, 4, 1])
        with pytest.warns(UserWarning, match=r"class 'c' has no prototype of min_pro"):
            selector.fit(X, y)
        with pytest.warns(UserWarning, match=r"class 'a', 'b', 'c' has no prototype"):
            scores = selector.set_params(min_prototype_size=7).fit(X, y).scores_
        assert np.isfinite(scores).all()

    @pytest.mark.parametrize("size", [3, 4])
    def test_class_too_small_for_a_knee_is_one_prototype(self, size):
        X = np.random.default_rng(3).random((size + 10, 2))
        y = np.repeat([0, 1], [size, 10])
        assert set(IPICSR().fit(X, y).prototypes_[:size]) == {0}


@pytest.mark.parametrize("selector", [IPCMSR, IPICSR])
@pytest.mark.parametrize("delta", [0, -1.0, np.inf, np.nan, "wide"])
def test_bad_delta_is_refused(selector, delta):
    with pytest.raises(
        ValueError, match=r"'delta' parameter .* in the range \(0.0, inf"
    ):
        selector(delta=delta).fit([[0.0], [1.0]], [0, 1])


def test_delta_without_any_effect_is_said():
    X, y = gaussian(np.random.default_rng(6))
    with pytest.warns(UserWarning, match="delta=1e-09 is so small that no pair"):
        scores = IPICSR(delta=1e-9).fit(X, y).scores_
    assert np.isfinite(scores).all()


@pytest.mark.filterwarnings("default:IPCMSR. n_neighbors=:UserWarning")
def test_too_many_neighbors_says_what_is_done():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match=r"n_neighbors=5, but only 4 samples are not"):
        IPCMSR().fit(X[:54], y[:54])


@pytest.mark.parametrize("selector", [IPCMSR(), IPICSR()])
def test_threads_layout_and_type_change_nothing(selector):
    rng = np.random.default_rng(7)
    X, y = rng.integers(0, 9, (700, 40)), rng.integers(0, 3, 700)
    scores = selector.set_params(n_jobs=1).fit(X, y).scores_
    selector.set_params(n_jobs=3)
    for same in (X, np.asfortranarray(X), X.astype(np.float32)):
        assert_array_equal(selector.fit(same, y).scores_, scores)


@pytest.mark.parametrize("selector", [IPCMSR(), IPICSR()])
def test_order_of_rows_and_names_of_classes_do_not_matter_without_ties(selector):
    X, y = gaussian(np.random.default_rng(8))
    fitted = selector.fit(X, y)
    scores, p = fitted.scores_, fitted.prototypes_
    order = np.random.default_rng(9).permutation(len(y))
    again = selector.fit(X[order], np.array(["z", "x", "y"])[y[order]])
    assert_allclose(again.scores_, scores, rtol=1e-12)
    assert same_partition(again.prototypes_, p[order])


@pytest.mark.filterwarnings("ignore:IPICSR. class .* has no prototype:UserWarning")
def test_distances_of_one_class_are_held_at_a_time():
    X, y = np.random.default_rng(10).random((4000, 2)), np.arange(4000) % 4
    selector = IPICSR(min_prototype_size=4000, n_jobs=1)
    selector.fit(X[:40], y[:40])  # compiled code takes memory of its own
    tracemalloc.start()
    try:
        selector.fit(X, y)
        assert tracemalloc.get_traced_memory()[1] < 1.9 * 1000**2 * 8
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("k", [3, None])
def test_given_prototypes_are_used(k):
    rng = np.random.default_rng(0)
    X, y = gaussian(rng)
    labels = rng.integers(-1, 3, len(y))
    selector = IPICSR if k is None else IPCMSR
    given = {} if k is None else {"n_neighbors": k}
    fitted = selector(prototypes=labels, scale=None, **given).fit(X, y)
    p = np.where(labels < 0, -1, labels + 3 * np.unique(y, return_inverse=True)[1])
    sizes = {c: np.sum(p == c) for c in p}
    p = np.array([c if sizes[c] >= 3 else -1 for c in p])
    delta = oracle.automatic_delta(X)
    across = oracle.class_sums(X, y)
    if k is not None:
        across = oracle.margin_sums(X, list(y), k, delta)
    assert_allclose(fitted.scores_, across / oracle.within_sums(X, p, delta))
    there = p >= 0
    assert_array_equal(fitted.prototypes_ >= 0, there)
    assert same_partition(fitted.prototypes_[there].tolist(), p[there].tolist())


@pytest.mark.parametrize("selector", [IPCMSR, IPICSR])
def test_own_prototypes_handed_back_change_nothing(selector):
    X, y = gaussian(np.random.default_rng(0))
    own = selector().fit(X, y)
    again = selector(prototypes=own.prototypes_).fit(X, y)
    assert_array_equal(again.prototypes_, own.prototypes_)
    assert_array_equal(again.scores_, own.scores_)


@pytest.mark.parametrize(
    "clusterer",
    [
        KMeans(2, n_init=1, random_state=0),
        DBSCAN(eps=0.4, min_samples=3),
        AgglomerativeClustering(3),
    ],
)
def test_any_clusterer_finds_the_prototypes_class_by_class(clusterer):
    X, y = load_iris(return_X_y=True)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    labels = np.full(len(y), -1)
    for c in range(3):
        labels[y == c] = clusterer.fit_predict(X[y == c])
    fitted = IPCMSR(prototypes=clusterer).fit(X, y)
    given = IPCMSR(prototypes=labels).fit(X, y)
    assert_array_equal(fitted.prototypes_, given.prototypes_)
    assert_allclose(fitted.scores_, given.scores_)
    assert len(np.unique(fitted.prototypes_)) > 2


def test_wrong_prototypes_are_refused():
    X, y = load_iris(return_X_y=True)
    for labels in (np.zeros(3, int), np.zeros(150), [["a"]] * 150):
        with pytest.raises(ValueError, match="IPCMSR needs prototypes as a whole"):
            IPCMSR(prototypes=labels).fit(X, y)
    with pytest.raises(ValueError, match="KMeans cannot cluster class 0, which has 50"):
        IPCMSR(prototypes=KMeans(60)).fit(X, y)
    with pytest.raises(ValueError, match="'prototypes' parameter"):
        IPCMSR(prototypes=3).fit(X, y)
