"""One page that says which features matter: `widemargin.report(results)`.

Results become a plain dict (`summarize`), the dict becomes a page (`html`).

The dict holds text, numbers, booleans, None, lists and dicts, so that `json.dumps`
takes it as it is; what is not a finite number is None. A part that the results do not
have is None, too. Features are numbered from 0 in the order of X.

``schema``
    2; raised when a field changes its meaning.
``title``, ``created``, ``answer``
    Text; the moment is ISO 8601, the answer a sentence or two.
``signal``
    Whether a test found any signal in the table; None if unknown.
``beats_chance``
    Whether the recommended features score clearly above guessing; None if unknown.
``complete``, ``notes``
    Whether the comparison ran to its end; what was left out or decided, and why.
``data``
    ``n_samples``, ``n_features``, ``kinds`` (how many features of each), ``classes``
    (``label``, ``count``), ``missing`` (``cells``, ``features``), ``constants``,
    ``duplicated_columns``, ``duplicated_rows`` (how many), ``majority`` (the share of
    the largest class; None for a numeric target), ``target`` (of a numeric one, or of
    the risk in survival times: ``low``, ``quartiles`` and ``high``, and ``bins``:
    ``low``, ``high`` and ``count``; else None), ``task`` (what y holds), ``of`` (text
    on several targets, labels or survival times; else None), ``ordered`` (whether the
    classes are), ``leaks`` (sentences on features that may be copies of the target),
    ``warnings`` (sentences).
``columns``
    See `widemargin.reporting.distributions`.
``features``
    ``name``: one text per feature.
``methods``
    One dict per method. ``label``, ``code`` (the call that makes the selector),
    ``idea``, ``paper``, ``best`` (whether it is the recommended one), ``candidate``
    (whether it could have been), ``n_selected``, ``score`` (nested mean over the
    folds), ``stderr`` (its standard error), ``score_all``, ``stability`` (agreement of
    the choices for the folds), ``area``, ``time`` (seconds); and lists with one entry
    per feature: ``rank``, ``score_of`` (by a fit to all rows), ``selected``, and, both
    possibly None, ``score_low`` and ``score_high``. In a comparison, ranks are those of
    the consensus of the folds, near copies last.
``verdicts``
    None without a recommendation. ``low`` and ``high`` (labels of the two classes;
    directions refer to ``high``; None for more) and lists with one entry per feature:
    ``verdict`` ("kept", "copy", "relevant, not needed", "not relevant" or "not
    tested"), ``why`` (a reason, or empty), ``copy_of`` (the name of the better feature
    that a copy is like, or None), ``p_value``, ``q_value``, ``frequency``
    (share of the folds that choose it or a near copy of it), and ``direction`` and
    ``auc``, which are None for three or more classes without an order, and for several
    targets. Else (a numeric
    target counts as classes in order) ``direction`` has 1 where values rise with the
    class, −1 where they fall and 0 where a test cannot tell, and ``auc`` the
    probability that of two rows of different classes the higher class has the higher
    value, None for a feature without an order.
``relevance``
    None for selectors without a comparison. ``features`` (numbers of all relevant
    features, lowest q-value first; None if nothing was tested), ``level`` (of q),
    ``how`` (they were tested, or why not).
``interactions``
    None if pairs were not tested. ``n_found`` (pairs that work together) of
    ``n_possible``, ``level`` (of q), ``works_with`` (a text per feature, empty for
    most; None if all are), ``several`` (numbers of features that work with several
    others), ``pairs``, the strongest: ``features`` (two numbers), ``p_value``,
    ``q_value``, ``sentence`` and ``picture``: ``rows`` (values of the first feature),
    ``columns``, ``mean`` and ``n_samples`` (lists of lists), ``what`` (the means are
    of).
``leaks``
    None if no feature is suspected to be a copy of the target. ``features`` (numbers),
    ``drop`` (an option of the command that leaves them out), ``code`` (a line of Python
    that does), ``with`` and ``without``: the recommendation with and without these
    features, each with ``kept`` (names), ``n_selected``, ``score``, ``stderr``,
    ``score_all`` and ``stability``.
``hard_rows``
    None for a numeric target, or without signal. ``sentence``, ``n_rows`` (how many
    have a margin), ``expected`` (estimated number of wrong labels), ``precision``
    (their share among the rows listed), and lists with one entry per row, hardest
    first: ``row`` (its number, from 0), ``label``, ``suggested`` (the class of its
    neighbours), ``margin`` and ``suspect``.
``by_class``
    None for fewer than three classes, or without a method that has scores by class.
    ``method`` (its label), ``classes``, ``features`` (numbers) and ``shares``: per
    feature a list with one entry per class, its share of the best score of the class.
``curve``
    ``estimator``, ``scoring``, ``lower_is_better``, ``chance``, ``score_all``,
    ``guess`` (what it is that scores by chance, such as "guessing"),
    ``baseline`` (of the caller's own features: ``n_features``, ``score``, ``stderr``),
    ``lines``: per method ``label``, ``n_features``, ``mean``, ``stderr`` and ``folds``.
    The last two are None for the curve of a selector that chose its own
    number of features. Losses are positive here and in ``methods``, and ``scoring``
    is their name without ``neg_``.
``agreement``
    ``labels``, ``correlation`` and ``overlap``: square lists of lists; ``k``, of how
    many of the best features the overlap is, None for what each method keeps.
``redundancy``
    ``threshold``, ``measure``, ``groups``: per group ``features`` (the first stands
    for all) and ``similarity`` of each to the first, None where it is not known.
``distributions``
    See `widemargin.reporting.distributions`.
``image``
    ``shape`` of the grid that the features fill, and ``order``: "C" if row by row,
    "F" if column by column.
``provenance``
    See `widemargin.reporting.provenance`.
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
