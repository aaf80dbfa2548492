from _points import *

STEPS = [
    ("X, y", "array, DataFrame,\nArrow, Dask", None),
    ("Table", "scaled rows,\ncoded classes", "data/"),
    ("neighbours", "k nearest in\neach relation", "engine: nearest"),
    ("edges", "a coefficient\nfor each pair", "selectors/…"),
    ("sums", "Σ coefficient\n· |difference|", "engine: edge_sums"),
    ("scores", "one per feature:\nrank and select", "base/"),
]


def draw():
    fig, ax = plt.subplots(figsize=(9.2, 2.3), layout="constrained")
    for i, (name, what, where) in enumerate(STEPS):
        x = 1.62 * i
        inside = 0 < i < 5
        ax.add_patch(
            plt.Rectangle(
                (x, 0),
                1.3,
                1,
                facecolor=BLUE if inside else "0.5",
                alpha=0.14,
                edgecolor="none",
            )
        )
        ax.text(
            x + 0.65, 0.76, name, ha="center", va="center", weight="bold", fontsize=10.5
        )
        ax.text(
            x + 0.65, 0.34, what, ha="center", va="center", fontsize=8.5, color="0.2"
        )
        if where:
            ax.text(
                x + 0.65,
                -0.17,
                where,
                ha="center",
                va="center",
                fontsize=8.5,
                family="monospace",
                color=BLUE,
            )
        if i:
            ax.annotate(
                "",
                (x, 0.5),
                (x - 0.32, 0.5),
                arrowprops={"arrowstyle": "-|>", "color": "0.3"},
            )
    left, right = 2 * 1.62 + 0.65, 4 * 1.62 + 0.65
    ax.annotate(
        "",
        (left, 1.03),
        (right, 1.03),
        arrowprops={
            "arrowstyle": "-|>",
            "color": RED,
            "connectionstyle": "arc3,rad=0.18",
        },
    )
    ax.text(
        (left + right) / 2,
        1.47,
        "repeat under new weights: Simba, LMBA, I-Relief",
        ha="center",
        fontsize=8.5,
        color=RED,
    )
    ax.set(xlim=(-0.1, 9.6), ylim=(-0.35, 1.7))
    ax.axis("off")
    return fig
