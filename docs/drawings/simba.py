from _points import *

from widemargin import Relief, Simba
from widemargin.datasets import make_xor


def draw():
    X, y = make_xor(500, random_state=0)
    fig, axes = figure(7.4, 2.7, ncols=2)
    relief = Relief().fit(X, y).scores_
    bars(axes[0], relief, 3, "Relief, one look")
    bars(
        axes[1],
        Simba(random_state=0).fit(X, y).scores_,
        3,
        "Simba, under learned weights",
    )
    axes[0].set_ylabel("score")
    return fig
