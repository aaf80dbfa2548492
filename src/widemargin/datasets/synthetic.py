"""The papers' synthetic problems, whose first few features matter, and noise."""

from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array, check_random_state

Drawn: TypeAlias = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]
RandomState: TypeAlias = int | np.random.RandomState | None


def make_xor(
    n_samples: int = 1000,
    n_features: int = 10,
    n_relevant: int = 3,
    *,
    random_state: RandomState = None,
) -> Drawn:
    """Draw the xor problem: the class is the parity of the first features' signs.

    Every feature is uniform on [-1, 1]. No relevant feature carries information about
    the class by itself, nor do any ``n_relevant - 1`` of them together, so a univariate
    method is bound to fail.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    n_features : int, default=10
        Number of columns.
    n_relevant : int, default=3
        Number of leading columns that determine the class.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draw.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The features.
    y : ndarray of shape (n_samples,)
        1 where an odd number of the relevant features is positive, else 0.

    References
    ----------
    R. Gilad-Bachrach, A. Navot, N. Tishby, "Margin based feature selection: theory and
    algorithms", ICML 2004, section 5.1. The defaults are the paper's.

    Examples
    --------
    >>> from widemargin.datasets import make_xor
    >>> X, y = make_xor(random_state=0)
    >>> X.shape
    (1000, 10)
    >>> bool(((X[:, :3] > 0).sum(axis=1) % 2 == y).all())
    True
    """
    check_count("make_xor", "n_samples", n_samples, 1)
    check_count("make_xor", "n_relevant", n_relevant, 1)
    check_count("make_xor", "n_features", n_features, n_relevant, "n_relevant")
    rng = check_random_state(random_state)
    X = rng.uniform(-1.0, 1.0, size=(n_samples, n_features))
    y = (X[:, :n_relevant] > 0).sum(axis=1) % 2
    return X, y.astype(np.int64)


def make_quadrants(
    n_samples: int = 100, n_features: int = 10, *, random_state: RandomState = None
) -> Drawn:
    """Draw four classes: the quadrants of the plane of the first two features.

    Every feature is standard normal, and the class is ``2 * (x1 > 0) + (x2 > 0)``.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    n_features : int, default=10
        Number of columns, of which the first two matter.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draw.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The features.
    y : ndarray of shape (n_samples,)
        The quadrant, 0 to 3.

    References
    ----------
    Y. Li, B.-L. Lu, "Feature selection based on loss-margin of nearest neighbor
    classification", Pattern Recognition 42, 2009, section 4 ("multi-class"). The paper
    calls the values random and splits them at zero; the normal distribution is our
    choice.

    Examples
    --------
    >>> from widemargin.datasets import make_quadrants
    >>> X, y = make_quadrants(random_state=0)
    >>> X.shape
    (100, 10)
    >>> sorted({int(label) for label in y})
    [0, 1, 2, 3]
    """
    check_count("make_quadrants", "n_samples", n_samples, 1)
    check_count("make_quadrants", "n_features", n_features, 2)
    rng = check_random_state(random_state)
    X = rng.standard_normal(size=(n_samples, n_features))
    y = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    return X, y.astype(np.int64)


def make_gaussian_relevant(
    n_samples: int = 100,
    n_features: int = 20,
    *,
    n_relevant: int = 6,
    random_state: RandomState = None,
) -> Drawn:
    """Draw two classes that differ in the mean of the first, Gaussian features.

    The relevant features have unit variance and mean -1.5 in class 0, +1.5 in class 1.
    At three standard deviations apart, each of them alone classifies 93 % of the
    samples correctly, and at the default size Relief ranks all six above every other
    feature. The others are uniform on [-1, 1]. Classes are of equal size, to within one
    row, and in random order.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    n_features : int, default=20
        Number of columns.
    n_relevant : int, default=6
        Number of leading columns that depend on the class.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draw.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The features.
    y : ndarray of shape (n_samples,)
        The class, 0 or 1.

    References
    ----------
    Y. Li, B.-L. Lu, "Feature selection based on loss-margin of nearest neighbor
    classification", Pattern Recognition 42, 2009, section 4 ("S1": 100 samples, six
    Gaussian features that matter, uniform ones that do not). The number of classes,
    the number of features and the means are not in the paper.

    Examples
    --------
    >>> from widemargin.datasets import make_gaussian_relevant
    >>> X, y = make_gaussian_relevant(random_state=0)
    >>> X.shape
    (100, 20)
    >>> gap = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    >>> [int(f) for f in (gap > 1.5).nonzero()[0]]
    [0, 1, 2, 3, 4, 5]
    """
    who = "make_gaussian_relevant"
    check_count(who, "n_samples", n_samples, 2)
    check_count(who, "n_relevant", n_relevant, 1)
    check_count(who, "n_features", n_features, n_relevant, "n_relevant")
    rng = check_random_state(random_state)
    y = rng.permutation(np.arange(n_samples) % 2)
    X = rng.uniform(-1.0, 1.0, size=(n_samples, n_features))
    means = np.where(y == 1, 1.5, -1.5)[:, np.newaxis]
    X[:, :n_relevant] = means + rng.standard_normal(size=(n_samples, n_relevant))
    return X, y.astype(np.int64)


