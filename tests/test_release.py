"""What a release consists of agrees with itself."""

import importlib.util
import re
from pathlib import Path

import pytest

import widemargin

ROOT = Path(__file__).parents[1]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_changelog_and_the_citation_have_the_version():
    version = re.escape(widemargin.__version__)
    (date,) = re.findall(rf"^## \[{version}\] - (\S+)$", text("CHANGELOG.md"), re.M)
    citation = text("CITATION.cff")
    assert re.search(rf"^version: {version}$", citation, re.M)
    assert f'date-released: "{date}"' in citation
    assert text("CHANGELOG.md").index("## [Unreleased]") < text("CHANGELOG.md").index(
        date
    )


def test_the_recipe_has_the_version_and_the_same_requirements():
    recipe, project = text("recipe/recipe.yaml"), text("pyproject.toml")
    assert f'version: "{widemargin.__version__}"' in recipe
    block = re.search(r"^dependencies = \[(.*?)\]", project, re.M | re.S)
    for requirement in re.findall(r'"([^"]+)"', block.group(1)):
        name, bounds = re.match(r"([\w-]+)(.*)", requirement).groups()
        assert f"- {name} {bounds}" in recipe


def test_the_same_versions_of_python_everywhere():
    project, recipe = text("pyproject.toml"), text("recipe/recipe.yaml")
    (oldest,) = re.findall(r'^requires-python = ">=([\d.]+)"$', project, re.M)
    listed = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
    assert listed == sorted(set(listed), key=lambda v: int(v[2:]))
    assert listed[0] == oldest
    assert f"- python >={oldest}\n" in recipe
    assert f"Python {oldest} to {listed[-1]}." in text("CONTRIBUTING.md")
    assert f"Python {oldest} or later" in text("docs/start.md")
    assert f"up to Python {listed[-1]}." in text("docs/start.md")
    workflow = text(".github/workflows/test.yml")
    assert f'python: ["{oldest}", "{listed[-1]}"]' in workflow
    used = re.findall(r"\b3\.\d+\b", workflow + text(".github/workflows/release.yml"))
    assert set(used) == {oldest, listed[-1]}


def test_links_in_the_readme_lead_to_files():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text("README.md"))
    assert len(links) > 5
    for link in links:
        assert (ROOT / link).exists(), link


def test_links_become_absolute_where_the_repository_is_known():
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("build", ROOT / "hatch_build.py")
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    links = "[a](docs/a.md), ![b](b.png), [c](https://c.example)"
    assert build.absolute(links, "https://r.example", "v1").split(", ") == [
        "[a](https://r.example/blob/v1/docs/a.md)",
        "![b](https://r.example/raw/v1/b.png)",
        "[c](https://c.example)",
    ]
