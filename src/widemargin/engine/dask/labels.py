"""Labels, or numbers to predict, that are spread over partitions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from widemargin.data.labels import encode, missing_labels, refuse_missing_labels


class Labels(NamedTuple):
    """Labels of a partition."""

    values: Any  # different ones
    codes: NDArray[np.integer]  # (n,) which of them; none if some are missing
    missing: int
    uncoded: int = 0  # rows without codes


def label_part(part: Any) -> Labels:
    """The different labels of a partition, and which of them each row has."""
    missing = missing_labels(part)
    if missing:
        return Labels(np.empty(0), np.empty(0, np.int8), missing, len(part))
    if str(getattr(part, "dtype", "")) == "category":
        used, codes = np.unique(np.asarray(part.cat.codes), return_inverse=True)
        values = part.cat.categories[used].astype(part.dtype)
    else:
        values, codes = np.unique(column_or_1d(np.asarray(part)), return_inverse=True)
    return Labels(values, codes.astype(np.min_scalar_type(len(values))), 0)


def target_part(part: Any) -> NDArray[Any]:
    """The numbers in a partition of y; what is none is left to be named later."""
    return column_or_1d(np.asarray(part))


def join_labels(
    parts: list[Labels], name: str, *, ordered: bool
) -> tuple[NDArray[np.integer], NDArray[Any]]:
    """Class codes and classes of labels that are spread over partitions."""
    missing = sum(part.missing for part in parts)
    if missing:
        refuse_missing_labels(missing, name)
    parts = [part for part in parts if len(part.codes)]
    values = [part.values for part in parts]
    if len({str(getattr(v, "dtype", "")) for v in values}) == 1 and values:
        together = values[0]
        if hasattr(together, "append"):  # pandas
            together = together.append(values[1:])
        else:
            together = np.concatenate(values)
    else:
        together = np.concatenate([np.empty(0, np.int64), *map(np.asarray, values)])
    sizes = [np.bincount(part.codes, minlength=len(part.values)) for part in parts]
    repeats = np.concatenate([np.empty(0, np.int64), *sizes])
    codes, classes = encode(together, name, ordered=ordered, repeats=repeats)
    stops = np.cumsum([len(v) for v in values])
    new = np.split(codes.astype(code_type(len(classes))), stops[:-1])
    return np.concatenate(
        [of_value[part.codes] for of_value, part in zip(new, parts, strict=True)]
    ), classes


def code_type(n_classes: int) -> Any:
    """The smallest type that holds codes and their differences."""
    return np.min_scalar_type(-n_classes)
