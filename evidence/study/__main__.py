"""Measure what is not stored yet; with ``--page``, write docs/study.md."""

import sys

from evidence.framework.command import Subject, main
from evidence.study import cases
from evidence.study.page import pages

SUBJECT = Subject("study", {"study": cases}, pages)

if __name__ == "__main__":
    sys.exit(main(SUBJECT))
