from _points import *


def draw():
    X, y = two_classes(n=16)
    d = np.linalg.norm(X[:, None] - X[None], axis=2)
    fig, axes = figure(7.4, 3.4, ncols=2)
    for ax, i in zip(
        axes, (closest_to(X, [0.4, 0.5], y), int(np.argmax(X[:, 1]))), strict=True
    ):
        mine = np.delete(d[i], i)
        T, D = mine.mean(), mine.std() / 2
        near, far = d[i] < T - D, d[i] > T + D
        band = ~near & ~far
        for part, alpha in ((near, 1.0), (band, 0.15), (far, 0.45)):
            points(ax, X[part], y[part], alpha=alpha)
        ring(ax, X[i])
        circle = np.linspace(0, 2 * np.pi, 200)
        for r in (T - D, T + D):
            ax.plot(
                X[i, 0] + r * np.cos(circle), X[i, 1] + r * np.sin(circle), "k--", lw=1
            )
        plane(
            ax,
            "a sample in the middle"
            if ax is axes[0]
            else "at the edge of the data: a wider radius",
        )
        ax.set(xlim=(-0.1, 1.1), ylim=(-0.1, 1.3))
    return fig
