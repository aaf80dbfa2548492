from _points import *

from widemargin import ReliefF
from sklearn.datasets import load_breast_cancer


def draw():
    X, y = load_breast_cancer(return_X_y=True)
    auto = ReliefF("auto").fit(X, y)
    fig, ax = figure(6.0, 3.0)
    sizes = np.arange(1, X.shape[1] + 1)
    best = auto.prefix_scores_.max()
    error = np.sqrt(best * (1 - best) / len(y))
    ax.plot(sizes, auto.prefix_scores_, "o-", color=BLUE)
    ax.axhspan(best - error, best, color=GREEN, alpha=0.15, lw=0)
    ring(ax, (auto.n_features_, auto.prefix_scores_[auto.n_features_ - 1]), RED)
    ax.set(
        xlabel="best k features",
        ylabel="accuracy of 1-NN",
        title="the smallest size within about one standard error (green)",
    )
    return fig
