import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from cases import CASES, gaussian, lonely, small_tables, thirds, tied
from oracles import ranking_tree as oracle
from widemargin.evaluation import RankingTree, rank_loss


def many_classes(rng):
    """Nine classes, some empty in between, as in ordinal surveys."""
    y = np.array([0, 1, 2, 4, 5, 8])[rng.integers(0, 6, 70)]
    return (y[:, None] + rng.normal(0, 2, (70, 4))).round(), y


LIMITS = [
    {},
    {"max_depth": 1},
    {"max_depth": 3},
    {"min_samples_split": 8},
    {"min_samples_leaf": 5},
    {"min_samples_leaf": 20},
    {"min_impurity_decrease": 0.02},
    {"min_impurity_decrease": 2.0},
    {"max_depth": 4, "min_samples_leaf": 2, "min_impurity_decrease": 0.01},
    {"criterion": "information"},
    {"criterion": "information", "min_impurity_decrease": 0.05, "max_depth": 3},
]


def assert_same_tree(fitted, root):
    """Same splits, same counts, node by node."""
    tree, pairs, seen = fitted.tree_, [(0, root)], 0
    while pairs:
        i, node = pairs.pop()
        seen += 1
        assert tree.value[i].tolist() == node.counts
        assert tree.n_node_samples[i] == sum(node.counts)
        assert tree.impurity[i] == oracle.ranking_impurity(node.counts)
        assert tree.feature[i] == node.feature
        np.testing.assert_equal(tree.threshold[i], node.threshold)
        if node.left is None:
            assert tree.children_left[i] == tree.children_right[i] == -1
        else:
            pairs.append((tree.children_left[i], node.left))
            pairs.append((tree.children_right[i], node.right))
    assert tree.node_count == seen


@pytest.mark.parametrize("case", [*CASES, many_classes])
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_tree_is_that_of_the_oracle(case, limits):
    rng = np.random.default_rng(0)
    X, y = case(rng)
    classes, codes = np.unique(y, return_inverse=True)
    fitted = RankingTree(**limits).fit(X, y)
    root = oracle.grow(X, codes, len(classes), **limits)
    assert_same_tree(fitted, root)
    Z = np.concatenate([X, X + rng.normal(size=X.shape), X[::-1] * 1e3])
    for prediction in ("majority", "median"):
        fitted.set_params(prediction=prediction)
        expected = classes[oracle.predict(root, Z, prediction)]
        np.testing.assert_array_equal(fitted.predict(Z), expected)


@given(
    small_tables(),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.1, 0.3]),
)
def test_any_small_table_has_the_tree_of_the_oracle(table, depth, leaf, decrease):
    X, y = table
    limits = {
        "max_depth": depth,
        "min_samples_leaf": leaf,
        "min_impurity_decrease": decrease,
    }
    classes, codes = np.unique(y, return_inverse=True)
    fitted = RankingTree(**limits).fit(X, y)
    assert_same_tree(fitted, oracle.grow(X, codes, len(classes), **limits))


@given(small_tables(), st.sampled_from([0.0, 0.01, 0.2]))
def test_any_small_table_has_the_informed_tree_of_the_oracle(table, least):
    X, y = table
    limits = {"criterion": "information", "min_impurity_decrease": least}
    classes, codes = np.unique(y, return_inverse=True)
    fitted = RankingTree(**limits).fit(X, y)
    assert_same_tree(fitted, oracle.grow(X, codes, len(classes), **limits))


def test_rank_information_by_hand():
    # The column that is the class: each row's own sets are the same, so the mean of
    # -log(|[x]| / n), which is the rank entropy of the class.
    y = [0, 0, 1, 1]
    assert oracle.rank_information(y, y) == pytest.approx(np.log(2) / 2)
    assert oracle.rank_information([0, 0, 0, 0], y) == 0


def test_only_features_that_rise_with_the_class_have_rank_information():
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1, 2], 4)
    rising = RankingTree(criterion="information").fit(X, y)
    np.testing.assert_array_equal(rising.predict(X), y)
    assert RankingTree(criterion="information").fit(-X, y).get_n_leaves() == 1


def test_impurity_by_hand():
    # Pairs one apart: 2 * 3 + 3 * 1; two apart: 2 * 1, counted twice.
    y = [0] * 2 + [1] * 3 + [2]
    tree = RankingTree().fit(np.arange(6)[:, None], y).tree_
    assert tree.impurity[0] == 2 * 3 + 3 * 1 + 2 * (2 * 1)


