"""The oracles against facts that do not come from the oracles.

Published numbers, examples small enough to do by hand, numeric derivatives and
exhaustive search.
"""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

from oracles.gflip import gflip
from oracles.margin import automatic_beta, evaluation, hypothesis_margins
from oracles.neighbours import scaled, shared_neighbour_weights
from oracles.relief import relief, relieff
from oracles.simba import normalised, simba, simba_pass

# Right triangles, so that every distance is an integer:
#
#        a0    a1    b2    b3        nearest hit   nearest miss   theta
#   a0    .     5     6    10        a1,  5        b2,  6           0.5
#   a1    5     .     5     5        a0,  5        b2 or b3, 5      0
#   b2    6     5     .     8        b3,  8        a1,  5          -1.5
#   b3   10     5     8     .        b2,  8        a1,  5          -1.5
TRIANGLES = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 0.0], [6.0, 8.0]])
AABB = np.array(["a", "a", "b", "b"])


def continuous(seed, n=14, d=4):
    """Random data in general position: no ties, every class with company."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.arange(n) % 3


def on_a_grid(seed, n=30, d=3):
    """Random data on few integer values: ties and duplicated rows everywhere."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(n, d)).astype(float)
    X[:2] = [[0.0], [2.0]]
    return X, rng.integers(0, 3, size=n)


class TestScaling:
    X = np.array([[2.0, 0.1], [4.0, 0.1], [10.0, 0.1]])

    def test_minmax_maps_to_the_unit_interval_and_a_constant_to_zero(self):
        assert_allclose(scaled(self.X, "minmax"), [[0, 0], [0.25, 0], [1, 0]])

    def test_standard_has_mean_zero_and_deviation_one_and_a_constant_is_zero(self):
        Z = scaled(self.X, "standard")
        assert_allclose(Z.mean(axis=0), 0, atol=1e-15)
        assert_allclose(Z[:, 0].std(), 1)
        assert np.all(Z[:, 1] == 0)

    def test_none_keeps_the_values_and_nothing_changes_the_input(self):
        before = self.X.copy()
        assert np.array_equal(scaled(self.X, None), before)
        scaled(self.X, "minmax")
        assert np.array_equal(self.X, before)


class TestSharedTies:
    def test_tied_neighbours_share_what_the_closer_ones_leave(self):
        weights = shared_neighbour_weights([3.0, 1.0, 2.0, 2.0, 2.0], k=3)
        assert_allclose(weights, [0, 1, 2 / 3, 2 / 3, 2 / 3])

    def test_rounding_does_not_break_a_tie_but_a_real_difference_does(self):
        weights = shared_neighbour_weights([1.0, 1.0 + 1e-12, 1.0 + 1e-9], k=1)
        assert_allclose(weights, [0.5, 0.5, 0])

    def test_fewer_than_k_candidates_all_count_fully(self):
        assert shared_neighbour_weights([5.0, 1.0], k=10) == [1, 1]

    def test_ties_at_distance_zero_are_ties(self):
        assert_allclose(shared_neighbour_weights([0.0, 0.0, 1.0], k=1), [0.5, 0.5, 0])

    @pytest.mark.parametrize("k", [1, 2, 5, 12])
    @pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
    def test_scores_do_not_depend_on_the_order_of_the_rows(self, k, metric):
        X, y = on_a_grid(seed=k)
        expected_f = relieff(X, y, k, metric=metric)
        expected = relief(X, y)
        for seed in range(3):
            rows = np.random.default_rng(seed).permutation(len(y))
            got_f = relieff(X[rows], y[rows], k, metric=metric)
            assert_allclose(got_f, expected_f, rtol=0, atol=1e-14)
            assert_allclose(relief(X[rows], y[rows]), expected, rtol=0, atol=1e-14)


