"""Reads files of tables as systems: whole, block by block, or in parts, if nothing is joined.

A part is files, or groups of rows of a Parquet file; rows are numbered as in the whole file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import Piece, find_pieces, list_files
from tallystick.io.files.opening import is_piped, measure_input, name_source, try_sniff
from tallystick.io.tables.formats import guess_format, list_parts, settle_format
from tallystick.io.tables.table import (
    Table,
    check_alike,
    iterate_tables,
    join_tables,
    measure_unpacked,
    read_table,
    release_memory,
)
from tallystick.kinds.index import READ
from tallystick.kinds.labels import LABELS
from tallystick.limits import LIMITS
from tallystick.model.codes import Label, order
from tallystick.model.columns import IDS, find
from tallystick.model.facts import Task
from tallystick.model.reading import Reading, ResettleError
from tallystick.model.sides import Side
from tallystick.model.systems import Systems
from tallystick.model.type_inference import Former, Seen
from tallystick.reading.tables import (
    Block,
    Outputs,
    read_systems,
    read_truth,
    refuse_uneven,
    tell_systems,
)

_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "file"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "total_cache",
    ),
)
"""Files that have the limit of a container, its use, and what its use has of cached files."""


def check_room(paths: Sequence[str], each: int) -> None:
    """Raises an InputError where tables of that many bytes a row do not fit into memory."""
    needed, free = each * sum(map(_estimate_rows, paths)), min(_list_free(), default=None)
    if free is not None and needed > free:
        raise InputError(
            f"joining {name_source(paths[0])} in memory takes about {needed >> 20:,} MB, and "
            f"{max(free, 0) >> 20:,} MB are free; join it in parts with `workers=2`, or allow more"
        )


def _estimate_rows(path: str) -> int:
    rows = 0
    for file in list_files(path):
        if guess_format(file.path) == "parquet":
            from tallystick.io.tables.parquet import cut_groups

            rows += sum(span.rows for span in cut_groups(file.path, 1 << 62))
        elif start := try_sniff(file.path):
            rows += file.size * start.count(b"\n") // len(start)
    return rows


def _list_free() -> Iterator[int]:
    """How many bytes each limit leaves; nothing where the system tells none."""
    state = _read_numbers("/proc/self/status")
    with suppress(KeyError):
        yield _read_numbers("/proc/meminfo")["MemAvailable"] << 10
    for most, used, cached in _GROUPS:
        with suppress(OSError, ValueError):
            stat = _read_numbers(str(Path(most).with_name("memory.stat")))
            yield int(Path(most).read_text()) - int(Path(used).read_text()) + stat.get(cached, 0)
    with suppress(ImportError, KeyError):
        import resource

        for kind, name in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
            limit, _ = resource.getrlimit(kind)
            if limit != resource.RLIM_INFINITY:
                yield limit - (state[name] << 10)


def _read_numbers(path: str) -> dict[str, int]:
    lines = []
    with suppress(OSError):
        lines = [line.split() for line in Path(path).read_text().splitlines()]
    return {one[0].rstrip(":"): int(one[1]) for one in lines if len(one) > 1 and one[1].isdecimal()}


_LARGEST_PART = 1 << 26
_PARTS = 64
"""So many parts are made of files of usual sizes, whoever counts them."""

_FILES = 250
_JOINED = 64
"""Bytes per row of each file that is joined, as measured for docs/large-data.md."""


class Source(Protocol):
    """The examples of a part; it is small, and can be sent to another process."""

    @property
    def name(self) -> str:
        """What messages call the part."""

    @property
    def size(self) -> int:
        """How many bytes of it are read."""

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The examples, block by block."""


