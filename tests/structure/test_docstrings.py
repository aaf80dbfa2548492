"""Docstrings of selectors name every parameter with its default.

What they share is written by tools/docstrings.py, which `make lint` checks.
"""

import inspect
import re

import pytest

import widemargin
from widemargin import baselines

SELECTORS = {
    name: getattr(package, name)
    for package in (widemargin, baselines)
    for name in package.__all__
    if hasattr(getattr(package, name), "fit") and name != "Selection"  # has no fit
}


def entries(selector):
    """Type and paragraph of each parameter and attribute in a docstring."""
    found: dict[str, tuple[str, list[str]]] = {}
    lines: list[str] = []
    section = re.compile(r"^(Parameters|Attributes)\n-+\n(.*?)(?:\n\n|\Z)", re.M | re.S)
    for _, text in section.findall(inspect.getdoc(selector)):
        for line in text.splitlines():
            if line.startswith(" "):
                lines.append(line.strip())
            else:
                names, _, kind = line.partition(" : ")
                lines = []
                found |= dict.fromkeys(names.split(", "), (kind, lines))
    return {name: (kind, " ".join(words)) for name, (kind, words) in found.items()}


ENTRIES = {name: entries(selector) for name, selector in SELECTORS.items()}


@pytest.mark.parametrize("name", SELECTORS)
def test_every_parameter_is_documented_with_its_default(name):
    parameters = inspect.signature(SELECTORS[name]).parameters
    documented = [n for n in ENTRIES[name] if not n.endswith("_")]
    assert sorted(documented) == sorted(parameters), (
        f"the section Parameters of {name} lists other parameters than its __init__"
    )
    for parameter in parameters.values():
        kind, text = ENTRIES[name][parameter.name]
        where = f"{parameter.name} in the docstring of {name}"
        assert text, f"describe {where}"
        _, given, default = kind.partition(", default=")
        if parameter.default is parameter.empty:
            assert not given, f"{where}: there is no default, so do not name one"
        else:
            assert eval(default or "...") == parameter.default, (
                f"{where}: its first line ends with , default={parameter.default!r}"
            )


def test_alternatives_are_written_in_one_way():
    # {"a", "b"} rather than "a" or "b"
    words = re.compile(r'("[\w-]+"(, | or )?){2,}( or None)?')
    for name, found in ENTRIES.items():
        for kind, _ in found.values():
            assert not words.fullmatch(kind.partition(", default=")[0]), (
                f'{name}: write {{"a", "b"}} instead of {kind}'
            )
