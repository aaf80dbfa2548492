from _points import *


def draw():
    X, y = two_classes()
    fig, ax = figure()
    i = closest_to(X, [0.36, 0.5], y)
    hit, miss = nearest(X, i, others(y, i))[0], nearest(X, i, others(y, i, 1))[0]
    points(ax, X, y)
    ring(ax, X[i])
    line(ax, X[i], X[hit], BLUE)
    line(ax, X[i], X[miss], RED)
    ax.annotate(
        "nearest hit",
        X[hit],
        (-6, 12),
        textcoords="offset points",
        ha="right",
        color=BLUE,
    )
    ax.annotate("nearest miss", X[miss], (8, 10), textcoords="offset points", color=RED)
    plane(ax, "margin = ½ (red − blue)")
    return fig
