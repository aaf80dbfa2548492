from _points import *


def draw():
    X, y = two_classes(seed=11, n=12)
    fig, ax = figure(4.8, 3.6)
    i = closest_to(X, [0.36, 0.5], y)
    targets = nearest(X, i, others(y, i), 3)
    misses = others(y, i, 1)
    radius = np.linalg.norm(X[targets[-1]] - X[i]) + 0.16
    points(ax, X, y, alpha=0.5)
    ring(ax, X[i])
    for j in targets:
        line(ax, X[i], X[j], BLUE)
    for p in misses:
        if np.linalg.norm(X[p] - X[i]) < radius:
            line(ax, X[i], X[p], RED, "--")
            ring(ax, X[p], RED)
    t = np.linspace(0, 2 * np.pi, 200)
    ax.plot(X[i, 0] + radius * np.cos(t), X[i, 1] + radius * np.sin(t), "k:", lw=1.2)
    plane(ax, "pull 3 targets in, push impostors out")
    return fig
