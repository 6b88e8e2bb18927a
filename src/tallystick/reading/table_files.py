"""Reads files of tables as systems: large ones block by block, joined by id where they have ids."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING

from tallystick.errors import InputError, MixedTypesError, UsageError
from tallystick.examples.columns import IDS, find
from tallystick.examples.reading import Reading, ResettleError
from tallystick.examples.sides import Side
from tallystick.examples.systems import Systems
from tallystick.examples.task import Task
from tallystick.frozen import dataclass, field, replace
from tallystick.io.files.datasets import list_files
from tallystick.io.files.pieces import Piece
from tallystick.io.files.progress import measure_input
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.formats import measure_unpacked
from tallystick.io.tables.table import Table, check_alike, join_tables, read_table, release_memory
from tallystick.kinds.index import READ
from tallystick.kinds.labels import LABELS
from tallystick.reading.accepted import leave_out, stream_accepted
from tallystick.reading.tables import Entry, read_systems, refuse_uneven

if TYPE_CHECKING:
    from tallystick.reading.long_files import Roles

_LARGE = 1 << 26
"""From this many bytes on, tables are read in blocks."""

_ROWS = 1 << 17
_MANY_LABELS, _WIDE = 1 << 14, 1 << 24
"""With more labels than that, blocks are joined up to so many bytes: each passes over them all."""

_FILES = 250
_NONE: Mapping[str, Iterator[Side]] = {}


@dataclass(frozen=True, slots=True)
class Place:
    """Where one system's outputs lie.

    Attributes:
        path: Their file; None where they stand beside the gold.
        column: The only column that is theirs; None finds it by its name.
        alike: The first row of it, where it is several files, which must have the same columns.
    """

    path: str | None = None
    column: str | None = None
    pieces: tuple[Piece, ...] | None = None
    alike: Table | None = field(default=None, repr=False)


def read_tables(gold: str, places: Mapping[str, Place], reading: Reading) -> Iterator[Systems]:
    """Reads a table of gold, and the tables or columns of systems."""
    paths = [gold, *(place.path for place in places.values() if place.path is not None)]
    if not are_large(paths) or not have_blocks(paths, reading):
        yield _read_whole(gold, places, reading)
        return
    try:
        if need_no_join(gold, reading):
            yield from stream_tables(Place(gold), places, reading)
        else:
            yield from _stream_joined(gold, places, reading)
    except MixedTypesError:
        yield _read_whole(gold, places, reading)
    except ResettleError as changed:
        anew, read = replace(changed.reading, golden=None), changed.read
        raise ResettleError(anew, read or (lambda: read_tables(gold, places, anew))) from None


def are_large(paths: Sequence[str]) -> bool:
    """Returns whether files are read in blocks, if they can be."""
    return measure_input(paths) >= _LARGE or sum(map(measure_unpacked, paths)) >= _LARGE


def have_blocks(paths: Sequence[str], reading: Reading) -> bool:
    """Returns whether some rows can be read without all.

    Ranges of numbers are made of all of them, and whether named labels have a class of invalid
    outputs among them is told by all. Few files can be open at a time. A block of which nothing is
    left where examples are chosen, or where a system lacks them, would be none.
    """
    ranges = any(":" in name for name in reading.columns.by)
    added = reading.columns.invalid == "class" and reading.task.labels is not None
    few = len(paths) <= _FILES
    chosen = reading.columns.chooses or reading.columns.rated is not None
    return few and not (ranges or added or chosen) and all(map(list_files, paths))


def need_no_join(gold: str, reading: Reading) -> bool:
    """Whether each row can be counted for itself: there are no ids, and no ranges of numbers.

    Which outputs are no label is told by the labels of all the gold.
    """
    if (
        reading.tolerant
        or reading.columns.invalid != "error"
        or reading.columns.chooses
        or not list_files(gold)
        or any(":" in name for name in reading.columns.by)
    ):
        return False
    first = next(iterate_tables(gold, kind=reading.input_format, rows=1))
    names = (*first.names(), *first.unread)
    return find(names, IDS, reading.columns.id) is None


def _read_whole(gold: str, places: Mapping[str, Place], reading: Reading) -> Systems:
    entries = {
        name: Entry(None if place.path is None else _open(place.path, reading), place.column)
        for name, place in places.items()
    }
    return read_systems(_open(gold, reading)(), entries, reading)


def _open(path: str, reading: Reading) -> Callable[[], Table]:
    return lambda: read_table(path, kind=reading.input_format, watch=reading.watch)


def _stream_joined(gold: str, places: Mapping[str, Place], reading: Reading) -> Iterator[Systems]:
    """As `stream_tables`, once all ids and all labels of the gold have been looked at."""
    # Imported here because most files are small.
    from tallystick.reading.joined_files import join_files
    from tallystick.reading.survey import Survey

    first = next(iterate_blocks(Place(gold), reading))
    files = {name: place.path for name, place in places.items() if place.path}
    survey = Survey(first, enter(places, dict.fromkeys(files, first)), reading)
    with join_files(gold, files, reading, survey, block=_ROWS) as sides:
        reading = replace(reading, golden=survey.finish())
        wrong = dict(sides.wrong)
        if reading.tolerant:
            rest = {name: path for name, path in files.items() if name not in sides.blocks}
            wrong = _find_uneven((gold, survey.examples), rest, reading) | wrong
        elif wrong:
            raise next(wrong[name] for name in places if name in wrong)
        again = replace(reading, golden=None)
        yield from stream_accepted(
            stream_tables(Place(gold), leave_out(places, wrong), reading, sides.blocks),
            wrong,
            places,
            lambda left: read_tables(gold, left, again),
        )


def stream_long(
    path: str, roles: "Roles", reading: Reading, only: Collection[str] | None = None
) -> Iterator[Systems]:
    """Reads a file with several systems, or only some of them, whose rows are joined by id.

    Raises:
        ResettleError: A later row tells another task than the first ones did.
    """
    from tallystick.reading.long_files import split_file
    from tallystick.reading.survey import Survey

    with split_file(path, roles, reading, block=_ROWS) as split:
        names = [name for name in split.systems if only is None or name in only]
        wrong = {name: error for name, error in split.wrong.items() if name in names}
        places = {name: Place(path) for name in names}
        first = next(split.iterate_gold())
        survey = Survey(first, enter(places, dict.fromkeys(names, first)), reading)
        for block in split.iterate_gold():
            survey.take(block)
        reading = replace(reading, golden=survey.finish())
        if wrong and not reading.tolerant:
            raise next(wrong[name] for name in names if name in wrong)
        left = leave_out(places, wrong)
        sides = {name: split.iterate(name) for name in left}
        again = replace(reading, golden=None)
        yield from stream_accepted(
            stream_tables(Place(path), left, reading, sides, split.iterate_gold()),
            wrong,
            places,
            lambda left: stream_long(path, roles, again, left),
        )


def _find_uneven(
    gold: tuple[str, int], files: Mapping[str, str], reading: Reading
) -> dict[str, InputError]:
    """Which files without ids cannot stand beside the gold, whose number of examples is known."""
    found = {}
    for name, path in files.items():
        try:
            size = _count(None, iterate_blocks(Place(path), replace(reading, watch=None)))
        except InputError as error:
            found[name] = error
        else:
            if size != gold[1]:
                found[name] = refuse_uneven((gold[0], path), (gold[1], size))
    return found


def stream_tables(
    gold: Place,
    places: Mapping[str, Place],
    reading: Reading,
    sides: Mapping[str, Iterator[Side]] = _NONE,
    rows: Iterator[Table] | None = None,
) -> Iterator[Systems]:
    """Reads rows of all files side by side in blocks; the first one settles the task for all.

    Args:
        gold: Where the gold lies.
        places: Where each system's outputs lie.
        reading: How columns are read; a task that has been settled stays as it is.
        sides: The rows of the systems that have been joined by id.
        rows: The blocks of the gold, where they are not those of its file.

    Raises:
        ResettleError: A later row tells another task than the first ones did, or that what they
            hold are probabilities.
    """
    rows = rows or iterate_blocks(gold, reading)
    others: dict[str, Iterator[Table | Side]] = {
        name: sides.get(name) or iterate_blocks(place, reading)
        for name, place in places.items()
        if place.path
    }
    span = gold.pieces[0].span if gold.pieces else None
    start = first = 0 if span is None else span.first
    while (block := next(rows, None)) is not None:
        beside = _take_all(others)
        for name, own in beside.items():
            if own is None or not (isinstance(own, InputError) or len(own) == len(block)):
                sizes = first + _count(block, rows), first + _count(own, others[name])
                raise refuse_uneven((gold.path, places[name].path), sizes)
        try:
            systems = read_block(block, enter(places, beside), reading, first)
        except (InputError, UsageError):
            # Imported here because most blocks are right.
            from tallystick.reading.survey import look_ahead

            rest = ((own, enter(places, _take_all(others))) for own in rows)
            look_ahead((block, enter(places, beside)), rest, reading)
            raise
        reading = settle_by(reading, systems)
        alone = not others and not block.origins
        if first == start and alone and len(systems.task.labels or ()) > _MANY_LABELS:
            rows = _join_blocks(rows)
        for refusal in systems.refused:
            others.pop(refusal.system, None)
        places = {name: place for name, place in places.items() if name in systems.names}
        first += len(block)
        del block, beside  # of which nothing is needed any more
        yield systems
        del systems
    for name, other in others.items():
        extra = next(other, None)
        if extra is not None:
            sizes = first, first + _count(extra, other)
            raise refuse_uneven((gold.path, places[name].path), sizes)


def _join_blocks(blocks: Iterator[Table]) -> Iterator[Table]:
    """Joins blocks of one file into larger ones, where their columns are alike."""
    for _, alike in groupby(blocks, lambda block: (block.columns.schema, block.gaps)):
        held, size = list[Table](), 0
        for block in chain(alike, [None]):
            if held and (block is None or size >= _WIDE):
                size = 0
                yield _empty(held)
                release_memory()
            if block is not None:
                held.append(block)
                size += block.columns.nbytes


def _empty(held: list[Table]) -> Table:
    """Some blocks as one, which are not kept beside it."""
    joined = replace(join_tables(held[0].source, held), origins=())
    held.clear()
    return joined


def _take_all(
    others: Mapping[str, Iterator[Table | Side]],
) -> dict[str, Table | Side | InputError | None]:
    """The next blocks, or what is wrong with them, so that it is told where systems are refused."""
    found: dict[str, Table | Side | InputError | None] = {}
    for name, blocks in others.items():
        try:
            found[name] = next(blocks, None)
        except InputError as error:
            found[name] = error
    return found


def enter(
    places: Mapping[str, Place], beside: Mapping[str, Table | Side | InputError | None]
) -> dict[str, Entry]:
    """Returns where each system's outputs stand, given their rows, or what is wrong with them."""
    entries = {}
    for name, place in places.items():
        table = beside.get(name)
        entries[name] = Entry(None if table is None else partial(give, table), place.column)
    return entries


