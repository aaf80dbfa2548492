"""What a release consists of agrees with itself."""

import importlib.util
import re
from pathlib import Path

import pytest

import widemargin

ROOT = Path(__file__).parents[2]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_changelog_and_the_citation_have_the_version():
    version = re.escape(widemargin.__version__)
    changes, citation = text("CHANGELOG.md"), text("CITATION.cff")
    dates = re.findall(rf"^## \[{version}\] - (\S+)$", changes, re.M)
    assert len(dates) == 1, (
        f"CHANGELOG.md needs one section with the title ## [{widemargin.__version__}] "
        "- date, the version of src/widemargin/_version.py"
    )
    assert re.search(rf"^version: {version}$", citation, re.M), (
        f"set the version of CITATION.cff to {widemargin.__version__}"
    )
    assert f'date-released: "{dates[0]}"' in citation, (
        f"set date-released in CITATION.cff to the CHANGELOG's date, {dates[0]}"
    )
    assert -1 < changes.find("## [Unreleased]") < changes.index(dates[0]), (
        "CHANGELOG.md begins with a section ## [Unreleased], which may be empty"
    )


def test_the_recipe_has_the_version_and_the_same_requirements():
    recipe, project = text("recipe/recipe.yaml"), text("pyproject.toml")
    assert f'version: "{widemargin.__version__}"' in recipe, (
        f"set the version of recipe/recipe.yaml to {widemargin.__version__}"
    )
    block = re.search(r"^dependencies = \[(.*?)\]", project, re.M | re.S)
    for requirement in re.findall(r'"([^"]+)"', block.group(1)):
        name, bounds = re.match(r"([\w-]+)(.*)", requirement).groups()
        assert f"- {name} {bounds}" in recipe, (
            f"recipe/recipe.yaml needs - {name} {bounds}, as in pyproject.toml"
        )


def test_the_same_versions_of_python_everywhere():
    project = text("pyproject.toml")
    (oldest,) = re.findall(r'^requires-python = ">=([\d.]+)"$', project, re.M)
    listed = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
    newest = listed[-1]
    assert listed == sorted(set(listed), key=lambda v: int(v[2:])), (
        "list each Python once and in order in the classifiers of pyproject.toml"
    )
    assert listed[0] == oldest, (
        "requires-python in pyproject.toml is not the first of the classifiers"
    )
    for file, words in {
        "recipe/recipe.yaml": f"- python >={oldest}\n",
        "CONTRIBUTING.md": f"Python {oldest} to {newest}.",
        "docs/start.md": f"Python {oldest} or later",
        ".github/workflows/test.yml": f'python: ["{oldest}", "{newest}"]',
    }.items():
        assert words in text(file), f"{file} should say: {words}"
    assert f"up to Python {newest}." in text("docs/start.md"), (
        f"docs/start.md should say: up to Python {newest}."
    )
    for name in ("test", "release"):
        used = re.findall(r"\b3\.\d+\b", text(f".github/workflows/{name}.yml"))
        assert set(used) <= {oldest, newest}, (
            f"the workflow {name}.yml should use Python {oldest} and {newest} only"
        )


def test_links_in_the_readme_lead_to_files():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text("README.md"))
    assert len(links) > 5
    for link in links:
        assert (ROOT / link).exists(), f"README.md links to {link}, which is not there"


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
