"""`Selection`: features that were selected, as a file and as a fitted selector."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags, check_array

from widemargin._sklearn import _get_output_config
from widemargin._version import __version__
from widemargin.data.frames import PRESERVED, as_frame, for_output, is_frame
from widemargin.plain import plain, plain_numbers, write_whole

FORMAT = 1  # raised when a field changes its meaning
KIND = "selection"
OPTIONAL = ("method", "parameters", "scores", "ranking", "file", "settings")


@dataclass(eq=False, repr=False)
class Selection(SelectorMixin, BaseEstimator):
    """Selected features by name: a fitted selector that can be saved as JSON.

    It needs no `fit`. Columns of a DataFrame are found by name: they may be in any
    order, and there may be others. An array must have all columns of the original table
    in the original order.

    Parameters
    ----------
    kept : list of str
        Names of the selected features.
    features : list of str, default=None
        Names of all features of the original table, in order. None if ``kept`` are all
        that is known.
    method : str, default=None
        What selected them.
    parameters : dict, default=None
        Of the method.
    scores, ranking : array-like of shape (n_features,), default=None
        Of all features.
    file : str, default=None
        What the table was read from.
    settings : dict, default=None
        Anything else worth knowing, as plain values.

    Attributes
    ----------
    support_ : array of bool of shape (n_features,)
    scores_, ranking_ : array of shape (n_features,) or None
    n_features_in_ : int
    feature_names_in_ : array of str of shape (n_features,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from widemargin import ReliefF, Selection
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selection = Selection.from_selector(ReliefF(2).fit(X, y))
    >>> selection
    Selection(2 of 4 features by ReliefF)
    >>> selection.kept
    ['petal length (cm)', 'petal width (cm)']
    >>> selection.transform(X).shape
    (150, 2)
    """

    kept: Sequence[str]
    features: Sequence[str] | None = None
    _: KW_ONLY
    method: str | None = None
    parameters: Mapping[str, Any] | None = None
    scores: Any = None
    ranking: Any = None
    file: str | None = None
    settings: Mapping[str, Any] | None = None

    @classmethod
    def from_selector(
        cls,
        selector: Any,
        *,
        feature_names: Iterable[Any] | None = None,
        file: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Self:
        """Take over what a fitted selector has selected.

        Parameters
        ----------
        selector : fitted selector
            Of this package, or any of scikit-learn's.
        feature_names : iterable of str, default=None
            Names of the features it was fitted to; by default those that it knows,
            else x0, x1, … in order.
        file : str, default=None
            What the table was read from.
        settings : dict, default=None
            Anything else worth knowing, as plain values.

        Returns
        -------
        selection : Selection
        """
        support = np.asarray(selector.get_support(), bool)
        features = names_of(selector, feature_names)
        if len(features) != len(support):
            raise ValueError(
                f"Selection needs a name for each of {len(support)} features, got "
                f"{len(features)}."
            )
        params = selector.get_params(deep=False)
        return cls(
            [name for name, keep in zip(features, support, strict=True) if keep],
            features,
            method=type(selector).__name__,
            parameters={name: plain(value) for name, value in params.items()},
            scores=plain_numbers(getattr(selector, "scores_", None)),
            ranking=plain_numbers(getattr(selector, "ranking_", None)),
            file=file,
            settings=None if settings is None else dict(settings),
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` has written.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        selection : Selection
            Ready for `transform`.
        """
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"Selection.load: {path} is not JSON in UTF-8: {error}."
            ) from None
        return _from_data(cls, data, str(path))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write everything to a JSON file, replacing one that is there.

        Parameters
        ----------
        path : str or path-like
            Where to.

        Returns
        -------
        path : Path
            The file written.
        """
        support = self.support_  # checks the names
        data = {
            "widemargin": KIND,
            "version": __version__,
            "format": FORMAT,
            "method": self.method,
            "parameters": plain(dict(self.parameters or {})),
            "features": self.feature_names_in_.tolist(),
            "kept": self.feature_names_in_[support].tolist(),
            "scores": plain_numbers(self.scores),
            "ranking": plain_numbers(self.ranking),
            "file": self.file,
            "settings": plain(dict(self.settings or {})),
        }
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        return write_whole(Path(path), text)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check that X has the selected features; there is nothing to learn.

        Parameters
        ----------
        X : array-like or frame
            The table that is to be reduced.
        y : None, default=None
            Ignored.

        Returns
        -------
        self : object
            The selection itself.
        """
        self._columns(X)
        return self

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features, in the order of the original table.

        Parameters
        ----------
        X : array-like or frame
            A frame with the selected features among its columns, or an array with all
            columns of the original table.

        Returns
        -------
        X_r : array or frame of shape (n_samples, n_selected_features)
            A frame if `set_output` asks for one, a Dask collection if X is one.
        """
        chosen = self._columns(X)
        if not is_frame(chosen) or type(chosen).__module__.startswith("dask"):
            return chosen
        config = _get_output_config("transform", estimator=self)["dense"]
        return np.asarray(chosen) if config == "default" else for_output(chosen, config)

    def _columns(self, X: Any) -> Any:
        support, X = self.support_, as_frame(X, "Selection")
        if is_frame(X):
            kept = self.feature_names_in_[support].tolist()
            return X[self._found(kept, list(X.columns))]
        if not type(X).__module__.startswith("dask"):
            X = check_array(X, dtype=None, accept_sparse="csr", ensure_all_finite=False)
        if X.shape[1] != len(support):
            raise ValueError(
                f"Selection needs an array with the {len(support)} columns of the "
                f"original table, got {X.shape[1]}. In a DataFrame, columns are found "
                "by name."
            )
        return X[:, np.flatnonzero(support)]

    def _found(self, kept: list[str], columns: list[Any]) -> list[Any]:
        """The selected columns of a frame, whose labels may be numbers."""
        by_name = {str(label): label for label in columns}
        lacking = [name for name in kept if name not in by_name]
        if lacking:
            shown = ", ".join(map(repr, lacking[:5])) + ", …" * (len(lacking) > 5)
            near = get_close_matches(lacking[0], by_name, n=1)
            hint = f" {lacking[0]!r} may be {near[0]!r}." if near else ""
            raise ValueError(
                f"Selection needs all of its {len(kept)} features in X, which lacks "
                f"{len(lacking)}: {shown}.{hint}"
            )
        return [by_name[name] for name in kept]

    @property
    def support_(self) -> NDArray[np.bool_]:
        """Which of the features are selected."""
        names, kept = self.feature_names_in_.tolist(), [str(name) for name in self.kept]
        for what, given in (("features", names), ("kept", kept)):
            twice = [name for name, count in Counter(given).items() if count > 1]
            if twice:
                raise ValueError(f"Selection has {twice[0]!r} twice in {what}.")
        unknown = sorted(set(kept) - set(names))
        if unknown:
            raise ValueError(
                f"Selection keeps {unknown[0]!r}, which is not one of its features."
            )
        return np.isin(np.array(names, object), np.array(kept, object))

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the features of the original table."""
        names = self.kept if self.features is None else self.features
        return np.array([str(name) for name in names], dtype=object)

    @property
    def n_features_in_(self) -> int:
        """How many features the original table has."""
        return len(self.feature_names_in_)

    @property
    def scores_(self) -> NDArray[np.float64] | None:
        """Scores of all features; NaN where there is none."""
        return None if self.scores is None else np.array(self.scores, np.float64)

    @property
    def ranking_(self) -> NDArray[np.int64] | None:
        """Ranks of all features, 1 for the best."""
        return None if self.ranking is None else np.array(self.ranking, np.int64)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        return self.support_

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = list(PRESERVED)
        return tags

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        by = f" by {self.method}" if self.method else ""
        of = "" if self.features is None else f" of {self.n_features_in_}"
        noun = "feature" if of == "" and len(self.kept) == 1 else "features"
        return f"Selection({len(self.kept)}{of} {noun}{by})"


