"""Find dead links in a built site, without a network: `check_links.py FOLDER`.

Every link, picture, script and style of every page must be a file of the site, and what
follows a # an id in it. Links to other places are counted and, with --list, listed.
"""

import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes) -> None:
        for name, value in attributes:
            if not value:
                continue
            if name == "id" or (name == "name" and tag == "a"):
                self.ids.add(value)
            elif name == "href" or (name == "src" and tag != "source"):
                self.links.append(value)


def check(site: Path) -> tuple[list[str], Counter, int]:
    """Dead links with their pages, addresses elsewhere, and the number of pages."""
    pages = {
        path.resolve(): Page(path)
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts  # templates of the theme
    }
    dead, elsewhere = [], Counter()
    for path, page in pages.items():
        where = path.relative_to(site.resolve())
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto") or parts.netloc:
                elsewhere[link] += 1
                continue
            if parts.scheme:  # data: and the like
                continue
            target = (
                (path.parent / unquote(parts.path)).resolve() if parts.path else path
            )
            if not target.is_file():
                dead.append(f"{where}: {link} is no file")
            elif parts.fragment and target in pages:
                ids = pages[target].ids
                if unquote(parts.fragment) not in ids and parts.fragment not in ids:
                    dead.append(f"{where}: {link} has no such place")
    return dead, elsewhere, len(pages)


def main(arguments: list[str]) -> int:
    site = Path(arguments[0])
    dead, elsewhere, n_pages = check(site)
    print("\n".join(sorted(set(dead))))
    if "--list" in arguments:
        print("\n".join(f"{n:5} {link}" for link, n in elsewhere.most_common()))
    print(f"{n_pages} pages, {len(set(dead))} dead links, {len(elsewhere)} elsewhere")
    return 1 if dead or not n_pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
