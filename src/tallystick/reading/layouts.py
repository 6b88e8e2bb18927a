"""Reads what was planned, block by block: files, tables, lines, submissions or memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import is_dataset, name_all, split_name
from tallystick.io.files.datasets import name_systems as name_files
from tallystick.io.files.stores import is_remote
from tallystick.io.submissions import Submissions
from tallystick.io.tables.formats import guess_by_ending, guess_format
from tallystick.io.tables.table import Table, from_arrow, iterate_tables, read_table
from tallystick.io.tables.values import as_keys, plain, write_out
from tallystick.kinds.index import LOOKED_AT, find_layout, guess_kinds
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.texts import TEXTS
from tallystick.model.columns import BOTH, IDS, Columns, find, need
from tallystick.model.ids import find_torn, name_systems, number_values
from tallystick.model.reading import Kind, Reading, renaming
from tallystick.model.systems import Column, Systems
from tallystick.output.results.records import Refusal
from tallystick.reading.arrays import add_columns, enter_arrays, read_columns
from tallystick.reading.input_plan import Files, InputPlan, is_table
from tallystick.reading.speech import find_speech, read_speech
from tallystick.reading.table_files import Part, are_large, check_room, read_block, read_tables
from tallystick.reading.tables import Block, join_beside, read_systems

if TYPE_CHECKING:
    from tallystick.reading.line_files import LineFiles

_LONG = 145
"""Bytes per row of a table with several systems, as measured for docs/large-data.md."""


class Long(Struct, frozen=True):
    """A file whose `column` names the system of each row; `systems` are meant, or all if empty."""

    column: str
    systems: tuple[str, ...]
    last: tuple[str, ...]

    def join(self, tables: Sequence[Table], reading: Reading) -> Systems:
        """Reads some rows of the only table, which are all those of their examples."""
        block = split_long(tables[0], self.column, reading)
        return self.choose(read_block(*block, reading, 0))

    def choose(self, found: Systems) -> Systems:
        """The same examples with the systems that are meant."""
        names = put_last(self.systems or found.names, self.last)
        return found.choose(names, f"the column {self.column!r}")


class Tries(Struct, frozen=True):
    """Tables of repeated tries, of one system each, or of those that a column names (`long`)."""

    names: tuple[str, ...]
    long: Long | None

    def join(self, tables: Sequence[Table], reading: Reading) -> Systems:
        """Reads the tables, of which the first one contains the gold where they do not tell it."""
        from tallystick.kinds.tries.tries import read_tries, read_try_tables, split_systems

        if self.long is None:
            return read_try_tables([*zip(self.names, tables, strict=True)], reading)
        systems = split_systems(tables[0], self.long.column)
        return self.long.choose(read_tries(None, systems, reading))


def iterate_blocks(plan: InputPlan) -> Iterator[Systems]:
    """Yields the examples block by block; what is in memory is one block, which is read once."""
    source, reading = plan.source, plan.reading
    if source.files is not None:
        yield from _read_files(plan, source.files)
        return
    strict = replace(reading, tolerant=False)  # of which no system is wrong
    known = source.kept.get(strict) or source.kept.get(reading)
    if known is None:
        known = _read_memory(plan)
        if plan.reordered:
            note = "paired with the gold by their pandas index, which is in another order: {}."
            message = note.format(", ".join(plan.reordered))
            known = known.know(notes=(message, *known.facts.notes))
    source.kept[reading] = known
    yield known


def _read_files(plan: InputPlan, files: Files) -> Iterator[Systems]:
    gold, reading = str(plan.source.gold), plan.reading
    annotated = reading.columns.annotated
    if reading.repeated:
        paths, tries = name_tries(plan, files)
        yield tries.join([open_table(path, reading) for path in paths], reading)
    elif reading.of_rows is not None:
        yield _read_rows(plan, files, reading.of_rows)
    elif annotated:
        from tallystick.reading.annotators import read_annotated

        path, names = name_annotated(plan, files)
        yield read_annotated(open_table(path, reading), names, reading)
    elif plan.system_column is not None:
        long = name_long(plan, files)
        if are_large([gold]):
            check_room([gold], _LONG)
        table = open_table(gold, reading)
        yield long.choose(read_systems(*split_long(table, long.column, reading), reading))
    elif plan.systems:
        yield from read_tables(find_part(plan, files)[0], reading)
    elif files.submissions is not None:
        yield from read_submissions(gold, _find_folder(files), reading)
    else:
        yield from read_files(gold, _name_files(gold, files, reading), reading)


def _read_memory(plan: InputPlan) -> Systems:
    source, reading = plan.source, plan.reading
    layout = find_layout(source.gold, reading.kinds)
    if layout is not None:
        if plan.systems or plan.system_column:
            raise UsageError(f"systems and system_column name columns, and gold is {layout.said}")
        systems = layout.read_layout(source.gold, source.named, reading)
        return add_columns(systems, by=plan.by, clusters=plan.clusters, weights=plan.weights)
    return _read_frame(plan) if is_table(source.gold) else read_columns(plan)


def _read_frame(plan: InputPlan) -> Systems:
    source, reading = plan.source, plan.reading
    gold = from_arrow(source.gold, "gold")
    apart = source.outputs is not None or plan.system_column is not None
    if reading.columns.annotated:
        from tallystick.reading.annotators import read_annotated

        if apart:
            raise UsageError("ratings of annotators are in one table, with a column per system")
        return read_annotated(gold, plan.systems, reading)
    if reading.repeated:
        return _read_tries(gold, plan)
    if (kind := reading.of_rows) is not None:
        if apart:
            raise UsageError(f"{kind.said} are in one table, which names the systems in its rows")
        return kind.read_rows({"the table": gold}, reading).choose(plan.systems, "the table")
    if plan.systems:
        for name in plan.systems:
            gold.column(name)
        return read_systems(gold, {name: name for name in plan.systems}, reading)
    if plan.system_column is not None:
        return read_systems(*split_long(gold, plan.system_column, reading), reading)
    return read_systems(gold, enter_arrays(plan, reading.columns), reading)


def _read_tries(table: Table, plan: InputPlan) -> Systems:
    from tallystick.kinds.tries.tries import read_tries, split_systems

    reading = plan.reading
    if plan.systems:
        raise UsageError("repeated tries of several systems have a system_column, or a table each")
    if plan.system_column is not None:
        return read_tries(None, split_systems(table, plan.system_column), reading)
    if plan.source.outputs is None:
        return read_tries(None, {"predictions": table}, reading)
    tables = {name: from_arrow(data, name) for name, data in plan.source.named.items()}
    return read_tries(table, tables, reading)


def open_table(path: str, reading: Reading) -> Table:
    """Reads a file as a table."""
    return read_table(path, format=reading.input_format, watch=reading.watch)


def find_part(plan: InputPlan, files: Files) -> tuple[Part, tuple[str, ...]]:
    """All rows of the gold and the outputs of each system, and notes on what was left out."""
    gold = str(plan.source.gold)
    if plan.systems:
        _check_single(files.named, files)
        return Part(gold, {name: name for name in put_last(plan.systems, files.last)}), ()
    if files.submissions is not None:
        found = _find_folder(files)
        if found.rejected:
            name, reason = found.rejected[0]
            raise InputError(f"{name}: it {reason}")
        skipped = found.skipped
        notes = (f"not read as submissions: {', '.join(skipped)}.",) if skipped else ()
        return Part(gold, dict(found.found), single=False), notes
    systems = _name_files(gold, files, plan.reading)
    return Part(gold, systems, single=not any(systems.values())), ()


def _name_files(gold: str, files: Files, reading: Reading) -> dict[str, str | None]:
    """The file of each system; the only one may are in the gold's own table."""
    named = name_files([*files.named, *files.last])
    if is_dataset(gold) and not is_remote(gold) and reading.per_file is None:
        from tallystick.reading.line_files import check_folders  # since most commands read files

        for path in filter(None, named.values()):
            if is_dataset(path):
                check_folders(gold, path, reading.input_format)
    return named or dict.fromkeys(name_files([gold]))