def give(table: Table | Side | InputError) -> Table | Side:
    """Returns the rows of a system; raises what is wrong with them."""
    if isinstance(table, InputError):
        raise table
    return table


def _count(block: Table | Side | None, rest: Iterable[Table | Side]) -> int:
    return (0 if block is None else len(block)) + sum(map(len, rest))


def iterate_blocks(place: Place, reading: Reading) -> Iterator[Table]:
    """Yields the rows that lie at a place, block by block."""
    for table in iterate_tables(
        place.path or "",
        kind=reading.input_format,
        rows=_ROWS,
        watch=reading.watch,
        pieces=place.pieces,
    ):
        if place.alike is not None:
            check_alike(place.alike, table)
        yield table


def read_block(block: Table, entries: Mapping[str, Entry], reading: Reading, first: int) -> Systems:
    """Returns the systems of a block, of whose rows so many stand before it.

    Raises:
        ResettleError: The block tells another task than the one that was settled.
    """
    try:
        systems = read_systems(block, entries, reading, first=first)
    except ResettleError as error:
        raise ResettleError(_settle_anew(block, entries, error.reading)) from None
    except (InputError, UsageError):
        changed = _resettle(block, entries, reading)
        if changed is None:
            raise
        raise ResettleError(changed) from None
    asked = reading.asked or reading.task
    return replace(systems, asked=asked.spelled(fold_case=reading.columns.fold_case))


