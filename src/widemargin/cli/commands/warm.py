"""``widemargin warm``: compile ahead what first fits need."""

from __future__ import annotations

import warnings
from dataclasses import asdict

import click

from widemargin.cli.options import (
    complete_method,
    json_option,
    quiet_option,
)
from widemargin.cli.problem import Problem
from widemargin.cli.session import working
from widemargin.cli.terminal import echo
from widemargin.cli.usage import option
from widemargin.cli.writing import to_json


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
