"""What a report is made of, and how it is read back from the page."""

import json
import math
import re
from typing import Any, NoReturn, TypeAlias

from msgspec import Struct

from tallystick.output.tables.document import Document, Sections, Style

Record: TypeAlias = dict[str, Any]
"""An object as JSON has it."""

_BLOCK = re.compile(
    '<script type="application/json" id="tallystick-report">(.*?)</script>', re.DOTALL
)


class Input(Struct, frozen=True):
    """A file that was read, with its size in bytes and its SHA-256 in hexadecimal."""

    path: str
    size: int
    sha256: str


class Origin(Struct, frozen=True):
    """How a result was made: what was typed, empty in Python, and the files that were read."""

    command: str = ""
    inputs: tuple[Input, ...] = ()


class Content(Struct, frozen=True, kw_only=True):
    """What a report is made of.

    Attributes:
        document: The tables, the sentences and the notes, as a terminal shows them.
        sections: What is shown of it on a page.
        result: All records, as JSON has them.
        evidence: What the result rests on, such as single examples, for each track.
        origin: How the result was made.
        style: How numbers are shown.
    """

    document: Document
    sections: Sections
    result: Record
    evidence: tuple[Record, ...] = ()
    origin: Origin = Origin()
    style: Style = Style()

    @property
    def matrices(self) -> list[Record]:
        """The confusion matrix of each system, and of each track where there are several."""
        if "confusions" in self.result:
            return [{"track": None, **one} for one in self.list("confusions")]
        return [
            matrix | {"track": one["track"]}
            for one in self.evidence
            for matrix in one["confusions"]
        ]

    @property
    def findings(self) -> list[Record]:
        """How sound the data of each track is."""
        return [
            finding | {"track": one["track"]}
            for one in self.evidence
            for finding in one["findings"]
        ]

    @property
    def kind(self) -> str:
        """What was asked for: `score`, `compare`, `rank`, `gate`, or `other`."""
        return kind_of(self.result)

    def list(self, name: str) -> list[Record]:
        """Returns the records under a key, such as `places`; none if there is no such key."""
        found: list[Record] = self.result.get(name, [])
        return found


def kind_of(result: Record) -> str:
    """Returns what a result in JSON is: `score`, `compare`, `rank`, `gate`, or `other`."""
    marks = {"places": "rank", "checks": "gate", "differences": "compare", "scores": "score"}
    return next((kind for mark, kind in marks.items() if mark in result), "other")


def read_data(text: str) -> Record | None:
    """Returns all that a report holds; None where a page is no report."""
    found = _BLOCK.search(text)
    if found is None:
        return None
    data = parse_strictly(found[1])
    if not isinstance(data, dict):
        raise ValueError("the data of the page is not an object")
    return data


def parse_strictly(text: str) -> object:
    """Returns what JSON holds, without the infinities and NaN that Python reads too."""
    return json.loads(text, parse_constant=_refuse, parse_float=_read_float)


def _read_float(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number in JSON")
