from _points import *


def draw():
    X, y = two_classes(n=16)
    d = np.linalg.norm(X[:, None] - X[None], axis=2)
    T = d[np.triu_indices(len(X), 1)].mean()
    fig, axes = figure(7.4, 3.4, ncols=2)
    for ax, far in zip(axes, (False, True), strict=True):
        i = closest_to(X, [0.36, 0.5], y)
        near = d[i] < T
        points(ax, X[near], y[near])
        points(ax, X[~near], y[~near], alpha=1.0 if far else 0.2)
        ring(ax, X[i])
        circle = np.linspace(0, 2 * np.pi, 200)
        ax.plot(X[i, 0] + T * np.cos(circle), X[i, 1] + T * np.sin(circle), "k--", lw=1)
        plane(
            ax,
            "SURF: inside the mean distance"
            if not far
            else "SURF*: outside, with signs reversed",
        )
        ax.set(xlim=(-0.05, 1.05), ylim=(-0.1, 1.15))
    return fig
