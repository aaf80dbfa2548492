"""How the pictures of the gallery and the drawings of the pages look."""

import matplotlib as mpl

LOOK = {
    "figure.dpi": 110,
    "savefig.dpi": 110,
    "figure.figsize": (6.4, 3.8),
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.prop_cycle": mpl.cycler(
        color=["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
    ),
    "svg.fonttype": "path",
    "svg.hashsalt": "widemargin",
}


def same_look(gallery_conf: dict, fname: str) -> None:
    """Give every example the same start; sphinx-gallery calls it before each."""
    mpl.rcParams.update(LOOK)
