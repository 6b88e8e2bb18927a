"""Examples for which systems have no output, and examples that have human labels.

Each example with a human label is repeated with that label in place of the judge's, so that every
reader and counter sees rows of one form.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.values import build_places, build_strings
from tallystick.kinds.index import say_all
from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.label_column_reader import read_gold_column
from tallystick.kinds.numbers import NUMBERS
from tallystick.model.codes import Labels, adopt_truth, is_text
from tallystick.model.columns import BOTH, INPUT, NUMERIC, PROBABILITY_CELLS, Columns, find
from tallystick.model.facts import count_common
from tallystick.model.number_values import MISSING, check_each
from tallystick.model.reading import Kinds, Needed, Reading
from tallystick.model.sides import Side, find_gold, find_output, list_probabilities, read_groups
from tallystick.model.systems import People, Systems

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
    """Which examples some systems have no output for, by the names of the systems."""

    tables: "Tables"
    lacking: Mapping[str, Mask]
    groups: Labels | None

    def fill(self, name: str, right: bool) -> Systems:
        """One system with what it does not have taken for right, or for wrong."""
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
        """Which examples one of some systems does not have."""
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
        _, own = tables.spread_tokens()
        truth = read_gold_labels(own.left, own.read_as(), alone=own.alone)
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
        text = (count_common(int(lost.sum())),) if lost.any() else ()
        systems = systems.know(notes=(*text, *systems.facts.notes))
    else:
        coverage = Coverage(tables, lacking, _read_groups(tables))
        systems = Systems(tuple(lacking), coverage=coverage, tolerant=tables.reading.tolerant)
    return systems.tell(rejected=opened.rejected)


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
    """The error, with the policies for missing outputs if there are some."""
    if not find_lacking(left, reading, side).any():
        return error
    return InputError(f"{error}; where there is no output, {_POLICIES}")


def explain_blank(error: InputError, systems: Iterable[str]) -> InputError:
    """Adds the missing-output policies to an error about a blank output in memory."""
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
    """What is taken for a blank elsewhere, and is in the gold."""
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
    """The gold and a system's outputs, with the right one wherever an output is missing."""
    left, side, reading = tables.left, tables.sides[name], tables.read_as(name)
    gold, outputs = find(left.names, BOTH, reading.columns.gold), _list_outputs(left, reading, side)
    if gold is None or not left.has(gold) or len(outputs) != 1:
        raise InputError(f"{left.table.source}: contains no gold by which an output could be right")
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


_FEWEST = 2
"""A single human label shows no scatter."""


Repeated = tuple[Side, dict[str, Side], People]
"""The table of the gold and those of the systems, with which of their rows hold human labels."""


def repeat_labelled(tables: "Tables", sides: Mapping[str, Side]) -> Repeated:
    """Repeats the examples that have human labels below all others."""
    judged = check_correctable(tables.reading.kinds or (), tables.reading.numbers)
    return (_repeat_gold if judged else _repeat_outputs)(tables, sides)


def check_correctable(kinds: Kinds, numbers: Sequence[Needed]) -> bool:
    """Returns whether human labels represent the gold, and not for numbers that are averaged."""
    if not {*kinds} <= {LABELS, NUMBERS} or any(one.form != "number" for one in numbers):
        raise UsageError(
            "`corrected_by=` can only be used with metrics of labels and of numbers, such as f1, "
            f"accuracy or mean, not of {say_all(kinds)}"
        )
    golden = [*(True for kind in kinds if kind.labelled), *(one.gold for one in numbers)] or [True]
    if any(golden) and not all(golden):
        raise UsageError(
            "human labels replace the gold of some of these metrics and the numbers that others "
            "average; score them in separate calls"
        )
    return all(golden)


def _repeat_gold(tables: "Tables", sides: Mapping[str, Side]) -> Repeated:
    left, columns = tables.left, tables.read_as().columns
    if len(columns.corrected_by) > 1:
        raise UsageError(
            "`corrected_by=` names one column of human labels where they replace the gold"
        )
    human = _find_human(left, left, columns.corrected_by[0])
    known = _find_labelled(left, human, list_known(left, columns))
    order = np.concatenate([np.arange(len(known)), np.flatnonzero(known)])
    if tables.reading.labelled:
        name, values = _join_labels(tables, human, known)
    else:
        name = find_gold(left, columns, alone=tables.alone)
        values = _join_numbers((left, name), (left, human), known, order)
    repeated = rebuild(left, order, {name: values})
    rebuilt = {
        name: repeated if side.beside(left) else rebuild(side, order, {})
        for name, side in sides.items()
    }
    chances = dict.fromkeys(sides, _read_chances(left, columns, known))
    return repeated, rebuilt, _list_people(order, dict.fromkeys(sides, known), chances)


