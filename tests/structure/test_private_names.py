"""Names that other libraries do not call public are used in one module each."""

import ast
from functools import cache
from pathlib import Path

import pytest

import widemargin

SOURCE = Path(widemargin.__file__).parent
# What of Numba is documented for others to use.
PUBLIC_NUMBA = {"numba", "numba.extending", "numba.types"}


@cache
def nodes(path):
    """All of a file's syntax; parsed once for all tests."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imported(path):
    """Modules that a file imports, and names from modules."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from ((node.module, alias.name) for alias in node.names)


def library(module):
    return module.split(".")[0]


def is_private(module, name):
    if library(module) == "numba" and module not in PUBLIC_NUMBA:
        return True
    return any(part.startswith("_") for part in (*module.split(".")[1:], name))


def check_home(found, home, what):
    """Fail where files other than one do something, and say what to do instead."""
    elsewhere = sorted({str(path.relative_to(SOURCE)) for path in found} - {home})
    assert not elsewhere, (
        f"Only {home} {what}, so that a new release of that library is met in one "
        f"file. Import what you need from there, or add it there, instead of in: "
        f"{', '.join(elsewhere)}."
    )
    assert found, f"{home} is gone or has another name; correct this test."


@pytest.mark.parametrize(
    ("name", "home"), [("sklearn", "_sklearn.py"), ("numba", "kernels/_jit.py")]
)
def test_private_names_are_imported_in_one_module(name, home):
    found = [
        path
        for path in SOURCE.rglob("*.py")
        if any(library(m) == name and is_private(m, n) for m, n in imported(path))
    ]
    check_home(found, home, f"imports private names of {name}")


@pytest.mark.parametrize(
    ("names", "home"),
    [
        ({"llvmlite"}, "kernels/simd.py"),
        ({"dask", "distributed"}, "engine/dask/_dask.py"),
    ],
    ids=["llvmlite", "dask"],
)
def test_libraries_are_imported_in_one_module(names, home):
    found = [
        path
        for path in SOURCE.rglob("*.py")
        if any(library(module) in names for module, _ in imported(path))
    ]
    check_home(found, home, f"imports {' and '.join(sorted(names))}")


def test_private_attributes_of_dask_frames_are_used_in_one_module():
    found = [
        path
        for path in SOURCE.rglob("*.py")
        if any(isinstance(n, ast.Attribute) and n.attr == "_meta" for n in nodes(path))
    ]
    check_home(found, "engine/dask/_dask.py", "uses `_meta` of Dask's frames")


def test_one_module_of_the_command_prints():
    found = [
        path
        for path in (SOURCE / "cli").rglob("*.py")
        if "click.echo" in path.read_text(encoding="utf-8")
    ]
    elsewhere = sorted(path.name for path in found if path.name != "terminal.py")
    assert not elsewhere, (
        f"{', '.join(elsewhere)}: print with the functions of cli/terminal.py instead "
        "of click.echo, which lets control characters of files reach the terminal."
    )