def settle_by(reading: Reading, systems: Systems) -> Reading:
    """Returns how to read all examples as some of them were read.

    In a binary task the two labels of these are all there are, and in a multilabel one whose labels
    are columns it is these columns.
    """
    if reading.asked is not None:
        return reading
    kinds = reading.kinds or tuple(kind for kind in READ if kind.find(systems) is not None)
    adopted = _adopt(reading, reading.task, systems.task)
    if LABELS.find(systems) is None and systems.task.labels is not None:
        adopted = replace(adopted, task=replace(adopted.task, labels=systems.task.labels))
    if systems.matrix:
        adopted = replace(adopted, task=replace(adopted.task, labels=systems.matrix))
    return replace(adopted, kinds=kinds, former=systems.former)


def _adopt(reading: Reading, asked: Task, task: Task) -> Reading:
    settled = asked
    if task.kind is not None:
        labels = task.labels if task.kind == "binary" else asked.labels
        settled = replace(asked, kind=task.kind, labels=labels, positive=task.positive)
    return replace(reading, task=settled, asked=asked)


def _resettle(block: Table, entries: Mapping[str, Entry], reading: Reading) -> Reading | None:
    """Returns how all is to be read if the labels of a block make the task another one.

    None where they do not, so that a row is wrong.
    """
    if reading.asked is None or reading.task.kind != "binary":
        return None
    try:
        anew = _settle_anew(block, entries, reading)
    except (InputError, UsageError):
        return None
    return None if anew.task.labels == reading.task.labels else anew


def _settle_anew(block: Table, entries: Mapping[str, Entry], reading: Reading) -> Reading:
    """Returns how all is to be read by the labels of a block and those that are known."""
    asked = reading.asked or reading.task
    known = {*(reading.task.labels or ())} - {f"not {asked.positive}"}
    found = read_systems(block, entries, replace(reading, task=asked, asked=None))
    scores = [own.probabilities for own in LABELS.of(found).outputs]
    single = any(own is not None and own.ndim == 1 for own in scores)
    spelled = asked.spelled(fold_case=reading.columns.fold_case)
    former = dict(reading.former) | dict(found.former)
    reading = replace(reading, former=tuple(former.items()))
    return _adopt(reading, asked, spelled.settle({*known, *found.labels}, scores=single))
