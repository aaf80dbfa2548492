"""The way in: runs the command, and says what is missing if it cannot run."""

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        from widemargin.cli.group import cli

        cli(prog_name="widemargin")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"click", "rich"}:
            raise
        print(
            f"The widemargin command needs the package {error.name}: "
            'pip install "widemargin[cli]"',
            file=sys.stderr,
        )
        return 2
    return 0
