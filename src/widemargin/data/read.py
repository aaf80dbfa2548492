"""`read_dataset`: from what the caller passed to a `Dataset`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, validate_data

from widemargin._sklearn import _safe_indexing
from widemargin.data.covariates import Covariates, residuals
from widemargin.data.dataset import Dataset
from widemargin.data.frames import has_sparse_columns, is_frame, is_sparse
from widemargin.data.kinds import CODED, NUMBER, ORDERED, mixture_columns
from widemargin.data.kinds import kinds as kinds_of
from widemargin.data.labels import no_labels, plain_labels, read_labels
from widemargin.data.numbers import as_numbers, rounded_columns
from widemargin.data.outcomes import read_target
from widemargin.data.protocol import Ints
from widemargin.data.refuse import refuse_columns, unwrapped
from widemargin.data.weights import of_mean_one, read_weights, weights_by_class


def read_dataset(
    X: Any,
    y: Any,
    caller: str,
    *,
    estimator: Any = None,
    mixed: bool | None = None,
    nominal: Callable[[Any, Ints], Ints | None] | None = None,
    labels: bool = True,
    task: str = "classification",
    ordered: bool = False,
    look: bool = True,
    single: bool = False,
    sparse: bool = False,
    sample_weight: Any = None,
) -> Dataset:
    """Check what the caller passed, and turn it into numbers and codes.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features), or Dataset
        A dataset is returned as it is.
    y : array-like of shape (n_samples,) or None
    caller : str
        For messages.
    estimator : estimator, default=None
        Its ``n_features_in_`` and ``feature_names_in_`` are set.
    mixed : bool or None, default=None
        Whether nominal features and missing values are allowed. None allows columns of
        any kind: methods refuse what they do not take when they are fitted.
    nominal : function of X and the kinds of its columns, default=None
        Says which columns get codes; None goes by the kinds.
    labels : bool, default=True
        Whether y is read.
    task : str, default="classification"
        What y holds, see `widemargin.data.outcomes.TASKS`.
    ordered : bool, default=False
        Whether classes without an order are refused.
    look : bool, default=True
        Whether many different whole numbers in y are refused, or warned of, as
        classes. Parts of a dataset are not looked at again.
    single : bool, default=False
        Whether an array in single precision is kept: X may be mapped from a file and
        larger than memory in double precision, and scaling makes such a copy anyway.
    sparse : bool, default=False
        Whether X may be sparse: its values are a CSR array, then.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows. Those of weight 0 are dropped here: nobody sees them.
    """
    if isinstance(X, Dataset):
        return X
    X = _table(X, caller, mixed, sparse)
    if estimator is None and mixed is None and (len(X.shape) != 2 or 0 in X.shape):
        raise ValueError(f"{caller} needs rows and columns, got shape {X.shape}.")
    if not isinstance(y, str) and y is not None and sample_weight is not None:
        check_consistent_length(X, y)
    weights, given = read_weights(sample_weight, X.shape[0], caller), None
    if weights is not None and not weights.all():
        given = np.flatnonzero(weights)
        X, weights = _safe_indexing(X, given), weights[given]
        y = None if y is None else _safe_indexing(plain_labels(y, caller), given)
    if weights is not None and task == "survival":
        raise ValueError(
            f'{caller}: task="survival" does not take sample_weight. Leave it out.'
        )
    told = labels and task != "classification"
    target = read_target(y, caller, task) if told else None
    kinds, coded = np.empty(0, np.int64), np.empty(0, np.int64)
    values, categories = X, dict[int, list[Any]]()
    if len(X.shape) == 2:
        kinds = np.array(kinds_of(X), np.int64)
        coded = np.flatnonzero(np.isin(kinds, CODED))
        if mixed is not None:
            chosen = None if nominal is None else nominal(X, kinds)
            refuse_columns(X, kinds, caller, chosen)
            coded = coded if chosen is None else chosen
        if has_sparse_columns(X):
            values = csr_array(X.sparse.to_coo())
        else:
            values, categories = as_numbers(X, kinds, coded, caller)
    if estimator is not None:
        # Only the frame itself knows the names of its columns. y is read below:
        # scikit-learn would turn categories into something else before we see them.
        required = {"y": None} if y is None and labels else {}
        validate_data(estimator, X, skip_check_array=True, **required)
    values = check_array(
        values,
        dtype=[np.float64, np.float32] if single else np.float64,
        order="C",
        accept_sparse="csr" if sparse else False,
        ensure_min_samples=1 if mixed is None and estimator is None else 2,
        ensure_all_finite=False,
        estimator=estimator or caller,
        input_name="X",
    )
    if is_sparse(values):
        values = _canonical(values)
        X = X if is_frame(X) else values
    found = no_labels(values.shape[0])
    if target is not None:
        check_consistent_length(values, target)
        found = found._replace(target=target, task=task)
    elif labels:
        if not isinstance(y, str):  # which has a length, but is no list of labels
            check_consistent_length(values, y)
        found = read_labels(y, caller, ordered=ordered, look=look)
    return Dataset(
        X,
        y,
        caller,
        values,
        kinds,
        coded,
        categories,
        found,
        rounded=[] if is_sparse(values) else rounded_columns(X, values, kinds).tolist(),
        mixtures=mixture_columns(X, kinds),
        weights=of_mean_one(weights),
        given=given,
    )


def beyond_covariates(data: Dataset, covariates: Any, caller: str) -> Dataset:
    """A dataset without what covariates explain of numbers and a numeric target."""
    if covariates is None or data.covariates is not None:
        return data
    if is_sparse(data.values) or data.rows is not None:
        raise ValueError(
            f"{caller}: covariates need dense features and all rows. Make X dense, or "
            "leave them out."
        )
    if data.task not in ("classification", "regression"):
        raise ValueError(
            f"{caller}: covariates are for classes and numeric targets, not for "
            f'task="{data.task}". Leave them out.'
        )
    table = covariates
    if np.ndim(table) == 1:
        named = hasattr(table, "to_frame")
        table = table.to_frame() if named else np.asarray(table)[:, None]
    if data.given is not None and len(table) > data.given[-1]:
        table = _safe_indexing(table, data.given)
    read = read_dataset(table, None, f"{caller}, covariates", labels=False)
    if len(read.values) != len(data.values):
        raise ValueError(
            f"{caller} needs covariates of each of {len(data.values)} rows, got "
            f"{len(read.values)}."
        )
    coded = np.empty(0, np.int64) if read.coded is None else read.coded
    found = Covariates.of(read.values, coded, data.labels.codes, caller)
    values, labels = np.array(data.values, np.float64), data.labels
    numbers = np.isin(data.kinds, (NUMBER, ORDERED))
    numbers[[] if data.coded is None else data.coded] = False
    values[:, numbers] = residuals(values[:, numbers], found.design)
    if labels.target is not None:
        target = residuals(labels.target, found.design)
        labels = labels._replace(target=target)
    return replace(data, values=values, labels=labels, covariates=found)


def with_class_weight(data: Dataset, class_weight: Any, caller: str) -> Dataset:
    """The same rows with weights by class, if these are asked for."""
    if class_weight is None:
        return data
    given = data.labels_given, class_weight, caller, data.weights
    weights = weights_by_class(*given, numeric=data.numeric)
    return replace(data, weights=of_mean_one(weights))


def _canonical(X: Any) -> csr_array:
    """A copy in which each cell is stored once, in order, and no zero is."""
    X = csr_array(X, dtype=np.float64, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def _table(X: Any, caller: str, mixed: bool | None, sparse: bool) -> Any:
    """X as a frame or an array in memory, sparse or not."""
    if type(X).__module__.split(".")[0] == "dask":
        raise TypeError(
            f"{caller} draws rows at random and needs X and y in memory, got a Dask "
            "collection. Call X.compute() first, or on a sample of the rows."
        )
    X = unwrapped(X, caller, missing=mixed is not False, sparse=sparse)
    return (
        X if is_frame(X) or is_sparse(X) or isinstance(X, np.ndarray) else np.asarray(X)
    )