class TestRelief:
    def test_triangles_by_hand(self):
        # miss - hit: a0 (6,0)-(3,4), a1 0, b2 (3,4)-(0,8), b3 (3,4)-(0,8)
        assert_allclose(relief(TRIANGLES, AABB, scale=None), [9 / 4, -12 / 4])

    def test_triangles_by_hand_squared(self):
        # a0 (36,0)-(9,16), a1 0, b2 (9,16)-(0,64), b3 (9,16)-(0,64)
        w = relief(TRIANGLES, AABB, scale=None, squared=True)
        assert_allclose(w, [45 / 4, -112 / 4])

    def test_triangles_by_hand_on_the_unit_square(self):
        # a0 (1,0)-(.5,.5), a1 0, b2 (.5,.5)-(0,1), b3 (.5,.5)-(0,1)
        assert_allclose(relief(TRIANGLES, AABB), [1.5 / 4, -1.5 / 4])

    def test_average_is_over_the_visited_samples(self):
        w = relief(TRIANGLES, AABB, scale=None, samples=[0, 1])
        assert_allclose(w, [3 / 2, -4 / 2])

    def test_near_miss_is_the_nearest_of_all_other_classes_together(self):
        X = np.array([[0.0], [1.0], [3.0], [10.0]])
        # hit 1; misses at 3 (class b) and 10 (class c): only the first counts
        assert_allclose(relief(X, list("aabc"), scale=None, samples=[0]), [3 - 1])

    def test_lone_member_contributes_misses_only_and_counts_as_visited(self):
        X = np.array([[0.0], [4.0], [5.0]])
        # 0: miss 4, no hit; 4: miss 4, hit 1; 5: miss 5, hit 1
        assert_allclose(relief(X, list("abb"), scale=None), [(4 + 3 + 4) / 3])


class TestReliefF:
    def test_iris_as_matlab_documents_it(self):
        X, y = load_iris(return_X_y=True)
        w = relieff(X, y, 10, metric="manhattan")
        assert_allclose(w, [0.1399, 0.1226, 0.3590, 0.3754], rtol=0, atol=5e-5)

    @pytest.mark.parametrize("seed", range(3))
    def test_one_neighbour_and_two_classes_is_relief(self, seed):
        X, y = on_a_grid(seed)
        two = y == 0
        assert_allclose(relieff(X, two, 1), relief(X, two), rtol=0, atol=1e-14)

    def test_misses_are_weighted_by_the_prior_of_their_class(self):
        X = np.array([[0.0], [1.0], [3.0], [10.0], [12.0], [14.0]])
        y = list("aabccc")
        # P(b) = 1/6, P(c) = 3/6, 1 - P(a) = 4/6; the hit is at 1
        one = relieff(X, y, 1, scale=None, samples=[0])
        assert_allclose(one, [-1 + 1 / 4 * 3 + 3 / 4 * 10])
        # b and the hits have one row each, whatever k; c gives its two nearest
        two = relieff(X, y, 2, scale=None, samples=[0])
        assert_allclose(two, [-1 + 1 / 4 * 3 + 3 / 4 * 11])

    def test_lone_member_contributes_misses_only_and_counts_as_visited(self):
        X = np.array([[0.0], [4.0], [5.0]])
        # 0: misses 4 and 5, no hit; 4: miss 4, hit 1; 5: miss 5, hit 1
        got = relieff(X, list("abb"), 2, scale=None)
        assert_allclose(got, [(4.5 + 3 + 4) / 3])

    def test_metric_chooses_the_neighbours(self):
        # From the origin: (3, 3) is nearer in Euclid's sense, (5, 0) in Manhattan's.
        X = np.array([[0.0, 0.0], [3.0, 3.0], [5.0, 0.0], [0.0, 9.0]])
        y = list("abba")
        euclid = relieff(X, y, 1, scale=None, samples=[0])
        manhattan = relieff(X, y, 1, scale=None, samples=[0], metric="manhattan")
        assert_allclose(euclid, [3, 3 - 9])
        assert_allclose(manhattan, [5, 0 - 9])


