from _points import *

from widemargin import ReliefF
from widemargin.baselines import FisherScore, MRMR
from widemargin.datasets import make_xor


def draw():
    X, y = make_xor(600, 8, 2, random_state=0)
    fig, axes = figure(8.4, 2.6, ncols=3)
    for ax, selector in zip(axes, (FisherScore(), MRMR(), ReliefF()), strict=True):
        bars(ax, selector.fit(X, y).scores_, 2, type(selector).__name__)
    axes[0].set_ylabel("score on xor")
    return fig
