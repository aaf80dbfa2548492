"""``widemargin completion``: a script that completes commands in a shell."""

from __future__ import annotations

import click

from widemargin.cli.terminal import echo


@click.command(short_help="Print a shell completion script.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that lets SHELL complete commands, options and methods.

    \b
    bash  eval "$(widemargin completion bash)"    in ~/.bashrc
    zsh   eval "$(widemargin completion zsh)"     in ~/.zshrc
    fish  widemargin completion fish | source     in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    from widemargin.cli.group import cli

    kind = get_completion_class(shell)
    assert kind is not None  # click knows the shells that are offered above
    echo(kind(cli, {}, "widemargin", "_WIDEMARGIN_COMPLETE").source())
