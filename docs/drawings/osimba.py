from _points import *

from widemargin import OSimba, Simba
from widemargin.datasets import make_ordinal


def draw():
    X, y = make_ordinal(60, 8, random_state=0)
    fig, axes = figure(7.4, 2.7, ncols=2)
    bars(axes[0], Simba(random_state=0).fit(X, y).scores_, 1, "Simba")
    bars(axes[1], OSimba(random_state=0).fit(X, y).scores_, 1, "OSimba")
    axes[0].set_ylabel("score")
    return fig
