"""Measure what is not stored yet; with ``--page``, write the page from what is."""

import sys

from evidence.peers import page, run

if __name__ == "__main__":
    if "--page" in sys.argv:
        sys.argv.remove("--page")
        page.main()
    else:
        sys.exit(run.main())
