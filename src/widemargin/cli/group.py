"""The command group, which imports a command when it is asked for."""

import sys
from importlib import import_module
from typing import Any

import click

from widemargin._version import __version__

COMMANDS = ("demo", "methods")


class LazyGroup(click.Group):
    """A group whose commands are functions in modules of the same name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command, or return None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"widemargin.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; end an interrupted one in a line and the shell's code."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            if sys.stderr.isatty():
                click.echo(err=True)  # leaves the line on which the terminal echoed ^C
            click.echo("widemargin: interrupted", err=True)
            ctx.exit(130)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Find out which features matter, by nearest-neighbour margins.

    Start with `widemargin demo`, which ranks a bundled data set with four methods.
    """
