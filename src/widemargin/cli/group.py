"""The command group: imports a command when it is asked for, and ends it properly.

A request to end, such as that of `kill`, leads to the same orderly end as Ctrl-C: files
that are half written are removed, and threads are told to stop.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import current_thread, main_thread
from typing import Any

import click

from widemargin._version import __version__
from widemargin.cli.problem import Problem, did_you_mean
from widemargin.cli.terminal import echo, say

HEAD = "widemargin:"
BROKEN_PIPE = 141  # what a shell reports of a command that SIGPIPE ended
COMMANDS = {  # in the order of the help, with the modules that they are in
    "rank": "select",
    "select": "select",
    "apply": "apply",
    "compare": "compare",
    "interactions": "interactions",
    "report": "compare",
    "methods": "methods",
    "demo": "compare",
    "warm": "methods",
    "completion": "methods",
}
ENDING = ("SIGTERM", "SIGHUP")  # signals; the latter when a terminal is closed

_received: list[int] = []


class LazyGroup(click.Group):
    """A group whose commands are functions in modules that are imported when needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command, or say that there is none of that name."""
        if cmd_name.startswith("-"):
            return None
        if cmd_name not in COMMANDS:
            near = did_you_mean(cmd_name, COMMANDS)
            raise Problem(
                f"there is no command {cmd_name!r}.{near} {ctx.command_path} --help "
                "lists them."
            )
        module = import_module(f"widemargin.cli.commands.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run; what the user can put right becomes one line and exit code 2."""
        args = list(sys.argv[1:] if args is None else args) or ["--help"]
        prog_name, code = prog_name or HEAD.rstrip(":"), 0
        try:
            self._main_shell_completion(extra, prog_name, complete_var)
            # The arguments are the object of the context, for hints that repeat them.
            with (
                suppress(click.exceptions.Exit),  # after --help and --version
                self.make_context(prog_name, args, obj=args, **extra) as context,
            ):
                self.invoke(context)
            sys.stdout.flush()
        except click.NoSuchOption as error:
            code = _complain(_no_option(error))
        except click.UsageError as error:
            hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
            code = _complain(error.format_message().rstrip(".") + hint)
        except (Problem, click.ClickException) as error:
            code = _complain(str(error))
        except KeyboardInterrupt:
            if sys.stderr.isatty():
                echo(err=True)  # leaves the line on which the terminal echoed ^C
            say("interrupted", HEAD)
            code = exit_code()
        except ImportError as error:
            if "pip install" not in str(error):
                raise
            code = _complain(str(error))
        except BrokenPipeError:
            code = _stop_writing(BROKEN_PIPE)
        except OSError as error:
            # Whatever reads or writes files says which; what is left is stdout.
            why = error.strerror or error
            code = _stop_writing(_complain(f"cannot write the result: {why}."))
        if standalone_mode:
            sys.exit(code)
        return code


def _no_option(error: click.NoSuchOption) -> str:
    """Say that there is no such option; suggest what is nearly the same, if anything.

    Click's own suggestions have a few letters in common.
    """
    name, context = error.option_name, error.ctx
    if context is None:
        return f"there is no option {name!r}."
    known = [o for p in context.command.params for o in (*p.opts, *p.secondary_opts)]
    lists = f"{context.command_path} --help lists them."
    return f"there is no option {name!r}.{did_you_mean(name, known)} {lists}"


def _complain(message: str) -> int:
    say(message, HEAD)
    return 2


def _stop_writing(code: int) -> int:
    """Keep the interpreter from writing, at its end, what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def cli() -> None:
    """Find out which features matter, how many are enough, and how sure that is.

    \b
    widemargin demo                        see it at work on bundled data
    widemargin rank data.csv               the features, best first
    widemargin select data.csv -o few.csv  the data with only the best ones
    widemargin apply few.json new.csv      the same columns of another file
    widemargin compare data.csv            which to keep, how sure, and a report
    widemargin interactions data.csv       which features work together

    Files may be CSV or similar text, Parquet, Feather, Excel, ARFF, MATLAB, NumPy,
    LIBSVM or AnnData; "-" reads stdin. Results go to stdout, everything else to stderr.
    Exit codes: 0 success, 1 internal error, 2 an error you can fix, 130 interrupted,
    141 broken pipe, 143 terminated.
    """


@contextmanager
def orderly_end() -> Iterator[None]:
    """Raise KeyboardInterrupt at a signal that asks the process to end."""
    if current_thread() is not main_thread():  # which alone may set handlers
        yield
        return
    before: dict[int, Any] = {}
    _received.clear()
    try:
        for name in ENDING:
            number = getattr(signal, name, None)
            # `nohup` has the latter ignored, and it shall stay so.
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, _end)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: Any) -> None:
    _received.append(number)
    signal.signal(number, signal.SIG_IGN)  # the end has begun, and is not disturbed
    raise KeyboardInterrupt


def exit_code() -> int:
    """The code that a shell gives to a command that a signal has ended."""
    return 128 + (_received[0] if _received else signal.SIGINT)
