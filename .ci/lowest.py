"""Print the lowest versions that pyproject.toml allows, as constraints for pip.

Only direct dependencies are held down; what these need is left to pip, as it is for
users. `make test-oldest` installs the result.

    python .ci/lowest.py > lowest.txt && pip install --constraint lowest.txt '.[test]'
"""

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
BOUND = re.compile(r"(?P<name>[\w.-]+)(\[[\w,]+\])?>=(?P<version>[\d.]+)(,<[\d.]+)?$")


def requirements() -> list[str]:
    """All direct dependencies, those of the extras included."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    # What is compared with, and what is looked at by developers only, has no say here.
    chosen = [extras[name] for name in extras if name not in {"bench", "dev"}]
    return [*project["dependencies"], *(line for lines in chosen for line in lines)]


def constraints(lines: list[str]) -> list[str]:
    """The lowest version of each, which two extras must not disagree about."""
    lowest: dict[str, str] = {}
    for line in lines:
        if line.startswith("widemargin["):
            continue
        bound = BOUND.match(line)
        if bound is None:
            sys.exit(f"pyproject.toml: {line!r} has no lower bound of the form a>=1.2.")
        name, version = bound["name"], bound["version"]
        if lowest.setdefault(name, version) != version:
            sys.exit(f"pyproject.toml: {name} >= {lowest[name]} and >= {version}.")
    return [f"{name}=={version}" for name, version in sorted(lowest.items())]


if __name__ == "__main__":
    print("\n".join(constraints(requirements())))
