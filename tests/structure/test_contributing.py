"""CONTRIBUTING.md names files that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
THERE = {
    part.as_posix()
    for folder in ("src", "evidence", "docs", "tests", "tools", "recipe", ".github")
    for path in (ROOT / folder).rglob("*")
    for part in (path.relative_to(ROOT),)
} | {path.name for path in ROOT.iterdir()}


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="no docs in the sdist")
@pytest.mark.parametrize(
    "name", sorted(set(re.findall(r"`([\w/.-]+\.(?:py|toml|md|yml|yaml))`", TEXT)))
)
def test_a_file_that_is_named_is_there(name):
    assert any(path == name or path.endswith(f"/{name}") for path in THERE)
