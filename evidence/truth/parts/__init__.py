"""The parts, by name: one promise each, or a few that are measured together."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

PARTS: dict[str, Any] = {
    module.name: import_module(f"{__name__}.{module.name}")
    for module in iter_modules(__path__)
}