def names_of(selector: Any, given: Iterable[Any] | None = None) -> list[str]:
    """Names of the features that a selector was fitted to, else x0, x1 and so on."""
    names = getattr(selector, "feature_names_in_", None) if given is None else given
    if names is None:
        names = [f"x{j}" for j in range(len(selector.get_support()))]
    return [str(name) for name in names]


def _from_data(cls: type[Any], data: Any, path: str) -> Any:
    """A selection from the content of a file, once all of it is as it should be."""
    if not isinstance(data, dict) or data.get("widemargin") != KIND:
        raise ValueError(
            f"Selection.load: {path} is not a selection that widemargin has saved."
        )
    if data.get("format") != FORMAT:
        raise ValueError(
            f"Selection.load: {path} has format {data.get('format')!r}, written by "
            f"widemargin {data.get('version')}; this version reads format {FORMAT}."
        )
    for name in ("kept", "features"):
        names = data.get(name)
        if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
            raise ValueError(f"Selection.load: {path} has no list of names in {name}.")
    kinds = {"scores": (int, float, type(None)), "ranking": (int,)}
    for name, allowed in kinds.items():
        values = data.get(name)
        fits = isinstance(values, list) and len(values) == len(data["features"])
        if values is not None and not (fits and {*map(type, values)} <= {*allowed}):
            raise ValueError(
                f"Selection.load: {path} does not have one number per feature in "
                f"{name}."
            )
    for name in ("parameters", "settings"):
        if not isinstance(data.get(name), dict | None):
            raise ValueError(f"Selection.load: {path} has no object in {name}.")
    selection = cls(
        data["kept"],
        data["features"],
        **{name: data.get(name) for name in OPTIONAL},
    )
    try:
        _ = selection.support_, selection.scores_, selection.ranking_
    except (ValueError, OverflowError) as error:
        raise ValueError(f"Selection.load: {path}: {error}") from None
    return selection
