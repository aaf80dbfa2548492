"""What the drawings share: two classes of points, colours, arrows."""

import matplotlib.pyplot as plt
import numpy as np

BLUE, RED, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#9a9a9a"


def two_classes(seed=3, n=11):
    rng = np.random.default_rng(seed)
    a = rng.normal([0.32, 0.5], [0.11, 0.2], (n, 2))
    b = rng.normal([0.68, 0.5], [0.11, 0.2], (n, 2))
    return np.vstack([a, b]), np.repeat([0, 1], n)


def few_points():
    """A sample, row 0, with room around it, and its nearest hit and nearest miss."""
    a = [
        (0.38, 0.5),
        (0.2, 0.62),
        (0.06, 0.34),
        (0.22, 0.22),
        (0.12, 0.85),
        (0.34, 0.9),
    ]
    b = [
        (0.68, 0.36),
        (0.9, 0.5),
        (0.78, 0.72),
        (0.86, 0.18),
        (0.66, 0.92),
        (0.95, 0.8),
    ]
    return np.array(a + b), np.repeat([0, 1], [len(a), len(b)])


def closest_to(X, place, y=None, label=0):
    d = np.linalg.norm(X - np.asarray(place), axis=1)
    return int(np.argmin(d if y is None else np.where(y == label, d, np.inf)))


def plane(ax, title=None):
    ax.set(xticks=[], yticks=[], xlabel="feature 1", ylabel="feature 2", aspect="equal")
    if title:
        ax.set_title(title)
    return ax


def points(ax, X, y, **options):
    for label, (color, marker) in enumerate([(BLUE, "o"), (RED, "s"), (GREEN, "^")]):
        mine = X[y == label]
        if len(mine):
            ax.scatter(*mine.T, color=color, marker=marker, s=34, zorder=3, **options)


def ring(ax, x, color="black"):
    ax.scatter(*x, s=150, facecolor="none", edgecolor=color, linewidth=1.6, zorder=4)


def line(ax, a, b, color, style="-", width=1.8, **options):
    ax.plot(
        [a[0], b[0]], [a[1], b[1]], style, color=color, lw=width, zorder=2, **options
    )


def nearest(X, i, candidates, k=1):
    d = np.linalg.norm(X[candidates] - X[i], axis=1)
    return [int(candidates[j]) for j in np.argsort(d)[:k]]


def others(y, i, label=None):
    """Rows of class `label`, or of i's own class without i."""
    label = y[i] if label is None else label
    return np.array([j for j in np.flatnonzero(y == label) if j != i])


def figure(width=4.2, height=3.4, **options):
    return plt.subplots(figsize=(width, height), layout="constrained", **options)


def bars(ax, scores, n_relevant, title):
    colors = [BLUE if f < n_relevant else GREY for f in range(len(scores))]
    ax.bar(np.arange(len(scores)), scores, color=colors)
    ax.axhline(0, color="0.3", lw=0.8)
    ax.set(xlabel="feature", title=title, xticks=np.arange(0, len(scores), 2))