def make_ordinal(
    n_samples_per_class: int = 100,
    n_features: int = 52,
    *,
    random_state: RandomState = None,
) -> Drawn:
    """Draw three ordered classes: one feature follows their order, one does not.

    Every feature is uniform on [0, 1] over all rows. Those of class 0, 1 and 2 lie in
    the lower, middle and upper third of the first feature, which is thus monotone: a
    higher value never means a lower class. They lie in the middle, upper and lower
    third of the second feature, which separates the classes equally well but rises and
    then falls. The others are independent of the class. Classes are of equal size and
    in random order.

    A method that asks how far apart the classes are (ReliefF, Simba) ranks the second
    feature at least as high as the first; one that asks for their order ranks the first
    above all.

    Parameters
    ----------
    n_samples_per_class : int, default=100
        Number of rows of each class; the paper uses 10, 20, …, 100.
    n_features : int, default=52
        Number of columns, of which the first two matter.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draw.

    Returns
    -------
    X : ndarray of shape (3 * n_samples_per_class, n_features)
        The features.
    y : ndarray of shape (3 * n_samples_per_class,)
        The class, 0 < 1 < 2.

    References
    ----------
    Q. Hu, W. Pan, Y. Song, D. Yu, "Large-margin feature selection for monotonic
    classification", Knowledge-Based Systems, 2012, section 4.1: three classes, a
    feature with the monotonicity constraint, one without, and 50 uniform ones. How the
    first two are distributed is shown in a scatter plot only; the thirds are our
    choice.

    Examples
    --------
    >>> from widemargin.datasets import make_ordinal
    >>> X, y = make_ordinal(random_state=0)
    >>> X.shape
    (300, 52)
    >>> bool((y[X[:, 0].argsort()] == sorted(y)).all())
    True
    """
    check_count("make_ordinal", "n_samples_per_class", n_samples_per_class, 1)
    check_count("make_ordinal", "n_features", n_features, 2)
    rng = check_random_state(random_state)
    y = rng.permutation(np.repeat([0, 1, 2], n_samples_per_class))
    X = rng.uniform(size=(len(y), n_features))
    thirds = np.column_stack([y, (y + 1) % 3])
    X[:, :2] = (thirds + X[:, :2]) / 3
    return X, y.astype(np.int64)


def append_noise(
    X: Any,
    n_columns: int = 50,
    *,
    kind: str = "permuted",
    random_state: RandomState = None,
) -> npt.NDArray[np.float64]:
    """Append columns that do not depend on the class.

    A permuted copy has the same values as the real feature, and so the same spread,
    granularity and outliers, but no information about the class. A method that ranks
    real features above uniform columns may merely prefer a certain spread; it should
    rank them above permuted copies, too.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers; NaN is missing. It is not changed.
    n_columns : int, default=50
        How many columns to append.
    kind : {"permuted", "uniform"}, default="permuted"
        Copies of the columns of X, each with its rows in a random order of its own:
        all of X in random order, then all again, as far as needed; or uniform numbers
        on [0, 1].
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draw.

    Returns
    -------
    X_noisy : ndarray of shape (n_samples, n_features + n_columns)
        X, and the new columns behind it.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.datasets import append_noise
    >>> X = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    >>> append_noise(X, 2, random_state=0)
    array([[ 1., 10., 30.,  1.],
           [ 2., 20., 10.,  3.],
           [ 3., 30., 20.,  2.]])
    """
    check_count("append_noise", "n_columns", n_columns, 0)
    if kind not in ("permuted", "uniform"):
        raise ValueError(
            f'append_noise needs kind to be "permuted" or "uniform", got {kind!r}.'
        )
    X = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
    rng = check_random_state(random_state)
    n, d = X.shape
    if kind == "uniform":
        return np.hstack([X, rng.uniform(size=(n, n_columns))])
    rounds = [rng.permutation(d) for _ in range(-(-n_columns // d))]
    sources = np.concatenate([*rounds, np.empty(0, np.int64)])[:n_columns]
    copies = [X[rng.permutation(n), f] for f in sources.astype(np.int64)]
    return np.column_stack([X, *copies])


def check_count(
    who: str, name: str, value: Any, least: int, least_name: str | None = None
) -> None:
    """Refuse what is not a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{who} needs an integer {name}, got {value!r}.")
    if value < least:
        bound = f"{least_name}={least}" if least_name else f"{least}"
        raise ValueError(f"{who} needs {name} of at least {bound}, got {value!r}.")
