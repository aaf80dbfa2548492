"""What features tell beyond covariates: `covariates`."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression

from cli_tools import invoke
from widemargin import AutoSelector, KernelRFE, MultiSURF, ReliefF, RReliefF, Simba
from widemargin.baselines import MRMR, FisherScore, InformationGain
from widemargin.data.covariates import Covariates, residuals, shuffled
from widemargin.evaluation import compare, relevance, signal

BATCH_ONLY = [2, 3]


def table(seed, n=300, *, numeric=False, nominal=True):
    """Features 0 and 1 tell y; 2 and 3 follow the batch only, and so does y."""
    rng = np.random.default_rng(seed)
    if nominal:
        batch = rng.choice(3, n, p=[0.5, 0.3, 0.2])
        shift = batch - 1.0
        names = np.array(["north", "east", "west"])[batch]
    else:
        names = shift = rng.normal(size=n)
    X = rng.normal(size=(n, 6))
    y = 1.5 * shift + 1.2 * (X[:, 0] + X[:, 1]) + rng.logistic(size=n)
    X[:, :2] += shift[:, None]
    X[:, BATCH_ONLY] += 2 * shift[:, None]
    return X, y if numeric else (y > 0).astype(int), names


@pytest.mark.parametrize("nominal", [True, False])
@pytest.mark.parametrize("numeric", [True, False])
def test_what_follows_the_batch_is_relevant_only_without_it(numeric, nominal):
    X, y, batch = table(10, numeric=numeric, nominal=nominal)
    without = relevance(X, y, random_state=0).significant()
    beyond = relevance(X, y, covariates=batch, random_state=0).significant()
    assert without[:4].all()
    assert beyond.nonzero()[0].tolist() == [0, 1]


@pytest.mark.parametrize(
    "selector",
    [
        KernelRFE(),
        KernelRFE(task="regression"),
        ReliefF(metric="manhattan"),
        MultiSURF(),
        MultiSURF(task="regression"),
        RReliefF(),
        FisherScore(),
        InformationGain(),
    ],
)
def test_rankings_are_of_what_covariates_leave(selector):
    X, y, batch = table(1, numeric=selector._numeric_target)
    top = clone(selector).set_params(n_features_to_select=2)
    top.fit(X, y, covariates=batch)
    assert top.get_support(indices=True).tolist() == [0, 1]


def test_scores_of_classes_are_means_over_strata():
    X, y, batch = table(2)
    found = ReliefF(n_neighbors=3).fit(X, y, covariates=batch).scores_
    left = X - LinearRegression().fit(pd.get_dummies(batch), X).predict(
        pd.get_dummies(batch)
    )
    total = np.zeros(6)
    for name in np.unique(batch):
        rows = batch == name
        total += rows.mean() * ReliefF(n_neighbors=3).fit(left[rows], y[rows]).scores_
    np.testing.assert_allclose(found, total)


def test_a_numeric_target_loses_what_covariates_explain():
    X, y, age = table(3, numeric=True, nominal=False)
    knots = np.quantile(age, [0.2, 0.4, 0.6, 0.8])
    bends = [np.where(age > knot, age - knot, 0) for knot in knots]
    design = np.column_stack([age, age**2, *bends])

    def left(values):
        return values - LinearRegression().fit(design, values).predict(design)

    expected = RReliefF().fit(left(X), left(y)).scores_
    found = RReliefF().fit(X, y, covariates=age).scores_
    np.testing.assert_allclose(found, expected)


def test_residuals_leave_gaps_and_what_is_explained_is_zero():
    rng = np.random.default_rng(0)
    design = np.column_stack([np.ones(50), rng.normal(size=50)])
    values = rng.normal(size=(50, 3))
    values[:, 1] = 3 + 2 * design[:, 1]
    values[:5, 2] = np.nan
    found = residuals(values, design)
    assert (found[:, 1] == 0).all()
    assert np.isnan(found[:5, 2]).all()
    np.testing.assert_allclose(found[:, 0] @ design, 0, atol=1e-10)
    np.testing.assert_allclose(found[5:, 2] @ design[5:], 0, atol=1e-10)


def test_products_of_covariates_are_explained_if_rows_are_many():
    rng = np.random.default_rng(0)
    age, sex, weight = (
        rng.normal(size=300),
        rng.integers(0, 2, 300),
        rng.normal(size=300),
    )
    follow = np.column_stack([age * np.where(sex == 1, 1, -1), age * weight])
    values, labels = np.column_stack([age, sex, weight]), rng.integers(0, 2, 300)

    def left(n):
        design = Covariates.of(values[:n], np.array([1]), labels[:n], "X").design
        return np.abs(residuals(follow[:n], design)).max(axis=0)

    np.testing.assert_allclose(left(300), 0, atol=1e-10)
    assert (left(90) > 0.1).all()


def test_strata_keep_rows_of_several_classes():
    rng = np.random.default_rng(0)
    age, sex = rng.normal(size=200), rng.integers(0, 2, 200)
    values, labels = np.column_stack([age, sex]), rng.integers(0, 2, 200)
    found = Covariates.of(values, np.array([1]), labels, "ReliefF")
    assert len(np.unique(found.strata)) == 10
    few = Covariates.of(values[:30], np.array([1]), labels[:30], "ReliefF")
    assert 2 <= len(np.unique(few.strata)) < 10
    order = shuffled(found.strata, 200, np.random.RandomState(0))
    assert sorted(order) == list(range(200))
    assert (found.strata[order] == found.strata).all()


def test_signal_beyond_the_batch():
    X, y, batch = table(4)
    only = X[:, BATCH_ONLY]
    assert signal(only, y, random_state=0).found
    assert not signal(only, y, covariates=batch, random_state=0).found
    assert signal(X, y, covariates=batch, random_state=0).found


def test_auto_selector_and_compare_choose_beyond_covariates():
    X, y, batch = table(5)
    auto = AutoSelector(random_state=0).fit(X, y, covariates=batch)
    assert auto.ranking_[:2].max() == 2
    assert auto.relevance_.significant().nonzero()[0].tolist() == [0, 1]
    found = compare(X, y, ["ReliefF"], covariates=batch, random_state=0)
    assert {0, 1} <= set(found.selected)
    assert found.settings["covariates"] == "covariates"
    usual = compare(X, y, covariates=batch, random_state=0, budget=4)
    assert "MRMR" not in usual.selectors


def test_frames_of_covariates():
    X, y, batch = table(6)
    frame = pd.DataFrame({"batch": batch, "age": np.arange(300) % 70})
    one = KernelRFE().fit(X, y, covariates=frame["batch"]).scores_
    np.testing.assert_array_equal(one, KernelRFE().fit(X, y, covariates=batch).scores_)
    both = KernelRFE(2).fit(X, y, covariates=frame)
    assert both.get_support(indices=True).tolist() == [0, 1]


@pytest.mark.parametrize("selector", [MRMR(), Simba()])
def test_methods_without_a_meaning_refuse(selector):
    X, y, batch = table(7)
    with pytest.raises(ValueError, match="does not take covariates with classes"):
        selector.fit(X, y, covariates=batch)


def test_covariates_that_cannot_be_used_are_refused():
    X, y, batch = table(8, n=60)
    with pytest.raises(ValueError, match="covariates of each of 60 rows, got 59"):
        ReliefF().fit(X, y, covariates=batch[1:])
    with pytest.raises(ValueError, match="covariates without missing values"):
        ReliefF().fit(X, y, covariates=np.where(np.arange(60) < 3, np.nan, X[:, 0]))
    with pytest.raises(ValueError, match="are too many for 60 rows"):
        ReliefF().fit(X, y, covariates=[f"p{i}" for i in range(60)])
    with pytest.raises(ValueError, match="in no stratum"):
        ReliefF().fit(X, y, covariates=y)
    with pytest.raises(ValueError, match="covariates need dense features"):
        ReliefF().fit(csr_array(X), y, covariates=batch)
    with pytest.raises(ValueError, match="groups or covariates, not both"):
        signal(X, y, groups=np.arange(60) // 2, covariates=batch)
    with pytest.raises(ValueError, match="estimator must be a name"):
        AutoSelector(estimator=LogisticRegression()).fit(X, y, covariates=batch)


def test_dask_refuses_covariates():
    array = pytest.importorskip("dask.array")
    X, y = array.ones((20, 3)), array.from_array(np.repeat([0, 1], 10))
    with pytest.raises(ValueError, match="covariates are for tables in memory"):
        ReliefF().fit(X, y, covariates=np.arange(20))


def test_the_command_takes_covariates(tmp_path):
    X, y, batch = table(9)
    path = tmp_path / "x.csv"
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(batch=batch, age=X[:, 5])
    frame.assign(y=y).to_csv(path, index=False)
    ranked = invoke(
        "rank", path, "-m", "FisherScore", "--covariates", "batch,age", "--json"
    )
    found = json.loads(ranked.stdout)
    names = [row["feature"] for row in found["features"]]
    assert sorted(names) == list("abcdef")
    assert set(names[:2]) == {"a", "b"}
    assert names[-1] == "f"  # the age itself, of which nothing is left
    odd = invoke("rank", path, "--covariates", "bach")
    assert odd.exit_code != 0
    assert "batch" in odd.stderr


def test_the_command_takes_covariates_from_obs(tmp_path):
    anndata = pytest.importorskip("anndata")
    X, y, batch = table(9)
    obs = pd.DataFrame(
        {"batch": batch, "age": X[:, 5], "cell": np.array(["A", "B"])[y]}
    )
    obs.index = [f"cell{i}" for i in range(len(X))]
    path = tmp_path / "cells.h5ad"
    var = pd.DataFrame(index=list("abcdef"))
    anndata.AnnData(X, obs=obs, var=var).write_h5ad(path)

    def scores(*options):
        command = ("rank", path, "--target", "cell", "-m", "FisherScore", "--json")
        found = json.loads(invoke(*command, *options).stdout)["features"]
        return {row["feature"]: row["score"] for row in found}

    for options, covariates in (
        ((), None),
        (("--covariates", "batch,age"), obs[["batch", "age"]]),
    ):
        told = FisherScore().fit(X, y, covariates=covariates).scores_
        assert scores(*options) == pytest.approx(dict(zip("abcdef", told, strict=True)))
