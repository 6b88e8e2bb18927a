"""Plans parts of a table that can be counted apart, and reads them one by one.

Each part is files, or groups of rows of a Parquet file, that any process can read which sees the
same files. Rows are numbered as in the whole file.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from tallystick.frozen import dataclass, replace
from tallystick.io.files.datasets import find_pieces, list_files
from tallystick.io.files.pieces import Piece
from tallystick.io.files.pipes import is_piped
from tallystick.io.files.progress import measure_input
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.formats import settle_format
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems
from tallystick.reading.layouts import are_lines
from tallystick.reading.table_files import (
    Place,
    have_blocks,
    need_whole,
    settle_rows,
    stream_tables,
)

_LEAST, _MOST = 1 << 20, 1 << 26
"""Bounds of the bytes of a part."""

_PARTS = 64
"""So many parts are made of files of usual sizes, whoever counts them."""


class Source(Protocol):
    """Where the examples of a part come from; it is small, and can be sent to another process."""

    @property
    def name(self) -> str:
        """What messages call the part."""

    @property
    def size(self) -> int:
        """How many bytes of it are read."""

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The examples, block by block."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of a table that can be counted apart from all others.

    Attributes:
        name: What messages call it, such as `train.parquet, rows 1,000,001 to 2,000,000`.
        rows: The number of rows; None where nobody has counted them.
        size: The number of bytes.
    """

    name: str
    gold: Place
    places: tuple[tuple[str, Place], ...]
    rows: int | None
    size: int

    def read(self, reading: Reading) -> Iterator[Systems]:
        """Yields the examples in blocks, by the reading that `settle` returned.

        A ResettleError holds the reading by which all parts are to be read anew, where the part
        shows that the task is another one.
        """
        yield from stream_tables(self.gold, dict(self.places), reading)


def plan_parts(
    gold: str, places: Mapping[str, Place], reading: Reading, *, size: int | None = None
) -> tuple[Part, ...]:
    """Returns parts that are all rows of a table, in their order; none where it has no parts.

    That is so of files that are read side by side, and of lines of text. The parts depend on the
    files and the size alone; each part has about `size` bytes, or a usual number of them.
    """
    beside = any(place.path for place in places.values())
    if beside or are_lines(gold, reading) or not have_blocks([gold], reading):
        return ()
    if places and need_whole([gold], reading):
        return ()
    if size is None:
        size = min(max(measure_input([gold]) // _PARTS, _LEAST), _MOST)
    pieces = find_pieces(gold)
    shares = _share(pieces, settle_format(pieces, reading.input_format), size)
    # The first row of several files, which all others must be like.
    several = len(pieces) > 1
    alike = next(iterate_tables(gold, format=reading.input_format, rows=1)) if several else None
    return tuple(
        Part(
            _name_pieces(own),
            Place(gold, None, own, alike),
            tuple(places.items()),
            sum(one.span.rows for one in own if one.span) if all(one.span for one in own) else None,
            sum(map(_measure, own)),
        )
        for own in shares
    )


def settle(parts: Sequence[Part], reading: Reading) -> Reading:
    """Returns how to read all parts, as their first examples tell, wherever the files are cut."""
    gold, places = replace(parts[0].gold, pieces=None), dict(parts[0].places)
    return settle_rows(gold, places, reading, whole=False)


def _share(pieces: Sequence[Piece], kind: str, size: int) -> list[tuple[Piece, ...]]:
    """Cuts large Parquet files, and puts small files together, to about so many bytes each.

    None of them is much smaller, as small files may have no rows at all.
    """
    shares: list[tuple[Piece, ...]] = []
    held: list[Piece] = []
    taken = 0
    for piece in pieces:
        own = _measure(piece)
        if own > size and kind == "parquet" and not is_piped(piece.path):
            from tallystick.io.tables.parquet import cut_groups

            first, *rest = [replace(piece, span=span) for span in cut_groups(piece.path, size)]
            shares += [(*held, first), *((one,) for one in rest)]
            held, taken = [], 0
        elif 2 * taken >= size and taken + own > size:
            shares.append(tuple(held))
            held, taken = [piece], own
        else:
            held, taken = [*held, piece], taken + own
    if shares and 2 * taken < size:
        return [*shares[:-1], (*shares[-1], *held)]
    return [*shares, tuple(held)] if held else shares


def _measure(piece: Piece) -> int:
    return piece.span.size if piece.span else sum(one.size for one in list_files(piece.path))


def _name_pieces(pieces: Sequence[Piece]) -> str:
    first, last = _name_piece(pieces[0]), _name_piece(pieces[-1])
    return first if len(pieces) == 1 else f"{first} to {last}"


def _name_piece(piece: Piece) -> str:
    span = piece.span
    if span is None:
        return piece.path
    return f"{piece.path}, rows {span.first + 1:,} to {span.first + span.rows:,}"
