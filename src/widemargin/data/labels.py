"""Class codes, or numbers, from whatever y is."""

from __future__ import annotations

import numbers
from decimal import Decimal
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from widemargin.data.frames import as_frame, is_sparse, without_narwhals
from widemargin.data.kinds import is_missing, listed
from widemargin.data.protocol import Floats, Ints
from widemargin.data.targets import AcceptedLabels, check_numbers


class Labels(NamedTuple):
    """Classes of the rows, or numbers to predict; then all rows are of one class."""

    codes: Ints  # (n,)
    classes: NDArray[Any]  # as the caller wrote them
    in_order: bool  # whether the type of y, or numbers, put the classes in order
    target: Floats | None = None  # (n,), or (n, q); event and time
    task: str = "classification"  # what y holds, see `widemargin.data.outcomes`


def no_labels(n: int) -> Labels:
    """Labels of rows that are all of one class."""
    return Labels(np.zeros(n, np.int64), np.zeros(1, np.int64), True)


def encode(y: Any, name: str, **options: Any) -> tuple[Ints, NDArray[Any]]:
    """Class codes and class labels of y; see `read_labels`."""
    found = read_labels(y, name, **options)
    return found.codes, found.classes


def read_labels(
    y: Any,
    name: str,
    *,
    ordered: bool = False,
    repeats: Ints | None = None,
    look: bool = True,
) -> Labels:
    """Class codes and class labels of y, of any type and with any index.

    Classes come in the order that the type of y declares, else sorted. If ``ordered``,
    that order has to mean something. With ``repeats``, each entry of y stands for as
    many rows. Unless ``look``, many different whole numbers are accepted as classes.
    """
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    look = look and not isinstance(y, AcceptedLabels)
    y = plain_labels(y, name)
    refuse_several_labels(y, name)
    missing = missing_labels(y)
    if missing:
        refuse_missing_labels(missing, name)
    declared = _declared_order(y)
    if declared is not None:
        places, categories = declared
        used, codes = np.unique(places, return_inverse=True)
        classes = categories[used]
        in_order = True
    else:
        nominal = hasattr(y, "dtype") and str(y.dtype) == "category"
        y = _uniform(column_or_1d(np.asarray(y) if nominal else y, warn=True))
        if y.dtype.kind == "O" and not all(isinstance(v, str) for v in y):
            classes, codes = _distinct_objects(y, name)
        else:
            if not nominal:  # categories are classes, whatever they look like
                assert_all_finite(y, estimator_name=name, input_name="y")
            classes, codes = np.unique(y, return_inverse=True)
            if not nominal and y.dtype.kind in "iuf":
                sizes = np.bincount(codes, weights=repeats).astype(np.int64)
                check_numbers(classes, sizes, name, ordered=ordered, look=look)
            elif not nominal:
                # Three times each: scikit-learn takes labels that hardly repeat for a
                # mistake, and these stand for more rows.
                check_classification_targets(y if repeats is None else y.repeat(3))
        in_order = not nominal and classes.dtype.kind in "biuf"
    if len(classes) < 2:
        refuse_single_class(classes, name)
    if ordered and not in_order:
        refuse_unordered(classes, name)
    return Labels(codes.astype(np.int64), classes, in_order)


def _uniform(y: NDArray[Any]) -> NDArray[Any]:
    """Objects that are all numbers as an array of numbers, anything else as it is."""
    if y.dtype.kind == "O" and all(isinstance(v, numbers.Real | Decimal) for v in y):
        exact = [float(v) if isinstance(v, Decimal) else v for v in y]
        return np.array(exact)
    return y


def plain_labels(y: Any, name: str) -> Any:
    """Labels of narwhals or pyarrow as a list or as categories; others as they are."""
    y = without_narwhals(y)
    if type(y).__module__.split(".")[0] != "pyarrow" or not hasattr(y, "type"):
        return as_frame(y, name)
    return y.to_pandas() if hasattr(y.type, "ordered") else y.to_pylist()


