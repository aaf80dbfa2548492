"""A table that is read once gives every fit what reading its rows anew would."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest, f_classif, f_regression

from widemargin import AutoSelector, OReliefF, ReliefF, Simba
from widemargin.baselines import MRMR, FisherScore, LaplacianScore
from widemargin.data.read import read_dataset
from widemargin.evaluation import compare, resample, selection_curve, significance


def mixed_table(n=60):
    rng = np.random.default_rng(3)
    y = np.array(["low", "mid", "high"])[np.arange(n) % 3]
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n) + (y == "mid"),
            "whole": rng.integers(0, 9, n),
            "flag": rng.random(n) < 0.5,
            "colour": np.array(["red", "green", "blue"])[rng.integers(0, 3, n)],
            "size": pd.Categorical(
                np.array(["s", "m", "l"])[rng.integers(0, 3, n)],
                categories=["s", "m", "l"],
                ordered=True,
            ),
        },
        index=rng.permutation(n),
    )
    X.loc[X.index[:5], "number"] = np.nan
    return X, y


def assert_same_fit(a, b):
    np.testing.assert_allclose(a.scores_, b.scores_, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(a.ranking_, b.ranking_)
    np.testing.assert_array_equal(a.support_, b.support_)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize(
    "selector",
    [
        ReliefF(n_neighbors=3),
        ReliefF(n_neighbors=3, categorical_features=["whole"]),
        Simba(random_state=0),
        ReliefF("auto", n_neighbors=3, redundancy="auto"),
    ],
)
def test_fits_to_some_rows_are_those_of_the_frame(kind, selector):
    X, y = mixed_table()
    rows = np.random.default_rng(0).permutation(len(y))[:40]
    part = X.iloc[rows]
    if kind == "polars":
        X, part = pl.from_pandas(X), pl.from_pandas(part)
    data = read_dataset(X, y, "a test")
    fitted = data.take(rows).fit(clone(selector))
    assert_same_fit(fitted, clone(selector).fit(part, y[rows]))
    assert list(fitted.feature_names_in_) == list(X.columns)


def test_parts_of_parts_and_other_labels():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, 6)), np.arange(50) % 3
    data = read_dataset(X, y, "a test")
    first, second = rng.permutation(50)[:40], rng.permutation(40)[:30]
    order = rng.permutation(30)
    rows = first[second]
    part = data.take(first).take(second)
    assert part.shape == (30, 6)
    assert_same_fit(part.fit(FisherScore()), FisherScore().fit(X[rows], y[rows]))
    relabelled = part.relabelled(order)
    np.testing.assert_array_equal(relabelled.codes, y[rows][order])
    assert_same_fit(
        relabelled.fit(FisherScore()), FisherScore().fit(X[rows], y[rows][order])
    )
    some = np.arange(25)
    assert_same_fit(
        relabelled.take(some).fit(FisherScore()),
        FisherScore().fit(X[rows][some], y[rows][order][some]),
    )
    doubled = part.with_probes(np.arange(X.shape[1]), order).fit(FisherScore())
    assert_same_fit(
        doubled, FisherScore().fit(np.hstack([X[rows], X[rows][order]]), y[rows])
    )


def test_a_part_of_one_class_or_of_one_row_is_refused_as_such():
    X, y = np.random.default_rng(1).normal(size=(20, 3)), np.repeat(["a", "b"], 10)
    data = read_dataset(X, y, "a test")
    with pytest.raises(ValueError, match=r"FisherScore needs at least 2 classes.*'a'"):
        data.take(np.arange(10)).fit(FisherScore())
    with pytest.raises(ValueError, match="at least 2 rows"):
        data.take(np.arange(1)).fit(FisherScore())
    # Without labels one class is as good as two.
    unlabelled = LaplacianScore(supervised=False)
    data.take(np.arange(10)).fit(unlabelled)
    assert len(unlabelled.scores_) == 3


def test_missing_classes_do_not_count():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 4))
    y = pd.Series(pd.Categorical.from_codes(np.arange(40) % 4, list("dcba"), True))
    rows = np.flatnonzero(np.arange(40) % 4 != 1)
    data = read_dataset(X, y, "a test")
    assert_same_fit(
        data.take(rows).fit(OReliefF()), OReliefF().fit(X[rows], y.iloc[rows])
    )


def test_selectors_of_others_get_arrays():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(40, 4)), columns=list("abcd"))
    y = np.arange(40) % 2
    fitted = (
        read_dataset(X, y, "a test")
        .take(np.arange(30))
        .fit(SelectKBest(f_classif, k=2))
    )
    assert not hasattr(fitted, "feature_names_in_")
    np.testing.assert_array_equal(fitted.scores_, f_classif(X[:30], y[:30])[0])
    target = rng.normal(size=40)
    again = resample(
        SelectKBest(f_regression, k=2), X, target, n=3, stratified=False, random_state=0
    )
    assert again.scores.shape == (3, 4)


def test_one_table_serves_methods_that_read_it_alike():
    X, y = np.random.default_rng(0).normal(size=(30, 5)), np.arange(30) % 2
    data = read_dataset(pd.DataFrame(X), y, "a test")
    tables = [s._view(data).X for s in (ReliefF(), FisherScore(), MRMR())]
    assert tables[0] is tables[1] is tables[2]
    assert data.numbers([ReliefF()]).X is tables[0]


class CountedStream:
    """A table behind Arrow's interface that counts how often it is read."""

    def __init__(self, table):
        self.table, self.reads = table, 0

    def __arrow_c_stream__(self, requested_schema=None):
        self.reads += 1
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "call",
    [
        lambda X, y: ReliefF("auto").fit(X, y),
        lambda X, y: AutoSelector(["ReliefF"], random_state=0).fit(X, y),
        lambda X, y: selection_curve("ReliefF", X, y, random_state=0),
        lambda X, y: significance(ReliefF(), X, y, random_state=0),
        lambda X, y: compare(X, y, ["ReliefF"], random_state=0),
    ],
    ids=["fit", "AutoSelector", "selection_curve", "significance", "compare"],
)
def test_every_call_reads_the_callers_table_once(call):
    pa = pytest.importorskip("pyarrow")
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    columns = {f"x{j}": rng.random(60) + (j == 0) * y / 2 for j in range(4)}
    X = CountedStream(pa.table(columns))
    call(X, y)
    assert X.reads == 1
