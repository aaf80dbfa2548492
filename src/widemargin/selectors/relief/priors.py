"""Probabilities of the classes, as they are in a table or as the caller knows them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def class_priors(
    priors: Any, counts: NDArray[np.int64], classes: NDArray[Any]
) -> NDArray[np.float64]:
    """Probability of each class, which sum to 1; 0 for a class without rows.

    Parameters
    ----------
    priors : {"empirical", "uniform"}, dict or array
        As frequent as in the table, all the same, or given: by label, or in the order
        of ``classes``.
    counts : array of shape (n_classes,)
        Rows of each class.
    classes : array of shape (n_classes,)
        Labels.
    """
    if isinstance(priors, str) and priors == "empirical":
        return counts / int(counts.sum())
    if isinstance(priors, str):  # uniform
        given = np.ones(len(classes))
    elif isinstance(priors, dict):
        given = _by_label(priors, classes)
    else:
        given = np.asarray(priors, np.float64)
        if given.shape != (len(classes),):
            raise ValueError(
                f"ReliefF needs one prior for each of {len(classes)} classes, in the "
                f"order {_named(classes)}, got priors of shape {given.shape}."
            )
    if not np.isfinite(given).all() or (given <= 0).any():
        raise ValueError(
            f"ReliefF needs finite, positive priors, got {priors!r} for the classes "
            f"{_named(classes)}. Drop the rows of a class that should not count."
        )
    given = np.where(counts > 0, given, 0.0)
    return given / given.sum()


def _by_label(priors: dict[Any, float], classes: NDArray[Any]) -> NDArray[np.float64]:
    missing = [label for label in classes.tolist() if label not in priors]
    if missing:
        raise ValueError(
            "ReliefF needs a prior for every class of y: priors has none for "
            f"{_named(np.array(missing, dtype=object))}. Add the missing ones, or use "
            "priors='empirical'."
        )
    return np.array([priors[label] for label in classes.tolist()], np.float64)


def _named(classes: NDArray[Any]) -> str:
    shown = ", ".join(repr(label) for label in classes.tolist()[:5])
    return shown + (", …" if len(classes) > 5 else "")
