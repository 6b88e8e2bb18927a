"""Repeated tries of the same problems, from tables with several rows per id."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, MissingValueError, UsageError
from tallystick.io.tables.formats import explain_missing, list_parts
from tallystick.io.tables.json_cells import read_literal
from tallystick.io.tables.table import Table, join_tables, read_table
from tallystick.io.tables.values import as_keys, as_numpy, plain
from tallystick.kinds.tries.try_means import TRIED, Tried, TriedNumbers, average_tries
from tallystick.model.codes import Labels, adopt_truth, as_text, encode, unify
from tallystick.model.columns import (
    BOTH,
    CORRECT,
    INPUT,
    LABELS_TOO,
    OUTPUT,
    PREDICTED,
    PROBLEMS,
    REPEATS,
    Columns,
    find,
    find_only,
    need,
)
from tallystick.model.facts import Facts
from tallystick.model.filter_expression import Condition, choose_rows
from tallystick.model.ids import (
    find_keys,
    find_twice,
    join_groups,
    join_ids,
    name_systems,
    number_values,
    tell_blank,
    tell_twice,
)
from tallystick.model.reading import Patterns, Reading
from tallystick.model.sides import Side, read_groups, read_names
from tallystick.model.systems import Column, Systems

_RIGHT = {
    **dict.fromkeys(("1", "true", "yes", "c"), True),
    **dict.fromkeys(("0", "false", "no", "i"), False),
}
"""How right and wrong are written, in lower case; C and I are Inspect's."""

_SPELLED = re.compile(r"(\d+)/(\d+)(?: \((\d+(?:\+\d+)+)\))?")


class Outcome(Struct, frozen=True):
    """How many tries of a problem were right, and how many gave each wrong answer, most first.

    Where answers are not known, all wrong tries are one number.
    """

    right: int
    wrong: tuple[int, ...]

    @property
    def tries(self) -> int:
        """How often it was tried."""
        return self.right + sum(self.wrong)

    @property
    def flaky(self) -> bool:
        """Whether some tries were right and some wrong."""
        return 0 < self.right < self.tries

    def __str__(self) -> str:
        """Returns such as `3/8`, or `3/8 (4+1)` where different wrong answers are known."""
        several = f" ({'+'.join(map(str, self.wrong))})" if len(self.wrong) > 1 else ""
        return f"{self.right}/{self.tries}{several}"

    @classmethod
    def parse(cls, text: str) -> "Outcome":
        """Reads what `str` writes."""
        match = _SPELLED.fullmatch(text)
        if match is None:
            raise InputError(f"{text!r} is not a number of right tries such as '3/8'")
        right, tries, several = int(match[1]), int(match[2]), match[3]
        parts = several.split("+") if several else [tries - right] * (tries > right)
        return cls(right, tuple(map(int, parts)))


def read_try_tables(tables: list[tuple[str, Table]], reading: Reading) -> Systems:
    """Reads tables of tries, each with the name of its system; several may be of one system.

    The first one contains the gold where it does not tell what is right by itself.
    """
    gold = None
    if len(tables) > 1 and not reading.numbers:
        correct, truth, output = _find_roles(tables[0][1], reading.columns)
        if correct is None and (truth is None or output is None):
            _, gold = tables.pop(0)
    parts: dict[str, list[Table]] = {}
    for name, table in tables:
        parts.setdefault(name, []).append(table)
    joined = {
        name: join_tables(name, own) if len(own) > 1 else own[0] for name, own in parts.items()
    }
    return read_tries(gold, joined, reading)


def split_systems(table: Table, system_column: str) -> dict[str, Table]:
    """Returns the rows of each system of a table, which a column names."""
    import pyarrow.compute as pc

    names = name_systems(table, find(table.names(), (), system_column) or system_column)
    return {
        name: Table(
            f"{table.source} ({name})", table.columns.filter(pc.equal(names, name)), "row", 1
        )
        for name in sorted(pc.unique(names).to_pylist())
    }


