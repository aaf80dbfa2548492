from _points import *

from widemargin.datasets import make_gaussian_relevant
from widemargin.margin import evaluation


def draw():
    X, y = make_gaussian_relevant(100, 12, n_relevant=4, random_state=1)
    X = (X - X.min(0)) / (X.max(0) - X.min(0))
    rng = np.random.default_rng(0)
    kept = np.zeros(12, bool)
    e = lambda F: evaluation(X, y, F.astype(float)) if F.any() else 0.0
    values, changes = [0.0], []
    for _ in range(3):
        for f in rng.permutation(12):
            with_f, without = kept.copy(), kept.copy()
            with_f[f], without[f] = True, False
            a, b = e(with_f), e(without)
            before = kept[f]
            kept[f] = a > b if a != b else before
            values.append(max(a, b))
            if kept[f] != before:
                changes.append((len(values) - 1, f"{'+' if kept[f] else '−'}{f}"))
    fig, ax = figure(6.0, 3.0)
    ax.step(range(len(values)), values, where="post", color=BLUE)
    for x, text in changes:
        ax.annotate(
            text,
            (x, values[x]),
            (0, 6),
            textcoords="offset points",
            ha="center",
            fontsize=9,
        )
    for epoch in (12, 24):
        ax.axvline(epoch, color="0.8", lw=1)
    ax.set(
        xlabel="features visited (grey: a new epoch)",
        ylabel="e(F)",
        title="flips that increase the margin",
    )
    ax.margins(y=0.18)
    return fig
