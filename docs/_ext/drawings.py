"""Drawings of the pages: each file in docs/drawings has a `draw` that gives a figure.

It is called when the site is built, if the picture is not there or is older, and the
picture is written to docs/drawings/made, which is not kept in the repository.
"""

import importlib.util
import sys
from pathlib import Path

import matplotlib as mpl
from gallery import LOOK
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def _draw(script: Path, picture: Path) -> None:
    import matplotlib.pyplot as plt

    spec = importlib.util.spec_from_file_location(f"drawing_{script.stem}", script)
    module = importlib.util.module_from_spec(spec)
    with mpl.rc_context(LOOK):
        spec.loader.exec_module(module)
        figure = module.draw()
        figure.savefig(picture, bbox_inches="tight", metadata={"Date": None})
        plt.close(figure)


def draw_all(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "drawings"
    sys.path.insert(0, str(folder))  # for what they share
    made = folder / "made"
    made.mkdir(exist_ok=True)
    for script in sorted(folder.glob("[!_]*.py")):
        picture = made / f"{script.stem}.svg"
        if picture.exists() and picture.stat().st_mtime >= script.stat().st_mtime:
            continue
        logger.info("drawing %s", script.stem)
        _draw(script, picture)


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", draw_all)
    return {"parallel_read_safe": True}
