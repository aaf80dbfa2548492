from _points import *

from widemargin import RReliefF


def draw():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 8))
    y = X[:, 0] * X[:, 1] + rng.normal(0, 0.05, 400)
    fig, axes = figure(7.6, 3.0, ncols=2)
    axes[0].scatter(X[:, 0], X[:, 1], c=y, cmap="PuOr", s=16)
    axes[0].set(
        xlabel="feature 0",
        ylabel="feature 1",
        title="y = product of the two (colour)",
        aspect="equal",
    )
    bars(axes[1], RReliefF().fit(X, y).scores_, 2, "RReliefF")
    return fig
