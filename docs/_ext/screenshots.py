"""Take the pictures of a report that the pages show: `python docs/_ext/screenshots.py`.

They are kept in docs/_static; take them again when the report has changed. Needs
Chromium on the PATH and playwright.
"""

import shutil
import tempfile
from pathlib import Path

import pandas as pd
from example_data import write_example_data

import widemargin
from widemargin.evaluation import compare

STATIC = Path(__file__).parent.parent / "_static"
PARTS = {  # of the page, by the heading that they begin with
    "report-answer": (0, 600),
    "report-curve": ("How many", 612),
}


def make_report(folder: Path) -> Path:
    write_example_data(folder)
    table = pd.read_csv(folder / "credit.csv", index_col="customer")
    result = compare(table.drop(columns="grade"), table["grade"], random_state=0)
    page = folder / "credit.html"
    widemargin.report(result, title="credit.csv").save(page)
    return page


def main() -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as player:
        address = make_report(Path(folder)).as_uri()
        browser = player.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": 980, "height": 900})
        page.goto(address)
        page.wait_for_timeout(500)
        for name, (where, height) in PARTS.items():
            top = 0
            if where:
                heading = page.locator("h2", has_text=where).first
                top = heading.bounding_box()["y"] - 16
            clip = {"x": 0, "y": top, "width": 980, "height": height}
            path = STATIC / f"{name}.png"
            page.screenshot(path=path, clip=clip, full_page=True)
            print(path.name, path.stat().st_size // 1000, "kB")
        browser.close()


if __name__ == "__main__":
    main()
