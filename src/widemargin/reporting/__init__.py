"""One page that says which features matter: `widemargin.report(results)`.

Results become a plain dict (`summarize`), the dict becomes a page (`html`).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Literal

__all__ = ["Report", "report"]


@dataclass(frozen=True, eq=False)
class Report:
    """A report that can be read in a notebook, saved, or taken apart; see `report`.

    Attributes
    ----------
    data : dict
        Plain values that the page is made from.
    """

    data: dict[str, Any]

    @cached_property
    def html(self) -> str:
        """The page: one HTML text with style, scripts and data inside."""
        from widemargin.reporting.html import render

        return render(self.data)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page, or the data behind it if the name ends in ``.json``.

        An existing file is replaced, and only once the new one is complete: whatever
        goes wrong, there is either the old file or the new one.

        Parameters
        ----------
        path : str or path-like
            Where to; a name that ends in ``.html``, ``.htm`` or ``.json``.

        Returns
        -------
        path : Path
            The file written.
        """
        from widemargin.plain import write_whole

        path = Path(path)
        ending = path.suffix.lower()
        if ending == ".json":
            text = json.dumps(self.data, ensure_ascii=False, allow_nan=False)
        elif ending in (".html", ".htm"):
            text = self.html
        else:
            raise ValueError(
                "Report.save needs a file name that ends in .html or .json, got "
                f"{path.name!r}."
            )
        return write_whole(path, text)

    def _repr_html_(self) -> str:
        # A frame of its own keeps the page's style from the notebook's and back.
        return (
            '<iframe title="widemargin report" sandbox="allow-scripts" '
            'style="width:100%;height:760px;border:0" '
            f'srcdoc="{escape(self.html, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        d, m = len(self.data["features"]["name"]), len(self.data["methods"])
        return f"<Report on {d} features by {m} method{'s' if m > 1 else ''}>"


def report(
    results: Any,
    *,
    X: Any = None,
    y: Any = None,
    title: str | None = None,
    image_shape: tuple[int, ...] | None = None,
    reading: list[str] | None = None,
    image_order: Literal["C", "F"] | None = None,
) -> Report:
    """Put results on one page that opens offline, in a browser or a notebook.

    The page has the answer in a sentence, data-quality warnings, the ranking with
    verdicts, intervals and significance, the selection curves, how far methods agree,
    which features are redundant, how the classes differ in the best ones, and how to
    get all this again. What the results do not have is left out.

    Parameters
    ----------
    results : Comparison, fitted selector, or dict of fitted selectors by label
        What `widemargin.evaluation.compare` returned, or selectors that were fitted
        to the same data.
    X, y : array-like or frame, default=None
        The data behind fitted selectors; a Comparison has its own.
    title : str, default=None
        Heading of the page.
    image_shape : tuple of int, default=None
        Rows and columns, and perhaps channels, of the images that X holds; draws the
        scores as a picture. By default that of the Comparison.
    reading : list of str, default=None
        Lines of Python that make X and y, for the code that the page shows.
    image_order : {"C", "F"}, default=None
        Whether images were flattened row by row ("C") or column by column ("F"), as
        MATLAB does. By default that of the Comparison, or "C".

    Returns
    -------
    report : Report
        With ``data`` (the plain dict that everything is made from), ``html`` and
        ``save(path)``. It displays itself in a notebook.

    Examples
    --------
    >>> import widemargin
    >>> X, y = widemargin.datasets.make_xor(random_state=0)
    >>> page = widemargin.report(widemargin.ReliefF().fit(X, y), X=X, y=y)
    >>> page
    <Report on 10 features by 1 method>
    >>> page.save("xor.html")  # doctest: +SKIP
    """
    from widemargin.reporting.summarize import summarize

    return Report(
        summarize(
            results,
            X=X,
            y=y,
            title=title,
            image_shape=image_shape,
            image_order=image_order,
            reading=reading,
        )
    )