class TestMargin:
    def test_triangles_by_hand(self):
        assert_allclose(hypothesis_margins(TRIANGLES, AABB), [0.5, 0, -1.5, -1.5])
        assert_allclose(evaluation(TRIANGLES, AABB), -2.5)

    def test_neighbours_are_found_under_the_weights(self):
        # On the first feature alone a0 0, a1 3, b2 6, b3 6.
        theta = hypothesis_margins(TRIANGLES, AABB, [1, 0])
        assert_allclose(theta, [1.5, 0, 1.5, 1.5])
        # On the second alone a0 0, a1 4, b2 0, b3 8; weight 3 triples the margins.
        theta = hypothesis_margins(TRIANGLES, AABB, [0, -3])
        assert_allclose(theta, [3 * -2, 0, 3 * -4, 3 * -2])

    def test_utilities_by_hand(self):
        one = [1, 0]
        assert evaluation(TRIANGLES, AABB, one, "zero-one") == 3
        assert evaluation(TRIANGLES, AABB, None, "zero-one") == 1
        expected = 3 / (1 + math.exp(-2 * 1.5)) + 0.5
        assert_allclose(evaluation(TRIANGLES, AABB, one, "sigmoid", 2), expected)

    def test_automatic_beta_is_the_inverse_mean_gap_at_unit_weights(self):
        assert_allclose(automatic_beta(TRIANGLES[:, :1], AABB), 4 / (3 + 0 + 3 + 3))
        # A negative mean margin gives no scale.
        assert automatic_beta(TRIANGLES, AABB) == 1
        # With weights given, beta still belongs to w = 1: here that is 1.
        expected = 3 / (1 + math.exp(-1.5)) + 0.5
        got = evaluation(TRIANGLES, AABB, [1, 0], "sigmoid")
        assert_allclose(got, expected)

    @pytest.mark.parametrize(("error", "expected"), [(1e-12, 2), (1e-9, 4)])
    def test_zero_one_ignores_a_margin_made_by_rounding(self, error, expected):
        # The two rows in the middle have hit and miss at 1, up to the error; the
        # outer ones have a margin of 1/2.
        X = [[-1.0], [0.0], [1.0 + error], [2.0]]
        assert evaluation(X, list("aabb"), None, "zero-one") == expected

    @pytest.mark.parametrize("utility", ["linear", "sigmoid", "zero-one"])
    def test_empty_set_of_features_has_value_zero(self, utility):
        assert evaluation(TRIANGLES, AABB, [0, 0], utility) == 0

    def test_lone_member_has_no_margin_and_is_left_out_of_the_sum(self):
        X, y = [[0.0], [4.0], [5.0]], list("abb")
        assert_allclose(hypothesis_margins(X, y), [np.nan, 1.5, 2])
        assert evaluation(X, y) == 3.5
        assert evaluation(X, y, None, "zero-one") == 2
        assert_allclose(automatic_beta(X, y), 2 / 7)

    def test_duplicated_row_is_a_hit_at_distance_zero(self):
        theta = hypothesis_margins([[1.0], [1.0], [3.0], [4.0]], list("aabb"))
        assert_allclose(theta, [1, 1, 0.5, 1])

    @pytest.mark.parametrize("factor", [3.0, -0.5])
    def test_e_is_homogeneous_in_w(self, factor):
        """The paper's remark below Definition 2."""
        X, y = continuous(seed=1)
        w = np.array([1.0, 0.3, 0.0, 2.0])
        e = evaluation(X, y, w)
        assert_allclose(evaluation(X, y, factor * w), abs(factor) * e)


def numeric_gradient(function, w, h=1e-6):
    """Central differences of ``function`` at w."""
    steps = h * np.eye(len(w))
    return np.array([(function(w + s) - function(w - s)) / (2 * h) for s in steps])


