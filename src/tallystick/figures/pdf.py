"""Puts the objects of a PDF in order, so that the same figure always has the same bytes.

The library that makes the PDF writes fonts and resources in a different order each time.
"""

import re

_START = re.compile(rb"startxref\s+(\d+)\s+%%EOF\s*$")
_ENTRY = re.compile(rb"(\d{10}) \d{5} ([nf])")
_REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
_RESOURCES = re.compile(rb"(?:^ +/[A-Za-z]+\d+ \d+ 0 R\n){2,}", re.MULTILINE)


def put_in_order(content: bytes) -> bytes:
    """Returns the same PDF with its objects in the order in which the root refers to them."""
    objects, trailer = _read(content)
    numbers: dict[int, int] = {}
    waiting = [int(found) for found in _REFERENCE.findall(trailer)][::-1]
    while waiting:
        number = waiting.pop()
        if number not in numbers:
            numbers[number] = len(numbers) + 1
            waiting += [int(found) for found in _REFERENCE.findall(objects[number][0])][::-1]
    parts = [content[: content.index(b"\n", content.index(b"\n") + 1) + 1]]
    offsets = []
    for old, new in numbers.items():
        offsets.append(sum(map(len, parts)))
        head, stream = objects[old]
        parts.append(b"%d 0 obj\n%b%b" % (new, _renumber(head, numbers), stream))
    table = b"".join(b"%010d 00000 n\r\n" % offset for offset in offsets)
    start = sum(map(len, parts))
    size = len(offsets) + 1
    trailer = re.sub(rb"/Size \d+", b"/Size %d" % size, _renumber(trailer, numbers))
    parts.append(b"xref\n0 %d\n0000000000 65535 f\r\n%b%b" % (size, table, trailer))
    return b"".join(parts) + b"startxref\n%d\n%%%%EOF" % start


def _read(content: bytes) -> tuple[dict[int, tuple[bytes, bytes]], bytes]:
    """Each object's dictionary and stream by its number, and the trailer."""
    found = _START.search(content)
    if found is None:
        raise ValueError("a PDF ends with the place of its table")
    start = int(found[1])
    rows = _ENTRY.findall(content, start)
    places = {number: int(at) for number, (at, kind) in enumerate(rows) if kind == b"n"}
    ends = sorted((*places.values(), start))
    objects = {}
    for number, at in places.items():
        body = content[content.index(b"\n", at) + 1 : ends[ends.index(at) + 1]]
        head, mark, stream = body.partition(b"\nstream\n")
        sorted_head = _RESOURCES.sub(
            lambda some: b"".join(sorted(some[0].splitlines(keepends=True))), head
        )
        objects[number] = (sorted_head, mark + stream)
    trailer = content[content.index(b"trailer", start) : found.start()]
    return objects, trailer


def _renumber(text: bytes, numbers: dict[int, int]) -> bytes:
    return _REFERENCE.sub(lambda found: b"%d 0 R" % numbers[int(found[1])], text)
