"""docs/first-minutes.md has the times that were measured."""

import json

from evidence.speed import first_fits


def test_the_page_has_the_times_that_were_measured():
    stored = json.loads(first_fits.RESULTS.read_text(encoding="utf-8"))
    assert first_fits.table(stored) in first_fits.PAGE.read_text(encoding="utf-8")
