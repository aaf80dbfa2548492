from _points import *

from widemargin import ReliefF
from widemargin.datasets import make_xor


def draw():
    X, y = make_xor(120, 200, 2, random_state=0)
    left = np.arange(200)
    sizes, ranks = [], []
    while len(left) >= 4:
        ranking = ReliefF().fit(X[:, left], y).ranking_
        sizes.append(len(left))
        ranks.append(
            [int(ranking[list(left).index(f)]) if f in left else None for f in (0, 1)]
        )
        left = left[np.argsort(ranking, kind="stable")[: int(len(left) * 0.9)]]
        left.sort()
    fig, ax = figure(6.0, 3.1)
    for f, color in ((0, BLUE), (1, RED)):
        ax.plot(
            sizes,
            [r[f] for r in ranks],
            "o-",
            ms=4,
            color=color,
            label=f"relevant feature {f}",
        )
    ax.plot(sizes, sizes, color="0.8", label="last place")
    ax.invert_xaxis()
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="features left",
        ylabel="rank among them",
        title="each round ranks by better neighbours",
    )
    ax.set_xticks([200, 50, 20, 5], ["200", "50", "20", "5"])
    ax.set_yticks([1, 10, 100], ["1", "10", "100"])
    ax.minorticks_off()
    ax.legend(frameon=False)
    return fig
