"""Checks a submission as the server does, before it is uploaded: what is wrong, and the cure."""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, NestedValueError, TallystickError, say_count
from tallystick.io.files.opening import hold_files, open_binary
from tallystick.io.tables.formats import guess_format
from tallystick.io.tables.table import Table, release_memory
from tallystick.io.tables.values import as_keys, as_numpy, build_places, plain
from tallystick.kinds.labels import LABELS
from tallystick.kinds.spans import SPANS
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.tries.tries import read_tries
from tallystick.model.ids import show_ids, write_whole
from tallystick.model.reading import NoneLeftError, refusing
from tallystick.model.sides import Side
from tallystick.reading.layouts import read_files
from tallystick.reading.tables import read_systems
from tallystick.scoring.counting import count
from tallystick.tasks.masked_gold import (
    Blind,
    list_track_files,
    read_blind,
    read_gold_table,
    recall_submission,
)
from tallystick.tasks.opening import MEGABYTE, Checked, Remark, clean, open_submission
from tallystick.tasks.task_file import SharedTask, Track

_CHUNK = 1 << 20
_LONGEST = 4 * _CHUNK
"""No line is longer, in bytes; a JSON array may be all of a file."""
_ROOM = 10_000


def find_excess(path: str, kind: str | None, examples: int | None, most: int) -> str | None:
    """Returns what of a file is too much to be read, worded to follow its name; None if nothing."""
    kind = kind or guess_format(path)
    if kind == "parquet":
        import pyarrow.parquet as pq

        from tallystick.io.tables.parquet import measure_file

        size = _Size(total=measure_file(path))
        metadata = pq.read_metadata(path)
        rows, columns, each = metadata.num_rows, metadata.num_columns, 2
    else:
        size = _measure_file(path, most)
        rows, columns, each = size.lines, size.columns, 100  # texts in quotes have many lines
    if size.total > most:
        return f"unpacks to more than {most / 1e6:,.0f} MB, the most for a submission"
    if examples is not None and rows > each * examples + _ROOM:
        unit = "rows" if kind == "parquet" else "objects" if size.array else "lines"
        return f"has {rows:,} {unit}, and the test data {examples:,} examples"
    if size.longest > _LONGEST and not size.array:
        return f"has a line of more than {_LONGEST / 1e6:,.0f} MB"
    if columns > 5_000 and kind != "jsonl":
        return f"has {columns:,} columns, which is too many"
    return None


class _Size(Struct):
    """What a file holds: bytes, lines or the objects of an array, the longest line, and columns."""

    total: int = 0
    lines: int = 0
    longest: int = 0
    columns: int = 0
    array: bool = False


def _measure_file(path: str, most: int) -> _Size:
    size, held = _Size(), 0
    with open_binary(path) as file:
        while size.total <= most and (chunk := file.read(_CHUNK)):
            if not size.total:
                size.columns = 1 + sum(map(chunk.partition(b"\n")[0].count, (b",", b";", b"\t")))
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
_LONGEST_KEY, _FEW = 1_000, 1_000
"""Ids and labels are no longer on average, in bytes, where they are not few."""


_ADVICE = re.compile(r", or pass `[^`]*`")
_CALL = re.compile(r"--[a-z]|`\w+=")
"""What is said to who reads files by a command or in Python."""


def find_mistakes(table: Table, blind: Blind) -> list[Told]:
    """Returns what is wrong with the columns, the ids and the labels of a table."""
    try:
        text = [*_tell_columns(table, blind)]
        if any(fatal for _, fatal in text):
            return text
        return [*text, *_tell_ids(table, blind), *_tell_labels(table, blind)]
    except InputError as error:
        return [(str(error).removeprefix(f"{table.source}: "), True)]


def reword(reason: str) -> str:
    """Returns what the reader says of a file in words for who has no command line, with a cure."""
    first, *rest = _ADVICE.sub("", reason).split("; ")
    text = "; ".join([first, *(part for part in rest if not _CALL.search(part))])
    if "is not UTF-8" in text:
        return f"{text}; save it as UTF-8, for example with iconv -f LATIN1 -t UTF-8"
    if "is not a probability between 0 and 1" in text:
        return f"{first}; percentages are divided by 100, and logits go through a sigmoid"
    if "columns are named" in text:
        return f"{text}, in a header above the first example"
    return text


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
            text = f"has the column {name!r} of row numbers"
            yield f"{text}, as pandas writes it; leave it out with index=False", False


