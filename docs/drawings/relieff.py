from _points import *


def draw():
    rng = np.random.default_rng(5)
    centres = [[0.3, 0.35], [0.72, 0.35], [0.5, 0.78]]
    X = np.vstack([rng.normal(c, 0.11, (12, 2)) for c in centres])
    y = np.repeat([0, 1, 2], 12)
    fig, ax = figure(4.6, 3.8)
    i = closest_to(X, [0.4, 0.4], y)
    points(ax, X, y)
    ring(ax, X[i])
    for label, color in ((None, BLUE), (1, RED), (2, GREEN)):
        for j in nearest(X, i, others(y, i, label), 3):
            line(ax, X[i], X[j], color, width=1.3)
    plane(ax, "k = 3 hits, and 3 misses of each other class")
    return fig
