"""The report behind the picture on the front page, made when the site is built."""

from pathlib import Path

from screenshots import make_report
from sphinx.application import Sphinx

MADE = Path(__file__).parents[1] / "drawings" / "made"


def make(app: Sphinx, config: object) -> None:
    if not (MADE / "credit.html").exists():
        MADE.mkdir(exist_ok=True)
        make_report(MADE)


def setup(app: Sphinx) -> dict:
    # Before Sphinx looks whether the files of html_extra_path are there.
    app.connect("config-inited", make, priority=100)
    return {"parallel_read_safe": True}
