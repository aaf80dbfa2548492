"""Run the command as ``python -m widemargin``."""

import sys

from widemargin.cli.main import main

sys.exit(main())
