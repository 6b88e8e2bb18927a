"""Which examples each system has an output for, and what becomes of those that it lacks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.io.tables.building import build_places
from tallystick.model.codes import Labels, is_text
from tallystick.model.columns import BOTH, INPUT, NUMERIC, PROBABILITY_CELLS, Columns, find
from tallystick.model.facts import count_common
from tallystick.model.number_values import MISSING
from tallystick.model.reading import Reading
from tallystick.model.sides import Side, list_probabilities, read_groups
from tallystick.model.systems import Systems

if TYPE_CHECKING:
    from tallystick.reading.tables import Tables

_BLANK = frozenset(map(str.casefold, MISSING))
"""What cells hold, in any case, where a tool wrote that there is no output."""
_POLICIES = (
    "`missing='wrong'` counts the example as wrong, `missing='exclude'` leaves it out of that "
    "system's scores, and `missing='common'` scores the examples that all systems have"
)

Mask = NDArray[np.bool_]


class Coverage(Struct, frozen=True, eq=False):
    """Which examples some systems lack, so that each can be read on those that it has.

    Attributes:
        lacking: Which examples each system lacks, of shape (examples,), by its name.
        groups: The group of each example, or None.
    """

    tables: "Tables"
    lacking: Mapping[str, Mask]
    groups: Labels | None

    def fill(self, name: str, right: bool) -> Systems:
        """One system with what it lacks taken for right, or for wrong."""
        lost, tables = self.lacking[name], self.tables
        numbers, reading = tables.reading.numbers, tables.reading
        bounded = numbers and not any(one.gold for one in numbers)
        if right and bounded:
            turned = tuple(replace(one, worst=one.best) for one in numbers)
            reading = replace(reading, numbers=turned)
        if bounded or not right:
            return _lose(replace(tables, reading=reading), {name: lost}).read([name])
        left, side = _fill_gold(tables, name, lost)
        return replace(tables, left=left, sides={name: side}).read([name])

    def among(self, names: Sequence[str]) -> Systems:
        """Some of the systems on the examples that all of them have an output for."""
        return _read(self.tables, names, ~self.lose(names))

    def lose(self, names: Sequence[str]) -> Mask:
        """Which examples one of some systems lacks."""
        return np.asarray(np.any([self.lacking[name] for name in names], axis=0))

    def count_all(self) -> dict[str | None, int]:
        """How many examples there are in all (None), and of each group."""
        return count_rows(self.groups, np.ones(len(next(iter(self.lacking.values()))), bool))


def count_rows(groups: Labels | None, rows: Mask) -> dict[str | None, int]:
    """How many of some examples there are in all (None), and of each group."""
    counts: dict[str | None, int] = {None: int(rows.sum())}
    if groups is not None:
        found = np.bincount(groups.codes[rows], minlength=len(groups.names))
        counts |= dict(zip(map(str, groups.names), found.tolist(), strict=True))
    return counts


def settle(tables: "Tables") -> Systems:
    """All systems, with what becomes of outputs that some lack by the policy."""
    opened = tables.reading.collect(
        tables.entries,
        lambda name: find_lacking(tables.left, tables.read_as(name), tables.open(name)),
    )
    lacking, columns = opened.accepted, tables.reading.columns
    if tables.reading.labelled and tables.reading.golden is None:
        from tallystick.kinds.labels.label_reader import read_gold_labels

        # So that all labels of the gold are known wherever some examples are read.
        truth = read_gold_labels(tables.left, tables.read_as(), alone=tables.alone)
        tables = replace(tables, reading=replace(tables.reading, golden=truth.labels.names))
    if columns.missing == "wrong":
        # What becomes of a blank output is said by itself too.
        systems = (tables if columns.invalid != "error" else _lose(tables, lacking)).read(lacking)
    elif columns.missing == "common":
        lost = np.any(list(lacking.values()), axis=0)
        if lost.all():
            raise InputError(
                f"no example has an output of all {len(lacking)} systems; `missing='exclude'` "
                "scores each on those that it has"
            )
        systems = _read(tables, list(lacking), ~lost)
        told = (count_common(int(lost.sum())),) if lost.any() else ()
        systems = systems.know(notes=(*told, *systems.facts.notes))
    else:
        coverage = Coverage(tables, lacking, _read_groups(tables))
        systems = Systems(tuple(lacking), coverage=coverage, tolerant=tables.reading.tolerant)
    return systems.tell(refused=opened.refused)


def _lose(tables: "Tables", lacking: Mapping[str, Mask]) -> "Tables":
    """The same, with what systems lack taken for absent rows, which count as wrong."""
    sides = {
        name: tables.sides[name].lose(own) if own.any() else tables.sides[name]
        for name, own in lacking.items()
    }
    return replace(tables, sides=sides)


def _read(tables: "Tables", names: Sequence[str], kept: Mask) -> Systems:
    if kept.all():
        return tables.read(names)
    systems = tables.restrict(kept).read(names)
    return systems.know(left_out=count_rows(_read_groups(tables), ~kept))


def _read_groups(tables: "Tables") -> Labels | None:
    return read_groups([tables.left, *tables.sides.values()], tables.reading.columns.by)


def find_lacking(left: Side, reading: Reading, side: Side) -> Mask:
    """Returns the examples without output: no row, or null, NaN, blank or "None", unless gold."""
    lacking = np.zeros(len(left), bool) if side.rows is None else side.rows < 0
    names = _list_outputs(left, reading, side)
    known = list_known(left, reading.columns) if names else frozenset()
    for name in names:
        lacking |= find_blank(side, name, known)
    return lacking


def explain_lacking(left: Side, reading: Reading, side: Side, error: InputError) -> InputError:
    """The error with what may be done about outputs that a system lacks, where there are some."""
    if not find_lacking(left, reading, side).any():
        return error
    return InputError(f"{error}; where there is no output, {_POLICIES}")


def explain_blank(error: InputError, systems: Iterable[str]) -> InputError:
    """The same of outputs in memory, which say that they are none."""
    if not any(str(error).startswith(f"{name}, row ") for name in systems):
        return error
    return InputError(f"{error}; where there is no output, {_POLICIES}")


def _list_outputs(left: Side, reading: Reading, side: Side) -> list[str]:
    """The columns of a system's outputs: those that are named, else those of usual names."""
    columns = reading.columns
    wanted = [columns.predicted, columns.probability]
    wanted += [name for one in reading.numbers for name in one.columns]
    named = [find(side.names, (), name) for name in wanted if name is not None]
    if named:
        return [name for name in dict.fromkeys(named) if name is not None and side.has(name)]
    gold = find(left.names, BOTH, columns.gold)
    apart = {*columns.named(), *columns.list_ids(side.names)}
    rest = [name for name in side.names if name not in apart]
    free = [name for name in rest if not (left.beside(side) and name == gold)]
    usual = {find(free, (name,)) for name in (*NUMERIC, *PROBABILITY_CELLS)}
    each = list_probabilities(side)
    found = [name for name in free if name in usual or name in each]
    if found:
        return found
    single = [name for name in free if name not in INPUT]
    if len(single) == 1:
        return single
    return [gold] if gold in free else []


