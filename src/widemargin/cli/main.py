"""The way in: runs the command, and says what is missing if it cannot run."""

import codecs
import sys
from typing import Any

# Packages that the command needs, and what installs them.
EXTRAS = {"click": "cli", "rich": "cli", "pandas": "cli", "jinja2": "report"}


def main() -> int:
    """Run the command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        _speak_unicode(stream)
    try:
        from widemargin.cli.group import cli

        cli(prog_name="widemargin")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        print(
            f"widemargin: this needs the package {package}: "
            f'pip install "widemargin[{EXTRAS[package]}]"',
            file=sys.stderr,
        )
        return 2
    return 0


def _speak_unicode(stream: Any) -> None:
    """Let a stream take every name: as it is, or escaped where it cannot be shown."""
    if stream is None or not hasattr(stream, "reconfigure"):
        return
    ascii_only = codecs.lookup(stream.encoding).name == "ascii"
    # As click does: a terminal that claims to know ASCII only hardly ever does.
    stream.reconfigure(
        encoding="utf-8" if ascii_only else None, errors="backslashreplace"
    )
