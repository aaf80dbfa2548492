"""The command line.

``main.py`` is the way in, ``group.py`` lists the commands and the files of
``commands/`` that they are in; ``options.py`` has the options they share. A file on
disk becomes a frame in ``reading/``, in memory or, by ``reading/lazy.py``, on Dask, and
a data set in ``prepare/``; from there on everything is the public Python interface.
Whatever the user can put right is a `Problem`: one line, exit code 2.

The commands import Click, and what needs no data. The rest they call as
``cli.fits.fitted``, for example, which imports that file when it is first used: help,
version and shell completion answer at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widemargin.cli import columns as columns
    from widemargin.cli import comparing as comparing
    from widemargin.cli import fits as fits
    from widemargin.cli import prepare as prepare
else:

    def __getattr__(name: str) -> Any:
        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
            raise AttributeError(f"{__name__} has no file {name}") from None
