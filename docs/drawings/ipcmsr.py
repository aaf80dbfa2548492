from _points import *

from widemargin import IPCMSR


def draw():
    rng = np.random.default_rng(1)
    centres = [([0.2, 0.25], 0), ([0.25, 0.8], 0), ([0.6, 0.5], 1), ([0.9, 0.3], 1)]
    X = np.vstack([rng.normal(c, 0.055, (12, 2)) for c, _ in centres])
    y = np.repeat([label for _, label in centres], 12)
    prototypes = IPCMSR().fit(X, y).prototypes_
    fig, ax = figure(4.8, 3.6)
    for p in np.unique(prototypes[prototypes >= 0]):
        mine = X[prototypes == p]
        color = BLUE if y[prototypes == p][0] == 0 else RED
        centre, radius = (
            mine.mean(0),
            np.linalg.norm(mine - mine.mean(0), axis=1).max() + 0.03,
        )
        ax.add_patch(plt.Circle(centre, radius, color=color, alpha=0.12))
        for x in mine:
            line(ax, x, centre, color, width=0.6, alpha=0.6)
    d = np.linalg.norm(X[:, None] - X[None], axis=2)
    near = {
        i: set(np.flatnonzero(y != y[i])[np.argsort(d[i, y != y[i]])[:5]])
        for i in range(len(X))
    }
    for i in range(len(X)):
        for j in near[i]:
            if i < j and i in near[int(j)]:
                line(ax, X[i], X[j], "0.35", ":", 1)
    points(ax, X, y)
    plane(
        ax, "tight prototypes, far from each other\nwhere they face each other (dotted)"
    )
    return fig
