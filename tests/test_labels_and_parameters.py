"""Labels that are missing or several, weights of rows, parameters of a wrong kind."""

import inspect

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

import widemargin
from widemargin import OReliefF, Relief, ReliefF, Simba, baselines
from widemargin.base import MarginSelector
from widemargin.baselines import FisherScore
from widemargin.evaluation import resample

X, y = load_iris(return_X_y=True)
CLASSES = [
    member
    for home in (widemargin, baselines)
    for member in (getattr(home, name) for name in home.__all__)
    if isinstance(member, type) and issubclass(member, MarginSelector)
]
NAMED = pytest.mark.parametrize("selector", CLASSES, ids=lambda c: c.__name__)


@pytest.mark.parametrize("missing", [np.nan, float("nan"), None, pd.NA, pd.NaT])
@pytest.mark.parametrize("labels", [["a", "b", "a"], [0, 1, 0], [True, False, True]])
@pytest.mark.parametrize("kind", [list, tuple])
def test_a_missing_label_in_a_list_is_no_class(missing, labels, kind):
    y = kind([*labels, missing])
    for ask in (ReliefF().fit, OReliefF().fit, FisherScore().fit):
        with pytest.raises(ValueError, match="y has 1 missing value"):
            ask(X[:4], y)
    with pytest.raises(ValueError, match="y has 1 missing value"):
        resample("ReliefF", X[:4], y)


def test_a_masked_label_is_missing():
    with pytest.raises(ValueError, match="y has 50 missing values"):
        ReliefF().fit(X, np.ma.array(y, mask=y == 1))


def test_nan_as_text_is_a_class_like_any_other():
    names = np.array(["nan", "a", "b"])[y].tolist()
    np.testing.assert_allclose(
        ReliefF().fit(X, names).scores_, ReliefF().fit(X, y).scores_, rtol=1e-12
    )


@pytest.mark.parametrize("labels", [[0], ["a"] * 3, [0, 1, None]])
def test_lengths_are_compared_before_classes(labels):
    for ask in (ReliefF().fit, FisherScore().fit, widemargin.margin.hypothesis_margins):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            ask(X, labels)


def test_lengths_are_compared_before_classes_on_dask():
    rows = da.from_array(X, chunks=(40, -1))
    with dask.config.set(scheduler="synchronous"):
        for labels in ([0, 0], da.zeros(10), da.from_array(np.array([0, np.nan]))):
            with pytest.raises(ValueError, match="X has 150 rows and y has"):
                ReliefF().fit(rows, labels)


@pytest.mark.parametrize(
    "several",
    [
        np.eye(3)[y],
        pd.DataFrame(np.eye(3)[y]),
        np.eye(3)[y].tolist(),
        [["a", "b"], *[["a"]] * 149],
        [{"a", "b"}, *[{"c"}] * 149],
        scipy.sparse.csr_matrix(np.eye(3)[y]),
        scipy.sparse.csr_array(np.eye(3)[y]),
    ],
    ids=["array", "frame", "lists", "ragged", "sets", "matrix", "sparse array"],
)
def test_several_labels_of_a_row_get_a_sentence(several):
    words = r"ReliefF needs one label for each row.* y\.argmax\(axis=1\)"
    with pytest.raises(ValueError, match=words):
        ReliefF().fit(X, several)


def test_several_labels_of_a_row_get_it_on_dask():
    several = da.from_array(np.eye(3)[y], chunks=(40, -1))
    with (
        dask.config.set(scheduler="synchronous"),
        pytest.raises(ValueError, match="needs one label for each row, but y has 3"),
    ):
        ReliefF().fit(da.from_array(X, chunks=(40, -1)), several)


@NAMED
def test_unknown_keywords_are_refused(selector):
    with pytest.raises(TypeError, match="unexpected keyword argument 'groups'"):
        selector().fit(X, y, groups=y)


@NAMED
def test_true_is_no_number(selector):
    for name in inspect.signature(selector).parameters:
        if {"boolean", "verbose"} & set(
            map(str, selector._parameter_constraints[name])
        ):
            continue
        with pytest.raises(InvalidParameterError, match=f"The '{name}' parameter"):
            selector(**{name: True}).fit(X, y)


@NAMED
def test_no_jobs_is_no_number_of_jobs(selector):
    for n_jobs in (0, False):
        with pytest.raises(InvalidParameterError, match="'n_jobs' parameter"):
            selector(n_jobs=n_jobs).fit(X[::10], y[::10])


def test_true_is_a_flag_where_one_is_wanted():
    Relief(squared=True, verbose=False).fit(X, y)


@NAMED
def test_an_unfitted_transform_says_only_that(selector):
    frame = pd.DataFrame(X, columns=list("abcd"))
    for ask in (selector().transform, selector().inverse_transform):
        with pytest.raises(NotFittedError):  # and no warning, which would be an error
            ask(frame)


def test_an_unfitted_transform_of_polars_and_dask():
    pl, dd = pytest.importorskip("polars"), pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(X, columns=list("abcd"))
    with pytest.raises(NotFittedError):
        Simba().set_output(transform="polars").transform(pl.DataFrame(frame))
    with pytest.raises(NotFittedError):
        Simba().transform(dd.from_pandas(frame, npartitions=2))