def _tell_ids(table: Table, blind: Blind) -> Iterator[Told]:
    if blind.ids is None or len(table.names()) == 1:
        return
    known = as_keys(blind.ids, "").combine_chunks()
    if len(pc.unique(known)) < len(known):
        return  # groups and ids identify an example together
    tried = blind.reading.repeated
    other = blind.reading.columns.system_id
    name = blind.reading.find_ids(table.names()) if other is None else other
    if name is None or not Side(table).has(name):
        other = _find_ids(table, known)
        hint = f"rename {other!r}" if other else f"it has {', '.join(map(repr, table.names()[:9]))}"
        yield f"has no column {blind.reading.columns.system_id or blind.id!r} of ids; {hint}", True
        return
    if _is_long(table.column(name)) and not _is_long(known):
        raise InputError(f"column {name!r} contains texts, where ids were expected")
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
    counts = pc.value_counts(own)
    several = np.flatnonzero(as_numpy(counts.field("counts")) > 1)
    twice = counts.field("values").take(build_places(several))
    lacking = known.filter(pc.invert(pc.is_in(known, value_set=own)))
    unknown = own.filter(pc.invert(pc.is_in(own, value_set=known)))
    if len(twice):
        yield f"contains {show_ids(twice)} more than once; keep one row for each", True
    if len(lacking):
        fate = ", which counts as wrong" if wrong else "; every example needs one"
        yield f"has no prediction for {show_ids(lacking)}{fate}", not wrong
    if len(unknown):
        yield f"contains {show_ids(unknown)} that the test data does not have", True


def _find_ids(table: Table, known: pa.Array) -> str | None:
    for name, values in _list_values(table):
        found = pc.sum(pc.is_in(values, value_set=known)).as_py() or 0
        if 2 * found > len(known):
            return name
    return None


def _list_values(table: Table, but: str | None = None) -> Iterator[tuple[str, pa.Array]]:
    """Yields the distinct values of each column that may hold ids or labels."""
    for name in table.names():
        try:
            column = plain(table.column(name))
        except NestedValueError:
            continue
        if not (pa.types.is_nested(column.type) or name == but or _is_long(column)):
            yield name, pc.unique(as_keys(column, table.source).combine_chunks())


def _is_long(column: pa.ChunkedArray) -> bool:
    """Whether values are so long that they are neither ids nor labels, but texts."""
    return bool(column.nbytes > _LONGEST_KEY * max(len(column), _FEW))


def _find_change(own: pa.Array, known: pa.Array) -> str | None:
    """By what the unknown ids differ from known ones, if most of them differ by the same."""

    def drop_zeros(ids: pa.Array) -> pa.Array:
        return pc.utf8_ltrim(pc.replace_substring_regex(ids, r"\.0$", ""), "0")

    def fold(ids: pa.Array) -> pa.Array:
        return pc.utf8_lower(pc.utf8_trim_whitespace(ids))

    unknown = own.filter(pc.invert(pc.is_in(own, value_set=known))).drop_null()
    for change, text in ((drop_zeros, _ZEROS), (fold, _SPELLED)):
        alike = pc.is_in(change(unknown), value_set=change(known))
        if 2 * (pc.sum(alike).as_py() or 0) > len(unknown):
            return text
    return None


def _tell_labels(table: Table, blind: Blind) -> Iterator[Told]:
    """Labels that are none but look like one that the task names."""
    if not blind.labels or blind.reading.columns.invalid != "error":
        return
    known = [*map(str, blind.labels)]
    folded = {_fold(label): label for label in known}
    for name, values in _list_values(table, but=blind.id):
        labels = values.drop_null()
        if len(labels) > 1000:
            continue
        own = labels.to_pylist()
        near = [one for one in own if _fold(one) in folded]
        strange = [one for one in own if one.strip() and one not in known]
        if 2 * len(near) > len(own) and strange:
            cures = {one: folded.get(_fold(one)) for one in sorted(strange)[:5]}
            text = ", ".join(
                f"{one!r}" if cure is None else f"{one!r} in place of {cure!r}"
                for one, cure in cures.items()
            )
            more = ", ..." if len(strange) > 5 else ""
            message = f"column {name!r} contains {text}{more}; the labels are {', '.join(known)}"
            yield message, True


def _fold(label: str) -> str:
    return label.strip().casefold().removesuffix(".0")


