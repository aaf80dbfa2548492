from _points import *


def draw():
    X, y = two_classes(seed=8, n=13)
    fig, axes = figure(7.4, 3.3, ncols=2)
    for ax, within in zip(axes, (True, False), strict=True):
        for i in range(len(X)):
            label = y[i] if within else 1 - y[i]
            for j in nearest(X, i, others(y, i, label), 3):
                line(
                    ax,
                    X[i],
                    X[j],
                    (BLUE if y[i] == 0 else RED) if within else "0.5",
                    width=0.9,
                )
        points(ax, X, y)
        plane(
            ax,
            "graph within classes: edges short"
            if within
            else "graph between classes: edges long",
        )
    return fig
