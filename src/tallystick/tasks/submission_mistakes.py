"""Names what is too much in a file of a submission, and common mistakes, each with its cure."""

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from tallystick.errors import InputError, say_count
from tallystick.frozen import dataclass
from tallystick.io.files.opening import open_binary
from tallystick.io.tables.building import build_places
from tallystick.io.tables.formats import guess_format
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_keys, as_numpy, plain
from tallystick.model.ids import show_ids, write_whole
from tallystick.model.sides import Side
from tallystick.tasks.masked_gold import Blind

_CHUNK = 1 << 20
_LONGEST = 4 * _CHUNK
"""No line is longer, in bytes; a JSON array may be all of a file."""
_COLUMNS = 5_000
_ROOM = 10_000
_SEPARATORS = (b",", b";", b"\t")


def find_excess(path: str, kind: str | None, examples: int, most: int) -> str | None:
    """Returns what of a file is too much to be read, worded to follow its name; None if nothing.

    The file may be gzip, and have `most` bytes when it is unpacked, for a task of so many
    examples.
    """
    kind = kind or guess_format(path)
    if kind == "parquet":
        import pyarrow.parquet as pq

        from tallystick.io.tables.parquet import measure_file

        size = _Size(total=measure_file(path))
        metadata = pq.read_metadata(path)
        rows, columns, room = metadata.num_rows, metadata.num_columns, 2 * examples + _ROOM
    else:
        size = _measure_file(path, most)
        # Texts in quotes have many lines.
        rows, columns, room = size.lines, size.columns, 100 * examples + _ROOM
    if size.total > most:
        return f"unpacks to more than {most / 1e6:,.0f} MB, the most for a submission"
    if rows > room:
        unit = "rows" if kind == "parquet" else "objects" if size.array else "lines"
        return f"has {rows:,} {unit}, and the test data {examples:,} examples"
    if size.longest > _LONGEST and not size.array:
        return f"has a line of more than {_LONGEST / 1e6:,.0f} MB"
    if columns > _COLUMNS and kind != "jsonl":
        return f"has {columns:,} columns, which is too many"
    return None


@dataclass(slots=True)
class _Size:
    """What a file holds: bytes, lines or the objects of an array, the longest line, and columns."""

    total: int = 0
    lines: int = 0
    longest: int = 0
    columns: int = 0
    array: bool = False


def _measure_file(path: str, most: int) -> _Size:
    """Measures a file until it is beyond so many bytes."""
    size, held = _Size(), 0
    with open_binary(path) as file:
        while size.total <= most and (chunk := file.read(_CHUNK)):
            if not size.total:
                size.columns = 1 + sum(map(chunk.partition(b"\n")[0].count, _SEPARATORS))
                size.array = chunk.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
            size.total += len(chunk)
            size.lines += chunk.count(b"{" if size.array else b"\n")
            first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
            size.longest = max(size.longest, held + (len(chunk) if first < 0 else first))
            held = held + len(chunk) if last < 0 else len(chunk) - last - 1
    return size


Told = tuple[str, bool]
"""A message, and whether what it says keeps a file from being scored."""

_INDEX = ("", "unnamed: 0", "index")
"""What the column is called that data frames are numbered by."""
_MARKS = {";": "semicolons", "|": "bars", "\t": "tabs", " ": "spaces", ":": "colons"}
_ZEROS = (
    "the ids have been read as numbers and lost their zeros; read and write them as text, in "
    "pandas with dtype=str"
)
_SPELLED = "the ids differ from those of the test data in spaces or in upper and lower case"
_MOST_LABELS = 1000
_LONGEST_KEY, _FEW = 1_000, 1_000
"""Ids and labels are no longer on average, in bytes, where they are not few."""


_ADVICE = re.compile(r", or pass `[^`]*`")
_CALL = re.compile(r"--[a-z]|`\w+=")
"""What is said to who reads files by a command or in Python."""


def find_mistakes(table: Table, blind: Blind) -> list[Told]:
    """Returns what is wrong with the columns, the ids and the labels of a table."""
    try:
        told = [*_tell_columns(table, blind)]
        if any(fatal for _, fatal in told):
            return told
        return [*told, *_tell_ids(table, blind), *_tell_labels(table, blind)]
    except InputError as error:
        return [(str(error).removeprefix(f"{table.source}: "), True)]


def reword(reason: str) -> str:
    """Returns what the reader says of a file in words for who has no command line, with a cure."""
    first, *rest = _ADVICE.sub("", reason).split("; ")
    told = "; ".join([first, *(part for part in rest if not _CALL.search(part))])
    if "is not UTF-8" in told:
        return f"{told}; save it as UTF-8, for example with iconv -f LATIN1 -t UTF-8"
    if "is not a probability between 0 and 1" in told:
        return f"{told}; percentages are divided by 100, and logits go through a sigmoid"
    if "columns are named" in told:
        return f"{told}, in a header above the first example"
    return told


def _tell_columns(table: Table, blind: Blind) -> Iterator[Told]:
    names = table.names()
    known = None if blind.ids is None else set(as_keys(blind.ids, "").to_pylist())
    if known is not None and known & {*names}:
        yield "its first line is an example; a header with the names of columns goes above it", True
        return
    for mark, called in _MARKS.items():
        if len(names) == 1 and mark in names[0].strip() and blind.id is not None:
            yield f"its columns are separated by {called}; separate them by commas", True
            return
    for name in names:
        if name.strip().lower() in _INDEX:
            told = f"has the column {name!r} of row numbers"
            yield f"{told}, as pandas writes it; leave it out with index=False", False


