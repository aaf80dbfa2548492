"""The way in: runs the command, and says what is missing if it cannot run."""

import sys

# Packages that the command needs, and what installs them.
EXTRAS = {"click": "cli", "rich": "cli", "pandas": "cli", "jinja2": "report"}


def main() -> int:
    """Run the command line and return its exit code."""
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
