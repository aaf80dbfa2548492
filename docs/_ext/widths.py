"""Open the pages of a site as a laptop and as a phone: `widths.py FOLDER [PICTURES]`.

A page must not be wider than the screen, and its pictures must load; what is wider, a
table or a line of code, scrolls in its own box. Screenshots go into PICTURES.
Needs Chromium on the PATH and playwright.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

WIDTHS = (1280, 390)  # pixels: a laptop, a phone
WIDER = """() => {
  const width = document.documentElement.clientWidth, found = [];
  if (document.documentElement.scrollWidth > width)
    found.push(`is ${document.documentElement.scrollWidth} wide`);
  const boxed = e => {
    for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
      if (getComputedStyle(p).overflowX !== 'visible') return true;
    return false;
  };
  for (const e of document.querySelectorAll('article *')) {
    const box = e.getBoundingClientRect();
    if (box.width && box.right > width + 1 && !boxed(e))
      found.push(`${e.tagName.toLowerCase()} ends at ${Math.round(box.right)}: `
        + e.textContent.trim().slice(0, 40));
  }
  for (const e of document.images)
    if (e.loading !== 'lazy' && (!e.complete || !e.naturalWidth))
      found.push(`picture is missing: ${e.getAttribute('src')}`);
  for (const e of document.querySelectorAll('article td')) {
    const text = e.textContent.trim(), box = e.getBoundingClientRect();
    if (text.length > 60 && box.width < 90)
      found.push(`cell is ${Math.round(box.width)} wide: ${text.slice(0, 40)}`);
  }
  return found;
}"""


def look(page: Page, path: Path, picture: Path | None) -> list[str]:
    """What is too wide on a page."""
    page.goto(path.as_uri())
    if picture:
        picture.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=picture, full_page=True)
    return page.evaluate(WIDER)


def main(arguments: list[str]) -> int:
    site = Path(arguments[0]).resolve()
    pictures = Path(arguments[1]) if arguments[1:] else None
    pages = [p for p in sorted(site.rglob("*.html")) if "_static" not in p.parts]
    faults = 0
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=shutil.which("chromium"))
        for width in WIDTHS:
            page = browser.new_page(viewport={"width": width, "height": 900})
            for path in pages:
                name = path.relative_to(site)
                picture = pictures and pictures / str(width) / name.with_suffix(".png")
                for fault in look(page, path, picture):
                    faults += 1
                    print(f"{name} at {width}: {fault}")
        browser.close()
    print(f"{len(pages)} pages at {WIDTHS} px, {faults} faults")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