def name_tries(plan: InputPlan, files: Files) -> tuple[list[str], Tries]:
    """The files of tries, and whose they are; files of one name are of one system."""
    message = plan.system_column is not None
    if files.submissions or (plan.systems and not message):
        option = "--submissions" if files.submissions else "`systems=`"
        raise UsageError(f"{option} cannot be used with repeated tries")
    named = name_all([str(plan.source.gold), *files.named, *(() if message else files.last)])
    long = name_long(plan, files) if message else None
    return [path for _, path in named], Tries(tuple(name for name, _ in named), long)


def name_long(plan: InputPlan, files: Files) -> Long:
    """Which systems are meant of those that a column of the only table tells apart."""
    _check_single(files.named, files)
    return Long(str(plan.system_column), plan.systems, files.last)


def _read_rows(plan: InputPlan, files: Files, kind: Kind[Column]) -> Systems:
    if plan.system_column or files.submissions:
        option = "--submissions" if files.submissions else "`system_column=`"
        raise UsageError(f"{option} cannot be used with {kind.said}")
    paths = [str(plan.source.gold), *files.named]
    named = next((one for one in paths if split_name(one)[0] is not None), None)
    if named is not None:
        raise UsageError(f"{named}: the rows of {kind.said} name the systems; leave out the name")
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise UsageError(f"{twice} is named twice, and its rows would count twice")
    systems = kind.read_rows({path: open_table(path, plan.reading) for path in paths}, plan.reading)
    names = put_last(plan.systems, files.last) if plan.systems else []
    systems = systems.choose(names, "these files")
    check_known(files.last, systems.names, "these files")
    return systems.of(*put_last(systems.names, files.last))


