"""Joins rows by id in parts: any process can split a part of a file, or join a partition.

The rows of each part of each file are split by a hash of their ids into a file of their own. The
rows of the same partition of all these files are joined in memory, and are a part of the examples:
the gold's beside those of each system's file, those of the systems that a column names, or tries.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from tallystick.errors import InputError, MixedTypesError, UsageError
from tallystick.examples.columns import IDS
from tallystick.examples.reading import Reading, ResettleError
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.io.files.progress import measure_input
from tallystick.io.files.spill import Spill, Spilled
from tallystick.io.tables.building import build_places
from tallystick.kinds.tries.tries import PROBLEMS
from tallystick.reading.joined_files import File, have_whole, open_file
from tallystick.reading.joined_forms import Beside, Form, Long, Rows, Tries
from tallystick.reading.layouts import are_lines, split_long
from tallystick.reading.partitioned import Keys, split_rows
from tallystick.reading.parts import Part, plan_parts
from tallystick.reading.survey import Survey
from tallystick.reading.table_files import (
    Place,
    enter,
    have_blocks,
    iterate_blocks,
    settle_by,
)
from tallystick.reading.tables import Block, find_kinds

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
        file: Which file it is of.
        number: Which part of the file it is, from 0 on.
        named: Whether the ids are needed once rows have been joined, as those of the gold may be
            clusters too.
    """

    part: Part
    file: str | None
    number: int
    named: bool
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
                    only = [name for name in block.names() if self.named or name != self.keys.id]
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
class JoinedPart:
    """The examples whose ids have some hashes, which can be counted apart from all others.

    Attributes:
        names: The systems that all parts have; None where that is not known yet.
    """

    name: str
    size: int
    identity: str
    files: Mapping[str | None, Rows]
    form: Form
    names: tuple[str, ...] | None = None

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The examples in one block; none where there are none.

        Raises:
            InputError: An id is missing, stands twice, or is not in all files; or a value is wrong.
        """
        if any(rows.spilled for rows in self.files.values()):
            try:
                found = self.form.join(self.files, reading)
            except UsageError as error:  # such as a system that has outputs elsewhere alone
                raise InputError(str(error)) from error
            if self.names not in (None, found.names):
                raise InputError(f"{self.name}: some systems have no outputs")
            yield found


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """Files that are joined by id in parts.

    Attributes:
        survey: What is to be known of all the gold, of which nothing is known yet; None where
            examples tell all of themselves.
        reading: How columns are read, and as which kinds.
    """

    files: Mapping[str | None, File]
    form: Form
    pieces: tuple[Piece, ...]
    survey: Survey | None
    reading: Reading
    partitions: int

    def list_parts(self, splits: Sequence[Split]) -> tuple[JoinedPart, ...]:
        """Returns the partitions, once all pieces have been split.

        Raises:
            InputError: Parts of a file have columns of several types.
        """
        schemas: dict[str | None, pa.Schema] = {}
        for split in splits:
            known = schemas.setdefault(split.piece.file, split.schema)
            if not known.equals(split.schema, check_metadata=True):
                raise InputError(f"{split.piece.part.name}: has columns of other types")
        paths = [file.path for file in self.files.values()]
        told = hashlib.sha256(repr((self.form, [*self.files])).encode())
        for piece in self.pieces:
            told.update(piece.part.key.encode())
        size = measure_input(paths[:1]) // self.partitions
        found = []
        for place in range(self.partitions):
            rows: dict[str | None, Rows] = {}
            for key, file in self.files.items():
                own = [one.spilled.get(place) for one in splits if one.piece.file == key]
                rows[key] = Rows(file, schemas[key], tuple(filter(None, own)))
            number = f"{place + 1} of {self.partitions}"
            name, identity = f"{paths[0]}, partition {number} by id", f"{told.hexdigest()} {number}"
            found.append(JoinedPart(name, size, identity, rows, self.form))
        return tuple(found)

    def settle(
        self, splits: Sequence[Split], parts: Sequence[JoinedPart]
    ) -> tuple[tuple[JoinedPart, ...], Reading]:
        """Returns all parts, and how to read them, as the examples of the first one tell.

        Raises:
            InputError: An example is wrong.
        """
        reading = self.reading
        if self.survey is not None:
            for split in splits:
                if split.survey is not None:
                    self.survey.add(split.survey)
            reading = replace(reading, golden=self.survey.finish())
        while True:
            try:
                first = next(block for part in parts for block in part.read(reading))
            except ResettleError as changed:
                reading = changed.reading
            else:
                settled = reading if self.survey is None else settle_by(reading, first)
                return tuple(replace(part, names=first.names) for part in parts), settled


def plan_join(gold: str, places: Mapping[str, Place], reading: Reading) -> Join | None:
    """Returns how files are joined in parts; None where they are not joined, or not in parts.

    That is so of files without ids, of pipes, and where systems may lack outputs, of which all rows
    together tell what becomes of them.
    """
    paths = {name: place.path for name, place in places.items() if place.path is not None}
    named: list[tuple[str | None, str]] = [(None, gold), *paths.items()]
    files = None if len(paths) < len(places) else _open(named, reading)
    if files is None:
        return None
    first = next(iterate_blocks(Place(gold), reading))
    return _plan(files, Beside(), reading, (first, enter(places, dict.fromkeys(paths, first))))


def plan_long(path: str, form: Long, reading: Reading) -> Join | None:
    """Returns how a file with several systems is joined in parts; None as `plan_join` does."""
    files = _open([(None, path)], reading)
    if files is None:
        return None
    first = next(iterate_blocks(Place(path), reading))
    return _plan(files, form, reading, split_long(first, form.column, reading))


def plan_tries(paths: Sequence[str], form: Tries, reading: Reading) -> Join | None:
    """Returns how files of tries are joined in parts; None as `plan_join` does."""
    files = _open([(str(place), path) for place, path in enumerate(paths)], reading, PROBLEMS)
    return None if files is None else _plan(files, form, reading, None)


def _open(
    named: Sequence[tuple[str | None, str]], reading: Reading, usual: Sequence[str] = IDS
) -> dict[str | None, File] | None:
    paths = [path for _, path in named]
    strict = reading.columns.missing == "error" and not reading.tolerant
    if not strict or are_lines(paths[0], reading) or not have_blocks(paths, reading):
        return None
    files: dict[str | None, File] = {}
    for key, path in named:
        file = open_file(path, reading, usual)
        if file is None:
            return None
        row = file.first.columns.take(build_places(np.zeros(1, np.int64)))  # and nothing behind it
        files[key] = replace(file, first=replace(file.first, columns=row))
    return files


def _plan(
    files: Mapping[str | None, File], form: Form, reading: Reading, first: Block | None
) -> Join:
    whole, size = have_whole([*files.values()]), measure_input([one.path for one in files.values()])
    least, most = _PARTITIONS
    partitions = min(max(least, size // _PARTITION), most)
    pieces = tuple(
        Piece(part, key, number, key is None or first is None, Keys(one.id, (), whole), partitions)
        for key, one in files.items()
        for number, part in enumerate(plan_parts(one.path, {}, reading, size=_measure(one.path)))
    )
    if first is None:
        return Join(files, form, pieces, None, reading, partitions)
    known = replace(reading, kinds=find_kinds(*first, reading))
    return Join(files, form, pieces, Survey(*first, reading), known, partitions)


def _measure(path: str) -> int:
    """How many bytes of a file are split at a time."""
    least, most = _PIECE
    return min(max(measure_input([path]) // _PIECES, least), most)
