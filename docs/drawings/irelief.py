from _points import *

from widemargin import IRelief
from widemargin.datasets import make_gaussian_relevant


def draw():
    X, y = two_classes(n=14)
    fig, axes = figure(7.6, 3.2, ncols=2)
    i = closest_to(X, [0.36, 0.5], y)
    d = np.abs(X - X[i]).sum(1)
    p = np.exp(-d / 0.12)
    p[i] = 0
    ax = axes[0]
    for label, color in ((0, BLUE), (1, RED)):
        for j in others(y, i, label):
            line(
                ax,
                X[i],
                X[j],
                color,
                width=1.2,
                alpha=float(min(1, 2.5 * p[j] / p.max())),
            )
    points(ax, X, y)
    ring(ax, X[i])
    plane(ax, "every row is a neighbour,\nwith a probability")
    X, y = make_gaussian_relevant(random_state=0)
    bars(axes[1], IRelief().fit(X, y).scores_, 6, "weights: six of 20 are relevant")
    return fig
