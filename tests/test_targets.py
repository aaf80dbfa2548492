"""Numbers in y that measure something are no classes; names of classes always are."""

import warnings

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from cli_tools import invoke
from widemargin import FRLL, AutoSelector, OReliefF, ReliefF, TuRF, margin
from widemargin.baselines import FisherScore, InformationGain, LaplacianScore
from widemargin.compat import fast_select, skrebate
from widemargin.data.targets import MANY_NUMBERS
from widemargin.evaluation import (
    RankingTree,
    compare,
    profile,
    resample,
    selection_curve,
)

MEASURED = "needs classes, but y looks like a measurement"
TAKEN = "each is treated as a class"
SELECTORS = [ReliefF(), OReliefF(), FRLL(), FisherScore(), InformationGain()]


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X[:, :4], y.astype(int)


def table(sizes, seed=0):
    """Random features and a number for each class."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    return np.random.default_rng(seed).standard_normal((len(y), 3)), y


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
def test_a_whole_number_measurement_is_refused_with_the_remedy(selector, diabetes):
    X, y = diabetes
    name = type(selector).__name__
    words = f"{name} {MEASURED}: it has 214 .* 442 rows, 84 .*RReliefF.*qcut"
    for labels in (y, y.astype(float), pd.Series(y), y.tolist(), y.astype(object)):
        with pytest.raises(ValueError, match=words):
            selector.fit(X, labels)


@pytest.mark.parametrize(
    "ask",
    [
        lambda X, y: compare(X, y, ["ReliefF"]),
        lambda X, y: profile(X, y, task="classification"),
        lambda X, y: selection_curve("ReliefF", X, y),
        lambda X, y: resample("ReliefF", X, y),
        margin.hypothesis_margins,
        lambda X, y: RankingTree().fit(X, y),
        lambda X, y: LaplacianScore(supervised=True).fit(X, y),
    ],
)
def test_every_other_reader_of_labels_refuses_it_too(ask, diabetes):
    with pytest.raises(ValueError, match=MEASURED):
        ask(*diabetes)


def test_numbers_with_decimals_have_the_same_remedy(diabetes):
    X, y = diabetes
    with pytest.raises(ValueError, match=f"{MEASURED}.*decimals, such as 25.5.*qcut"):
        ReliefF().fit(X, y + 0.5)


def test_the_remedies_work(diabetes):
    X, y = diabetes
    ReliefF().fit(X, pd.qcut(y, 3, labels=False))
    OReliefF().fit(X, pd.qcut(y, 3, labels=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes of one member
        assert len(FisherScore().fit(X, [str(v) for v in y]).scores_) == 4
        assert len(OReliefF().fit(X, pd.Categorical(y, ordered=True)).scores_) == 4


@pytest.mark.parametrize(
    "sizes",
    [
        [10] * 40,  # faces of 40 people
        [2] * 40,  # two of each to learn from
        [64] * 31 + [60, 59, 60, 63, 62, 63, 63],
        [10] * 100,
        [1] * MANY_NUMBERS + [0],  # as many grades, however rare
        [10, 53, 681, 638, 199, 18],
    ],
    ids=str,
)
def test_classes_that_are_numbers_are_taken_without_a_word(sizes):
    X, y = table(sizes)
    FisherScore().fit(X, y)


def test_a_judgement_call_is_a_warning():
    X, y = table([2] * 20 + [30] * 5)
    with pytest.warns(UserWarning, match=f"FisherScore: y has 25 .*{TAKEN}.* 2 to 30"):
        FisherScore().fit(X, y)
    FisherScore().fit(X, y.astype(str))  # text is never doubted
    FisherScore().fit(X, pd.Categorical(y))


def test_folds_and_halves_are_not_judged_again():
    # Of 40 classes of two rows, folds leave many with one.
    X, y = table([2] * 40 + [3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*has one member")
        warnings.filterwarnings("ignore", "The least populated class")
        warnings.filterwarnings("ignore", ".*number of unique classes")
        curve = selection_curve("FisherScore", X, y, cv=3, n_features=[1])
    assert len(curve.frame) == 3
    X, y = table([2] * 20 + [30] * 5)
    with pytest.warns(UserWarning, match=TAKEN) as told:
        resample("FisherScore", X, y, n=3)
    assert len(told) == 1


@pytest.mark.parametrize(
    "selector",
    [
        TuRF(ReliefF(), 2),
        TuRF(fast_select.ReliefF(n_features_to_select=1), 2),
        TuRF(skrebate.ReliefF(1, 3, label_type="multiclass"), 2),
        AutoSelector(["ReliefF"], n_features_to_select=2, task="classification"),
        AutoSelector(["LaplacianScore"], n_features_to_select=2),  # goes by y
    ],
)
def test_subsamples_are_not_judged_again_by_selectors_around_others(selector):
    X, y = table([6] * 25)
    found = resample(selector, X, y, n=2, fraction=0.3, stratified=False, n_jobs=1)
    assert found.supports.sum(axis=1).tolist() == [2, 2]


def test_compare_says_it_once():
    X, y = table([4] * 20 + [40] * 5)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        compare(X, y, ["FisherScore", "PearsonScore"])
    assert sum(TAKEN in str(w.message) for w in told) == 1


@pytest.mark.parametrize("lazy", [True, False])
def test_dask_counts_rows_not_values(lazy, diabetes):
    def of(X, y):
        rows = da.from_array(X, chunks=(50, -1))
        return rows, da.from_array(y, chunks=50) if lazy else y

    with dask.config.set(scheduler="synchronous"):
        with pytest.raises(ValueError, match=f"{MEASURED}: it has 214 .*442 rows, 84"):
            ReliefF().fit(*of(*diabetes))
        X, y = table([10] * 40)
        order = np.random.default_rng(0).permutation(len(y))
        there = FisherScore().fit(*of(X[order], y[order]))
        np.testing.assert_allclose(there.scores_, FisherScore().fit(X, y).scores_)
        with pytest.warns(UserWarning, match=TAKEN):
            FisherScore().fit(*of(*table([2] * 20 + [30] * 5)))


class TestCommand:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path, monkeypatch, diabetes):
        monkeypatch.chdir(tmp_path)
        X, y = diabetes
        pd.DataFrame(X, columns=list("abcd")).assign(t=y).to_csv("t.csv", index=False)
        X, y = table([2] * 20 + [30] * 5)
        pd.DataFrame(X, columns=list("abc")).assign(t=y).to_csv("u.csv", index=False)

    @pytest.mark.parametrize("engine", ["local", "dask"])
    def test_a_measurement_is_refused_with_the_options_that_help(self, engine):
        classes = ("--task", "classification") if engine == "local" else ()
        result = invoke("rank", "t.csv", "--engine", engine, "-n", 2, *classes)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
        assert "looks like a measurement: 214 distinct numbers in 442" in result.stderr
        for option in ("--bins 3", "--ordinal", "--categorical t"):
            assert option in result.stderr

    def test_bins_and_categorical_help(self):
        result = invoke("rank", "t.csv", "--bins", 3)
        assert result.exit_code == 0, result.stderr
        for given in ("t", "a,t"):
            result = invoke(
                "rank", "t.csv", "--categorical", given, "-m", "FisherScore"
            )
            assert ("214 classes" in result.output) == (given == "t")

    def test_a_judgement_call_is_one_note(self):
        result = invoke("rank", "u.csv", "-m", "FisherScore")
        assert result.exit_code == 0, result.stderr
        assert result.stderr.count("25 distinct numbers") == 1
