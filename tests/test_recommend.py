"""One rule for AutoSelector and compare: honest folds, no copies, one stability."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from oracles import recommend as oracle
from widemargin import AutoSelector, KernelRFE
from widemargin.baselines import FisherScore
from widemargin.evaluation import compare, stability
from widemargin.judging.recommend import group_stability


def small_wine(n=90):
    X, y = load_wine(return_X_y=True)
    some = np.random.default_rng(0).permutation(178)[:n]
    return X[some], y[some]


def numbers():
    X, y = load_diabetes(return_X_y=True)
    return X[:80], y[:80]


def mixed():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 90)
    frame = pd.DataFrame(rng.standard_normal((90, 4)), columns=list("abcd"))
    frame["a"] += 1.5 * y
    frame["colour"] = np.where(rng.random(90) < 0.3 + 0.4 * y, "red", "blue")
    frame["size"] = pd.Categorical(
        np.where(rng.random(90) < 0.5, "s", "l"), ["s", "l"], ordered=True
    )
    frame.loc[rng.integers(0, 90, 9), "b"] = np.nan
    frame.loc[3, "colour"] = None
    return frame, np.where(y, "yes", "no")


def skewed():
    rng = np.random.default_rng(1)
    y = (np.arange(100) % 6 == 0).astype(int)
    X = np.exp(rng.standard_normal((100, 5)) + y[:, None] * (np.arange(5) < 2))
    return np.column_stack([X, 3 * X[:, 0]]), y


TABLES = {"classes": small_wine, "numbers": numbers, "mixed": mixed, "skewed": skewed}


def answers(X, y, groups=None, **options):
    """What all ways of asking say about one table."""
    options["random_state"] = 0
    auto = AutoSelector(**options).fit(X, y, groups=groups)
    named = AutoSelector(["KernelRFE"], **options).fit(X, y, groups=groups)
    compared = [
        compare(X, y, methods, groups=groups, **options)
        for methods in (None, ["KernelRFE"])
    ]
    return [auto, named], compared


@pytest.mark.filterwarnings("ignore:AutoSelector. Whether there is:UserWarning")
@pytest.mark.parametrize("kind", [*TABLES, "groups"])
def test_all_ways_of_asking_give_one_answer(kind):
    groups = None
    if kind == "groups":
        X, y = small_wine()
        groups = np.arange(90) // 2
    else:
        X, y = TABLES[kind]()
    selectors, comparisons = answers(X, y, groups)
    found = [a.recommendation_ for a in selectors]
    found += [c.recommendation for c in comparisons]
    for other in found[1:]:
        assert other.method == found[0].method == "KernelRFE"
        np.testing.assert_array_equal(other.columns, found[0].columns)
        np.testing.assert_array_equal(other.fold_scores, found[0].fold_scores)
        assert other.score == found[0].score
        assert other.stderr == found[0].stderr
        np.testing.assert_equal(other.stability, found[0].stability)
        np.testing.assert_array_equal(other.redundant_with, found[0].redundant_with)
    frames = [a.features_ for a in selectors] + [
        c.features.drop(columns="works_with") for c in comparisons
    ]
    for other in frames[1:]:
        pd.testing.assert_frame_equal(other, frames[0])


def of_the_oracle(X, y, folds, method):
    """Each fold as the oracle takes it."""
    for train, test in folds:
        fitted = method.fit(X[train], y[train])
        nearest = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))

        def score(columns, train=train, test=test, nearest=nearest):
            nearest.fit(X[np.ix_(train, columns)], y[train])
            return nearest.score(X[np.ix_(test, columns)], y[test])

        similar = np.abs(np.corrcoef(X[train].T)).tolist()
        ranking = fitted.ranking_.tolist()
        yield {"ranking": ranking, "similar": similar, "size": None, "score": score}


@pytest.mark.parametrize("method", [KernelRFE(), FisherScore()])
def test_it_is_the_oracles_rule(method):
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.random.default_rng(0).permutation(569)[:120]
    X, y = X[rows][:, :12], y[rows]
    folds = [*StratifiedKFold(4, shuffle=True, random_state=0).split(X, y)]
    auto = AutoSelector(method, cv=folds, random_state=0).fit(X, y)
    found, d = auto.recommendation_, X.shape[1]
    told = list(of_the_oracle(X, y, folds, method))
    if isinstance(method, KernelRFE):
        for fold, (train, _) in zip(told, folds, strict=True):
            path = KernelRFE().fit(X[train], y[train]).loss_path_
            fold["size"] = int(np.nanargmin(path)) + 1
    n_rows = [len(test) for _, test in folds]
    chosen = oracle.nested(told, list(range(1, d + 1)), 0.9, n_rows)
    scores = [f["score"](c) for f, c in zip(told, chosen, strict=True)]
    np.testing.assert_allclose(found.fold_scores, scores)
    assert [np.flatnonzero(s).tolist() for s in found.supports] == [
        sorted(c) for c in chosen
    ]
    assert found.stderr == pytest.approx(oracle.standard_error(scores, n_rows))
    every = method.fit(X, y).ranking_
    mean = oracle.consensus([*(fold["ranking"] for fold in told), every.tolist()])
    np.testing.assert_allclose(found.consensus, mean)
    order = sorted(range(d), key=lambda f: (-mean[f], every[f]))
    similar = np.abs(np.corrcoef(X.T)).tolist()
    kept, copy_of = oracle.without_copies(order, similar, 0.9)
    assert found.columns.tolist() == kept[: found.n_features]
    assert {f: int(g) for f, g in enumerate(found.redundant_with) if g >= 0} == copy_of
    groups = [copy_of.get(f, f) for f in range(d)]
    selections = found.supports.astype(int).tolist()
    assert found.stability == pytest.approx(oracle.group_stability(selections, groups))


def test_stability_counts_near_copies_as_one_feature():
    rng = np.random.default_rng(0)
    for _ in range(20):
        supports = rng.random((5, 9)) < rng.uniform(0.2, 0.8)
        groups = rng.integers(0, 5, 9)
        expected = oracle.group_stability(supports.astype(int).tolist(), groups)
        assert group_stability(supports, groups) == pytest.approx(expected)
        alone = group_stability(supports, np.arange(9))
        assert alone == pytest.approx(stability(supports).value)
    # One copy or the other is one choice.
    either = np.array([[1, 0, 0, 1, 0, 0], [0, 1, 0, 1, 0, 0]], dtype=bool)
    assert group_stability(either, np.arange(6)) < 0.5
    assert group_stability(either, np.array([0, 0, 2, 3, 4, 5])) == pytest.approx(1)
    assert np.isnan(group_stability(np.ones((3, 4), bool), np.arange(4)))


@pytest.mark.parametrize("methods", [None, ["ReliefF", "FisherScore"]])
def test_no_two_kept_features_are_near_copies(methods):
    X, y = (a[::2] for a in load_breast_cancer(return_X_y=True))
    auto = AutoSelector(methods, random_state=0).fit(X, y)
    kept = auto.get_support(indices=True)
    r = np.abs(np.corrcoef(X[:, kept].T))
    assert (r[np.triu_indices(len(kept), 1)] < 0.9).all()
    if methods is None:
        assert len(kept) <= 5
        assert auto.score_ > 0.93


@pytest.mark.simulated
def test_wine_has_one_answer_whatever_the_seed():
    X, y = load_wine(return_X_y=True)
    found = [AutoSelector(random_state=seed).fit(X, y) for seed in range(5)]
    assert {auto.method_ for auto in found} == {"KernelRFE"}
    sets = [set(auto.get_support(indices=True)) for auto in found]
    assert max(len(a ^ b) for a in sets for b in sets) <= 2


class Watching(FisherScore):
    """Keeps the rows it was fitted to, told by the first column."""

    seen: list = []

    def _score(self, table, workers):
        Watching.seen.append(sorted(table.X[:, 0].astype(int).tolist()))
        return super()._score(table, workers)


def test_rows_that_score_had_no_part_in_the_ranking():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.column_stack([np.arange(60.0), rng.standard_normal((60, 4)) + y[:, None]])
    folds = [*StratifiedKFold(4, shuffle=True, random_state=0).split(X, y)]
    methods = {"one": Watching(scale=None), "two": Watching(scale=None)}
    Watching.seen.clear()
    auto = AutoSelector(methods, cv=folds, random_state=0, n_jobs=1).fit(X, y)
    assert auto.score_ == pytest.approx(auto.recommendation_.fold_scores.mean())
    # A fit of each method in each fold, and one of the chosen method to all rows.
    trained = [sorted(train.tolist()) for train, _ in folds for _ in methods]
    assert Watching.seen == [*trained, list(range(60))]


@pytest.mark.parametrize("changed", range(3))
def test_a_fold_is_scored_with_what_was_chosen_without_its_rows(changed):
    """Labels of the test rows of a fold change its score, and nothing it is made of."""
    X, y = small_wine(60)
    folds = [*StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)]
    z = y.copy()
    test = folds[changed][1]
    z[test] = np.roll(y[test], 7)
    found = [
        AutoSelector(cv=folds, random_state=0).fit(X, labels).recommendation_
        for labels in (y, z)
    ]
    same, other = (f.supports[changed] for f in found)
    np.testing.assert_array_equal(same, other)
    assert found[0].fold_scores[changed] > found[1].fold_scores[changed]
