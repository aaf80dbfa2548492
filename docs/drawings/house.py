from _points import *

LAYERS = [
    ("cli  report", "commands and HTML reports"),
    ("evaluation", "curves, significance, stability, comparison"),
    ("algorithms  baselines", "one paper, one file"),
    (
        "base  crossfit  margin  sampling",
        "what all fits share; cross-validation of rankings",
    ),
    ("engine", "nearest, edge sums: in memory or on Dask workers"),
    (
        "table  columns  targets",
        "scaled rows, coded classes, nominal features, missing values",
    ),
    ("protocol  settings", "the interface of all tables; sizes and thresholds"),
    ("kernels", "all compiled code"),
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