def name_annotated(plan: InputPlan, files: Files) -> tuple[str, tuple[str, ...]]:
    """The table with the ratings of annotators, and the systems that have columns next to them."""
    if plan.system_column is not None:
        raise UsageError(
            "`system_column=` cannot be used with annotators; give each system a column"
        )
    if files.named or files.submissions:
        raise UsageError(
            "ratings of annotators are in one table, with a column for each of `systems=`; "
            "join the files by their ids first"
        )
    return str(plan.source.gold), tuple(put_last(plan.systems, files.last))


def _find_folder(files: Files) -> Submissions:
    found = files.submissions
    if found is None or files.named:
        raise UsageError("--submissions takes a gold file and nothing else")
    check_known(files.last, list(found.found), found.shown)
    return found.keep(put_last(list(found.found), files.last))


def _check_single(rest: Sequence[str], files: Files) -> None:
    if rest or files.submissions:
        raise UsageError("`systems=` and `system_column=` take one table with gold and all systems")


def put_last(names: Sequence[str], last: Sequence[str]) -> list[str]:
    """The names of systems; those that the others are compared with come last."""
    return [*(name for name in names if name not in last), *last]


def check_known(names: Sequence[str], known: Sequence[str], where: str) -> None:
    """Raises a UsageError where there is no system of some name."""
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise UsageError(f"there is no system {unknown!r} in {where}, only {', '.join(known)}")


def read_files(gold: str, systems: Mapping[str, str | None], reading: Reading) -> Iterator[Systems]:
    """Reads files of gold and systems block by block; a None path is the gold's own table."""
    if reading.per_file is not None:
        from tallystick.reading.page_files import open_folders

        tables = open_folders(gold, systems, reading)
        yield read_systems(*tables, replace(reading, kinds=reading.kinds or (TEXTS,)))
        return
    own = find_layout(gold, reading.kinds)
    if own is not None:
        yield join_beside(own.read_layout(gold, systems, reading), reading, own.ids)
        return
    if find_speech(gold, reading) is not None:
        tables = read_speech(gold, systems, reading)
        yield read_systems(*tables, replace(reading, kinds=(TEXTS,)))
        return
    if are_lines(gold, reading):
        files, rejected = open_lines(gold, systems, reading)
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
            yield block.tell(rejected=rejected)
        return
    yield from read_tables(Part(gold, systems, single=not any(systems.values())), reading)


def read_submissions(
    gold: str | Table,
    submissions: Submissions,
    reading: Reading,
    read: Callable[[str, str | None], Table] | None = None,
) -> Iterator[Systems]:
    """Reads gold and the submissions of a folder, some of which may be rejected.

    Next to a table of gold, `read` returns the table of a path in a format.
    """
    from tallystick.kinds.tries.tries import read_submitted_tries

    rejected = tuple(Refusal(name, None, f"it {reason}") for name, reason in submissions.rejected)
    if rejected and not reading.tolerant:
        raise InputError(f"{rejected[0].system}: {rejected[0].reason}")
    skipped = submissions.skipped
    notes = (f"not read as submissions: {', '.join(skipped)}.",) if skipped else ()

    found = dict(submissions.found)
    with renaming(submissions.rename):
        if reading.repeated:
            blocks = iter([read_submitted_tries(gold, found, reading)])
        elif isinstance(gold, Table):
            own = read or partial(read_table, watch=reading.watch)
            form = reading.input_format
            entries = {name: partial(own, path, form) for name, path in found.items()}
            blocks = iter([read_systems(gold, entries, reading)])
        else:
            blocks = read_files(gold, found, reading)
        for block in blocks:
            known = block.facts.rejected
            wrong = (replace(own, reason=submissions.rename(own.reason)) for own in known)
            yield block.know(rejected=(*wrong, *rejected)).tell(*notes)


def are_lines(gold: str, reading: Reading) -> bool:
    """Whether the gold is lines of text; an ending that says nothing means so, unless labels do."""
    textual = [kind.textual for kind in reading.kinds or ()]
    if reading.kinds is not None and not any(textual):
        return False
    if reading.num_refs > 1:
        return True
    if reading.input_format is not None:
        lines = reading.input_format == "lines"
    elif textual and all(textual):
        return not _is_table(gold)
    else:
        lines = guess_format(gold) == "lines"
    if not lines or textual:
        return lines and all(textual)
    table = next(iterate_tables(gold, format=reading.input_format, rows=LOOKED_AT))
    return all(kind.textual for kind in guess_kinds(table.column(table.names()[0])))