NOT_READ = "was not read: there is neither gold nor a file of ids to check it by"
"""What is said of a file that nobody can check here."""

_BROKEN = (
    "cannot be checked: the task's own files are wrong, as `tallystick task selftest` tells the "
    "organisers"
)
_MOST_STRANGE = 1000
_TOO_MANY = "labels that the task does not know, and at most 1,000 are read; use those of the task"
_STRANGE = (
    "its outputs are not those of the task, which names no labels; hold them against its "
    "description"
)
"""What is said where another reason could come from the labels of the gold."""
_UNREAD = "its outputs were not checked; they are when they are scored"


def prepare(track: Track) -> None:
    """Reads what submissions to a track are compared with, and keeps it; errors come later."""
    with suppress(TallystickError):
        hold_files(list_track_files(track))
        read_blind(track)
        read_gold_table(track)


def examine_submission(task: SharedTask, path: str) -> Checked:
    """Checks a submission as `check_submission` does, without limits and in this process."""
    opened = open_submission(task, path)
    findings = [*opened.findings]
    accepted, broken = {}, None
    for name, file in opened.files.items():
        shown = opened.shown[name]
        try:
            text = _check_file(task.tracks[name], file, shown, task.limits.megabytes * MEGABYTE)
        except TallystickError as error:  # which may quote gold
            broken = error, name
            text = [(_BROKEN, True)]
        findings += [Remark(name, shown, clean(message), fatal) for message, fatal in text]
        if not any(fatal for _, fatal in text):
            accepted[name] = file
    if broken is not None and not accepted:
        raise InputError(f"the track {broken[1]} {_BROKEN}") from broken[0]
    return Checked(accepted, tuple(findings))


def _check_file(track: Track, path: str, shown: str, most: int) -> list[Told]:
    blind = read_blind(track)
    if blind is None:
        return [(NOT_READ, False)]
    text, reason = _read(blind, track, path, most)
    if reason is not None and blind.open_ended and not reason.endswith(_TOO_MANY):
        positive = track.positive or "yes"
        tolerant = replace(track, invalid="wrong", positive=positive)
        other = read_blind(tolerant, ("made up", positive))
        same = other is not None and _read(other, track, path, most)[1] == reason
        reason = reason if same and "label" not in reason else _STRANGE
    release_memory()
    if reason is None and not (blind.gold or blind.file):
        return [*text, (_UNREAD, False)]
    if reason is None:
        return [one for one in text if not one[1]]
    if any(fatal for _, fatal in text):
        return text
    for known, called in ((blind.file, "the test data"), (path, shown)):
        reason = reason.replace(known, called) if known else reason
    reason = reason.removeprefix(f"{shown}: ").removeprefix(f"{shown}, ")
    return [*text, (reword(reason), True)]


def _read(blind: Blind, track: Track, path: str, most: int) -> tuple[list[Told], str | None]:
    """What is told of the table of a file, and why it is rejected; None if it is not."""
    table, text = None, list[Told]()
    try:
        with refusing():
            reason = find_excess(path, track.format, blind.count, most)
            if reason is None and blind.file is None:
                table = recall_submission(path, track.format)
                text = find_mistakes(table, blind)
            if reason is None:
                reason = _refuse(blind, track, path, table)
    except NoneLeftError as error:
        reason = error.rejected[0].reason
    except TallystickError as error:
        reason = str(error)
    return text, reason


def _refuse(blind: Blind, track: Track, path: str, table: Table | None) -> str | None:
    """Why a file is rejected, told by reading it next to made-up gold; None if it is not."""
    if blind.file is not None:
        texts = read_files(blind.file, {path: path}, blind.reading)
        rejected = [one for block in texts for one in block.facts.rejected]
    elif table is None or blind.gold is None:
        return None
    elif blind.reading.repeated:
        read_tries(blind.gold, {path: table}, blind.reading)
        rejected = []
    else:
        read = read_systems(blind.gold, {path: (lambda: table)}, blind.reading)
        column = LABELS.find(read) or SPANS.find(read)
        names = [one.labels.names for one in (() if column is None else column.outputs)]
        strange = {*map(str, chain.from_iterable(names))} - {*map(str, blind.known)}
        if len(strange) > _MOST_STRANGE:
            return f"has {len(strange):,} {_TOO_MANY}"
        rejected = (
            [*read.facts.rejected]
            if TEXTS.find(read)
            else [*count([read], track.metrics).facts.rejected]
        )
    return rejected[0].reason if rejected else None