def list_known(left: Side, columns: Columns) -> frozenset[str]:
    """What is taken for a blank elsewhere, and stands in the gold."""
    name = find(left.names, BOTH, columns.gold)
    if name is None or not left.has(name):
        return frozenset()
    try:
        values = left.values(name)
    except InputError:
        return frozenset()
    import pyarrow.compute as pc

    if not is_text(values.type):
        return frozenset()
    texts = {str(one).strip().casefold() for one in pc.unique(values).to_pylist()}
    return frozenset(texts & _BLANK)


def find_blank(side: Side, name: str, known: frozenset[str]) -> Mask:
    """Which cells of a column hold a null, NaN, blank or "None", but for those that are known."""
    import pyarrow.compute as pc

    try:
        values = side.values(name)
    except InputError:  # lists of lists and objects, of which only a null is no output
        null = np.array([one is None for one in side.table.values(name)], bool)
        return null if side.rows is None else (side.rows >= 0) & null[side.rows]
    blank = pc.is_null(values, nan_is_null=pa.types.is_floating(values.type))
    if is_text(values.type):
        texts = pc.utf8_lower(pc.utf8_trim_whitespace(values))
        unknown = pa.array(sorted(_BLANK - known), values.type)
        blank = pc.or_(blank, pc.is_in(texts, value_set=unknown))
    return np.asarray(blank)


def _fill_gold(tables: "Tables", name: str, lacking: Mask) -> tuple[Side, Side]:
    """The gold and a system's outputs, where it says what is right wherever it lacks an output."""
    left, side, reading = tables.left, tables.sides[name], tables.read_as(name)
    gold, outputs = find(left.names, BOTH, reading.columns.gold), _list_outputs(left, reading, side)
    if gold is None or not left.has(gold) or len(outputs) != 1:
        raise InputError(f"{left.table.source}: tells no output that would be right")
    right = left.values(gold).to_pylist()
    cells = side.values(outputs[0]).to_pylist()
    for row in np.flatnonzero(lacking).tolist():
        one = right[row]
        references = isinstance(one, list) and one and isinstance(one[0], str)
        cells[row] = one[0] if references else one
    try:
        filled = pa.array(cells)
    except pa.ArrowException:
        raise InputError(f"{left.table.source}: outputs are no {gold}") from None
    whole = rebuild(side, np.arange(len(side)), {outputs[0]: filled})
    whole = replace(whole, rows=None)  # of which no example is missing
    return whole if left.beside(side) else left, whole


def rebuild(side: Side, order: NDArray[np.int64], changed: Mapping[str, pa.Array]) -> Side:
    """Returns the examples of a table in an order, with other values in some columns."""
    rows = (np.arange(len(side.table)) if side.rows is None else side.rows)[order]
    columns = side.table.columns.take(build_places(rows))
    for name, values in changed.items():
        if name in columns.column_names:
            columns = columns.set_column(columns.column_names.index(name), name, values)
        else:
            columns = columns.append_column(name, values)
    stood = rows if side.stood is None else side.stood[rows]
    absent = rows < 0
    places = np.where(absent, -1, np.arange(len(rows))) if absent.any() else None
    return Side(replace(side.table, columns=columns), places, stood=stood)