def _tell_ids(table: Table, blind: Blind) -> Iterator[Told]:
    import pyarrow.compute as pc

    if blind.ids is None or len(table.names()) == 1:
        return
    known = as_keys(blind.ids, "").combine_chunks()
    if len(pc.unique(known)) < len(known):
        return  # groups and ids identify an example together
    tried = blind.reading.repeated
    name = blind.reading.find_ids(table.names())
    if name is None or not Side(table).has(name):
        other = _find_ids(table, known)
        hint = f"rename {other!r}" if other else f"it has {', '.join(map(repr, table.names()[:9]))}"
        yield f"has no column {blind.id!r} of ids; {hint}", True
        return
    if _is_long(table.column(name)) and not _is_long(known):
        raise InputError(f"column {name!r} holds texts, where ids were expected")
    own = as_keys(table.column(name), table.source).combine_chunks()
    if own.null_count:
        yield f"has {say_count(own.null_count, 'row')} without an id; every row needs one", True
        return
    if not pc.any(pc.is_in(own, value_set=known)).as_py():
        own = write_whole(own)
    own = pc.unique(own) if tried else own
    lost = _find_change(own, known)
    other = _find_ids(table, known)
    if not pc.any(pc.is_in(own, value_set=known)).as_py() and other is not None:
        yield f"the columns {name!r} and {other!r} are swapped: the ids stand in {other!r}", True
    elif lost is not None:
        yield lost, True
    else:
        yield from _compare(own, known, wrong=blind.reading.columns.missing == "wrong")


def _compare(own: pa.Array, known: pa.Array, *, wrong: bool) -> Iterator[Told]:
    """The ids that stand twice, that are missing, and that are unknown."""
    import pyarrow.compute as pc

    counts = pc.value_counts(own)
    several = np.flatnonzero(as_numpy(counts.field("counts")) > 1)
    twice = counts.field("values").take(build_places(several))
    lacking = known.filter(pc.invert(pc.is_in(known, value_set=own)))
    unknown = own.filter(pc.invert(pc.is_in(own, value_set=known)))
    if len(twice):
        yield f"holds {show_ids(twice)} more than once; keep one row for each", True
    if len(lacking):
        fate = ", which counts as wrong" if wrong else "; every example needs one"
        yield f"has no prediction for {show_ids(lacking)}{fate}", not wrong
    if len(unknown):
        yield f"holds {show_ids(unknown)} that the test data does not have", True


def _find_ids(table: Table, known: pa.Array) -> str | None:
    """The column that holds ids of the test data, if one does."""
    import pyarrow.compute as pc

    for name, values in _list_values(table):
        found = pc.sum(pc.is_in(values, value_set=known)).as_py() or 0
        if 2 * found > len(known):
            return name
    return None


def _list_values(table: Table, but: str | None = None) -> Iterator[tuple[str, pa.Array]]:
    """Yields the distinct values of each column that may hold ids or labels."""
    import pyarrow.compute as pc

    for name in table.names():
        column = plain(table.column(name))
        if not (pa.types.is_nested(column.type) or name == but or _is_long(column)):
            yield name, pc.unique(as_keys(column, table.source).combine_chunks())


def _is_long(column: pa.ChunkedArray) -> bool:
    """Whether values are so long that they are neither ids nor labels, but texts."""
    return bool(column.nbytes > _LONGEST_KEY * max(len(column), _FEW))


def _find_change(own: pa.Array, known: pa.Array) -> str | None:
    """By what the unknown ids differ from known ones, if most of them differ by the same."""
    import pyarrow.compute as pc

    def drop_zeros(ids: pa.Array) -> pa.Array:
        return pc.utf8_ltrim(pc.replace_substring_regex(ids, r"\.0$", ""), "0")

    def fold(ids: pa.Array) -> pa.Array:
        return pc.utf8_lower(pc.utf8_trim_whitespace(ids))

    unknown = own.filter(pc.invert(pc.is_in(own, value_set=known))).drop_null()
    for change, told in ((drop_zeros, _ZEROS), (fold, _SPELLED)):
        alike = pc.is_in(change(unknown), value_set=change(known))
        if 2 * (pc.sum(alike).as_py() or 0) > len(unknown):
            return told
    return None


def _tell_labels(table: Table, blind: Blind) -> Iterator[Told]:
    """Labels that are none but look like one that the task names."""
    if not blind.labels or blind.reading.columns.invalid != "error":
        return
    known = [*map(str, blind.labels)]
    folded = {_fold(label): label for label in known}
    for name, values in _list_values(table, but=blind.id):
        labels = values.drop_null()
        if len(labels) > _MOST_LABELS:
            continue
        own = labels.to_pylist()
        near = [one for one in own if _fold(one) in folded]
        strange = [one for one in own if one.strip() and one not in known]
        if 2 * len(near) > len(own) and strange:
            told = ", ".join(f"{one!r}{_cure(one, folded)}" for one in sorted(strange)[:5])
            more = ", ..." if len(strange) > 5 else ""
            message = f"column {name!r} holds {told}{more}; the labels are {', '.join(known)}"
            yield message, True


def _cure(label: str, folded: dict[str, str]) -> str:
    near = folded.get(_fold(label))
    return "" if near is None else f" in place of {near!r}"


def _fold(label: str) -> str:
    return label.strip().casefold().removesuffix(".0")