def test_an_outer_class_is_parted_before_the_middle_one():
    # Feature 0 parts the middle class from both others, feature 1 the lowest. To a
    # criterion without an order they are equally good.
    y = np.array([0, 0, 1, 1, 2, 2])
    X = np.column_stack([y == 1, y == 0]).astype(float)
    tree = RankingTree(max_depth=1).fit(X, y)
    assert tree.tree_.feature[0] == 1


def test_equal_splits_go_to_the_first_feature_and_the_lowest_threshold():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    # Both cuts part two of the three pairs, in either feature.
    tree = RankingTree(max_depth=1).fit(X, [0, 1, 0]).tree_
    assert (tree.feature[0], tree.threshold[0]) == (0, 0.5)


def test_unlimited_tree_fits_whatever_rows_allow():
    X, y = gaussian(np.random.default_rng(0))
    fitted = RankingTree().fit(X, y)
    np.testing.assert_array_equal(fitted.predict(X), y)
    np.testing.assert_array_equal(fitted.predict_proba(X), np.eye(3)[y])


@pytest.mark.parametrize("case", [gaussian, tied, thirds])
def test_tree_depends_neither_on_row_order_nor_on_dtype_and_layout(case):
    rng = np.random.default_rng(1)
    X, y = case(rng)
    X = X.round(2).astype(np.float32).astype(float)
    expected = RankingTree(max_depth=4).fit(X, y).tree_
    p = rng.permutation(len(y))
    read_only = X.copy()
    read_only.flags.writeable = False
    for Z, labels in [
        (X[p], y[p]),
        (X.astype(np.float32), y),
        (np.asfortranarray(X), y),
        (read_only, y.astype(np.int8)),
        (X.tolist(), y.tolist()),
        (pd.DataFrame(X, index=p), pd.Series(y, index=p[::-1])),
    ]:
        ours = RankingTree(max_depth=4).fit(Z, labels).tree_
        for name, array in vars(expected).items():
            np.testing.assert_array_equal(getattr(ours, name), array, err_msg=name)


@pytest.mark.parametrize(
    "values",
    [
        [-1.7e308, -1.6e308, 1.6e308, 1.7e308],
        [1.0, np.nextafter(1.0, 2.0), np.nextafter(np.nextafter(1.0, 2.0), 2.0), 1.5],
        [-5e-324, 0.0, 5e-324, 1e-323],
        [-np.nextafter(2.0, 1.0), -np.nextafter(1.0, 2.0), -1.0, 0.0],
    ],
)
def test_thresholds_part_neighbouring_and_huge_numbers(values):
    X = np.array(values)[:, None]
    for y in itertools.permutations(range(4)):
        fitted = RankingTree().fit(X, y)
        np.testing.assert_array_equal(fitted.predict(X), y)


def test_features_alike_in_all_rows_leave_a_single_leaf():
    fitted = RankingTree().fit(np.ones((5, 2)), [3, 1, 1, 2, 3])
    assert (fitted.get_depth(), fitted.get_n_leaves()) == (0, 1)
    np.testing.assert_allclose(fitted.predict_proba([[7.0, 7.0]]), [[0.4, 0.2, 0.4]])
    np.testing.assert_array_equal(fitted.feature_importances_, [0, 0])
    # 1 and 3 are as frequent, and the lower is taken; 2 is the median.
    assert fitted.predict([[7.0, 7.0]]) == 1
    assert fitted.set_params(prediction="median").predict([[7.0, 7.0]]) == 2


def test_median_has_the_least_rank_loss_and_majority_the_fewest_errors():
    X, y = many_classes(np.random.default_rng(0))
    y = np.unique(y, return_inverse=True)[1]
    fitted = RankingTree(max_depth=2).fit(X, y)
    majority = fitted.predict(X)
    median = fitted.set_params(prediction="median").predict(X)
    assert rank_loss(y, median) < rank_loss(y, majority)
    assert np.mean(y != majority) < np.mean(y != median)


