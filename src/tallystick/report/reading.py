"""Reads back what a report holds: its result, its examples, and how it was made."""

import json
import math
import re
from typing import NoReturn

from tallystick.report.content import Record

_BLOCK = re.compile(
    '<script type="application/json" id="tallystick-report">(.*?)</script>', re.DOTALL
)


def read_data(text: str) -> Record | None:
    """Returns all that a report holds; None where a page is no report."""
    found = _BLOCK.search(text)
    if found is None:
        return None
    data = parse_strictly(found[1])
    if not isinstance(data, dict):
        raise ValueError("the data of the page is no object")
    return data


def parse_strictly(text: str) -> object:
    """Returns what JSON holds, without the infinities and NaN that Python reads too."""
    return json.loads(text, parse_constant=_refuse, parse_float=_read_float)


def _read_float(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number in JSON")
