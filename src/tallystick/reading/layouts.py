"""Reads gold and systems from every supported layout.

A file for gold and one for each system; one table with a column for each system; one table with a
column that tells systems apart; and lines of text. The same in every command and in Python.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tallystick.errors import InputError, UsageError
from tallystick.examples.columns import BOTH, IDS, Columns, find, need
from tallystick.examples.ids import find_torn, name_systems, number_values
from tallystick.examples.reading import Lists, Reading, renaming
from tallystick.examples.systems import Systems
from tallystick.io.files.datasets import is_dataset
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.formats import guess_by_ending, guess_kind
from tallystick.io.tables.keys import as_keys
from tallystick.io.tables.table import Table, read_table
from tallystick.io.tables.values import plain, write_out
from tallystick.kinds.index import LOOKED_AT, find_layout, guess_kinds
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.tries import TRIES
from tallystick.reading.table_files import (
    Place,
    give,
    read_tables,
)
from tallystick.reading.tables import Block, Entry, join_beside, read_layout, read_systems
from tallystick.results import Refusal

if TYPE_CHECKING:
    from tallystick.io.submissions import Submissions
    from tallystick.reading.line_files import LineFiles


def read_files(gold: str, systems: Mapping[str, str | None], reading: Reading) -> Iterator[Systems]:
    """Reads a file of gold and one file of each system; None stands for the gold's own table.

    Lines of text and large tables come block by block.
    """
    own = find_layout(gold, reading.kinds)
    if own is not None:
        yield join_beside(read_layout(own, Lists(gold, systems, reading)), reading, own.ids)
        return
    if are_lines(gold, reading):
        if reading.columns.where is not None:
            raise UsageError("--where compares columns, and lines of text have none")
        if reading.columns.corrected_by:
            raise UsageError("--corrected-by names a column, and lines of text have none")
        files, refused = open_lines(gold, systems, reading)
        if reading.columns.missing != "error":
            columns = replace(
                reading.columns,
                by=("group",) if reading.columns.by else (),
                clusters=reading.columns.clusters and "cluster",
            )
            tables = files.as_tables()  # in which blank lines are missing
            yield read_systems(*tables, replace(reading, columns=columns, kinds=(TEXTS,)))
            return
        for block in files.read(replace(reading, kinds=(TEXTS,))):
            yield replace(block, refused=(*block.refused, *refused))
        return
    for option, value in (
        ("--ref", reading.references),
        ("--blank-is-missing", reading.blank_is_missing),
    ):
        if value:
            raise UsageError(f"{option} is for text files; tables hold lists")
    places = {name: Place(path) for name, path in systems.items()}
    yield from read_tables(gold, places, reading)


def read_submissions(
    gold: str | Table, submissions: "Submissions", reading: Reading
) -> Iterator[Systems]:
    """Reads a file of gold, or its table, and the submissions of a folder.

    What cannot be a submission is refused with the reason, where that is tolerated.
    """
    from tallystick.kinds.tries.submitted_tries import read_submitted_tries

    refused = tuple(Refusal(name, None, f"it {reason}") for name, reason in submissions.refused)
    if refused and not reading.tolerant:
        raise InputError(f"{refused[0].system}: {refused[0].reason}")
    skipped = submissions.skipped
    notes = (f"not read as submissions: {', '.join(skipped)}.",) if skipped else ()

    found = dict(submissions.found)
    with renaming(submissions.rename):
        if reading.kinds == (TRIES,):
            blocks = iter([read_submitted_tries(gold, found, reading)])
        elif isinstance(gold, Table):
            read = partial(read_table, kind=reading.input_format, watch=reading.watch)
            entries = {name: Entry(partial(read, path)) for name, path in found.items()}
            blocks = iter([read_systems(gold, entries, reading)])
        else:
            blocks = read_files(gold, found, reading)
        for block in blocks:
            wrong = (replace(own, reason=submissions.rename(own.reason)) for own in block.refused)
            yield replace(block, refused=(*wrong, *refused), notes=(*block.notes, *notes))


def read_wide(table: Table, names: Sequence[str], reading: Reading) -> Systems:
    """Reads a table with gold and a column of outputs for each system."""
    for name in names:
        table.column(name)
    entries = {name: Entry(column=name) for name in names}
    return read_systems(table, entries, reading)


def read_long(table: Table, system_column: str, reading: Reading) -> Systems:
    """Reads a table with one row for each example of each system."""
    return read_systems(*split_long(table, system_column, reading), reading)


def read_long_file(path: str, system_column: str, reading: Reading) -> Systems:
    """Reads a file with one row for each example of each system."""
    table = read_table(path, kind=reading.input_format, watch=reading.watch)
    return read_long(table, system_column, reading)


def are_lines(gold: str, reading: Reading) -> bool:
    """Whether the gold is lines of text; an ending that says nothing means so, unless labels do."""
    kinds = reading.kinds
    if kinds is not None and TEXTS not in kinds:
        return False
    if reading.input_format is not None:
        lines = reading.input_format == "lines"
    elif kinds is not None and kinds == (TEXTS,):
        return not _is_table(gold)
    else:
        lines = guess_kind(gold) == "lines"
    if not lines or kinds is not None:
        return lines and kinds is not None and kinds == (TEXTS,)
    table = next(iterate_tables(gold, kind=reading.input_format, rows=LOOKED_AT))
    return guess_kinds(table.column(table.names()[0])) == (TEXTS,)


def open_lines(
    gold: str, systems: Mapping[str, str | None], reading: Reading
) -> "tuple[LineFiles, tuple[Refusal, ...]]":
    """Returns the files of lines that belong together, and the systems that have none."""
    from tallystick.reading.line_files import LineFiles

    columns = reading.columns
    for name in ("gold", "predicted", "probability", "id", "weight", "count"):
        if getattr(columns, name) is not None:
            raise UsageError(f"--{name}-column goes with tables, not with lines of text")
    if len(columns.by) > 1:
        raise UsageError("--by takes one file with the group of each line")
    paths = {name: path for name, path in systems.items() if path is not None}
    if len(paths) < len(systems):
        raise UsageError("name a reference file, then one file per system")
    tables = tuple(
        Refusal(name, None, f"{path} is a table, but the references {gold} are lines of text")
        for name, path in paths.items()
        if reading.input_format is None and _is_table(path)
    )
    if tables and (not reading.tolerant or len(tables) == len(paths)):
        raise UsageError(tables[0].reason)
    refused = {refusal.system for refusal in tables}
    files = LineFiles(
        {name: path for name, path in paths.items() if name not in refused},
        (gold, *reading.references),
        columns.by[0] if columns.by else None,
        columns.clusters,
        reading.blank_is_missing,
        reading.input_format == "lines",
    )
    return files, tables


def _is_table(path: str) -> bool:
    """Whether the name of a file says that it is a table, or several are one."""
    return is_dataset(path) or guess_by_ending(path) not in (None, "lines")


def split_long(table: Table, system_column: str, reading: Reading) -> Block:
    """The gold of one table that holds several systems, and the rows of each system.

    Where numbers are read that need no gold, and there are no ids, the columns of groups and
    clusters must agree.
    """
    import pyarrow.compute as pc

    columns = reading.columns
    system_column = find(table.names(), (), system_column) or system_column
    names = name_systems(table, system_column)
    rest = _leave_out(table, system_column)
    label = _find_gold_column(rest, reading)
    others = write_out(rest.columns)
    parts = {
        system: _slice(table, system, others.filter(pc.equal(names, system)))
        for system in sorted(pc.unique(names).to_pylist())
    }
    ids = find(rest.names(), IDS, columns.id)
    if ids is None:
        shared = _list_shared(table, columns) if label is None else [label]
        gold = _check_order(table, parts, shared, "the order" if label is None else "the gold")
    else:
        gold = _slice(table, "gold", _find_gold(replace(table, columns=others), ids, label))
    if label is not None:  # which is no answer
        parts = {system: _leave_out(part, label) for system, part in parts.items()}
    return gold, {system: Entry(partial(give, part)) for system, part in parts.items()}


def _find_gold_column(table: Table, reading: Reading) -> str | None:
    """The column of gold, if metrics need one."""
    from tallystick.kinds.numbers.soft_labels import SOFT

    if reading.kinds == (NUMBERS,) and not any(one.gold for one in reading.numbers):
        return None
    usual = (*SOFT, *BOTH) if reading.soft else BOTH
    gold = reading.columns.gold
    return find(table.names(), usual, gold) or need(table, usual, None, "gold")


def _leave_out(table: Table, name: str) -> Table:
    if name not in table.names() or len(table.names()) == 1:
        return table
    return replace(table, columns=table.columns.drop_columns([name]))


def _list_shared(table: Table, columns: Columns) -> list[str]:
    names = [name.rpartition(":")[0] or name for name in columns.by]
    names += [] if columns.clusters is None else [columns.clusters]
    found = (find(table.names(), (), name) for name in names)
    return [name for name in found if name in table.names()]


def _check_order(
    table: Table, parts: Mapping[str, Table], shared: Sequence[str], what: str
) -> Table:
    """The first system's rows, where all others have the same of what they share, in its order."""
    (first, gold), *others = parts.items()
    for system, part in others:
        columns = [(part.column(name), gold.column(name)) for name in shared]
        if len(part) != len(gold) or not all(own.equals(other) for own, other in columns):
            raise InputError(
                f"{table.source}: the rows of {system} have not {what} of those of {first}, and "
                "there is no id to join them by; name what joins them with --id-column"
            )
    return gold


def _slice(table: Table, title: str, columns: pa.Table) -> Table:
    """Some of a table's rows, which are counted anew."""
    return Table(f"{table.source} ({title})", columns, "row", 1)


def _find_gold(table: Table, ids: str, label: str | None) -> pa.Table:
    """The first row of each example; all others must have the same gold."""
    named = as_keys(table.column(ids), table.source)
    codes = number_values(named)
    _, first = np.unique(codes, return_index=True)
    torn = () if label is None else find_torn(_read_gold(table, label), first[codes])
    if len(torn):
        raise InputError(
            f"{table.source}: the gold of {named[int(first[codes[torn].min()])].as_py()} differs "
            f"between systems, column {label!r}"
        )
    return table.columns.take(np.sort(first))


def _read_gold(table: Table, label: str) -> Any:
    try:
        return plain(table.column(label))
    except InputError:  # objects, which are compared as they are written
        return table.columns.column(label)
