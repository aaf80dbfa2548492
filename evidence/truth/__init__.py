"""Every promise of the product, measured against a truth that is known.

A part (a module in ``parts``) is one promise, or a few that are measured together. It
has `cases` and `measure`, as `evidence.framework` explains, and

``TITLE``
    Heading of its section in docs/truth.md.
``GROUPS``
    Optional: names of columns. Results of an older version of the code are left out of
    the page where there are ``ENOUGH`` newer ones, 40 unless the part says otherwise,
    with the same values in these columns.
``verdicts(rows)``
    Returns verdicts, made by `evidence.framework.verdicts.promise`: what is promised,
    what was measured, whether it holds.
``tables(rows)``
    Returns the section in Markdown, without heading and verdicts.
"""
