"""Checks the documentation site: every link inside it leads somewhere, and it loads no other host.

Usage: python tools/check_site.py SITE
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
"""The attributes whose target a browser fetches by itself."""


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it that links can name.

    Attributes:
        links: The targets of its links.
        loaded: What the browser fetches to show it.
        places: The ids in it.
    """

    def __init__(self, path: Path) -> None:
        """Reads a page."""
        HTMLParser.__init__(self)
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes the attributes of one element."""
        values = dict(attrs)
        self.places.add(values.get("id") or "")
        if tag == "a":
            self.links.append(values.get("href") or "")
        elif tag in _LOADED and values.get("rel") != "canonical":
            self.loaded.append(values.get(_LOADED[tag]) or "")


def find_faults(site: Path) -> list[str]:
    """Returns one sentence for each link to nowhere, and for each file of another host."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    faults = []
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        faults += [f"{name}: loads {one}" for one in page.loaded if urlsplit(one).netloc]
        for link in [*page.links, *page.loaded]:
            target = urlsplit(link)
            if target.scheme or target.netloc:
                continue
            file = (path.parent / unquote(target.path)).resolve() if target.path else path
            known = pages[file].places if file in pages else {""}
            if not file.exists() or (file in pages and unquote(target.fragment) not in known):
                faults.append(f"{name}: no {link}")
    return faults


if __name__ == "__main__":
    found = find_faults(Path(sys.argv[1]))
    sys.exit("\n".join(found) or 0)
