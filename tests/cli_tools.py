"""Run the command, in a process of its own or in this one, and make files for it."""

import inspect
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

from click.testing import CliRunner

from waiting import LONG
from widemargin.cli.group import cli
from widemargin.cli.main import main

# click 8.1 has to be told what later releases do anyway.
APART = (
    {"mix_stderr": False}
    if "mix_stderr" in inspect.signature(CliRunner).parameters
    else {}
)


def run(*arguments, python=("-m", "widemargin"), **streams):
    """Run the command as its users do."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"COLUMNS", "FORCE_COLOR", "TTY_COMPATIBLE"}
    }
    if "input" not in streams:
        streams["stdin"] = subprocess.DEVNULL
    return subprocess.run(
        [sys.executable, *python, *arguments],
        env=environment,
        encoding="utf-8",
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
        timeout=LONG,
        check=False,
    )


def run_main(before, *arguments, **streams):
    """Run the command after some lines that prepare the interpreter."""
    code = (
        f"import sys; sys.argv = {['widemargin', *map(str, arguments)]!r}\n{before}\n"
        "from widemargin.cli.main import main\nsys.exit(main())"
    )
    return run(python=("-c", code), **streams)


def run_here(*arguments, stdout=None, stderr=None):
    """Run the command in this process with streams of one's own; return its code."""
    before = sys.argv
    sys.argv = ["widemargin", *arguments]
    try:
        with (
            redirect_stdout(stdout or sys.stdout),
            redirect_stderr(stderr or sys.stderr),
        ):
            return main()
    except SystemExit as end:
        return end.code or 0
    finally:
        sys.argv = before


def imported_by(packages, calls):
    """Exit code of each call of the command, and which packages are loaded by then.

    All are made in one process that is new.
    """
    code = (
        "import json, sys\n"
        "from widemargin.cli.main import main\n"
        f"for arguments in {calls!r}:\n"
        "    sys.argv = ['widemargin', *arguments]\n"
        "    try:\n"
        "        code = main()\n"
        "    except SystemExit as end:\n"
        "        code = end.code or 0\n"
        f"    loaded = sorted({packages!r} & set(sys.modules))\n"
        "    print('\\n' + json.dumps([code, loaded]), file=sys.stderr)\n"
    )
    result = run(python=("-c", code))
    assert result.returncode == 0, result.stderr
    lines = [line for line in result.stderr.splitlines() if line.startswith("[")]
    return [tuple(json.loads(line)) for line in lines]


def invoke(*arguments, **options):
    """Run the command in this process, which is faster."""
    result = CliRunner(**APART).invoke(
        cli, [str(a) for a in arguments], prog_name="widemargin", **options
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
