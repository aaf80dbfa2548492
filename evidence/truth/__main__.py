"""Measure what is not stored yet; with ``--page``, write docs/truth.md."""

import sys

from evidence.framework.command import Subject, main
from evidence.truth.page import pages
from evidence.truth.parts import PARTS

SUBJECT = Subject("truth", PARTS, pages)

if __name__ == "__main__":
    sys.exit(main(SUBJECT))
