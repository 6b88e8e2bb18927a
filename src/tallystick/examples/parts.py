"""Plans parts of the examples that can be counted apart, and reads them one by one.

Each part can be read by any process that sees the same files. Parts hold the same rows of all files
that are read side by side, and rows are numbered as in the whole file.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from tallystick.errors import InputError
from tallystick.examples.layouts import are_lines, read_files
from tallystick.examples.reading import Reading
from tallystick.examples.systems import Systems
from tallystick.examples.table_files import (
    Place,
    need_no_join,
    read_tables,
    settle_by,
    stream_tables,
)
from tallystick.io.cuts import can_cut, cut_by_rows, cut_by_size
from tallystick.io.files import name_source
from tallystick.io.spans import Piece, Span
from tallystick.io.tables import guess_kind

__all__ = ["Part", "plan_parts", "read_part", "settle"]

_SIZE = 1 << 26


@dataclass(frozen=True, slots=True)
class Part:
    """Some examples that can be counted apart from all others.

    Attributes:
        name: What messages call it, such as `train.csv, rows 1,000,001 to 2,000,000`.
        gold: Where its gold lies.
        places: Where the outputs of each system lie, by the name of the system.
        rows: The number of examples; None where nobody has counted them.
        size: The number of bytes of the gold.
        stamps: The size and the time of the last change of each file.
        whole: Whether these are all examples, which are read as if nobody had asked for parts.
    """

    name: str
    gold: Place
    places: tuple[tuple[str, Place], ...]
    rows: int | None
    size: int
    stamps: tuple[tuple[str, int, int], ...]
    whole: bool = False

    @property
    def key(self) -> str:
        """A digest of the files, their sizes, times of change and rows, to know the part by."""
        return hashlib.sha256(repr((self.gold, self.places, self.stamps)).encode()).hexdigest()


def plan_parts(
    gold: str, places: Mapping[str, Place], reading: Reading, *, size: int = _SIZE
) -> tuple[Part, ...]:
    """Returns parts that are all of the examples, in their order.

    What cannot be cut is one part: files that are joined by ids, gzip, pipes, JSON arrays, logs.

    Args:
        gold: The file of gold.
        places: Where the outputs of each system lie.
        reading: How columns are read.
        size: How many bytes of the gold a part has, roughly.

    Raises:
        InputError: A file cannot be read, or those side by side have not the same number of rows.
    """
    paths = list(dict.fromkeys([gold, *(own.path for own in places.values() if own.path)]))
    stamps = _stamp(paths)
    kinds = {path: reading.input_format or guess_kind(path) for path in paths}
    apart = all(can_cut(path, kind) for path, kind in kinds.items())
    if not apart or are_lines(gold, reading) or not need_no_join(gold, reading):
        rows, total = None, sum(own for _, own, _ in stamps)
        named = tuple(places.items())
        return (Part(name_source(gold), Place(gold), named, rows, total, stamps, True),)
    spans = {gold: cut_by_size(gold, kinds[gold], size)}
    for path in paths[1:]:
        spans[path] = cut_by_rows(path, kinds[path], [span.first for span in spans[gold]])
        _check_lengths(gold, spans[gold], path, spans[path])
    return tuple(
        _plan_part(gold, places, spans, place, stamps) for place in range(len(spans[gold]))
    )


def settle(parts: Sequence[Part], reading: Reading) -> Reading:
    """Returns how to read all parts, as their first examples tell: labels or texts, and the task.

    It does not depend on where the files are cut.

    Raises:
        InputError: A row is not what it should be.
    """
    first = parts[0]
    if first.whole:
        return reading
    gold = replace(first.gold, pieces=None)
    places = {name: replace(place, pieces=None) for name, place in first.places}
    blocks = stream_tables(gold, places, reading)
    return settle_by(reading, next(blocks))


def read_part(part: Part, reading: Reading) -> Iterator[Systems]:
    """Yields the examples of a part in blocks.

    Args:
        part: The part.
        reading: How columns are read, as `settle` returned it, so that all parts are read alike.

    Raises:
        InputError: A row is not what it should be.
        ResettleError: The part shows that the task is another one; all parts are to be read anew,
            by the reading that the error holds.
    """
    places = dict(part.places)
    gold = part.gold.path or ""
    if not part.whole:
        yield from stream_tables(part.gold, places, reading)
    elif are_lines(gold, reading):
        yield from read_files(gold, {name: own.path for name, own in places.items()}, reading)
    else:
        yield from read_tables(gold, places, reading)


def _stamp(paths: Sequence[str]) -> tuple[tuple[str, int, int], ...]:
    stamps = []
    for path in paths:
        with suppress(OSError):
            status = os.stat(path)
            stamps.append((path, status.st_size, status.st_mtime_ns))
    return tuple(stamps)


def _check_lengths(gold: str, own: Sequence[Span], path: str, other: Sequence[Span]) -> None:
    """Raises an InputError where two files have not the same number of rows."""
    sizes = [sum(span.rows for span in spans) for spans in (own, other)]
    if sizes[0] != sizes[1]:
        raise InputError(
            f"{gold} has {sizes[0]} examples but {path} has {sizes[1]}, and there are no ids in "
            "both to join them by"
        )


def _plan_part(
    gold: str,
    places: Mapping[str, Place],
    spans: Mapping[str, Sequence[Span]],
    number: int,
    stamps: tuple[tuple[str, int, int], ...],
) -> Part:
    """Returns the part that holds the spans of some number of all files."""
    own = spans[gold][number]
    named = {
        name: place
        if place.path is None
        else replace(place, pieces=(Piece(place.path, spans[place.path][number]),))
        for name, place in places.items()
    }
    return Part(
        f"{gold}, rows {own.first + 1:,} to {own.first + own.rows:,}",
        Place(gold, pieces=(Piece(gold, own),)),
        tuple(named.items()),
        own.rows,
        own.stop - own.start,
        stamps,
    )
