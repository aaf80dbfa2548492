"""What a reader takes from the report: names, code, and how the baseline fares."""

import pytest

import widemargin
from test_report_browser import (
    CHROMIUM,
    browser,  # noqa: F401
    opened,
    pytestmark,  # noqa: F401
)
from widemargin.datasets import make_xor
from widemargin.evaluation import compare

COPIED = "node => node.textContent === 'Copied'"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    assert CHROMIUM
    X, y = make_xor(n_samples=300, n_features=8, random_state=0)
    found = compare(X, y, ["ReliefF"], baseline=[3, 4, 5], cv=3, random_state=0)
    page = widemargin.report(found)
    path = page.save(tmp_path_factory.mktemp("use") / "page.html")
    kept = [name for name, _ in _ranked(page.data)]
    return path, kept, page.data


def _ranked(data):
    (best,) = data["methods"]
    rows = zip(data["features"]["name"], best["rank"], best["selected"], strict=True)
    return sorted([(n, r) for n, r, s in rows if s], key=lambda pair: pair[1])


def test_names_are_copied_from_a_file(browser, page_file):  # noqa: F811
    path, kept, _ = page_file
    with opened(browser, path, permissions=["clipboard-read"]) as page:
        assert page.inner_text("#kept-names").split("\n") == kept
        button = page.locator("[data-copies=kept-names]")
        button.click()
        page.wait_for_function(COPIED, arg=button.element_handle())
        found = page.evaluate("navigator.clipboard.readText()")
        assert found.split("\n") == kept


def test_names_are_copied_without_the_clipboard(browser, page_file):  # noqa: F811
    path, kept, _ = page_file
    with opened(browser, path, permissions=["clipboard-read"]) as page:
        page.evaluate(
            "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
        )
        button = page.locator("[data-copies=kept-names]")
        button.click()
        page.wait_for_function(COPIED, arg=button.element_handle())
        assert page.evaluate("String(getSelection())").split("\n") == kept


def test_names_are_marked_where_nothing_may_be_copied(browser, page_file):  # noqa: F811
    path, kept, _ = page_file
    with opened(browser, path) as page:
        page.evaluate(
            "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
            "document.execCommand = () => false"
        )
        button = page.locator("[data-copies=kept-names]")
        button.click()
        page.wait_for_function(
            "node => node.textContent === 'Press Ctrl-C'", arg=button.element_handle()
        )
        assert page.evaluate("String(getSelection())").split("\n") == kept


@pytest.mark.parametrize("width", [1280, 390])
def test_baseline_is_in_the_curve_and_the_table(browser, page_file, width):  # noqa: F811
    path, _, data = page_file
    assert data["curve"]["baseline"]["n_features"] == 3
    with opened(browser, path, width) as page:
        assert page.locator("#curve-chart .baseline .marker").count() == 1
        assert "baseline" in page.locator("#curve-chart .note").all_text_contents()
        last = page.locator("table.methods tbody tr").last
        assert last.inner_text().startswith("baseline")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
