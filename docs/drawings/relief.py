from _points import *


def draw():
    X, y = few_points()
    fig, ax = figure(5.2, 3.6)
    hit, miss = nearest(X, 0, others(y, 0))[0], nearest(X, 0, others(y, 0, 1))[0]
    points(ax, X, y, alpha=0.35)
    for j, color in ((hit, BLUE), (miss, RED)):
        corner = np.array([X[j, 0], X[0, 1]])
        line(ax, X[0], corner, color, width=3)
        line(ax, corner, X[j], color, ":", 1.5)
    shown = [0, hit, miss]
    points(ax, X[shown], y[shown])
    ring(ax, X[0])
    beside = {"textcoords": "offset points", "ha": "center", "fontsize": 9}
    ax.annotate(
        "|x − miss| in feature 1:\nin its favour",
        ((X[0, 0] + X[miss, 0]) / 2, X[0, 1]),
        (22, 10),
        color=RED,
        **beside,
    )
    ax.annotate(
        "|x − hit| in feature 1:\nagainst it",
        ((X[0, 0] + X[hit, 0]) / 2, X[0, 1]),
        (0, -34),
        color=BLUE,
        **beside,
    )
    plane(ax)
    ax.set(xlim=(0, 1.05), ylim=(0.05, 1))
    return fig
