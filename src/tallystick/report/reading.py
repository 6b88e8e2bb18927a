"""Reads back what a report holds: its result, its examples, and how it was made."""

import json
import re
from typing import Any

__all__ = ["is_page", "read_data"]

_BLOCK = re.compile(
    '<script type="application/json" id="tallystick-report">(.*?)</script>', re.DOTALL
)


def is_page(path: str) -> bool:
    """Whether a path is that of a page, by its ending."""
    return path.lower().endswith((".html", ".htm"))


def read_data(text: str) -> dict[str, Any] | None:
    """Returns all that a report holds; None where a page is no report."""
    found = _BLOCK.search(text)
    if found is None:
        return None
    data: dict[str, Any] = json.loads(found[1])
    return data