def open_lines(
    gold: str, systems: Mapping[str, str | None], reading: Reading
) -> "tuple[LineFiles, tuple[Refusal, ...]]":
    """Returns the files of lines that belong together, and the systems that have none."""
    from tallystick.reading.line_files import LineFiles

    columns = reading.columns
    for name in ("gold", "predicted", "probability", "id", "weight", "count"):
        if getattr(columns, name) is not None:
            argument = "weights" if name == "weight" else name
            raise UsageError(f"`{argument}=` can only be used with tables, not with lines of text")
    if len(columns.by) > 1:
        raise UsageError("`by=` takes one file with the group of each line")
    if reading.num_refs != 1 and (reading.num_refs < 1 or reading.references):
        raise UsageError("`num_refs=` takes 1 or more, and one file of references")
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
    rejected = {refusal.system for refusal in tables}
    files = LineFiles(
        {name: path for name, path in paths.items() if name not in rejected},
        (gold, *reading.references),
        columns.by[0] if columns.by else None,
        columns.clusters,
        reading.blank_is_missing,
        reading.input_format == "lines",
        reading.num_refs,
    )
    return files, tables


def _is_table(path: str) -> bool:
    return is_dataset(path) or guess_by_ending(path) not in (None, "lines")


def split_long(table: Table, system_column: str, reading: Reading) -> Block:
    """Returns the gold of a table of several systems, and the rows of each system."""
    import pyarrow.compute as pc

    columns = reading.columns
    system_column = find(table.names(), (), system_column) or system_column
    names = name_systems(table, system_column)
    rest = _leave_out(table, system_column)
    label = None
    if reading.kinds != (NUMBERS,) or any(one.gold for one in reading.numbers):
        from tallystick.kinds.numbers.numbers import SOFT

        usual = (*SOFT, *BOTH) if reading.soft else BOTH
        label = find(rest.names(), usual, columns.gold) or need(rest, usual, None, "gold")
    others = write_out(rest.columns)
    parts = {
        system: _slice(table, system, others.filter(pc.equal(names, system)))
        for system in sorted(pc.unique(names).to_pylist())
    }
    ids = find(rest.names(), IDS, columns.id)
    if ids is None:
        gold = _check_order(table, parts, label, columns)
    else:
        gold = _slice(table, "gold", _find_gold(replace(table, columns=others), ids, label))
    if label is not None:  # which is no answer
        parts = {system: _leave_out(part, label) for system, part in parts.items()}
    return gold, parts


def _leave_out(table: Table, name: str) -> Table:
    if name not in table.names() or len(table.names()) == 1:
        return table
    return replace(table, columns=table.columns.drop_columns([name]))


def _check_order(
    table: Table, parts: Mapping[str, Table], label: str | None, columns: Columns
) -> Table:
    """The first system's rows, if all others have its gold (or groups and clusters) in order."""
    shared = [label]
    if label is None:
        named = [name.rpartition(":")[0] or name for name in columns.by] + [columns.clusters]
        shared = [find(table.names(), (), name) for name in named if name is not None]
    known = [name for name in shared if name in table.names()]
    (first, gold), *others = parts.items()
    for system, part in others:
        alike = all(part.column(name).equals(gold.column(name)) for name in known)
        if len(part) != len(gold) or not alike:
            what = "the order" if label is None else "the gold"
            raise InputError(
                f"{table.source}: the rows of {system} have not {what} of those of {first}, and "
                "there is no id to join them by; name what joins them with `id=`"
            )
    return gold


def _slice(table: Table, title: str, columns: pa.Table) -> Table:
    """Some of a table's rows, which are counted again."""
    return Table(f"{table.source} ({title})", columns, "row", 1)


def _find_gold(table: Table, ids: str, label: str | None) -> pa.Table:
    """The first row of each example; all others must have the same gold."""
    named = as_keys(table.column(ids), table.source)
    codes = number_values(named)
    _, first = np.unique(codes, return_index=True)
    if label is not None:
        try:
            values = plain(table.column(label))
        except InputError:  # objects, which are compared as they are written
            values = table.columns.column(label)
        torn = find_torn(values, first[codes])
        if len(torn):
            name = named[int(first[codes[torn].min()])].as_py()
            raise InputError(
                f"{table.source}: the gold of {name} differs between systems, column {label!r}"
            )
    return table.columns.take(np.sort(first))