def _repeat_outputs(tables: "Tables", sides: Mapping[str, Side]) -> Repeated:
    """Repeats what has a human label about any system; about others the judge's stands there."""
    left, columns = tables.left, tables.reading.columns
    together = [name for name, side in sides.items() if side.beside(left)]
    named = _name_each(columns.corrected_by, tuple(tables.entries), shared=len(together))
    found = {}
    for name, side in sides.items():
        own = side if side.has(find(side.names, (), named[name]) or named[name]) else left
        found[name] = own, _find_human(own, side, named[name])
    known = {name: _find_labelled(*own, frozenset()) for name, own in found.items()}
    some = np.any([*known.values()], axis=0)
    order = np.concatenate([np.arange(len(some)), np.flatnonzero(some)])
    changed: dict[str, dict[str, pa.Array]] = {name: {} for name in sides}
    asked = dict.fromkeys(name for one in tables.reading.numbers for name in one.columns)
    for name, side in sides.items():
        for column in asked:
            output = find_output(left, side, tables.read_as(name).columns, column)
            values = _join_numbers((side, output), found[name], known[name], order)
            changed[name][output] = values
    joined = {column: own for name in together for column, own in changed[name].items()}
    repeated = rebuild(left, order, joined)
    rebuilt = {
        name: repeated if name in together else rebuild(side, order, changed[name])
        for name, side in sides.items()
    }
    chances = {name: _read_chances(own[0], columns, known[name]) for name, own in found.items()}
    return repeated, rebuilt, _list_people(order, known, chances)


def _list_people(
    order: NDArray[np.int64],
    known: Mapping[str, Mask],
    chances: Mapping[str, NDArray[np.float64] | None],
) -> People:
    below = np.arange(len(order)) > order.max()
    text = {name: own[order] for name, own in chances.items() if own is not None}
    return People(order, {name: below & own[order] for name, own in known.items()}, text or None)


def _name_each(named: tuple[str, ...], systems: tuple[str, ...], *, shared: int) -> dict[str, str]:
    """The column of human labels about each system; `shared` says how many have one table."""
    if len(named) == len(systems):
        return dict(zip(systems, named, strict=True))
    if len(named) > 1 or shared > 1:
        raise UsageError(
            f"`corrected_by=` names {', '.join(named)}, and there are judgements of {len(systems)} "
            "systems; name a column of human labels for each, in their order"
        )
    return dict.fromkeys(systems, named[0])


def _find_human(side: Side, other: Side, name: str) -> str:
    found = find(side.names, (), name) or name
    if not side.has(found):
        raise InputError(
            f"{other.table.source}: has no column {name!r} of human labels; the columns are "
            f"{', '.join(other.names)}"
        )
    return found


def _find_labelled(side: Side, human: str, known: frozenset[str]) -> Mask:
    labelled = ~find_blank(side, human, known)
    if labelled.sum() < _FEWEST:
        raise InputError(
            f"{side.table.source}: column {human!r} has {labelled.sum()} human labels; at least "
            f"{_FEWEST} are needed, and some dozens for a useful interval"
        )
    return labelled


def _join_labels(tables: "Tables", human: str, known: Mask) -> tuple[str, pa.Array]:
    """The column of gold, and the labels of the judge with those of people below them."""
    reading = tables.read_as()
    found = read_gold_column(tables.left, reading.columns, reading.task, alone=tables.alone)
    judge = found.labels
    if not isinstance(judge, Labels):
        raise UsageError(
            "`corrected_by=` can only be used with one label for each example, not with label sets"
        )
    labels = tables.left.keep(known).labels(human, reading.columns)
    own = adopt_truth(labels, judge.names)
    names = [[str(labels.names[code]) for code in labels.codes] for labels in (judge, own)]
    return found.name, build_strings([*names[0], *names[1]])


def _join_numbers(
    judge: tuple[Side, str], human: tuple[Side, str], known: Mask, order: NDArray[np.int64]
) -> pa.Array:
    numbers = _read_known(*judge, ~find_blank(*judge, frozenset()))
    people = np.where(known, _read_known(*human, known), numbers)
    both = np.concatenate([numbers, people[order[len(known) :]]])
    return pa.array(both, mask=np.isnan(both))


def _read_known(side: Side, name: str, known: Mask) -> NDArray[np.float64]:
    found = np.full(len(known), np.nan)
    if known.any():
        found[known] = side.keep(known).numbers(name)
    return found


def _read_chances(side: Side, columns: Columns, known: Mask) -> NDArray[np.float64] | None:
    """The probability of a human label of each example that has one; 1 of all others."""
    name = columns.label_probability
    if name is None:
        return None
    found = np.ones(len(known))
    kept = side.keep(known)
    found[known] = kept.numbers(name)
    said = "is not a probability of a human label, which lies above 0 and up to 1"
    check_each((found > 0) & (found <= 1), found, side.locate(name), said, form="g")
    return found
