from _points import *

from widemargin import KernelRFE
from widemargin.baselines import ForestImportance
from widemargin.datasets import make_xor


def ranked(ax, selector, X, y, title):
    """Scores, best first, coloured where the feature is one of the three that matter."""
    scores = selector.fit(X, y).scores_
    order = np.argsort(selector.ranking_)
    ax.bar(
        np.arange(len(order)),
        scores[order] / scores.max(),
        color=np.where(order < 3, BLUE, GREY),
    )
    places = ", ".join(str(r) for r in sorted(selector.ranking_[:3]))
    ax.set(xticks=[], yticks=[], xlabel="features, best first", title=title)
    ax.text(0.97, 0.9, f"places {places}", transform=ax.transAxes, ha="right")


def draw():
    X, y = make_xor(400, 30, random_state=0)
    fig, axes = figure(6.0, 2.3, ncols=2)
    forest = ForestImportance(random_state=0)
    ranked(axes[0], forest, X, y, "random forest importances")
    ranked(axes[1], KernelRFE(), X, y, "KernelRFE")
    return fig
