from _points import *

LAYERS = [
    ("cli    report", "commands and pages"),
    ("evaluation", "curves, significance, stability, comparison, AutoSelector"),
    ("algorithms    baselines", "one paper, one file"),
    ("base    margin    sampling", "what fits have in common"),
    ("engine", "nearest, edge sums: in memory, or on Dask workers"),
    (
        "table    mixed    columns",
        "scaled rows, coded classes, nominal features, missing values",
    ),
    ("protocol    settings", "what all tables offer; sizes and thresholds"),
    ("kernels", "all compiled code"),
]


def draw():
    fig, ax = plt.subplots(figsize=(8.4, 4.6), layout="constrained")
    for i, (names, what) in enumerate(LAYERS):
        y = len(LAYERS) - i
        ax.add_patch(
            plt.Rectangle(
                (0, y),
                10,
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
        ax.text(3.75, y + 0.41, what, va="center", fontsize=9.5, color="0.2")
    ax.annotate(
        "",
        (10.35, 1.2),
        (10.35, len(LAYERS) + 0.7),
        arrowprops={"arrowstyle": "-|>", "color": RED, "lw": 2},
    )
    ax.text(
        10.55,
        len(LAYERS) / 2 + 0.9,
        "imports go down only",
        rotation=-90,
        va="center",
        color=RED,
        fontsize=10,
    )
    ax.set(xlim=(0, 10.9), ylim=(0.9, len(LAYERS) + 0.95))
    ax.axis("off")
    return fig