class Part(Struct, frozen=True):
    """Rows of tables that can be counted separately from all others, or all rows.

    Attributes:
        systems: The file of each system; or, if they are `single`, the column of each in the table
            of the gold, where None finds it by its name.
        single: Whether all outputs are in the table of the gold.
        pieces: The files of the gold, or rows of them; None for all.
        alike: Its first row, if it is several files, which must have the same columns.
        name: What messages call it, such as `train.parquet, rows 1,000,001 to 2,000,000`.
    """

    gold: str
    systems: Mapping[str, str | None] = field(default_factory=dict)
    single: bool = True
    pieces: tuple[Piece, ...] | None = None
    alike: Table | None = None
    name: str = ""
    size: int = 0

    @property
    def files(self) -> dict[str, str]:
        """The file of each system; none where the outputs are in the table of the gold."""
        return {} if self.single else {name: str(path) for name, path in self.systems.items()}

    @property
    def paths(self) -> list[str]:
        """All files, that of the gold first."""
        return [self.gold, *self.files.values()]

    def enter(self, beside: Mapping[str, Table | None]) -> dict[str, Outputs]:
        """Returns where each system's outputs are, given the rows of files."""
        if self.single:
            return dict(self.systems)
        return {name: beside[name] for name in self.systems}

    def iterate(self, reading: Reading) -> Iterator[Table]:
        """Yields the rows of the gold, block by block."""
        for table in _iterate(self.gold, reading, self.pieces):
            if self.alike is not None:
                check_alike(self.alike, table)
            yield table

    def read(self, reading: Reading) -> Iterator[Systems]:
        """Yields the examples in blocks; the first block settles what `reading` has not."""
        rows, files = self.iterate(reading), self.files
        others = {name: _iterate(path, reading) for name, path in files.items()}
        span = self.pieces[0].span if self.pieces else None
        start = first = 0 if span is None else span.first
        while (block := next(rows, None)) is not None:
            beside = {name: next(own, None) for name, own in others.items()}
            for name, own in beside.items():
                if own is None or len(own) != len(block):
                    sizes = first + _count(block, rows), first + _count(own, others[name])
                    raise refuse_uneven((self.gold, files[name]), sizes)
            try:
                systems = read_block(block, self.enter(beside), reading, first)
            except (InputError, UsageError):
                rest = (
                    (own, self.enter({name: next(one, None) for name, one in others.items()}))
                    for own in rows
                )
                _look_ahead((block, self.enter(beside)), rest, reading)
                raise
            reading = settle_by(reading, systems)
            alone = not others and not block.origins
            if (
                first == start
                and alone
                and len(systems.facts.task.labels or ()) > LIMITS.many_labels
            ):
                rows = _join_blocks(rows)
            first += len(block)
            del block, beside  # of which nothing is needed any more
            yield systems
            del systems
        for name, other in others.items():
            extra = next(other, None)
            if extra is not None:
                sizes = first, first + _count(extra, other)
                raise refuse_uneven((self.gold, files[name]), sizes)


def read_tables(part: Part, reading: Reading) -> Iterator[Systems]:
    """Reads a table of gold, and the tables or columns of systems."""
    paths = part.paths
    if are_large(paths):
        if have_blocks(paths, reading) and not need_whole(paths, reading):
            yield from part.read(settle_rows(part, reading, whole=True))
            return
        if len(paths) > 1:
            check_room(paths, _JOINED * len(list_parts(reading.columns.id or IDS[0])))
    read = partial(read_table, format=reading.input_format, watch=reading.watch)
    files = {name: partial(read, path) for name, path in part.files.items()}
    yield read_systems(read(part.gold), files or part.systems, reading)


def settle_rows(part: Part, reading: Reading, *, whole: bool) -> Reading:
    """Returns how to read all rows, as the first ones tell: labels or texts, and the task.

    Two labels may be followed by a third one, and 0 and 1 by probabilities; then all rows are read
    where the `whole` is asked for. Outputs that are no label are known by the labels of all gold.
    """
    if reading.columns.invalid != "error":
        first = next(iterate_tables(part.gold, format=reading.input_format))
        survey = Survey(first, part.enter(dict.fromkeys(part.systems, first)), reading)
        only = survey.names or None
        for block in iterate_tables(part.gold, format=reading.input_format, only=only):
            survey.take(block)
        reading = replace(reading, golden=survey.finish())
    while True:
        try:
            blocks = part.read(replace(reading, watch=None))
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


def are_large(paths: Sequence[str]) -> bool:
    """Returns whether files are read in blocks, if they can be."""
    return (
        measure_input(paths) >= LIMITS.large_input
        or sum(map(measure_unpacked, paths)) >= LIMITS.large_input
    )


