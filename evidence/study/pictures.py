"""Accuracy gained on each table."""

from __future__ import annotations

from io import BytesIO

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

COLORS = {"fresh": "#1f6aa5", "design": "#c2571a"}


def gained(parts: dict[str, dict[str, float]]) -> bytes:
    """KernelRFE against forest importances, a bar for each table, the best first."""
    figure, panels = plt.subplots(1, len(parts), figsize=(7.6, 7.4), dpi=150)
    ends = [100 * x for part in parts.values() for x in part.values()]
    for axes, (title, found) in zip(panels, parts.items(), strict=True):
        names = sorted(found, key=lambda name: -found[name])
        points, places = [100 * found[name] for name in names], np.arange(len(names))
        axes.barh(places, points, color=COLORS[title.split()[0]], height=0.7)
        axes.axvline(0, color="#333", lw=0.8)
        axes.axvline(np.mean(points), color="#333", lw=0.8, ls=":")
        axes.set_yticks(places, names, fontsize=6.5)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlim(min(ends) - 1, max(ends) + 1)
        axes.set_title(title, fontsize=9, loc="left")
        axes.tick_params(axis="x", labelsize=7.5)
        axes.set_xlabel("points of accuracy gained", fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    drawn = BytesIO()
    figure.savefig(drawn, metadata={"Software": None})
    plt.close(figure)
    return drawn.getvalue()
