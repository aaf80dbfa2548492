"""Measure what is not stored yet; with ``--page``, write docs/benchmarks.md."""

import os
import platform
import sys
from typing import Any

from evidence.framework.command import Subject, main
from evidence.framework.store import version_of
from evidence.peers import comparisons, fits, growth, limits
from evidence.peers.page import pages

PACKAGES = (
    "widemargin",
    "fast-select",
    "skrebate",
    "skfeature-chappers",
    "mrmr_selection",
    "scikit-learn",
    "numpy",
    "numba",
)


def machine() -> dict[str, Any]:
    """What it was measured on, and with."""
    return {
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "python": platform.python_version(),
        "versions": {package: version_of(package) for package in PACKAGES},
        "threads": fits.THREADS,
    }


PARTS = {"comparisons": comparisons, "growth": growth, "limits": limits}
SUBJECT = Subject("peers", PARTS, pages, machine)

if __name__ == "__main__":
    sys.exit(main(SUBJECT))
