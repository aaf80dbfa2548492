"""Names that other libraries do not call public are imported in one module each."""

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
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from ((node.module, alias.name) for alias in node.names)


def is_private(module, name):
    library, *rest = module.split(".")
    if library == "numba" and module not in PUBLIC_NUMBA:
        return True
    return any(part.startswith("_") for part in (*rest, name or ""))


@pytest.mark.parametrize(
    ("library", "home"), [("sklearn", "_sklearn.py"), ("numba", "kernels/_jit.py")]
)
def test_private_names_are_imported_in_one_module(library, home):
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for module, name in imported(path)
        if module.split(".")[0] == library and is_private(module, name)
    }
    assert found == {home}


def test_llvm_code_is_in_one_module():
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for module, _ in imported(path)
        if module.split(".")[0] == "llvmlite"
    }
    assert found == {"kernels/simd.py"}


def test_dask_is_imported_in_one_module():
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for module, _ in imported(path)
        if module.split(".")[0] in {"dask", "distributed"}
    }
    assert found == {"engine/dask/_dask.py"}


def test_private_attributes_of_dask_frames_are_used_in_one_module():
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr == "_meta"
    }
    assert found == {"engine/dask/_dask.py"}
