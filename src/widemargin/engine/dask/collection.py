"""What the caller passes: X, labels and weights, in partitions or in memory."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from widemargin._sklearn import _safe_indexing
from widemargin.data.labels import encode, plain_labels, refuse_several_labels
from widemargin.data.protocol import Floats, Ints
from widemargin.data.table import some_rows
from widemargin.data.weights import of_mean_one, read_weights
from widemargin.engine import on_dask
from widemargin.engine.dask import _dask
from widemargin.engine.dask.cluster import Cluster
from widemargin.engine.dask.encoding import Labels, code_type, join_labels, label_part
from widemargin.notices import warn
from widemargin.settings import current


class PerRow:
    """Something for each row: partitions of a Dask collection, or values in memory."""

    def __init__(self, cluster: Cluster, values: Any, parts: Any = None) -> None:
        self.cluster, self.values = cluster, values
        self.parts: list[Any] = parts or []
        if parts is None and hasattr(values, "to_delayed"):
            self.parts = list(np.ravel(values.to_delayed()))

    @cached_property
    def lengths(self) -> Ints:
        """Rows of each partition."""
        if not self.parts:
            return np.array([len(self.values)])
        chunks = getattr(self.values, "chunks", ((np.nan,),))[0]
        if not np.isnan(chunks).any():
            return np.array(chunks)
        counts = [self.cluster.call(len, part) for part in self.parts]
        return np.array(self.cluster.compute(counts))

    @property
    def n(self) -> int:
        """Rows of all."""
        return int(self.lengths.sum())

    def take(self, rows: Ints) -> PerRow:
        """Some of the rows, ascending."""
        if not self.parts:
            return PerRow(self.cluster, _safe_indexing(self.values, rows))
        stops = np.cumsum(self.lengths)
        ends = np.searchsorted(rows, [0, *stops])
        taken = PerRow(self.cluster, None)
        for part, length, stop, of_part in zip(
            self.parts, self.lengths, stops, pairwise(ends), strict=True
        ):
            places = rows[slice(*of_part)] - (stop - length)
            taken.parts.append(self.cluster.call(_take, part, places, length))
        taken.lengths = np.diff(ends)
        return taken

    def gather(self) -> Any:
        """All of it, in memory."""
        if not self.parts:
            return self.values
        parts = self.cluster.compute(self.parts)
        return _dask.concatenated([part for part in parts if len(part)] or parts[:1])


def _take(part: Any, places: Ints, length: int) -> Any:
    if len(part) != length:
        raise ValueError(
            f"A partition of {len(part)} rows had {length} before: X and y are not "
            "what they were, or not in the same partitions."
        )
    return part.iloc[places] if hasattr(part, "iloc") else part[places]


class Collection:
    """A Dask array or frame, and its labels.

    Parameters
    ----------
    X : Dask array or frame
    y : Dask collection, array-like or str
        The labels, or the name of a column of X.
    name : str
        Name of the estimator, for messages.
    cluster : Cluster

    Attributes
    ----------
    weights : array of shape (n,) or None
        Of the rows, in units of their mean; None if all count the same.
    left : array of int or None
        The rows whose weight is not 0, as the caller numbers them; None: all.
    """

    def __init__(self, X: Any, y: Any, name: str, cluster: Cluster) -> None:
        self.name, self.cluster = name, cluster
        self.frame = hasattr(X, "columns")
        self.by_name = isinstance(y, str)
        if self.by_name:
            X, y = self._split(X, y)
        if not self.frame:
            X = self._one_column_of_chunks(X)
        refuse_several_labels(y, name)
        self.X = X
        self.rows = PerRow(cluster, X)
        self.labels = PerRow(cluster, y if on_dask(y) else plain_labels(y, name))
        self.weights: Floats | None = None
        self.left: Ints | None = None

    def _split(self, X: Any, label: str) -> tuple[Any, Any]:
        """X without the column of labels, and that."""
        columns = list(X.columns) if self.frame else []
        if label not in columns:
            shown = ", ".join(map(repr, columns[:5])) + (", …" * (len(columns) > 5))
            known = f"whose columns are {shown}" if self.frame else "an array"
            raise ValueError(
                f"{self.name}: y={label!r} is not the name of a column of X, {known}. "
                "Name the column with the labels, or pass them as y."
            )
        return X.drop(columns=[label]), X[label]

    def _one_column_of_chunks(self, X: Any) -> Any:
        shape: tuple[Any, ...] = getattr(X, "shape", ())
        if len(shape) != 2 or not hasattr(X, "rechunk"):
            raise ValueError(
                f"{self.name} needs X of shape (n_samples, n_features), a Dask array "
                f"or frame; got a Dask {type(X).__name__} of shape {shape}."
            )
        if np.isnan(shape[1]) or shape[1] == 0:
            raise ValueError(
                f"{self.name} needs X with a known number of features, at least 1; got "
                f"shape {shape}. X.compute_chunk_sizes() finds it out."
            )
        settings = self.cluster.settings
        rows = max(settings.min_block_rows, settings.min_block_cells // shape[1])
        if max(X.chunks[0]) <= rows // 2:
            return X.rechunk({0: rows, 1: -1})  # few tasks instead of many
        return X if X.numblocks[1] == 1 else X.rechunk({1: -1})

    def weigh(self, sample_weight: Any) -> None:
        """Take weights of all rows, and leave out rows of weight 0."""
        n, given = self.rows.n, PerRow(self.cluster, sample_weight).gather()
        w = read_weights(given, n, self.name)
        if w is not None and not w.all():
            self.refuse_other_length(self.labels.n, n)
            self.left = np.flatnonzero(w)
            self.rows, self.labels = (
                values.take(self.left) for values in (self.rows, self.labels)
            )
            w = w[self.left]
        self.weights = of_mean_one(w)

    def refuse_other_length(self, found: int, n: int) -> None:
        """Refuse labels that are not one for each of n rows."""
        if found != n:
            raise ValueError(
                f"{self.name} needs one label for each row, but X has {n} rows "
                f"and y has {found}."
            )

    def codes(self, parts: list[Labels], n: int, **options: Any) -> tuple[Any, Any]:
        """Class codes and classes of n rows.

        ``parts`` are the labels of each partition, if y is a Dask collection.
        ``options`` are those of `widemargin.data.labels.read_labels`.
        """
        if not parts:
            self.refuse_other_length(self.labels.n, n)
            codes, classes = encode(self.labels.values, self.name, **options)
            return codes.astype(code_type(len(classes))), classes
        found = sum(len(part.codes) for part in parts)
        self.refuse_other_length(found, n)
        return join_labels(parts, self.name, **options)

    def all_codes(self) -> tuple[Any, Any]:
        """Class codes and classes of all rows, before X is looked at."""
        labels = self.cluster.compute(self.label_tasks())
        lengths = np.array([len(part.codes) for part in labels])
        if self.by_name and len(lengths) == len(self.rows.parts):
            self.rows.lengths = lengths  # a column of X, in the same partitions
        return self.codes(labels, self.rows.n, look=False)

    def label_tasks(self, function: Any = label_part) -> list[Any]:
        """Tasks that code the labels of a Dask collection; none if y is in memory."""
        return [self.cluster.call(function, part) for part in self.labels.parts]

    def draw(self, codes: NDArray[Any], random_state: Any) -> tuple[Any, Any, Ints]:
        """X and y of random rows, as the caller has them, and which rows these are."""
        rows = some_rows(codes, self.most_drawn, check_random_state(random_state))
        X, y = (values.take(rows).gather() for values in (self.rows, self.labels))
        return X, y, rows

    @property
    def most_drawn(self) -> int:
        """Rows that are drawn from a cluster to be worked on in memory."""
        effort = current().effort
        cells = effort.drawn_cells // self.X.shape[1]
        return max(effort.min_drawn_rows, min(effort.drawn_rows, cells))


def drawn(name: str, X: Any, y: Any, random_state: Any, *others: Any) -> list[Any]:
    """Random rows of a Dask collection and its labels, in memory; says how many.

    ``others`` have a value for each row, or are None. The first are weights: rows of
    weight 0 are not drawn.
    """
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    cluster = Cluster(name)
    try:
        cluster.size()  # which checks the workers
        data = Collection(X, y, name, cluster)
        if others and others[0] is not None:
            data.weigh(others[0])
        codes, _ = data.all_codes()
        n = len(codes)
        X, y, rows = data.draw(codes, random_state)
        if len(rows) < n:
            warn(f"{name} works on {len(rows)} of {n} rows, drawn at random.")
        if data.left is not None:
            rows = data.left[rows]
        return [X, y, *(_some(cluster, values, rows) for values in others)]
    finally:
        cluster.release()


def _some(cluster: Cluster, values: Any, rows: Ints) -> Any:
    if values is None:
        return None
    return PerRow(cluster, values).take(rows).gather()
