"""`validate`: check X and y as the caller passed them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, validate_data

from widemargin.data.labels import encode
from widemargin.data.numbers import as_numbers, warn_of_rounding
from widemargin.data.protocol import Floats, Ints
from widemargin.data.refuse import refuse_columns, refuse_text, unwrapped


def validate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    name: str | None = None,
    labels: bool = True,
    ordered: bool = False,
    nominal: Ints | None = None,
    finite: bool = True,
) -> tuple[Floats, Ints, NDArray[Any]]:
    """Check what the caller passed; return X, class codes and class labels.

    With an estimator, its ``n_features_in_`` and ``feature_names_in_`` are set. Without
    ``labels``, y is not looked at and all rows are of one class, 0. If ``ordered``,
    labels whose order means nothing are refused. If the ``nominal`` features are named,
    of which there may be none, values may be missing, and come back as NaN. Unless
    ``finite``, what is not a number is left to `build` to find, on its way.
    """
    name = name or type(estimator).__name__
    X = unwrapped(X, name, missing=nominal is not None)
    refuse_columns(X, name, mixed=nominal is not None)
    refuse_text(X, name, nominal)
    options = {"dtype": np.float64, "order": "C", "ensure_min_samples": 2}
    if estimator is not None and isinstance(X, np.ndarray):
        # Scaling makes a copy in double precision anyway, and one is enough: X may be
        # mapped from a file and larger than memory in that type.
        options["dtype"] = [np.float64, np.float32]
    given, numbered = X, np.empty(0, int) if nominal is None else nominal
    if nominal is not None:
        options["ensure_all_finite"] = "allow-nan"
    if not finite:
        options["ensure_all_finite"] = False
    if estimator is None:
        X = check_array(X, estimator=name, input_name="X", **options)
    else:
        # y is checked below: scikit-learn would turn a pandas categorical or a mixed
        # column into something else before we see it.
        if y is None and labels:
            validate_data(estimator, X, y, **options)
        values = as_numbers(X, numbered, name)
        if values is X:
            X = validate_data(estimator, X, skip_check_array=False, **options)
        else:  # only the frame itself knows the names of its columns
            validate_data(estimator, X, skip_check_array=True)
            X = check_array(values, estimator=estimator, input_name="X", **options)
    warn_of_rounding(given, X, numbered, name)
    if not labels:
        return np.asarray(X), np.zeros(len(X), np.int64), np.zeros(1, np.int64)
    if not isinstance(y, str):  # which has a length, but is no list of labels
        check_consistent_length(X, y)
    y, classes = encode(y, name, ordered=ordered)
    return np.asarray(X), y, classes