def have_blocks(paths: Sequence[str], reading: Reading) -> bool:
    """Returns whether some rows can be read without all.

    Ranges of numbers are made of all of them, and whether named labels have a class of invalid
    outputs among them is told by all. Few files can be open at a time. A block of which nothing is
    left where examples are chosen, or where a system does not have them, would be none.
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


def _join_blocks(blocks: Iterator[Table]) -> Iterator[Table]:
    """Joins blocks of one file into larger ones, where their columns are alike."""
    for _, alike in groupby(blocks, lambda block: (block.columns.schema, block.gaps)):
        held, size = list[Table](), 0
        for block in chain(alike, [None]):
            if held and (block is None or size >= LIMITS.joined_block):
                size = 0
                joined = replace(join_tables(held[0].source, held), origins=())
                held.clear()
                yield joined
                del joined
                release_memory()
            if block is not None:
                held.append(block)
                size += block.columns.nbytes


def _count(block: Table | None, rest: Iterable[Table]) -> int:
    return (0 if block is None else len(block)) + sum(map(len, rest))


def _iterate(path: str, reading: Reading, pieces: Sequence[Piece] | None = None) -> Iterator[Table]:
    kind, watch = reading.input_format, reading.watch
    return iterate_tables(path, format=kind, rows=LIMITS.block_rows, watch=watch, pieces=pieces)


def read_block(
    block: Table, entries: Mapping[str, Outputs], reading: Reading, first: int
) -> Systems:
    """Returns the systems of a block, of whose rows this many are before it."""
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
    return systems.know(asked=asked.spelled(fold_case=reading.columns.fold_case))


def settle_by(reading: Reading, systems: Systems) -> Reading:
    """Returns how to read all examples as some were read, which settle the task."""
    if reading.asked is not None:
        return reading
    kinds = reading.kinds or tuple(kind for kind in READ if kind.find(systems) is not None)
    adopted = _adopt(reading, reading.task, systems.facts.task)
    if LABELS.find(systems) is None and systems.facts.task.labels is not None:
        adopted = replace(adopted, task=replace(adopted.task, labels=systems.facts.task.labels))
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
    """Returns how to read all rows if a block shows another task; None if a row is wrong."""
    if reading.asked is None or reading.task.kind != "binary":
        return None
    try:
        anew = _settle_anew(block, entries, reading)
    except (InputError, UsageError):
        return None
    return None if anew.task.labels == reading.task.labels else anew


def _settle_anew(block: Table, entries: Mapping[str, Outputs], reading: Reading) -> Reading:
    asked = reading.asked or reading.task
    known = {*(reading.task.labels or ())} - {f"not {asked.positive}"}
    found = read_systems(block, entries, replace(reading, task=asked, asked=None))
    scores = [own.probabilities for own in LABELS.of(found).outputs]
    single = any(own is not None and own.ndim == 1 for own in scores)
    spelled = asked.spelled(fold_case=reading.columns.fold_case)
    former = dict(reading.former) | dict(found.former)
    reading = replace(reading, former=tuple(former.items()))
    return _adopt(reading, asked, spelled.settle({*known, *found.labels}, scores=single))


_SCORES = Former(None, Seen(fractions=True))


class Survey:
    """The labels of all the gold, which are collected block by block from the columns `names`."""

    def __init__(self, first: Table, entries: Mapping[str, Outputs], reading: Reading) -> None:
        """Finds out from the first block which columns hold the labels."""
        self.names: tuple[str, ...] = ()
        self._columns = reading.columns
        self._sets: Task | None = None
        self._named: tuple[Label, ...] | None = None
        self._labels: set[Label] = set()
        self._error: InputError | None = None
        try:
            truth = read_truth(first, entries, reading)
        except InputError as error:
            self._error = error
            return
        if truth is None:
            self._named = ()
        elif truth.matrix:
            self._named = truth.labels.names
        else:
            self.names = (truth.name,)
            if truth.labels.several:
                self._sets, self._named = truth.task, truth.task.labels

    def take(self, block: Table) -> None:
        """Notes the labels of a block."""
        if not self.names or self._error is not None:
            return
        # Imported here because few tables have outputs that are no labels.
        from tallystick.kinds.labels.label_cells import read_sets

        side = Side(block)
        try:
            if self._sets is not None:
                found = read_sets(side, self.names[0], self._columns, self._sets).names
            else:
                found = side.labels(self.names[0], self._columns).names
        except InputError as error:
            self._error = error
            return
        self._labels.update(found)

    def add(self, other: "Survey") -> None:
        """Notes the labels that another one found in other blocks."""
        self._labels |= other._labels
        self._error = self._error or other._error

    def finish(self) -> tuple[Label, ...]:
        """Returns the labels; none where the gold is read as texts."""
        if self._error is not None:
            raise self._error
        return order(self._labels) if self._named is None else self._named


def _look_ahead(first: Block, rest: Iterator[Block], reading: Reading) -> None:
    """Raises a ResettleError if later rows show that 0 and 1 of the first are probabilities."""
    former = dict(reading.former)
    left = [name for name in first[1] if not former.get(name, Former()).seen.fractions]
    trial = replace(reading, former=tuple(dict.fromkeys(left, _SCORES).items()))
    left = [name for name in left if _shows_fractions(first, name, trial)]
    for block in rest if left and reading.asked is None else ():
        found = [name for name in left if _shows_fractions(block, name, reading)]
        if found:
            former |= dict.fromkeys(found, _SCORES)
            raise ResettleError(replace(reading, former=tuple(former.items()), golden=None))


def _shows_fractions(block: Block, name: str, reading: Reading) -> bool:
    """Whether a system's outputs in a block can be read, and fractions have been seen."""
    gold, entries = block
    try:
        systems = read_systems(gold, {name: entries[name]}, reading)
    except (InputError, UsageError):
        return False
    return dict(systems.former)[name].seen.fractions


def plan_parts(part: Part, reading: Reading, *, size: int | None = None) -> tuple[Part, ...]:
    """Returns parts with all rows of a table, of about `size` bytes; none if it has no parts."""
    gold = part.gold
    if not part.single or not have_blocks([gold], reading):
        return ()
    if part.systems and need_whole([gold], reading):
        return ()
    if size is None:
        size = min(max(measure_input([gold]) // _PARTS, LIMITS.least_part), _LARGEST_PART)
    pieces = find_pieces(gold)
    shares = _share(pieces, settle_format(pieces, reading.input_format), size)
    # The first row of several files, which all others must be like.
    several = len(pieces) > 1
    alike = next(iterate_tables(gold, format=reading.input_format, rows=1)) if several else None
    return tuple(
        replace(
            part,
            pieces=own,
            alike=alike,
            name=_name_pieces(own),
            size=sum(map(_measure, own)),
        )
        for own in shares
    )


def _share(pieces: Sequence[Piece], kind: str, size: int) -> list[tuple[Piece, ...]]:
    """Shares pieces out in parts of about `size` bytes, by row groups if they are Parquet."""
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