class TestSimba:
    def test_one_step_by_hand(self):
        # a0: (36,0)/6 - (9,16)/5 = (4.2,-3.2), halved
        w = simba_pass(TRIANGLES, AABB, [0], np.ones(2))
        assert_allclose(w, [3.1, -0.6])

    def test_second_step_uses_the_new_weights_whatever_their_sign(self):
        # b2 under w = (3.1, -0.6): hit b3 at 4.8, misses a1 at 9.6.., a0 at 18.6
        d_miss = math.sqrt(9.3**2 + 2.4**2)
        delta_0 = (9 / d_miss) * 3.1 / 2
        delta_1 = (16 / d_miss - 64 / 4.8) * -0.6 / 2
        w = simba_pass(TRIANGLES, AABB, [0, 2], np.ones(2))
        assert_allclose(w, [3.1 + delta_0, -0.6 + delta_1])

    def test_batch_averages_the_steps_of_its_samples_at_one_w(self):
        # a0 (2.1,-1.6); b2: (9,16)/5 - (0,64)/8 = (1.8,-4.8), halved
        w = simba_pass(TRIANGLES, AABB, [0, 2], np.ones(2), batch_size=2)
        assert_allclose(w, [1 + (2.1 + 0.9) / 2, 1 - (1.6 + 2.4) / 2])

    def test_last_batch_may_be_short(self):
        # After [0, 2]: w = (2.5, -1). b3: hit b2 at 8; misses a1 and, further, a0.
        d_miss = math.sqrt(7.5**2 + 4**2)
        delta_0 = (9 / d_miss) * 2.5 / 2
        delta_1 = (16 / d_miss - 64 / 8) * -1 / 2
        w = simba_pass(TRIANGLES, AABB, [0, 2, 3], np.ones(2), batch_size=2)
        assert_allclose(w, [2.5 + delta_0, -1 + delta_1])

    def test_sigmoid_multiplies_the_step_by_the_slope_at_theta(self):
        u = 1 / (1 + math.exp(-2 * 0.5))
        w = simba_pass(TRIANGLES, AABB, [0], np.ones(2), "sigmoid", 2.0)
        assert_allclose(w - 1, 2 * u * (1 - u) * np.array([2.1, -1.6]))

    @pytest.mark.parametrize("utility", ["linear", "sigmoid"])
    @pytest.mark.parametrize("seed", range(3))
    def test_step_is_the_gradient_of_one_term_of_e(self, seed, utility):
        X, y = continuous(seed)
        w = np.random.default_rng(seed).uniform(0.5, 2, size=X.shape[1])
        for i in range(len(y)):

            def term(w, i=i):
                theta = hypothesis_margins(X, y, w)[i]
                return theta if utility == "linear" else 1 / (1 + np.exp(-1.7 * theta))

            step = simba_pass(X, y, [i], w, utility, 1.7) - w
            assert_allclose(step, numeric_gradient(term, w), rtol=1e-5, atol=1e-8)

    @pytest.mark.parametrize("utility", ["linear", "sigmoid"])
    def test_one_batch_of_all_samples_is_the_gradient_of_e(self, utility):
        """The whole of eq. 3, divided by the number of samples."""
        X, y = continuous(seed=7)
        w = np.array([1.0, 0.4, 1.5, 0.8])
        n = len(y)
        step = simba_pass(X, y, range(n), w, utility, 1.7, batch_size=n) - w
        gradient = numeric_gradient(lambda w: evaluation(X, y, w, utility, 1.7), w)
        assert_allclose(n * step, gradient, rtol=1e-5, atol=1e-8)

    def test_step_does_not_change_with_the_length_of_w(self):
        """The paper's remark on Algorithm 2: Delta(lambda w) = Delta(w)."""
        X, y = continuous(seed=2)
        w = np.array([1.0, 0.4, 1.5, 0.8])
        step = simba_pass(X, y, [3], w) - w
        assert_allclose(simba_pass(X, y, [3], 5 * w) - 5 * w, step)

    @pytest.mark.parametrize("error", [0.0, 1e-12])
    def test_lowest_row_wins_among_tied_neighbours(self, error):
        X = np.array([[0.0, 0.0], [1.0 + error, 0.0], [0.0, 1.0], [0.0, 0.0]])
        y = list("abba")
        # The hit is a duplicate, so only the miss moves w.
        assert_allclose(simba_pass(X, y, [0], np.ones(2)), [1.5, 1])
        swapped = X[[0, 2, 1, 3]]
        assert_allclose(simba_pass(swapped, y, [0], np.ones(2)), [1, 1.5])

    def test_nearer_row_wins_where_the_difference_is_real(self):
        X = np.array([[0.0, 0.0], [1.0 + 1e-9, 0.0], [0.0, 1.0], [0.0, 0.0]])
        assert_allclose(simba_pass(X, list("abba"), [0], np.ones(2)), [1, 1.5])

    def test_zero_distance_contributes_no_term(self):
        # The miss of row 0 is its duplicate: only the hit, at (0, 2), moves w.
        X = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 2.0], [5.0, 5.0]])
        assert_allclose(simba_pass(X, list("abab"), [0], np.ones(2)), [1, 0])

    def test_lone_member_is_skipped_and_not_averaged(self):
        X, y = TRIANGLES, list("aabc")
        alone = simba_pass(X, y, [0], np.ones(2))
        assert_allclose(simba_pass(X, y, [2, 0, 3], np.ones(2)), alone)
        assert_allclose(simba_pass(X, y, [2, 0, 3], np.ones(2), batch_size=3), alone)
        assert_allclose(simba_pass(X, y, [2, 3], np.ones(2), batch_size=2), 1)

    def test_passes_follow_one_another_on_scaled_data(self):
        X, y = continuous(seed=3)
        orders = [np.random.default_rng(s).permutation(len(y)) for s in range(2)]
        Z = (X - X.min(axis=0)) / np.ptp(X, axis=0)
        w = simba_pass(Z, y, np.concatenate(orders), np.ones(X.shape[1]))
        assert_allclose(simba(X, y, orders), w)

    def test_beta_defaults_to_the_one_of_the_scaled_data(self):
        X, y = TRIANGLES[:, :1], AABB
        # On [0, 1] the gaps are 0.5, 0, 0.5, 0.5; row 0 has theta = 0.25.
        beta = 4 / 1.5
        u = 1 / (1 + math.exp(-beta * 0.25))
        expected = 1 + beta * u * (1 - u) * (1 - 0.5) / 2
        assert_allclose(simba(X, y, [[0]], utility="sigmoid"), expected)

    def test_normalised_weights_are_squares_with_maximum_one(self):
        assert_allclose(normalised([1.0, -2.0, 0.0]), [0.25, 1, 0])
        assert_allclose(normalised([0.0, 0.0]), 0)

    def test_input_weights_stay_as_they_were(self):
        w = np.ones(2)
        simba_pass(TRIANGLES, AABB, [0, 1, 2, 3], w)
        assert np.all(w == 1)


