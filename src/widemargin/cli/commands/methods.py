"""``widemargin methods``, ``warm`` and ``completion``: what needs no data."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from widemargin.cli.problem import Problem
from widemargin.cli.session import plain_table, print_table, stdout, working
from widemargin.cli.terminal import echo
from widemargin.cli.usage import complete_method, json_option, option, quiet_option
from widemargin.cli.writing import to_json

if TYPE_CHECKING:
    from rich.console import Console

NARROW = 70  # letters in a line


@click.command(short_help="List the methods and their papers.")
@json_option
def methods(as_json: bool) -> None:
    """List the methods: what they look for, and their papers."""
    from widemargin.catalogue import methods as catalogue

    listed = catalogue()
    if as_json:
        echo(to_json([asdict(method) for method in listed]), nl=False)
        return
    _print(stdout(), [(m.name, m.summary + _exceptions(m), m.paper) for m in listed])


def _exceptions(method: Any) -> str:
    """What a method does that most, which rank features by classes, do not."""
    special = [method.gives] * (method.gives != "ranking")
    special += [f"needs {method.needs}"] * (method.needs != "classes")
    return f" ({'; '.join(special)})" if special else ""


def _print(console: Console, rows: list[tuple[str, str, str]]) -> None:
    if console.width < NARROW:  # three columns would be a few letters wide
        for name, summary, paper in rows:
            console.print(f"{name}\n  {summary}\n  {paper}")
        return
    table = plain_table("=method", "what it looks for", "from")
    for row in rows:
        table.add_row(*row)
    print_table(console, table)


@click.command(short_help="Compile ahead of time what first fits need.")
@option(
    "--method -m METHOD",
    "Method that will be used; may be given several times; `widemargin methods` lists "
    "them.  [all, and what compare needs]",
    multiple=True,
    shell_complete=complete_method,
)
@json_option
@quiet_option
def warm(method: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """Compile ahead of time what the first fits on this machine need.

    A method is compiled when it is first used, which takes some seconds, and cached on
    disk. Run this command when building a container image, or in the background after
    an installation. The cache is the first of these that is writable: the folder
    NUMBA_CACHE_DIR, next to the package, or a folder of the user. The code is specific
    to this type of processor.

    \b
    widemargin warm                         everything: some minutes
    widemargin warm -m ReliefF -m Simba     two methods
    widemargin warm --quiet &               in the background
    """
    from widemargin.cli.choosing import find_method
    from widemargin.warming import warm as warm_up

    chosen = [find_method(name).__name__ for name in method] or None
    with working(), warnings.catch_warnings():
        # What went wrong is in the result. Filters would not do: threads of
        # scikit-learn's forests change those of the process.
        warnings.showwarning = lambda *_, **__: None
        warmed = warm_up(chosen, verbose=int(not quiet))
    if as_json:
        echo(to_json(asdict(warmed)), nl=False)
    elif not warmed.problem:
        echo(str(warmed))
    if warmed.problem:
        raise Problem(
            f"the compiled code cannot be cached: {warmed.problem}. Set "
            "NUMBA_CACHE_DIR to a writable folder."
        )


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
