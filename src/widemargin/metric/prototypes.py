"""`MarginPrototypes`: few prototypes and feature weights, by one margin.

References
----------
B. Hammer, T. Villmann, *Generalized relevance learning vector quantization*, Neural
Networks 15, 2002. R. Gilad-Bachrach, A. Navot, N. Tishby, *Margin based feature
selection: theory and algorithms*, ICML 2004, section 6, propose to choose prototypes
and features by the same margin.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin._sklearn import StrOptions, _fit_context
from widemargin.base.estimator import (
    COUNT,
    POSITIVE,
    Documented,
    Versioned,
    all_or_nothing,
)
from widemargin.data.protocol import Floats, Ints
from widemargin.metric.scaler import spans_of

STARTS = 10  # of k-means


@dataclass(eq=False, repr=False)
class MarginPrototypes(ClassifierMixin, Versioned, Documented, BaseEstimator):
    """Classify by the nearest of a few prototypes, under learned feature weights.

    Prototypes P and relevances λ_f ≥ 0 are learned together, by the relative margin of
    each row x to the nearest prototype of its class and that of all others:

        μ(x) = (d⁺ − d⁻) / (d⁺ + d⁻),    d_P(x) = Σ_f λ_f (x_f − P_f)²,

    which is negative if x is classified correctly. The mean of 1 / (1 + exp(−β μ)) is
    minimised from the class means, or centres of k-means within each class, and equal
    λ. That is the cost of GRLVQ; steps are those of L-BFGS on all rows instead of
    stochastic ones, so there is no rate to set, and the same seed gives the same model.

    Parameters
    ----------
    n_prototypes : int, default=1
        Prototypes of each class; a class with fewer different rows has fewer.
    beta : float, default=10.0
        β, the slope of the sigmoid: a large one counts errors, a small one margins.
    scale : {"minmax", "standard"} or None, default="minmax"
        Scaling of the features: by range, by standard deviation, or none.
    max_iter : int, default=200
        Maximum number of steps.
    random_state : int, RandomState or None, default=None
        Random seed of k-means.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    prototypes_ : array of shape (n_prototypes, n_features)
        In the units of X.
    prototype_classes_ : array of shape (n_prototypes,)
        Their labels.
    feature_importances_ : array of shape (n_features,)
        λ of the scaled features; their sum is 1.
    loss_ : float
        Mean of 1 / (1 + exp(−β μ)).
    n_iter_ : int
        Steps taken.
    n_features_in_ : int
    feature_names_in_ : array of str, if X had names

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from widemargin import MarginPrototypes
    >>> X, y = load_wine(return_X_y=True)
    >>> model = MarginPrototypes().fit(X[::2], y[::2])
    >>> model.prototypes_.shape
    (3, 13)
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    n_prototypes: int = 1
    _: KW_ONLY
    beta: float = 10.0
    scale: Literal["minmax", "standard"] | None = "minmax"
    max_iter: int = 200
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_prototypes": [COUNT],
        "beta": [POSITIVE],
        "scale": [StrOptions({"minmax", "standard"}), None],
        "max_iter": [COUNT],
        "random_state": ["random_state"],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Learn prototypes and relevances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"MarginPrototypes needs at least 2 classes in y, got 1 class "
                f"({self.classes_.tolist()[0]!r})."
            )
        low, span = X.min(axis=0), spans_of(X, self.scale)
        Z = (X - low) / span
        P, labels = self._start(Z, codes)
        d = Z.shape[1]
        start = np.concatenate([np.full(d, d**-0.5), P.ravel()])
        found = minimize(
            loss_and_gradient,
            start,
            (Z, codes[:, None] == labels, self.beta),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.max_iter},
        )
        relevance = found.x[:d] ** 2
        self.feature_importances_ = relevance / relevance.sum()
        self.prototypes_ = found.x[d:].reshape(-1, d) * span + low
        self.prototype_classes_ = self.classes_[labels]
        self.loss_, self.n_iter_ = float(found.fun), int(found.nit)
        self._low, self._span = low, span
        return self

    def _start(self, Z: Floats, codes: Ints) -> tuple[Floats, Ints]:
        """Centres of k-means in each class, and their classes."""
        centres = []
        for c in range(len(self.classes_)):
            rows = Z[codes == c]
            k = min(self.n_prototypes, len(np.unique(rows, axis=0)))
            found = KMeans(k, n_init=STARTS, random_state=self.random_state).fit(rows)
            centres.append(found.cluster_centers_)
        sizes = [len(part) for part in centres]
        return np.vstack(centres), np.repeat(np.arange(len(sizes)), sizes)

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of the nearest prototype of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With the columns that `fit` has seen.

        Returns
        -------
        y : array of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        Z, P = ((A - self._low) / self._span for A in (X, self.prototypes_))
        D = squared_distances(Z, P, self.feature_importances_)
        labels: NDArray[Any] = self.prototype_classes_[D.argmin(axis=1)]
        return labels


def squared_distances(Z: Floats, P: Floats, relevance: Floats) -> Floats:
    """Σ_f λ_f (z_f − P_f)² of each row and prototype, by direct differences."""
    return np.stack([((Z - p) ** 2) @ relevance for p in P], axis=1)


def loss_and_gradient(
    theta: Floats, Z: Floats, same: NDArray[np.bool_], beta: float
) -> tuple[float, Floats]:
    """Mean of 1 / (1 + exp(−β μ)), and its derivatives.

    ``theta`` holds √λ and then the prototypes; μ does not change if all λ are
    multiplied. ``same`` says which prototypes are of the class of each row.
    """
    n, d = Z.shape
    root, P = theta[:d], theta[d:].reshape(-1, d)
    relevance = root**2
    D, rows = squared_distances(Z, P, relevance), np.arange(n)
    own = np.where(same, D, np.inf).argmin(axis=1)
    other = np.where(same, np.inf, D).argmin(axis=1)
    near, far = D[rows, own], D[rows, other]
    total = np.maximum(near + far, np.finfo(float).tiny)
    u = expit(beta * (near - far) / total)
    slope = 2 * beta * u * (1 - u) / (total * n)  # of the mean, by μ, times 2 / total
    by_relevance, by_prototype = np.zeros(d), np.zeros_like(P)
    for nearest, weight in (
        (own, slope * (far / total)),
        (other, -slope * near / total),
    ):
        t = Z - P[nearest]
        by_relevance += weight @ t**2
        np.add.at(by_prototype, nearest, -2 * weight[:, None] * t * relevance)
    gradient = np.concatenate([2 * root * by_relevance, by_prototype.ravel()])
    return float(u.mean()), gradient