def e_by_matrices(X, y, F, utility, beta):
    """e(F) from whole distance matrices, sharing no code with the oracles."""
    if not F:
        return 0.0
    columns = sorted(F)
    D = cdist(X[:, columns], X[:, columns])
    same = np.equal.outer(y, y)
    miss = np.where(same, np.inf, D).min(axis=1)
    np.fill_diagonal(same, False)
    hit = np.where(same, D, np.inf).min(axis=1)
    theta = (miss - hit) / 2
    if utility == "linear":
        return theta.sum()
    if utility == "sigmoid":
        return np.sum(1 / (1 + np.exp(-beta * theta)))
    return float(np.sum(theta > 0))


class TestGFlip:
    def test_triangles_by_hand(self):
        # e({0}) = 4.5, e({1}) = -8, e({0, 1}) = -2.5
        for order in ([0, 1], [1, 0]):
            result = gflip(TRIANGLES, AABB, [order] * 5, scale=None)
            assert result.selected.tolist() == [True, False]
            assert result.flips == [0]
            assert_allclose(result.margin, 4.5)
            assert result.epochs == 2
            assert_allclose(result.scores, [4.5 - 0, -2.5 - 4.5])

    def test_scaling_comes_first(self):
        # The first feature in [0, 1]: margins 1/4, 0, 1/4, 1/4.
        assert_allclose(gflip(TRIANGLES, AABB, [[0, 1]] * 5).margin, 0.75)

    @pytest.mark.parametrize("utility", ["linear", "sigmoid", "zero-one"])
    @pytest.mark.parametrize("seed", range(4))
    def test_result_is_a_local_maximum_reached_uphill(self, seed, utility):
        X, y = continuous(seed, n=12, d=4)
        X[:, 0] += y
        orders = [np.random.default_rng([seed, t]).permutation(4) for t in range(20)]
        result = gflip(X, y, orders, scale=None, utility=utility, beta=2.0)
        e = {
            frozenset(F): e_by_matrices(X, y, F, utility, 2.0)
            for size in range(5)
            for F in itertools.combinations(range(4), size)
        }
        F = frozenset(np.flatnonzero(result.selected).tolist())
        assert result.epochs < 20
        assert_allclose(result.margin, e[F])
        assert all(e[F] >= e[F ^ {f}] - 1e-9 for f in range(4))
        sign = np.where(result.selected, 1, -1)
        change = [e[F] - e[F ^ {f}] for f in range(4)]
        assert_allclose(result.scores, sign * change, rtol=0, atol=1e-12)

        path = [frozenset()]
        for f in result.flips:
            path.append(path[-1] ^ {f})
        assert path[-1] == F
        assert all(e[A] < e[B] for A, B in itertools.pairwise(path))

    def test_feature_leaves_again_once_a_better_one_is_in(self):
        # e({1}) = 1 < e({0, 1}) = 3.35 < e({0}) = 4.5: 1 comes, 0 comes, 1 goes.
        X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 6.0], [6.0, 8.0]])
        result = gflip(X, AABB, [[1, 0]] * 5, scale=None)
        assert result.flips == [1, 0, 1]
        assert result.selected.tolist() == [True, False]
        assert result.epochs == 3
        both = (math.sqrt(72) - 5 + math.sqrt(13) - 5 + math.sqrt(13) - 2 + 5 - 2) / 2
        assert_allclose(result.scores, [4.5, both - 4.5])

    def test_tie_leaves_the_feature_where_it_is(self):
        constant = np.column_stack([TRIANGLES[:, 0], np.ones(4)])
        for order in ([0, 1], [1, 0]):
            result = gflip(constant, AABB, [order] * 5, scale=None)
            assert result.selected.tolist() == [True, False]
        # A feature worth 1e-12 is a tie, one worth 1e-6 is not.
        tiny = TRIANGLES[:, :1] * 1e-12
        assert not gflip(tiny, AABB, [[0]] * 5, scale=None).selected.any()
        assert gflip(tiny * 1e6, AABB, [[0]] * 5, scale=None).selected.all()

    def test_stops_when_told_to(self):
        X, y = TRIANGLES, AABB
        assert gflip(X, y, [[0, 1]]).epochs == 1
        assert gflip(X, y, [[0, 1]] * 5, max_epochs=1).epochs == 1
        assert gflip(X, y, [[1], [0], [1]]).epochs == 1

    def test_beta_comes_once_from_all_features_of_the_scaled_data(self):
        X, y = TRIANGLES, AABB
        # In the unit square: a0 (1 - h)/2 with h = sqrt(.5), a1 0, b2, b3 (h - 1)/2.
        # The mean is negative, so beta is 1, also for the first feature alone.
        margin = gflip(X, y, [[0, 1]] * 5, utility="sigmoid").margin
        assert_allclose(margin, 3 / (1 + math.exp(-0.25)) + 0.5)