def _distinct_objects(y: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Classes and codes of whatever can be told apart; sorted, if it can be."""
    try:
        seen = list(dict.fromkeys(y))
    except TypeError:
        raise ValueError(
            f"{name} needs labels that can be compared, but y has lists, dictionaries "
            "or the like. Use text or numbers."
        ) from None
    try:
        seen.sort()
    except TypeError:
        seen.sort(key=lambda label: (type(label).__name__, repr(label)))
    place = {label: code for code, label in enumerate(seen)}
    classes = np.empty(len(seen), object)
    classes[:] = seen
    return classes, np.array([place[label] for label in y], np.int64)


def _declared_order(y: Any) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Places of y among its categories, and these, if its type puts them in order."""
    dtype: Any = getattr(y, "dtype", None)
    if getattr(dtype, "ordered", False):  # a pandas categorical
        return np.asarray(getattr(y, "cat", y).codes), np.asarray(dtype.categories)
    if type(dtype).__name__ == "Enum":  # polars; always in order
        return y.to_physical().to_numpy(), dtype.categories.to_numpy()
    return None


def missing_labels(y: Any) -> int:
    """How many there are, in whatever y is."""
    if hasattr(y, "isna"):  # pandas
        return int(np.sum(np.asarray(y.isna())))
    if hasattr(y, "is_null"):  # polars
        return int(y.is_null().sum()) + (
            int(y.is_nan().sum()) if y.dtype.is_float() else 0
        )
    if np.ma.isMaskedArray(y) and np.ma.getmaskarray(y).any():
        return int(np.ma.getmaskarray(y).sum())
    # As text, a missing label in a list would be one like any other.
    values = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if values.dtype.kind in "fmM":
        return int(np.isnan(values).sum())
    if values.dtype.kind == "O":
        return sum(map(is_missing, values.ravel()))
    return 0


def refuse_single_class(classes: NDArray[Any], name: str) -> NoReturn:
    """Say that there is nothing to tell apart."""
    seen = f"1 ({classes.tolist()[0]!r})" if len(classes) else "none"
    raise ValueError(f"{name} needs at least 2 classes in y, got {seen}.")


def refuse_several_labels(y: Any, name: str) -> None:
    """Say that a row has one label, if y has several of them."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if getattr(getattr(y, "dtype", None), "names", None):
        raise ValueError(
            f"{name} needs one label for each row, but y has fields, as survival times "
            'do: KernelRFE and RReliefF take them, with task="survival".'
        )
    if is_sparse(y):
        came = f"is sparse ({type(y).__name__} of shape {shape})"
    elif len(shape) == 2 and shape[1] > 1:
        came = f"has {shape[1]} columns"
    elif isinstance(y, list | tuple) and any(_is_several(v) for v in y):
        came = "has rows of several labels"
    else:
        return
    raise ValueError(
        f"{name} needs one label for each row, but y {came}. Of a one-hot array, take "
        "y.argmax(axis=1). KernelRFE, RReliefF and MultiSURF take several labels per "
        'row with task="multilabel", several numbers with task="regression".'
    )


def _is_several(label: Any) -> bool:
    return isinstance(label, list | tuple | set | np.ndarray) and len(label) != 1


def refuse_unordered(classes: NDArray[Any], name: str) -> NoReturn:
    """Say that an order of the classes is needed."""
    shown = listed(classes.tolist())
    raise ValueError(
        f"{name} needs classes that have an order, but y has labels without one: "
        f"{shown}. Use numbers (higher is better), or an ordered categorical: "
        "pandas.Categorical(y, categories=[lowest, …, highest], ordered=True)."
    )


def refuse_missing_labels(missing: int, name: str) -> NoReturn:
    """Say how many labels are missing."""
    raise ValueError(
        f"{name} needs a label for every row, but y has {missing} missing "
        f"value{'s' if missing > 1 else ''}. Drop those rows first."
    )


def category_order(y: Any) -> list[Any] | None:
    """Categories from lowest to highest, if y is of a type that orders them."""
    dtype = getattr(y, "dtype", None)
    if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum":
        return list(dtype.categories)  # type: ignore[union-attr]
    return None
