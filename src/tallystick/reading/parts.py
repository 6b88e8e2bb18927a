"""Plans parts of the examples that can be counted apart, and reads them one by one.

Each part can be read by any process that sees the same files. Parts hold the same rows of all files
that are read side by side, and rows are numbered as in the whole file.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from tallystick.errors import InputError, MixedTypesError
from tallystick.examples.columns import IDS, find
from tallystick.examples.reading import Reading, ResettleError
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.io.files.byte_ranges import Piece, Span
from tallystick.io.files.datasets import find_pieces, list_files
from tallystick.io.files.progress import measure_input
from tallystick.io.files.stores import Stamp
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.cuts import can_cut, cut_by_rows, cut_by_size
from tallystick.io.tables.formats import find_kind
from tallystick.kinds.texts import TEXTS
from tallystick.reading.joined_files import join_files
from tallystick.reading.layouts import are_lines, open_lines, read_files
from tallystick.reading.survey import Survey
from tallystick.reading.table_files import (
    Place,
    enter,
    have_blocks,
    need_no_join,
    settle_by,
    stream_tables,
)
from tallystick.reading.tables import refuse_uneven

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
    """Some examples that can be counted apart from all others.

    Attributes:
        name: What messages call it, such as `train.csv, rows 1,000,001 to 2,000,000`.
        rows: The number of examples; None where nobody has counted them.
        size: The number of bytes of its gold.
        spans: The lines that are read of each file, where they are lines of text.
    """

    name: str
    gold: Place
    places: tuple[tuple[str, Place], ...]
    rows: int | None
    size: int
    spans: tuple[tuple[str, Span], ...] = ()

    def read(self, reading: Reading) -> Iterator[Systems]:
        """Yields the examples in blocks, by the reading that `settle` returned.

        A ResettleError holds the reading by which all parts are to be read anew, where the part
        shows that the task is another one.
        """
        gold, places = self.gold.path or "", dict(self.places)
        if self.spans:
            paths = {name: place.path for name, place in places.items()}
            yield from read_files(gold, paths, reading, spans=dict(self.spans))
        else:
            yield from stream_tables(self.gold, places, reading)


def plan_parts(
    gold: str, places: Mapping[str, Place], reading: Reading, *, size: int | None = None
) -> tuple[Part, ...]:
    """Returns parts that are all of the examples, in their order; none where they cannot be cut.

    That is so of gold with ids beside files of systems, of pipes, and where several files are read
    side by side, of gzip, arrays of JSON and logs. The parts depend on the files and the size
    alone; each part has about `size` bytes of the gold, or a usual number of them.
    """
    if size is None:
        size = min(max(measure_input([gold]) // _PARTS, _LEAST), _MOST)
    if are_lines(gold, reading):
        return _plan_lines(gold, places, reading, size)
    return _plan_tables(gold, places, reading, size) if _can_part(gold, places, reading) else ()


def settle(parts: Sequence[Part], reading: Reading) -> Reading:
    """Returns how to read all parts, as their first examples tell: labels or texts, and the task.

    It does not depend on where the files are cut. Where one part alone cannot tell whether an id
    stands twice, or an output is no label, the ids and labels of all the gold are read.
    """
    first = parts[0]
    if first.spans:
        return replace(reading, kinds=(TEXTS,))
    gold = replace(first.gold, pieces=None)
    places = {name: replace(place, pieces=None) for name, place in first.places}
    known = reading
    if not need_no_join(gold.path or "", reading):
        known = _survey(gold.path or "", places, reading)
    try:
        return settle_by(known, next(stream_tables(gold, places, known)))
    except ResettleError as changed:
        return settle(parts, changed.reading)


def _survey(gold: str, places: Mapping[str, Place], reading: Reading) -> Reading:
    """Returns a reading that knows the labels of all the gold, whose ids have been checked."""
    first = next(iterate_tables(gold, kind=reading.input_format))
    files = [name for name, place in places.items() if place.path]
    survey = Survey(first, enter(places, dict.fromkeys(files, first)), reading)
    try:
        with join_files(gold, {}, reading, survey, block=len(first)):
            return replace(reading, golden=survey.finish())
    except MixedTypesError as error:
        raise InputError(f"{gold}: its ids are of several types, so leave out --workers") from error


def _can_part(gold: str, places: Mapping[str, Place], reading: Reading) -> bool:
    """Whether each row can be counted without all others, once some things are known of all."""
    paths = _list_paths(gold, places)
    if reading.tolerant or not have_blocks(paths, reading):
        return False
    if len(paths) == 1:
        return True
    first = next(iterate_tables(gold, kind=reading.input_format, rows=1))
    return find((*first.names(), *first.unread), IDS, reading.columns.id) is None


def _list_paths(gold: str, places: Mapping[str, Place]) -> list[str]:
    return list(dict.fromkeys([gold, *(own.path for own in places.values() if own.path)]))


def _plan_lines(
    gold: str, places: Mapping[str, Place], reading: Reading, size: int
) -> tuple[Part, ...]:
    """Returns parts of lines of text; none where a file cannot be cut."""
    lines, refused = open_lines(gold, {name: own.path for name, own in places.items()}, reading)
    if refused or reading.tolerant or not all(can_cut(path, "texts") for path in lines.paths):
        return ()
    cuts = cut_by_size(gold, "texts", size)
    spans = {
        path: cut_by_rows(path, "texts", [span.first for span in cuts]) for path in lines.paths
    }
    first = lines.paths[0]
    for path, own in spans.items():
        sizes = [sum(span.rows for span in found) for found in (spans[first], own)]
        if sizes[0] != sizes[1]:
            raise InputError(f"{first} has {sizes[0]} lines but {path} has {sizes[1]}")
    return tuple(
        Part(
            _name_piece(Piece(gold, own)),
            Place(gold),
            tuple(places.items()),
            own.rows,
            own.stop - own.start,
            tuple((path, found[place]) for path, found in spans.items()),
        )
        for place, own in enumerate(cuts)
    )


def _plan_tables(
    gold: str, places: Mapping[str, Place], reading: Reading, size: int
) -> tuple[Part, ...]:
    """Returns parts of tables; none where a file cannot be cut as the gold is."""
    paths = _list_paths(gold, places)
    found = {path: find_pieces(path) for path in paths}
    kinds = {path: find_kind(found[path], reading.input_format) for path in paths}
    if len(paths) == 1:
        shares = {gold: _cut(found[gold], kinds[gold], size)}
    elif all(can_cut(piece.path, kinds[path]) for path in paths for piece in found[path]):
        shares = _cut_side_by_side(found, kinds, size)
    else:
        return ()
    files = {one.path: one for path in paths for one in list_files(path)}
    # The first row of several files, which all others must be like.
    alike = {
        path: next(iterate_tables(path, kind=reading.input_format, rows=1))
        for path, pieces in found.items()
        if len(pieces) > 1
    }
    return tuple(
        _plan_part(
            {path: Place(path, None, own[number], alike.get(path)) for path, own in shares.items()},
            gold,
            places,
            files,
        )
        for number in range(len(shares[gold]))
    )


Shares = list[tuple[Piece, ...]]
"""What each part is read from of several files that are one table."""


def _cut(pieces: Sequence[Piece], kind: str, size: int) -> Shares:
    """Cuts large files, and puts small ones together, to about so many bytes each.

    None of them is much smaller, as small files may have no rows at all.
    """
    shares: Shares = []
    held: list[Piece] = []
    taken = 0
    for piece in pieces:
        own = sum(one.size for one in list_files(piece.path))
        if own > size and can_cut(piece.path, kind):
            first, *spans = cut_by_size(piece.path, kind, size)
            shares.append((*held, replace(piece, span=first)))
            shares += [(replace(piece, span=span),) for span in spans]
            held, taken = [], 0
        elif 2 * taken >= size and taken + own > size:
            shares.append(tuple(held))
            held, taken = [piece], own
        else:
            held, taken = [*held, piece], taken + own
    if shares and 2 * taken < size:
        return [*shares[:-1], (*shares[-1], *held)]
    return [*shares, tuple(held)] if held else shares


def _cut_side_by_side(
    found: Mapping[str, Sequence[Piece]], kinds: Mapping[str, str], size: int
) -> dict[str, Shares]:
    """Cuts all files at the rows where those of the gold, which come first, are cut."""
    gold = next(iter(found))
    starts, total = [], 0
    for piece in found[gold]:
        spans = cut_by_size(piece.path, kinds[gold], size)
        starts += [total + span.first for span in spans]
        total += sum(span.rows for span in spans)
    shares = {}
    for path, pieces in found.items():
        shares[path], rows = _cut_by_rows(pieces, kinds[path], starts)
        if rows != total:
            raise refuse_uneven((gold, path), (total, rows))
    return shares


def _cut_by_rows(pieces: Sequence[Piece], kind: str, starts: Sequence[int]) -> tuple[Shares, int]:
    """Returns what lies between some rows of several files, and the number of all rows."""
    own: list[list[Piece]] = [[] for _ in starts]
    total = 0
    for piece in pieces:
        rows = [start - total for start in starts if start > total]
        spans = cut_by_rows(piece.path, kind, rows)
        for span in spans:
            own[bisect_right(starts, total + span.first) - 1].append(replace(piece, span=span))
        total += sum(span.rows for span in spans)
    return [tuple(share) for share in own], total


def _plan_part(
    shares: Mapping[str, Place], gold: str, places: Mapping[str, Place], files: Mapping[str, Stamp]
) -> Part:
    golden = shares[gold].pieces or ()
    spans = [piece.span for piece in golden]
    return Part(
        _name_pieces(golden),
        shares[gold],
        tuple(
            (name, replace(shares[place.path], column=place.column) if place.path else place)
            for name, place in places.items()
        ),
        sum(span.rows for span in spans if span) if all(spans) else None,
        sum(
            piece.span.stop - piece.span.start if piece.span else files[piece.path].size
            for piece in golden
        ),
    )


def _name_pieces(pieces: Sequence[Piece]) -> str:
    first, last = _name_piece(pieces[0]), _name_piece(pieces[-1])
    return first if len(pieces) == 1 else f"{first} to {last}"


def _name_piece(piece: Piece) -> str:
    span = piece.span
    if span is None:
        return piece.path
    return f"{piece.path}, rows {span.first + 1:,} to {span.first + span.rows:,}"
