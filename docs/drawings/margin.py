from _points import *


def draw():
    X, y = few_points()
    fig, ax = figure(5.2, 3.6)
    hit, miss = nearest(X, 0, others(y, 0))[0], nearest(X, 0, others(y, 0, 1))[0]
    points(ax, X, y)
    ring(ax, X[0])
    line(ax, X[0], X[hit], BLUE)
    line(ax, X[0], X[miss], RED)
    beside = {"textcoords": "offset points"}
    ax.annotate("sample x", X[0], (8, 10), **beside)
    ax.annotate("nearest hit", X[hit], (0, 9), ha="center", color=BLUE, **beside)
    ax.annotate("nearest miss", X[miss], (0, -18), ha="center", color=RED, **beside)
    plane(ax, "margin = ½ (length of red − length of blue)")
    ax.set(xlim=(0, 1.05), ylim=(0.05, 1))
    return fig
