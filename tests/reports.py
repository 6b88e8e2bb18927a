"""What tests of reports share: reports of small results, and what a page holds."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import tallystick
from tallystick.output.report.page import write_page
from tallystick.output.results.result import Result

DATA = "tallystick-report"


class Page(HTMLParser):
    """A page as a browser without JavaScript reads it."""

    def __init__(self, text: str) -> None:
        """Reads a page."""
        HTMLParser.__init__(self)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.blocks: list[tuple[dict[str, str], str]] = []
        self.words = ""
        self._hidden = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Notes an element."""
        own = {name: value or "" for name, value in attrs}
        self.tags.append((tag, own))
        self._hidden = tag in ("script", "style")
        if self._hidden:
            self.blocks.append((own | {"": tag}, ""))

    def handle_endtag(self, tag: str) -> None:
        """Notes that a script or a style ends."""
        self._hidden = self._hidden and tag not in ("script", "style")

    def handle_data(self, data: str) -> None:
        """Notes text."""
        if self._hidden:
            own, before = self.blocks.pop()
            self.blocks.append((own, before + data))
        else:
            self.words += data

    @property
    def numbers(self) -> list[float]:
        """The number behind each cell that has one."""
        found = (own.get("data-value") for _, own in self.tags)
        return [float(value) for value in found if value]

    @property
    def data(self) -> dict[str, Any]:
        """The records that the page holds."""
        found = next(text for own, text in self.blocks if own.get("id") == DATA)
        records: dict[str, Any] = json.loads(found)
        return records

    @property
    def policy(self) -> str:
        """The page's Content-Security-Policy."""
        return next(
            own["content"]
            for tag, own in self.tags
            if tag == "meta" and own.get("http-equiv") == "Content-Security-Policy"
        )


def write(result: Result, **options: Any) -> Page:
    return Page(write_page(result.describe(**options)))


def sign(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def read_stance() -> tuple[list[str], dict[str, list[str]]]:
    folder = resources.files("tallystick") / "demo_data" / "stance"
    entries = sorted((folder / "entries").iterdir(), key=lambda path: path.name)
    return _read(folder / "gold.txt"), {path.name[:-4]: _read(path) for path in entries}


def _read(path: Any) -> list[str]:
    return re.findall("[^\n]+", path.read_text(encoding="utf-8"))


def rank_stance() -> Result:
    gold, systems = read_stance()
    return tallystick.rank(gold, systems, ["macro_f1", "accuracy"])