def test_shape_of_the_tree_is_reported():
    X, y = gaussian(np.random.default_rng(0))
    fitted = RankingTree(max_depth=3, min_samples_leaf=2).fit(X, y)
    tree = fitted.tree_
    leaves = fitted.apply(X)
    assert fitted.get_depth() == 3
    assert fitted.get_n_leaves() == len(np.unique(leaves)) == sum(tree.feature < 0)
    assert np.all(tree.feature[leaves] == -1)
    np.testing.assert_array_equal(
        np.bincount(leaves, minlength=tree.node_count)[np.unique(leaves)],
        tree.n_node_samples[np.unique(leaves)],
    )


def test_importance_is_the_share_in_the_decrease_of_impurity():
    X, y = gaussian(np.random.default_rng(0))
    tree = (fitted := RankingTree(max_depth=3).fit(X, y)).tree_
    total = np.zeros(7)
    for i in np.flatnonzero(tree.feature >= 0):
        below = tree.children_left[i], tree.children_right[i]
        total[tree.feature[i]] += tree.impurity[i] - tree.impurity[list(below)].sum()
    np.testing.assert_allclose(fitted.feature_importances_, total / total.sum())


def test_shares_of_samples_are_rounded_up():
    X, y = tied(np.random.default_rng(0))  # 50 rows
    for share, number in [(0.1, 5), (0.11, 6), (1e-9, 1)]:
        ours = RankingTree(min_samples_leaf=share).fit(X, y)
        same = RankingTree(min_samples_leaf=number).fit(X, y)
        np.testing.assert_array_equal(ours.tree_.value, same.tree_.value)
    stump = RankingTree(min_samples_split=1.0).fit(X, y)
    assert stump.get_depth() == 1


GRADES = ["low", "medium", "high"]


def graded(rng):
    y = rng.integers(0, 3, 80)
    return y[:, None] + rng.normal(0, 0.7, (80, 3)), y


@pytest.mark.parametrize(
    "ordered",
    [
        lambda text: pd.Categorical(text, GRADES, ordered=True),
        lambda text: pd.Series(pd.Categorical(text, ["none", *GRADES], ordered=True)),
        lambda text: pl.Series(text, dtype=pl.Enum(GRADES)),
    ],
    ids=["pandas", "pandas with an empty category", "polars"],
)
def test_ordered_categories_are_taken_in_their_order(ordered):
    X, y = graded(np.random.default_rng(0))
    expected = RankingTree(max_depth=3).fit(X, y)
    text = [GRADES[c] for c in y]
    fitted = RankingTree(max_depth=3).fit(X, ordered(text))
    assert fitted.classes_.tolist() == GRADES
    np.testing.assert_array_equal(fitted.tree_.value, expected.tree_.value)
    predicted = fitted.predict(X)
    assert predicted.tolist() == [GRADES[c] for c in expected.predict(X)]
    loss = rank_loss(ordered(text), predicted)
    assert loss == rank_loss(y, expected.predict(X)) > 0


def test_text_is_ordered_by_the_alphabet_with_a_warning():
    X, y = graded(np.random.default_rng(0))
    with pytest.warns(UserWarning, match="'high' < 'low' < 'medium'.*pandas ordered"):
        fitted = RankingTree().fit(X, [GRADES[c] for c in y])
    assert fitted.classes_.tolist() == sorted(GRADES)


def test_two_text_labels_need_no_order():
    X, y = tied(np.random.default_rng(0))
    fitted = RankingTree(max_depth=3).fit(X, np.array(["yes", "no"])[y])
    expected = RankingTree(max_depth=3).fit(X, y)
    np.testing.assert_array_equal(fitted.tree_.value[:, ::-1], expected.tree_.value)


def test_ranks_count_not_the_values_of_numbers():
    X, y = graded(np.random.default_rng(0))
    wide = RankingTree().fit(X, np.array([1, 10, 1000])[y])
    np.testing.assert_array_equal(
        wide.tree_.impurity, RankingTree().fit(X, y).tree_.impurity
    )
    assert wide.classes_.tolist() == [1, 10, 1000]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1] * 30, r"RankingTree needs at least 2 classes in y, got 1 \(1\)"),
        ([1.0, np.nan] * 15, "RankingTree needs a label for every row.*15 missing"),
        (np.linspace(0, 1, 30), "Unknown label type"),
    ],
)
def test_bad_labels_are_named(y, message):
    X, _ = lonely(np.random.default_rng(0))
    with pytest.raises(ValueError, match=message):
        RankingTree().fit(X, y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_depth": 0},
        {"max_depth": 2.5},
        {"min_samples_split": 1},
        {"min_samples_split": 1.5},
        {"min_samples_leaf": 0},
        {"min_samples_leaf": 1.0},
        {"min_impurity_decrease": -0.1},
        {"prediction": "mean"},
    ],
    ids=str,
)
def test_bad_parameters_are_named(parameters):
    X, y = tied(np.random.default_rng(0))
    name = next(iter(parameters))
    with pytest.raises(ValueError, match=f"'{name}' parameter of RankingTree must be"):
        RankingTree(**parameters).fit(X, y)


