"""KernelRFE with all rows, by its definition: weights, losses and differences of them.

No closed form is used: the gradient is a complex-step derivative of the loss, and a
row is left out by leaving it out.
"""

import numpy as np

TIE = 1e-9  # scores that differ by less, relatively, are equal
STEP = 1e-30  # into the imaginary direction, where nothing cancels


def target_columns(y, numeric):
    """(1[y_i = c] - p_c) / sqrt(p_c) for each class, or the standardised numbers."""
    y = np.asarray(y)
    if numeric:
        columns = y.reshape(len(y), -1).T
        return np.array([(c - c.mean()) / c.std() for c in columns]).T
    columns = []
    for c in np.unique(y):
        p = np.mean(y == c)
        columns.append([((label == c) - p) / np.sqrt(p) for label in y])
    return np.array(columns, dtype=float).T


def block(x, nominal):
    """The columns of one feature, standardised; NaN becomes the mean."""
    known = ~np.isnan(x)
    if not nominal:
        z = (x - x[known].mean()) / x[known].std()
        return np.where(known, z, 0.0)[:, None]
    values = np.unique(x[known])
    shares = [np.mean(x[known] == v) for v in values]
    # Two rows differ with this probability, and then in two of the indicators.
    differ = 1 - sum(q**2 for q in shares)
    columns = [
        np.where(known, ((x == v) - q) / np.sqrt(differ), 0.0)
        for v, q in zip(values, shares, strict=True)
    ]
    return np.array(columns).T


def pairs(z):
    """What a feature contributes to D_ij and to Z Z', over all pairs of rows."""
    n = len(z)
    differences, products = np.empty((n, n)), np.empty((n, n))
    for i in range(n):
        differences[i] = ((z[i] - z) ** 2).sum(axis=1)
        products[i] = z @ z[i]
    return differences, products


def kernel(features, w, m, t, gamma, a):
    """K with weight w_f of feature f in D_ij and in Z Z'."""
    D = sum(w_f * E for (E, _), w_f in zip(features, w, strict=True))
    G = sum(w_f * P for (_, P), w_f in zip(features, w, strict=True))
    return (1 - a) * np.exp(-gamma * D / m) + a / t * G


def fixed_scales(features):
    """m and t of a set of features."""
    n = len(features[0][0])
    m = sum(E.sum() for E, _ in features) / (n * (n - 1))
    return m, sum(np.trace(P) / n for _, P in features)


def loss_of(K, Y, alpha):
    return np.trace(Y.T @ np.linalg.solve(K + alpha * np.eye(len(K)), Y))


def loss_with(features, Y, gamma, a, alpha):
    """tr Y'(K + alpha I)^-1 Y of a set of features."""
    if not features:
        return np.sum(Y**2) / alpha
    m, t = fixed_scales(features)
    return loss_of(kernel(features, np.ones(len(features)), m, t, gamma, a), Y, alpha)


def gradient(features, Y, gamma, a, alpha):
    """Minus the derivative of the loss by each weight at w = 1, m and t held fixed."""
    m, t = fixed_scales(features)
    slopes = []
    for f in range(len(features)):
        w = np.ones(len(features), dtype=complex)
        w[f] += 1j * STEP
        slopes.append(
            -loss_of(kernel(features, w, m, t, gamma, a), Y, alpha).imag / STEP
        )
    return np.array(slopes)


def leave_one_out(features, Y, gamma, a, alpha):
    """Squared error of kernel ridge regression for rows it was not fitted to."""
    K = kernel(features, np.ones(len(features)), *fixed_scales(features), gamma, a)
    error = 0.0
    for i in range(len(Y)):
        others = np.delete(np.arange(len(Y)), i)
        ridge = K[np.ix_(others, others)] + alpha * np.eye(len(others))
        error += np.sum((Y[i] - K[i, others] @ np.linalg.solve(ridge, Y[others])) ** 2)
    return error


def worst_first(s):
    """Positions from the lowest score up; of equal ones the last column first."""
    places = sorted(range(len(s)), key=lambda f: s[f])
    tolerance = TIE * max(abs(score) for score in s)
    group, groups = 0, {}
    for before, f in zip([places[0], *places], places, strict=False):
        group += s[f] - s[before] > tolerance
        groups[f] = group
    return sorted(places, key=lambda f: (groups[f], -f))


def kernel_rfe(
    X,
    y,
    *,
    nominal=(),
    numeric=False,
    gamma=2.0,
    linear=0.1,
    alpha=1.0,
    with_errors=False,
):
    """Ranking, gradient with all features, and leave-one-out errors by size."""
    X, Y = np.asarray(X, dtype=float), target_columns(y, numeric)
    d = X.shape[1]
    features = {
        f: pairs(block(X[:, f], f in nominal))
        for f in range(d)
        if len(np.unique(X[~np.isnan(X[:, f]), f])) > 1
    }
    how = {"gamma": gamma, "a": linear, "alpha": alpha}
    S, first, errors = sorted(features), np.zeros(d), np.full(d, np.nan)
    dropped = [f for f in range(d - 1, -1, -1) if f not in features]
    if S:
        first[S] = gradient([features[f] for f in S], Y, **how)
    while S:
        chosen = [features[f] for f in S]
        if with_errors:
            errors[len(S) - 1] = leave_one_out(chosen, Y, **how) / np.sum(Y**2)
        if len(S) > 10:
            s = gradient(chosen, Y, **how)
        else:
            s = [loss_with([features[g] for g in S if g != f], Y, **how) for f in S]
        number = max(1, len(S) // (5 if len(S) > 40 else 10))
        gone = [S[place] for place in worst_first(s)[:number]]
        dropped += gone
        S = [f for f in S if f not in gone]
    ranking = np.empty(d, int)
    ranking[dropped[::-1]] = np.arange(1, d + 1)
    return ranking, first / np.sum(Y**2), errors


def weighted_loss(X, y, w, *, gamma=2.0, a=0.1, alpha=1.0):
    """Loss of kernel ridge regression with weights of rows of mean 1, all features.

    The coefficients c minimise Σ_i w_i (y_i − (Kc)_i)² + alpha c'Kc; the loss is that
    minimum over alpha.
    """
    w = np.asarray(w) / np.mean(w)
    Z, n = np.asarray(X, dtype=float), len(y)
    Z = Z - np.average(Z, axis=0, weights=w)
    Z = Z / np.sqrt(np.average(Z**2, axis=0, weights=w))
    columns = []
    for c in np.unique(y):
        p = np.average(y == c, weights=w)
        columns.append(((y == c) - p) / np.sqrt(p))
    D = np.array([[np.sum((Z[i] - Z[j]) ** 2) for j in range(n)] for i in range(n)])
    apart = np.outer(w, w) * (1 - np.eye(n))
    m = np.sum(apart * D) / np.sum(apart)
    K = (1 - a) * np.exp(-gamma * D / m) + a / Z.shape[1] * Z @ Z.T
    loss = 0.0
    for Y in columns:
        c = np.linalg.solve(np.diag(w) @ K + alpha * np.eye(n), w * Y)
        loss += (np.sum(w * (Y - K @ c) ** 2) + alpha * c @ K @ c) / alpha
    return loss
