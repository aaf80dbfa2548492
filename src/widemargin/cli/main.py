"""The way in: runs the command, and says what is missing if it cannot run."""

import codecs
import gc
import os
import sys
from typing import Any

# Packages that the command needs, and what installs them.
EXTRAS = {"click": "cli", "rich": "cli", "pandas": "cli", "jinja2": "report"}


def main() -> int:
    """Run the command line and return its exit code."""
    # Nothing that imports make is garbage, and looking for it again and again takes a
    # seventh of their time. `session.working` goes on with it when the work begins.
    gc.disable()
    try:
        return _main()
    finally:
        gc.enable()


def _main() -> int:
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        _speak_unicode(stream)
    try:
        from widemargin.cli.group import cli, orderly_end

        with orderly_end():
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


def _open_streams() -> None:
    """Put in place the standard streams that the caller has closed (``>&-``).

    Otherwise the next file that is opened would take the place of one. Results cannot
    be written to such a stream, nor data read from it; notes are not missed.
    """
    for name, mode, use in (
        ("stdin", os.O_WRONLY, "r"),
        ("stdout", os.O_RDONLY, "w"),
        ("stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:  # the lowest number that is free is its own
            stream = open(os.open(os.devnull, mode), use, encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, stream)


def _speak_unicode(stream: Any) -> None:
    """Let a stream take every name: as it is, or escaped where it cannot be shown."""
    if stream is None or not hasattr(stream, "reconfigure"):
        return
    ascii_only = codecs.lookup(stream.encoding).name == "ascii"
    # As click does: a terminal that claims to know ASCII only hardly ever does.
    stream.reconfigure(
        encoding="utf-8" if ascii_only else None, errors="backslashreplace"
    )
