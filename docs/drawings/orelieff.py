from _points import *

from widemargin import OReliefF, ReliefF
from widemargin.datasets import make_ordinal


def draw():
    X, y = make_ordinal(60, 6, random_state=0)
    fig, axes = figure(8.4, 3.0, ncols=3)
    points(axes[0], X[:, :2], y, alpha=0.7)
    plane(axes[0], "classes 0 ● 1 ■ 2 ▲")
    axes[0].set(
        xlabel="feature 0: rises with the class", ylabel="feature 1: up, then down"
    )
    bars(axes[1], ReliefF().fit(X, y).scores_, 1, "ReliefF")
    bars(axes[2], OReliefF().fit(X, y).scores_, 1, "OReliefF")
    return fig
