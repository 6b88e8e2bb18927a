"""Reads files of tables as systems: large ones that need no join block by block."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, groupby

from tallystick.errors import InputError, UsageError
from tallystick.frozen import dataclass, field, replace
from tallystick.io.files.datasets import list_files
from tallystick.io.files.pieces import Piece
from tallystick.io.files.progress import measure_input
from tallystick.io.tables.blocks import iterate_tables, measure_unpacked
from tallystick.io.tables.columns import list_parts
from tallystick.io.tables.table import Table, check_alike, join_tables, read_table, release_memory
from tallystick.kinds.index import READ
from tallystick.kinds.labels import LABELS
from tallystick.model.columns import IDS, find
from tallystick.model.reading import Reading, ResettleError
from tallystick.model.sides import Side
from tallystick.model.systems import Systems
from tallystick.model.task import Task
from tallystick.reading.tables import Outputs, read_systems, refuse_uneven, tell_systems

_LARGE = 1 << 26
"""From this many bytes on, tables are read in blocks."""

_ROWS = 1 << 17
_MANY_LABELS, _WIDE = 1 << 14, 1 << 24
"""With more labels than that, blocks are joined up to so many bytes: each passes over them all."""

_FILES = 250
_JOINED = 64
"""Bytes that a join takes for each row of each file; docs/files.md has what was measured."""


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
    if are_large(paths):
        if have_blocks(paths, reading) and not need_whole(paths, reading):
            reading = settle_rows(Place(gold), places, reading, whole=True)
            yield from stream_tables(Place(gold), places, reading)
            return
        if len(paths) > 1:
            # Imported here because few tables are large.
            from tallystick.io.memory import check_room

            check_room(paths, _JOINED * len(list_parts(reading.columns.id or IDS[0])))
    entries = {
        name: place.column if place.path is None else _open(place.path, reading)
        for name, place in places.items()
    }
    yield read_systems(_open(gold, reading)(), entries, reading)


def settle_rows(
    gold: Place, places: Mapping[str, Place], reading: Reading, *, whole: bool
) -> Reading:
    """Returns how to read all rows, as the first ones tell: labels or texts, and the task.

    Two labels may be followed by a third one, and 0 and 1 by probabilities; then all rows are read
    where the `whole` is asked for. Outputs that are no label are known by the labels of all gold.
    """
    if reading.columns.invalid != "error":
        reading = _survey(gold.path or "", places, reading)
    while True:
        try:
            blocks = stream_tables(gold, places, replace(reading, watch=None))
            settled = settle_by(reading, next(blocks))
            seen = [own.seen for _, own in settled.former]
            guessed = settled.task.kind == "binary" and reading.task.labels is None
            if whole and (guessed or any(own.looked and not own.words for own in seen)):
                for _ in blocks:
                    pass
        except ResettleError as changed:
            reading = replace(changed.reading, watch=reading.watch)
        else:
            return settled


def _survey(gold: str, places: Mapping[str, Place], reading: Reading) -> Reading:
    """Returns a reading that knows the labels of all the gold."""
    from tallystick.reading.survey import Survey

    first = next(iterate_tables(gold, format=reading.input_format))
    files = [name for name, place in places.items() if place.path]
    survey = Survey(first, enter(places, dict.fromkeys(files, first)), reading)
    for block in iterate_tables(gold, format=reading.input_format, only=survey.names or None):
        survey.take(block)
    return replace(reading, golden=survey.finish())


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


def need_whole(paths: Sequence[str], reading: Reading) -> bool:
    """Whether all rows are needed at once: files are joined by id, or ids tell systems apart."""
    if reading.tolerant:
        return True
    firsts = [next(iterate_tables(path, format=reading.input_format, rows=1)) for path in paths]
    headers = [(*first.names(), *first.unread) for first in firsts]
    columns = reading.columns
    have_ids = find(headers[0], IDS, columns.id) is not None
    if len(paths) == 1:
        return have_ids and bool(tell_systems(headers[0], columns))
    key = columns.system_id or columns.id
    return have_ids and any(find(names, IDS, key) is not None for names in headers[1:])


def _open(path: str, reading: Reading) -> Callable[[], Table]:
    return lambda: read_table(path, format=reading.input_format, watch=reading.watch)


def stream_tables(gold: Place, places: Mapping[str, Place], reading: Reading) -> Iterator[Systems]:
    """Reads rows of all files side by side in blocks; the first one settles the task for all.

    Args:
        gold: Where the gold lies.
        places: Where each system's outputs lie.
        reading: How columns are read; a task that has been settled stays as it is.

    Raises:
        ResettleError: A later row tells another task than the first ones did, or that what they
            hold are probabilities.
    """
    rows = iterate_blocks(gold, reading)
    others = {name: iterate_blocks(own, reading) for name, own in places.items() if own.path}
    span = gold.pieces[0].span if gold.pieces else None
    start = first = 0 if span is None else span.first
    while (block := next(rows, None)) is not None:
        beside = {name: next(own, None) for name, own in others.items()}
        for name, own in beside.items():
            if own is None or len(own) != len(block):
                sizes = first + _count(block, rows), first + _count(own, others[name])
                raise refuse_uneven((gold.path, places[name].path), sizes)
        try:
            systems = read_block(block, enter(places, beside), reading, first)
        except (InputError, UsageError):
            # Imported here because most blocks are right.
            from tallystick.reading.survey import look_ahead

            rest = (
                (own, enter(places, {name: next(one, None) for name, one in others.items()}))
                for own in rows
            )
            look_ahead((block, enter(places, beside)), rest, reading)
            raise
        reading = settle_by(reading, systems)
        alone = not others and not block.origins
        if first == start and alone and len(systems.task.labels or ()) > _MANY_LABELS:
            rows = _join_blocks(rows)
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


def enter(places: Mapping[str, Place], beside: Mapping[str, Table | None]) -> dict[str, Outputs]:
    """Returns where each system's outputs stand, given their rows."""
    entries = dict[str, Outputs]()
    for name, place in places.items():
        table = beside.get(name)
        entries[name] = place.column if table is None else partial(give, table)
    return entries


def give(table: Table | Side) -> Table | Side:
    """Returns the rows of a system."""
    return table


def _count(block: Table | None, rest: Iterable[Table]) -> int:
    return (0 if block is None else len(block)) + sum(map(len, rest))


def iterate_blocks(place: Place, reading: Reading) -> Iterator[Table]:
    """Yields the rows that lie at a place, block by block."""
    for table in iterate_tables(
        place.path or "",
        format=reading.input_format,
        rows=_ROWS,
        watch=reading.watch,
        pieces=place.pieces,
    ):
        if place.alike is not None:
            check_alike(place.alike, table)
        yield table


def read_block(
    block: Table, entries: Mapping[str, Outputs], reading: Reading, first: int
) -> Systems:
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


def _resettle(block: Table, entries: Mapping[str, Outputs], reading: Reading) -> Reading | None:
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


def _settle_anew(block: Table, entries: Mapping[str, Outputs], reading: Reading) -> Reading:
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
