"""The tool that looks for dead links in the documentation site finds them."""

import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "docs" / "_ext"
pytestmark = pytest.mark.skipif(not TOOLS.is_dir(), reason="no docs in the sdist")


@pytest.fixture
def check(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.delitem(sys.modules, "check_links", raising=False)
    from check_links import check

    return check


def write(site: Path, **pages: str) -> None:
    for name, html in pages.items():
        (site / f"{name}.html").write_text(html, encoding="utf-8")


def test_links_to_files_and_places_that_are_there_pass(check, tmp_path):
    write(
        tmp_path,
        a='<a href="b.html#here">b</a><a href="https://elsewhere.example/x">c</a>',
        b='<h1 id="here">b</h1><a href="#here">up</a>',
    )
    dead, elsewhere, n_pages = check(tmp_path)
    assert dead == []
    assert list(elsewhere) == ["https://elsewhere.example/x"]
    assert n_pages == 2


@pytest.mark.parametrize(
    "link", ["c.html", "b.html#nowhere", "#nowhere", "folder/b.html"]
)
def test_a_dead_link_is_named_with_its_page(check, tmp_path, link):
    write(tmp_path, a=f'<a href="{link}">x</a>', b='<h1 id="here">b</h1>')
    dead, _, _ = check(tmp_path)
    assert len(dead) == 1
    assert dead[0].startswith(f"a.html: {link} ")


def test_a_missing_picture_is_a_dead_link(check, tmp_path):
    write(tmp_path, a='<img src="gone.svg">')
    assert check(tmp_path)[0] == ["a.html: gone.svg is no file"]
