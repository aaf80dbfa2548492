from _points import *

from widemargin import KernelRFE
from widemargin.datasets import make_xor


def soft_neighbours(ax):
    (X, y), i = few_points(), 0
    Z = (X - X.mean(0)) / X.std(0)
    D = ((Z[:, None] - Z) ** 2).sum(2)
    R = np.exp(-2 * D[i] / D[np.triu_indices(len(D), 1)].mean())
    for label, color in ((0, BLUE), (1, RED)):
        for j in others(y, i, label):
            line(ax, X[i], X[j], color, width=5 * R[j], alpha=float(R[j] ** 0.5))
    points(ax, X, y)
    ring(ax, X[i])
    plane(ax, "every row is a neighbour,\nnear ones count most")


def step(ax, left, s, title):
    gone = np.argsort(s)[: int(0.4 * len(s))]
    colors = np.where(np.isin(left, [0, 1]), BLUE, GREY).astype(object)
    colors[gone] = "#dddddd"
    ax.bar(left, s, color=colors)
    ax.scatter(left[gone], np.maximum(s[gone], 0), marker="x", s=22, color=RED)
    ax.axhline(0, color="0.3", lw=0.8)
    ax.set(xlabel="feature", xlim=(-1, 24), yticks=[], xticks=[0, 10, 20], title=title)
    return np.delete(left, gone)


def draw():
    X, y = make_xor(120, 24, 2, random_state=5)
    fig, axes = figure(9.4, 3.1, ncols=3, width_ratios=[1, 1.15, 1.15])
    soft_neighbours(axes[0])
    axes[2].sharey(axes[1])
    first = KernelRFE().fit(X, y).gradient_
    left = step(
        axes[1], np.arange(24), first, "$s_f$ with 24 features:\ndrop the lowest"
    )
    second = KernelRFE().fit(X[:, left], y).gradient_
    step(axes[2], left, second, f"$s_f$ with {len(left)} features:\nbetter neighbours")
    return fig