def _spread_lists(table: Table) -> Table:
    """A row for each try where a cell lists which tries are right, such as [true, false]."""
    name = find(table.names(), CORRECT)
    start = None if name is None else table.cut(0, 1).values(name)[0]
    if name is None or not (isinstance(start, list) or str(start).startswith("[")):
        return table
    try:
        cells = [read_literal(str(one)) for one in table.values(name)]
        values = pa.array(chain.from_iterable(cells))
    except (TypeError, ValueError, RecursionError, pa.ArrowException):
        raise InputError(
            f"{table.source}: column {name!r} has a list of tries in one cell and not in another"
        ) from None
    rows = np.repeat(np.arange(len(cells)), [*map(len, cells)])
    columns = table.columns.drop_columns([name]).take(pa.array(rows))
    columns = columns.append_column(name, values)
    return replace(table, columns=columns, places=rows)


def read_tries(gold: Table | None, systems: Mapping[str, Table], reading: Reading) -> Systems:
    """Reads every system's tries, of which each problem has several rows.

    Gold is None where the systems' tables show what is right.
    """
    columns = reading.columns
    if columns.missing != "error":
        raise UsageError("a problem that was not tried cannot count as wrong; leave out `missing=`")
    if columns.weight is not None or columns.count is not None:
        raise UsageError("repeated tries have a row each, and neither weights nor counts")
    systems = {name: _spread_lists(table) for name, table in systems.items()}
    tables = [*([] if gold is None else [gold]), *systems.values()]
    if columns.gold and not any(Side(table).has(columns.gold) for table in tables):
        raise InputError(explain_missing(tables[0].source, columns.gold, tables[0].names()))
    by = [name for name in columns.by if all(Side(table).has(name) for table in tables)]
    if columns.where is not None:
        tables = _choose(gold, systems, columns, by)
        gold = gold and tables[0]
    own_columns = replace(columns, id=columns.system_id or columns.id)
    first, *others = (
        _Problems.of(table, columns if table is gold else own_columns, by) for table in tables
    )
    if gold is not None:
        tell_twice(find_twice(first.keys, gold.source), gold.source)
    own = dict(zip(systems, others if gold is not None else (first, *others), strict=True))
    sides, outcomes, notes = [Side(first.firsts)], list[Labels](), list[str]()
    tried, named = list[Tried](), [one.column for one in reading.numbers]
    for problems in own.values():
        sources = (first.table.source, problems.table.source)
        places, note = join_ids(first.ids, problems.ids, sources, cure="")
        notes += [note] if note else []
        sides.append(Side(problems.firsts, places))
        if named:
            numbers = average_tries(problems.table, problems.of_rows, named)
            chosen = slice(None) if places is None else places
            tried.append({name: one[:, chosen] for name, one in numbers.items()})
            continue
        answers = _read_answers(problems, None if gold is None else first, columns)
        found = problems.count(answers)
        _check_enough(problems, reading.tries)
        outcomes.append(found if places is None else found.take(places))
        notes += answers.notes
    text = columns.find_input(first.firsts.names())
    return Systems(
        tuple(own),
        _make_column(outcomes, tried),
        groups=read_groups(sides, columns.by),
        clusters=None if columns.clusters is None else read_names(sides, columns.clusters),
        ids=first.firsts.column(first.name),
        inputs=None if text is None else first.firsts.column(text),
        facts=Facts(
            reading.task,
            reading.task,
            shaped=columns.describe(),
            notes=tuple(dict.fromkeys(notes)),
        ),
    )


def _choose(
    gold: Table | None, systems: Mapping[str, Table], columns: Columns, by: Sequence[str]
) -> list[Table]:
    """The tries that match a condition on their columns or the gold's, below the gold if any."""
    if gold is None:
        return [choose_rows(table, columns.where) for table in systems.values()]
    condition, tables = Condition(str(columns.where)), list[Table]()
    known, kept = _Problems.of(gold, columns, by).keys, np.zeros(len(gold), bool)
    for table in systems.values():
        own = replace(columns, id=columns.system_id or columns.id)
        places = find_keys(known, _Problems.of(table, own, by).keys)
        found = condition.find([Side(gold, places), Side(table)])
        tables.append(table.keep(found))
        kept[places[found]] = True
    return [gold.keep(kept), *tables]


def _make_column(outcomes: Sequence[Labels], tried: Sequence[Tried]) -> dict[str, Column]:
    if not tried:
        return {"tries": Patterns(tuple(unify(*outcomes)))}
    stacked = {name: np.stack([own[name] for own in tried], axis=1) for name in tried[0]}
    return {TRIED.name: TriedNumbers(stacked)}