@pytest.mark.filterwarnings("ignore:RankingTree. y is text:UserWarning")
@parametrize_with_checks([RankingTree(), RankingTree(prediction="median")])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_rank_loss_by_hand():
    assert rank_loss([1, 2, 3, 4], [1, 3, 3, 1]) == (0 + 1 + 0 + 3) / 4
    assert rank_loss([5], [5]) == 0
    assert rank_loss([True, False], [False, False]) == 0.5
    assert rank_loss(np.uint8([0, 255]), np.uint8([255, 0])) == 255


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1))
def test_rank_loss_is_that_of_the_oracle_and_the_mean_absolute_error(pairs):
    y, k = zip(*pairs, strict=True)
    assert rank_loss(y, k) == pytest.approx(oracle.rank_loss(y, k))
    assert rank_loss(y, k) == pytest.approx(mean_absolute_error(y, k))


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1),
    st.sampled_from([0, 0.5, 1, 2, 3]),
)
def test_rank_loss_takes_any_power(pairs, p):
    y, k = zip(*pairs, strict=True)
    assert rank_loss(y, k, p=p) == pytest.approx(oracle.rank_loss(y, k, p))


def test_power_0_is_the_error_rate_and_2_the_mean_squared_error():
    y, k, weights = [1, 2, 3, 4], [1, 3, 3, 1], [1, 2, 1, 4]
    assert rank_loss(y, k, p=0) == 2 / 4
    assert rank_loss(y, k, p=2) == (0 + 1 + 0 + 9) / 4
    assert rank_loss(y, k, p=2, sample_weight=weights) == (2 * 1 + 4 * 9) / 8


@pytest.mark.parametrize("p", [-1, np.inf, np.nan, "2"])
def test_rank_loss_refuses_other_powers(p):
    with pytest.raises(ValueError, match="rank_loss needs p to be a number"):
        rank_loss([1], [2], p=p)


def test_labels_give_the_ranks():
    assert rank_loss(["low", "high"], ["medium", "low"], labels=GRADES) == 1.5
    assert rank_loss([1, 100], [100, 100], labels=[1, 10, 100]) == 1
    assert rank_loss([1, 100], [100, 100]) == 49.5
    assert rank_loss(["b", "a"], ["a", "a"], labels=np.array(["a", "b"])) == 0.5


def test_rank_loss_scores_a_cross_validation():
    X, y = graded(np.random.default_rng(0))
    scorer = make_scorer(rank_loss, greater_is_better=False)
    scores = cross_val_score(RankingTree(max_depth=3), X, y, scoring=scorer)
    grades = pd.Series(pd.Categorical.from_codes(y, GRADES, ordered=True))
    again = cross_val_score(RankingTree(max_depth=3), X, grades, scoring=scorer)
    np.testing.assert_array_equal(scores, again)
    assert np.all(scores < 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"], ["b"]), r"order of the labels in y_true, such as 'a'. Pass labels="),
        (([1], ["b"]), r"order of the labels in y_pred, such as 'b'"),
        ((pd.Categorical(["a"]), ["a"]), r"order of the labels in y_true"),
        (([1.0, np.nan], [1, 2]), "finite labels, y_true has NaN"),
        (([], []), "at least one sample, got none"),
    ],
)
def test_rank_loss_names_what_it_cannot_take(arguments, message):
    with pytest.raises(ValueError, match=f"rank_loss needs .*{message}"):
        rank_loss(*arguments)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "c"], r"all labels of y_true in labels=\['a', 'c'\], got also 'b'"),
        (["a", "b", "a"], "distinct labels"),
    ],
)
def test_rank_loss_names_wrong_labels(labels, message):
    with pytest.raises(ValueError, match=f"rank_loss needs {message}"):
        rank_loss(["a", "b"], ["a", "a"], labels=labels)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        rank_loss([1, 2], [1])
