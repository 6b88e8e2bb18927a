"""Joins files by id in parts: any process can split a part of a file, or join a partition.

The rows of each part of each file are split by a hash of their ids into a file of their own. The
rows of the same partition of all these files are joined in memory, and are a part of the examples.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from tallystick.errors import InputError, MixedTypesError
from tallystick.examples.reading import Reading, ResettleError
from tallystick.examples.sides import Side
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.io.files.progress import measure_input
from tallystick.io.files.spill import Spill, Spilled
from tallystick.io.tables.building import build_places
from tallystick.reading.joined_files import File, have_whole, open_file, restore
from tallystick.reading.layouts import are_lines
from tallystick.reading.partitioned import (
    Faults,
    Keys,
    check_partition,
    join_partition,
    split_rows,
)
from tallystick.reading.parts import Part, plan_parts
from tallystick.reading.survey import Survey
from tallystick.reading.table_files import (
    Place,
    enter,
    give,
    have_blocks,
    iterate_blocks,
    read_block,
    settle_by,
)
from tallystick.reading.tables import Entry, find_kinds

_PIECE = (1 << 22, 1 << 26)
"""Bounds of the bytes of a part of a file that is split at a time."""
_PIECES = 64

_PARTITION = 1 << 23
"""A partition holds the rows of about so many bytes of all files."""
_PARTITIONS = (16, 4096)

_FIRST = 1 << 40
"""The rows of part n of a file are numbered from n times this on."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A part of a file, whose rows are split by their ids.

    Attributes:
        system: The system whose file it is; None is the gold.
        number: Which part of the file it is, from 0 on.
    """

    part: Part
    system: str | None
    number: int
    keys: Keys
    partitions: int

    def split(self, reading: Reading, survey: Survey | None, folder: str) -> "Split":
        """Splits the rows into a file in a folder, and looks at the gold's labels on the way.

        Raises:
            InputError: The rows cannot be read, or the folder cannot be written to.
        """
        first = self.number * _FIRST
        try:
            with Spill(folder) as spill:
                for block in iterate_blocks(self.part.gold, reading):
                    if survey is not None:
                        survey.take(block)
                    # The ids of the gold may be clusters too.
                    own = block.names() if self.system is None else None
                    only = own or [name for name in block.names() if name != self.keys.id]
                    numbered = replace(block, first=first, origins=())
                    spill.add_all(split_rows(numbered, self.keys, self.partitions, only=only))
                    first += len(block)
                return Split(self, spill.schema, spill.share(), survey)
        except MixedTypesError as error:
            raise InputError(f"{self.part.name}: a column has values of several types") from error


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The rows of a part of a file by partition; none where a partition has none."""

    piece: Piece
    schema: pa.Schema
    spilled: Mapping[int, Spilled]
    survey: Survey | None


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows of a partition of a file, in their order."""

    file: File
    schema: pa.Schema
    spilled: tuple[Spilled, ...]

    def read(self) -> pa.Table:
        """Reads them."""
        batches = [batch for one in self.spilled for batch in one.read(self.schema)]
        return pa.Table.from_batches(batches, self.schema).combine_chunks()


@dataclass(frozen=True, slots=True, eq=False)
class JoinedPart:
    """The examples whose ids have some hashes, which can be counted apart from all others."""

    name: str
    size: int
    identity: str
    gold: _Rows
    systems: tuple[tuple[str, _Rows], ...]

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The examples in one block.

        Raises:
            InputError: An id is missing, stands twice, or is not in all files; or a value is wrong.
        """
        left = self.gold.read()
        faults, sides = check_partition(left), dict[str, Side]()
        for name, own in self.systems:
            right = own.read()
            joined = join_partition(left, right)
            faults += joined.faults
            sides[name] = Side(restore(own.file, right), joined.places)
        if faults != Faults():
            raise InputError(f"{self.name}: its ids are not as they should be")
        if len(left):
            entries = {name: Entry(partial(give, side)) for name, side in sides.items()}
            yield read_block(restore(self.gold.file, left), entries, reading, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """Files that are joined by id in parts.

    Attributes:
        files: That of the gold, called None, and those of the systems.
        survey: What is to be known of all the gold, of which nothing is known yet.
        reading: How columns are read, and as which kinds.
    """

    files: Mapping[str | None, File]
    pieces: tuple[Piece, ...]
    survey: Survey
    reading: Reading
    partitions: int

    def list_parts(self, splits: Sequence[Split]) -> tuple[JoinedPart, ...]:
        """Returns the partitions, once all pieces have been split.

        Raises:
            InputError: Parts of a file have columns of several types.
        """
        schemas: dict[str | None, pa.Schema] = {}
        for split in splits:
            known = schemas.setdefault(split.piece.system, split.schema)
            if not known.equals(split.schema, check_metadata=True):
                raise InputError(f"{split.piece.part.name}: has columns of other types")
        gold, told = self.files[None].path, hashlib.sha256()
        for piece in self.pieces:
            told.update(piece.part.key.encode())
        size = measure_input([gold]) // self.partitions
        found = []
        for place in range(self.partitions):
            rows: dict[str | None, _Rows] = {}
            for system, file in self.files.items():
                own = [one.spilled.get(place) for one in splits if one.piece.system == system]
                rows[system] = _Rows(file, schemas[system], tuple(filter(None, own)))
            number = f"{place + 1} of {self.partitions}"
            name, identity = f"{gold}, partition {number} by id", f"{told.hexdigest()} {number}"
            systems = tuple((system, own) for system, own in rows.items() if system is not None)
            found.append(JoinedPart(name, size, identity, rows[None], systems))
        return tuple(found)

    def settle(self, splits: Sequence[Split], parts: Sequence[JoinedPart]) -> Reading:
        """Returns how to read all parts, as the examples of the first one tell.

        Raises:
            InputError: An example is wrong.
        """
        for split in splits:
            if split.survey is not None:
                self.survey.add(split.survey)
        reading = replace(self.reading, golden=self.survey.finish())
        while True:
            try:
                first = next(block for part in parts for block in part.read(reading))
                return settle_by(reading, first)
            except ResettleError as changed:
                reading = changed.reading


def plan_join(gold: str, places: Mapping[str, Place], reading: Reading) -> Join | None:
    """Returns how files are joined in parts; None where they are not joined, or not in parts.

    That is so of files without ids, of pipes, and where systems may lack outputs, of which all rows
    together tell what becomes of them.
    """
    paths = {name: place.path for name, place in places.items() if place.path is not None}
    usual = reading.columns.missing == "error" and not reading.tolerant
    if are_lines(gold, reading) or not usual or len(paths) < len(places):
        return None
    if not have_blocks([gold, *paths.values()], reading):
        return None
    files: dict[str | None, File] = {}
    named: list[tuple[str | None, str]] = [(None, gold), *paths.items()]
    for name, path in named:
        file = open_file(path, reading)
        if file is None:
            return None
        row = file.first.columns.take(build_places(np.zeros(1, np.int64)))  # and nothing behind it
        files[name] = replace(file, first=replace(file.first, columns=row))
    whole, size = have_whole([*files.values()]), measure_input([gold, *paths.values()])
    least, most = _PARTITIONS
    partitions = min(max(least, size // _PARTITION), most)
    pieces = tuple(
        Piece(part, name, number, Keys(file.id, (), whole), partitions)
        for name, file in files.items()
        for number, part in enumerate(plan_parts(file.path, {}, reading, size=_measure(file.path)))
    )
    first = next(iterate_blocks(Place(gold), reading))
    entries = enter(places, dict.fromkeys(paths, first))
    survey = Survey(first, entries, reading)
    known = replace(reading, kinds=find_kinds(first, entries, reading))
    return Join(files, pieces, survey, known, partitions)


def _measure(path: str) -> int:
    """How many bytes of a file are split at a time."""
    least, most = _PIECE
    return min(max(measure_input([path]) // _PIECES, least), most)
