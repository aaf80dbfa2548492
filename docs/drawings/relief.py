from _points import *


def draw():
    X, y = two_classes()
    fig, ax = figure(5.2, 3.6)
    i = closest_to(X, [0.36, 0.5], y)
    hit, miss = nearest(X, i, others(y, i))[0], nearest(X, i, others(y, i, 1))[0]
    points(ax, X, y, alpha=0.35)
    for j, color in ((hit, BLUE), (miss, RED)):
        corner = np.array([X[j, 0], X[i, 1]])
        line(ax, X[i], corner, color, width=3)
        line(ax, corner, X[j], color, ":", 1.5)
        points(ax, X[[j]], y[[j]])
    points(ax, X[[i]], y[[i]])
    ring(ax, X[i])
    ax.annotate(
        "|x − miss| of feature 1\ncounts for it",
        ((X[i, 0] + X[miss, 0]) / 2, X[i, 1]),
        (0, -34),
        textcoords="offset points",
        ha="center",
        color=RED,
        fontsize=9,
    )
    ax.annotate(
        "|x − hit|\nagainst it",
        ((X[i, 0] + X[hit, 0]) / 2, X[i, 1]),
        (-26, 16),
        textcoords="offset points",
        ha="center",
        color=BLUE,
        fontsize=9,
    )
    plane(ax)
    return fig
