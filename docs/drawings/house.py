from _points import *

LAYERS = [
    ("cli  reporting", "commands and HTML reports"),
    ("evaluation  plotting", "AutoSelector, compare, relevance, signal, curves"),
    ("selectors  baselines  metric", "one paper, one file"),
    ("base  judging  margin", "what all fits share; folds, and the one rule"),
    ("engine", "nearest, edge sums: in memory or on Dask workers"),
    ("data", "the caller's table, read once, and scaled rows"),
    ("settings", "sizes and thresholds"),
    ("kernels  threads  notices", "compiled code; small tools"),
]


def draw():
    fig, ax = plt.subplots(figsize=(8.9, 4.6), layout="constrained")
    for i, (names, what) in enumerate(LAYERS):
        y = len(LAYERS) - i
        ax.add_patch(
            plt.Rectangle(
                (0, y),
                10.6,
                0.82,
                facecolor=BLUE,
                alpha=0.08 + 0.035 * i,
                edgecolor="none",
            )
        )
        ax.text(
            0.15,
            y + 0.41,
            names,
            va="center",
            family="monospace",
            fontsize=10.5,
            weight="bold",
        )
        ax.text(4.6, y + 0.41, what, va="center", fontsize=9.5, color="0.2")
    ax.annotate(
        "",
        (10.95, 1.2),
        (10.95, len(LAYERS) + 0.7),
        arrowprops={"arrowstyle": "-|>", "color": RED, "lw": 2},
    )
    ax.text(
        11.15,
        len(LAYERS) / 2 + 0.9,
        "imports go downwards only",
        rotation=-90,
        va="center",
        color=RED,
        fontsize=10,
    )
    ax.set(xlim=(0, 11.5), ylim=(0.9, len(LAYERS) + 0.95))
    ax.axis("off")
    return fig