class _Answers(Struct, frozen=True, eq=False):
    """Whether each row is right, and the code of its answer, None where that is not known."""

    right: NDArray[np.bool_]
    codes: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()


class _Problems(Struct, frozen=True, eq=False):
    """The problems of a table, in the order in which they come first.

    `keys` identify the problem of each row, `of_rows` are their numbers.
    """

    table: Table
    name: str
    keys: Any
    of_rows: NDArray[np.int64]
    first_rows: NDArray[np.int64]

    @classmethod
    def of(cls, table: Table, columns: Columns, by: Sequence[str]) -> "_Problems":
        """Finds the problems by their ids, and by the groups that are columns next to them."""
        name = find(table.names(), PROBLEMS, columns.id)
        if name is None:
            raise InputError(
                f"{table.source}: has no column of ids, which show which rows are tries of the "
                "same problem; name it with `id=`"
            )
        ids = as_keys(table.column(name), table.source)
        keys = join_groups(ids, [table.column(one) for one in by], table.source)
        keys = keys.combine_chunks() if hasattr(keys, "combine_chunks") else keys
        tell_blank(keys.null_count, table.source)
        of_rows = number_values(keys).astype(np.int64)
        _, first_rows = np.unique(of_rows, return_index=True)
        own = cls(table, name, keys, of_rows, first_rows)
        for one in (*by, *([columns.clusters] if columns.clusters else ())):
            own.check_alike(one)
        return own

    @property
    def ids(self) -> Any:
        """What identifies each problem."""
        return self.keys.take(self.first_rows)

    @property
    def firsts(self) -> Table:
        """The first row of each problem."""
        columns = self.table.columns.take(self.first_rows)
        return Table(self.table.source, columns, "problem", 1)

    def check_alike(self, name: str) -> None:
        """Raises an InputError where the rows of a problem have several values in a column."""
        side = Side(self.table)
        if not side.has(name):
            return
        codes = encode(side.values(name), side.locate(name)).codes
        torn = np.flatnonzero(codes != codes[self.first_rows][self.of_rows])
        if len(torn):
            raise InputError(
                f"{side.locate(name)(int(torn[0]))}: {self.keys[torn[0]].as_py()} has another "
                "value in an earlier row; all tries of a problem have the same"
            )

    def count(self, answers: _Answers) -> Labels:
        """The outcome of each problem."""
        size = len(self.first_rows)
        right = np.bincount(self.of_rows[answers.right], minlength=size)
        codes = np.zeros(len(self.of_rows), np.int64) if answers.codes is None else answers.codes
        wide = int(codes.max(initial=0)) + 1
        missed = ~answers.right
        pairs, counts = np.unique(self.of_rows[missed] * wide + codes[missed], return_counts=True)
        wrong: list[list[int]] = [[] for _ in range(size)]
        for owner, many in zip((pairs // wide).tolist(), counts.tolist(), strict=True):
            wrong[owner].append(many)
        texts = [
            str(Outcome(hits, tuple(sorted(own, reverse=True))))
            for hits, own in zip(right.tolist(), wrong, strict=True)
        ]
        names, places = np.unique(np.array(texts), return_inverse=True)
        return Labels(places.astype(np.uint32), tuple(names.tolist()))


def _check_enough(problems: _Problems, least: int) -> None:
    """Raises an InputError where a problem has fewer tries than a metric looks at."""
    sizes = np.bincount(problems.of_rows)
    few = np.flatnonzero(sizes < least)
    if len(few):
        name, size = problems.ids[few[0]].as_py(), int(sizes[few[0]])
        tries = "1 try" if size == 1 else f"{size} tries"
        more = f" ({len(few)} problems have too few)" if len(few) > 1 else ""
        raise InputError(
            f"{problems.table.source}: {name} has {tries}, and k = {least} needs {least}{more}; "
            "name a smaller k, or if files are tries of one system, give them one name: NAME=FILE "
            "NAME=FILE"
        )


def _find_roles(table: Table, columns: Columns) -> tuple[str | None, str | None, str | None]:
    """The columns that say whether a try is right, what is right, and what was answered."""
    names = table.names()
    gold = find(names, BOTH, columns.gold)
    gold = gold if gold is not None and Side(table).has(gold) else None
    rest = [name for name in names if name != gold]
    output = find(rest, (*PREDICTED, *LABELS_TOO, *OUTPUT), columns.predicted)
    named = columns.gold is not None or columns.predicted is not None
    correct = None if named else find(names, CORRECT)
    return correct, gold, output


def _read_answers(own: _Problems, gold: _Problems | None, columns: Columns) -> _Answers:
    import pyarrow.compute as pc

    table = own.table
    correct, golden, output = _find_roles(table, columns)
    if gold is not None and correct is None:
        apart = (own.name, *columns.by, columns.clusters, *INPUT, *REPEATS)
        output = output or find_only(table.names(), apart)
        _, golden, _ = _find_roles(gold.table, columns)
        golden = golden or need(gold.table, BOTH, None, "gold")
    if correct is None and golden is None:
        correct = output
    if correct is not None:
        name = correct
        labels = as_text(encode(table.column(name), Side(table).locate(name)))
        for label in labels.names:
            if str(label).casefold() not in _RIGHT:
                raise InputError(
                    f"{Side(table).locate(name)(labels.first(label))}: expected 1 or 0, or true or "
                    f"false, found {str(label)!r}"
                )
        known = np.array([_RIGHT[str(label).casefold()] for label in labels.names])
        return _Answers(np.asarray(known[labels.codes]))
    if output is None or golden is None:
        raise InputError(
            f"{table.source}: no column says which tries are right: none is called "
            f"{', '.join(CORRECT[:4])} or contains answers next to gold; name it with `predicted=`"
        )
    truth = _read_texts(table if gold is None else gold.table, golden, columns)
    if gold is not None:
        truth = truth.take(as_numpy(pc.index_in(own.keys, value_set=gold.keys)))
    said = adopt_truth(_read_texts(table, output, columns), truth.names)
    truth, said = unify(truth, said)
    note = f"a try counts as right where {output!r} is the same as {golden!r}."
    return _Answers(truth.codes == said.codes, said.codes.astype(np.int64), (note,))


def _read_texts(table: Table, name: str, columns: Columns) -> Labels:
    """Reads a column of answers, which may be any text; missing ones are empty if that is told."""
    import pyarrow.compute as pc

    values, locate = plain(table.column(name)), Side(table).locate(name)
    if pa.types.is_nested(values.type):
        raise InputError(f"{table.source}: column {name!r} contains lists, not single answers")
    if values.null_count:
        if columns.invalid == "error":
            index = pc.index(pc.is_null(values), True).as_py()
            raise MissingValueError(
                f"{locate(index)}: the answer is missing; `invalid='wrong'` counts it as wrong"
            )
        values = pc.fill_null(values.cast(pa.large_string()), "")
    encoded = values.cast(pa.large_string()).combine_chunks().dictionary_encode()
    names = tuple(encoded.dictionary.to_pylist())
    labels = Labels(as_numpy(encoded.indices).astype(np.uint32), names)
    return as_text(labels, fold_case=columns.fold_case)


def read_submitted_tries(
    gold: str | Table, systems: Mapping[str, str], reading: Reading
) -> Systems:
    """Reads the tries of submissions.

    Whatever a submission says of which of its tries are right does not count.

    Raises:
        InputError: As `read_tries`; where that is tolerated of a submission, all of them are wrong.
    """
    table = gold
    if not isinstance(table, Table):
        table = read_table(table, format=reading.input_format, watch=reading.watch)
    named = replace(reading, columns=replace(reading.columns, gold=find_truth(table, reading)))

    def read(name: str) -> Table:
        own = read_table(systems[name], format=reading.input_format, watch=reading.watch)
        read_tries(table, {name: own}, named)
        return own

    collected = reading.collect(systems, read)
    found = read_tries(table, collected.accepted, named)
    return replace(found, tolerant=reading.tolerant).tell(rejected=collected.rejected)


def find_truth(gold: Table, reading: Reading) -> str:
    """Returns the column of right answers: one of a usual name, or the only one besides the ids."""
    columns, names = reading.columns, gold.names()
    ids = list_parts(find(names, PROBLEMS, columns.id) or "")
    apart = (*ids, *columns.by, columns.clusters)
    found = find(names, BOTH, columns.gold) or find_only(names, apart)
    return found or need(gold, BOTH, None, "gold")
