"""Every promise of the product, measured against a truth that is known.

A part (a module in ``parts``) is one promise, or a few that are measured together:

``TITLE``
    Heading of its section in docs/truth.md.
``GROUPS``
    Optional: names of columns. Results of an older version of the code are left out of
    the page where there are ``ENOUGH`` newer ones, 40 unless the part says otherwise,
    with the same values in these columns.
``cases(small)``
    Yields dictionaries of JSON values, each the settings of one run. ``small`` is for
    the slow tests: a minute in all, without a data folder.
``measure(case, data)``
    Does one run, and returns a small dictionary of JSON values. ``data`` is the folder
    with public data sets, or None.
``verdicts(rows)``
    Returns a list of `Verdict`: what is promised, what was measured, whether it holds.
    Each row is the case and its result in one dictionary.
``tables(rows)``
    Returns the section in Markdown, without heading and verdicts.

`python -m evidence.truth [part …] --data DIR` measures what is not stored yet in
``results/<part>.json``; `python -m evidence.truth --page` writes docs/truth.md from
what is stored.
"""

from __future__ import annotations

from typing import NamedTuple


class Verdict(NamedTuple):
    """A promise, what was measured, and whether the one holds by the other."""

    promise: str
    measured: str
    holds: bool


class Missing(Exception):
    """A case cannot be measured here, for a reason that the message gives."""
