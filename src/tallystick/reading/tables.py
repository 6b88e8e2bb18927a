"""Tables read as systems: rows joined by id, every value of a column in use checked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import Danger, InputError, MissingValueError, UsageError
from tallystick.io.tables.formats import SCORES, KeyName
from tallystick.io.tables.table import Table, read_table
from tallystick.io.tables.values import as_keys, as_numpy, build_places, plain
from tallystick.kinds.index import READ, guess_task
from tallystick.kinds.labels import LABELS
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.texts import TEXTS
from tallystick.model.codes import Labels, encode, unify
from tallystick.model.columns import (
    BOTH,
    IDS,
    ITEMS,
    PROBABILITY,
    RAW_SCORES,
    REPEATS,
    SYSTEMS,
    Columns,
    find,
    need,
)
from tallystick.model.facts import Facts, Task
from tallystick.model.ids import find_twice, join_groups, join_ids, tell_twice
from tallystick.model.number_values import (
    check_counts,
    check_finite,
    check_probabilities,
    check_weights,
)
from tallystick.model.reading import Kinds, Reading
from tallystick.model.sides import (
    Side,
    check_order,
    count_differing,
    find_gold,
    read_groups,
    read_names,
)
from tallystick.model.systems import Systems
from tallystick.model.tallies.metric import ComputedName
from tallystick.reading.coverage import explain_lacking, find_blank, repeat_labelled, settle

if TYPE_CHECKING:
    from tallystick.kinds.labels.label_column_reader import Gold
    from tallystick.kinds.labels.label_columns import LabelRows
    from tallystick.reading.token_rows import Tokens


Outputs = Callable[[], Table] | Table | Side | str | None
"""Where a system's outputs are: a table, or what opens it; rows in the order of the gold; a column
of the gold's table; or None for a column of a usual name in that."""

Block = tuple[Table, Mapping[str, Outputs]]
"""Rows of the gold, and those of the systems."""


def read_systems(
    gold: Table, entries: Mapping[str, Outputs], reading: Reading, *, first: int = 0
) -> Systems:
    """Reads gold once, and the systems joined by id or else in order; `first` is their number."""
    if reading.columns.rated is not None:
        reading = _settle_rated(gold, reading)
    elif gold.names() == SCORES:
        raise UsageError(f"{gold.source} contains scores of rated systems: `rated={SCORES[0]!r}`")
    columns = reading.columns.spelled(gold.names())
    ids = find(gold.names(), IDS, columns.id)
    notes = list[str]()
    alone = columns.rated is None and all(map(_is_column, entries.values()))
    # Where nothing is joined, ids matter only as a sign of several systems in a table.
    checked = reading.golden is None and not (alone and not tell_systems(gold.names(), columns))
    if ids is not None and reading.kinds == (TEXTS,) and not tell_systems(gold.names(), columns):
        from tallystick.kinds.texts.text_columns import join_references

        gold = join_references(gold, ids, columns)
    if ids is not None and checked:
        columns, notes = _check_ids(gold, ids, columns)
        ids = find(gold.names(), IDS, columns.id)
    reading = replace(reading, columns=columns, kinds=find_kinds(gold, entries, reading))
    tables = Tables(Side(gold), reading, entries, ids, first, tuple(notes))
    if columns.where is not None:
        tables = tables.choose(columns.where)
    if alone:
        if any(entries.values()) and _list_computed(reading):
            raise UsageError(
                "a function of a row scores systems that have files or rows of their own; of "
                "several columns write a function of gold and output"
            )
        tables = replace(tables, left=_compute(tables.left, tables.left, reading))
    return tables.read_all() if columns.rated is None else tables.read_rated()


def _settle_rated(gold: Table, reading: Reading) -> Reading:
    """How a table is read whose rows are of an item and a rated system each; items are clusters."""
    columns, names = reading.columns, gold.names()
    if columns.corrected_by or columns.annotated:
        raise UsageError(
            "`rated=` cannot be used with annotators or `corrected_by=`: the gold is one score "
            "of people for each item and rated system"
        )
    if reading.kinds not in (None, (NUMBERS,)):
        raise UsageError(
            "`rated=` can only be used with metrics of numbers, such as pairwise_accuracy"
        )
    item = need(gold, ITEMS, columns.id, "id")
    rated = find(names, (), columns.rated)
    gold.column(str(rated))
    columns = replace(columns, id=item, rated=rated, clusters=columns.clusters or item)
    return replace(reading, columns=columns, kinds=(NUMBERS,))


class Tables(Struct, frozen=True, eq=False):
    """Tables of systems next to that of the gold; `sides` are those that have been opened."""

    left: Side
    reading: Reading
    entries: Mapping[str, Outputs]
    ids: str | None
    first: int
    notes: tuple[str, ...] = ()
    sides: dict[str, Side] = field(default_factory=dict)

    def read_all(self) -> Systems:
        """All systems, with what becomes of outputs that some lack."""
        if self.reading.columns.missing == "error":
            return self.read(self.entries)
        return settle(self)

    def read(self, names: Iterable[str]) -> Systems:
        """Some of the systems, where each must have an output for every example."""
        if not self.reading.columns.corrected_by:
            return self._read(names)
        names = tuple(names)
        opened = self.reading.collect(names, self.open).accepted
        left, sides, people = repeat_labelled(self, opened)
        return replace(replace(self, left=left, sides=sides)._read(names), people=people)

    def _read(self, names: Iterable[str]) -> Systems:
        tokens, own = self.spread_tokens()
        left, columns, reading = own.left, own.reading.columns, own.reading
        readers = [kind.open(left, own.read_as(), alone=own.alone) for kind in reading.kinds or ()]

        def read(name: str) -> Side:
            side = self.open(name)
            if tokens is not None:
                side = tokens.spread(side, self.read_as(name).columns)
            try:
                for reader in readers:
                    reader.read(name, side, own.read_as(name).columns)
            except MissingValueError as error:
                if columns.missing != "error" or reading.hidden:
                    raise
                raise explain_lacking(left, own.read_as(name), side, error) from None
            return side

        collected = reading.collect(names, read)
        systems = Systems(
            tuple(collected.accepted),
            first=self.first,
            facts=Facts(
                reading.task,
                reading.task,
                shaped=columns.describe(),
                rejected=collected.rejected,
            ),
            tolerant=reading.tolerant,
        )
        for reader in readers:
            systems = reader.add(systems)
        ids = self.ids if tokens is None else columns.id
        found = _add_beside(systems, left, collected.accepted, columns, ids)
        if ids is None and left.rows is not None:
            found = replace(found, ids=[str(self.first + row + 1) for row in left.rows.tolist()])
        tables = (left.table, *(side.table for side in collected.accepted.values()))
        message = dict.fromkeys(Danger(note) for table in tables for note in table.notes)
        joined = (side.note for side in collected.accepted.values())
        spread = () if tokens is None else (tokens.note,)
        return found.tell(*self.notes, *spread, *filter(None, joined), *message)

    def spread_tokens(self) -> tuple["Tokens | None", "Tables"]:
        """The tokens of sentences, and tables with a row for each; else these tables."""
        if not self.reading.labelled or not _may_have_lists(self.left.table):
            return None, self
        from tallystick.reading.token_rows import Tokens  # since few tables have sentences

        tokens = Tokens.find(self.left, self.read_as(), alone=self.alone)
        if tokens is None:
            return None, self
        left, reading = tokens.settle(self.reading, self.first)
        entries = dict.fromkeys(self.entries, left)  # of which none is a column
        return tokens, replace(self, left=left, reading=reading, entries=entries)

    def open(self, name: str) -> Side:
        """The rows of a system in the order of the gold."""
        if name not in self.sides:
            left, columns = self.left, self.reading.columns
            side = _open(left, self.entries[name], columns)
            side = side if side.beside(left) else _compute(left, side, self.reading)
            _check_alike(left, self.sides, (name, side), columns, self.first)
            _check_other_ids(left, side, columns)
            self.sides[name] = side
        return self.sides[name]

    @property
    def alone(self) -> bool:
        """Whether the outputs are in the table of the gold."""
        return _is_column(next(iter(self.entries.values())))

    def read_as(self, name: str | None = None) -> Reading:
        """How the outputs of a system are read; None is the first one, next to which gold is."""
        entry = next(iter(self.entries.values())) if name is None else self.entries[name]
        return replace(self.reading, columns=_name_outputs(entry, self.reading.columns))

    def choose(self, where: str) -> "Tables":
        """The same with the examples that satisfy a condition."""
        from tallystick.model.filter_expression import Condition

        opened = self.reading.collect(self.entries, self.open)
        return self.restrict(Condition(where).find([self.left, *opened.accepted.values()]))

    def read_rated(self) -> Systems:
        """The systems on the rows that people scored."""
        left = self.left
        gold = find_gold(left, self.read_as().columns, alone=self.alone)
        lost = find_blank(left, gold, frozenset())
        tables = self
        if lost.all():
            raise InputError(f"{left.table.source}: column {gold!r} contains no score of people")
        if lost.any():
            self.reading.collect(self.entries, self.open)
            tables = self.restrict(~lost)
        systems = tables.read_all()
        message = f"{int(lost.sum())} of {len(lost)} rows without a score of people are left out."
        notes = systems.facts.notes
        return systems.know(notes=(message, *notes)) if lost.any() else systems

    def restrict(self, kept: NDArray[np.bool_]) -> "Tables":
        """The same with some of the examples."""
        return replace(
            self,
            left=self.left.keep(kept),
            sides={name: own.keep(kept) for name, own in self.sides.items()},
        )


def _is_column(outputs: Outputs) -> bool:
    return outputs is None or isinstance(outputs, str)


def _name_outputs(outputs: Outputs, columns: Columns) -> Columns:
    return replace(columns, predicted=outputs) if isinstance(outputs, str) else columns


def find_kinds(gold: Table, entries: Mapping[str, Outputs], reading: Reading) -> Kinds:
    """Returns as what tables are read, by the first rows of the gold where nobody said it."""
    if reading.kinds:
        return reading.kinds
    entry = next(iter(entries.values()))
    columns = _name_outputs(entry, reading.columns.spelled(gold.names()))
    return _guess(Side(gold), columns, reading.task, alone=_is_column(entry))


def read_truth(gold: Table, entries: Mapping[str, Outputs], reading: Reading) -> "Gold | None":
    """Returns the gold labels, if tables are read as labels."""
    from tallystick.kinds.labels.label_reader import read_gold_labels

    if not any(kind.labelled for kind in find_kinds(gold, entries, reading)):
        return None
    reading = replace(reading, columns=reading.columns.spelled(gold.names()))
    tables = Tables(Side(gold), reading, entries, None, 0)
    return read_gold_labels(tables.left, tables.read_as(), alone=tables.alone)


def read_gold(gold: Table, columns: Columns, task: Task) -> "Labels | LabelRows":
    """Reads gold alone, by the rules that `read_systems` has for gold in a table of its own."""
    from tallystick.kinds.labels.label_column_reader import read_gold_column

    return read_gold_column(Side(gold), columns, task, alone=False).labels


def read_scores(
    table: Table, columns: Columns, *, any_scale: bool
) -> tuple[NDArray[Any], Labels | None]:
    """Reads the probabilities and the groups of a table, in which there may be no gold."""
    side = Side(table)
    name = need(table, (*PROBABILITY, *RAW_SCORES), columns.probability, "probability")
    check = check_finite if any_scale else check_probabilities
    scores = check(side.numbers(name), side.locate(name))
    return scores, read_groups([side], columns.by)


def _check_ids(gold: Table, ids: str, columns: Columns) -> tuple[Columns, list[str]]:
    """Returns the columns with those of ids, and notes, once it is known that no id repeats.

    An id may occur once for each value of groups. Where a column of a usual name, such as seg_id
    next to doc_id, tells examples apart, both are the ids.
    """
    column = plain(gold.column(ids))
    extra = [name for name in _list_apart(columns) if Side(gold).has(name)]
    if extra and _repeats(column):
        column = _name_groups(gold, column, extra)
    twice = find_twice(column, gold.source)
    if twice and columns.id is None:
        for name in ITEMS:
            both = KeyName((ids, find(gold.names(), (name,)) or ids))
            if both.parts[1] not in (ids, *columns.named()) and not _repeats(gold.column(both)):
                message = (
                    f"examples are joined by {both.parts[0]!r} and {both.parts[1]!r} together."
                )
                return replace(columns, id=both), [message]
    tell_twice(twice, gold.source, lambda: tell_systems(gold.names(), columns))
    return columns, []


def _list_apart(columns: Columns) -> tuple[str, ...]:
    """The columns in whose values an id may stand once each: groups, and rated systems."""
    return (*columns.by, *(() if columns.rated is None else (columns.rated,)))


def _repeats(ids: Any) -> bool:
    import pyarrow.compute as pc

    return len(pc.unique(ids)) < len(ids)


def _name_groups(table: Table, ids: Any, names: Sequence[str]) -> Any:
    """The ids with the groups of their examples; the ids alone where one is missing or empty."""
    return join_groups(ids, [plain(table.column(name)) for name in names], table.source)


def tell_systems(names: Iterable[str], columns: Columns) -> str:
    """Returns what to do where ids stand twice: perhaps a column tells systems apart."""
    rest = [one for one in names if one not in columns.named()]
    name = find(rest, SYSTEMS)
    if name is None:
        repeated = find(rest, REPEATS) is not None
        return "; if they are tries of one problem, score them with -m pass@1" if repeated else ""
    return (
        "; if the table contains several systems, name the column with their names: "
        f"`system_column={name!r}`"
    )


def _guess(left: Side, columns: Columns, task: Task, *, alone: bool) -> Kinds:
    from tallystick.kinds.numbers.numbers import is_soft

    own = next((kind for kind in READ if kind.fits(left, columns, alone=alone)), None)
    if task.kind is None and own is not None:
        return (own,)
    if is_soft(left, columns):
        return (NUMBERS,)
    names = [name for name in left.names if name != columns.predicted]
    gold = find(names, BOTH, columns.gold)
    if gold is None or not left.has(gold):
        rest = [name for name in names if name not in (*IDS, *columns.named())]
        if alone or len(rest) != 1:
            return (LABELS,)
        gold = rest[0]
    return guess_task(left.decimals(gold), task)


def _may_have_lists(table: Table) -> bool:
    """Whether rows are sentences, or one of the first has a list or object, or a list's text."""
    some = table.head()
    return table.unit == "sentence" or any(
        isinstance(cell, list | dict) or str(cell).lstrip().startswith("[")
        for field in table.columns.schema
        if not pa.types.is_primitive(field.type)
        for cell in some.values(field.name)
    )


def _compute(left: Side, side: Side, reading: Reading) -> Side:
    """Adds the columns that functions compute of the rows of both tables together."""
    for name in _list_computed(reading):
        places = np.arange(len(side)) if side.rows is None else side.rows
        golden = np.arange(len(left)) if left.rows is None else left.rows
        tables = [(left.table, golden), (side.table, places)][int(side.beside(left)) :]
        held = [(key, list_cells(own, key), rows) for own, rows in tables for key in own.names()]
        values = np.full(len(side.table), np.nan)
        for at, place in enumerate(places.tolist()):
            if place >= 0:
                row = {key: own[rows[at]] for key, own, rows in held}
                values[place] = name.compute(row, side.table.locate(place))
        columns = side.table.columns.append_column(str(name), pa.array(values))
        side = replace(side, table=replace(side.table, columns=columns))
    return side


def _list_computed(reading: Reading) -> list[ComputedName]:
    names = dict.fromkeys(name for one in reading.numbers for name in one.columns)
    return [name for name in names if isinstance(name, ComputedName)]


def list_cells(table: Table, name: str) -> list[object]:
    """The cells of a column as Python has them; text that is all numbers as numbers."""
    values = table.values(name)
    if not all(isinstance(one, str | None) for one in values):
        return values
    column = pa.array([one or None for one in values], pa.string())
    for kind in (pa.int64(), pa.float64()):
        with suppress(pa.ArrowInvalid):
            return list(column.cast(kind).to_pylist())
    return values


def _open(left: Side, entry: Outputs, columns: Columns) -> Side:
    if entry is None or isinstance(entry, str):
        return left
    if isinstance(entry, Side):
        return entry
    gold, own = left.table, entry() if callable(entry) else entry
    ids, message = find_ids(gold.names(), own.names(), columns), ""
    usual = find(gold.names(), IDS, columns.id)
    if ids[0] != usual and find_twice(gold.column(str(ids[0])), gold.source):
        ids = usual, find(own.names(), IDS)
    elif ids[0] != usual:
        message = f"examples are joined by {ids[0]!r}, which both tables have."
    if ids[0] is not None and ids[1] is not None:
        sources = (gold.source, own.source)
        allowed = columns.missing != "error"
        one, other = plain(gold.column(ids[0])), plain(own.column(ids[1]))
        both = [name for name in _list_apart(columns) if left.has(name) and Side(own).has(name)]
        if both and _repeats(one):
            one, other = _name_groups(gold, one, both), _name_groups(own, other, both)
        if columns.rated not in both:
            places, note = join_ids(one, other, sources, missing=allowed)
            return Side(own, places, note=note or message)
        import pyarrow.compute as pc

        # A metric may have scored systems that people have not.
        people, scored = (plain(table.column(columns.rated)) for table in (gold, own))
        rows = np.flatnonzero(as_numpy(pc.is_in(scored, value_set=people)))
        places, note = join_ids(one, other.take(build_places(rows)), sources, missing=allowed)
        rows = rows if places is None else np.where(places < 0, -1, rows[places])
        return Side(own, rows, note=note)
    if (ids[0] is None) != (ids[1] is None) and len(own.names()) > 1 and len(gold.names()) > 1:
        lacking, name = (own, ids[0]) if ids[1] is None else (gold, ids[1])
        raise InputError(
            f"{lacking.source}: has no column {name!r} to join {gold.source} and {own.source} by; "
            "name what joins them with `id=`, and `system_id=` where it differs"
        )
    if len(gold) != len(own):
        if gold.unit == own.unit == "sentence":
            from tallystick.kinds.spans.span_columns import explain_sentences

            raise explain_sentences(gold, own)
        raise refuse_uneven((gold.source, own.source), (len(gold), len(own)))
    side = Side(own)
    if own.unit != "sentence":
        check_order(left, side, columns)
    return side


def find_ids(
    gold: Sequence[str], own: Sequence[str], columns: Columns
) -> tuple[str | None, str | None]:
    """Returns the columns of ids of gold and a system: of usual names the first that both have."""
    ids = find(gold, IDS, columns.id), find(own, IDS, columns.system_id or columns.id)
    return next(iter(_list_shared(gold, own, columns)), ids)


def _list_shared(
    gold: Sequence[str], own: Sequence[str], columns: Columns
) -> list[tuple[str, str]]:
    """The columns of ids that both have, by usual names, where none was named."""
    free = [name for name in IDS if not columns.ids]
    pairs = ((find(gold, (name,)), find(own, (name,))) for name in free)
    return [(one, other) for one, other in pairs if one is not None and other is not None]


def refuse_uneven(sources: tuple[str | None, str | None], sizes: tuple[int, int]) -> InputError:
    """Returns the error of gold and outputs without ids whose numbers of examples differ."""
    return InputError(
        f"{sources[0]} has {sizes[0]} examples but {sources[1]} has {sizes[1]}, and there are no "
        "ids in both to join them by"
    )


def _add_beside(
    systems: Systems, left: Side, sides: Mapping[str, Side], columns: Columns, ids: str | None
) -> Systems:
    weights = counts = clusters = None
    if columns.weight is not None:
        weights = check_weights(left.numbers(columns.weight), left.locate(columns.weight))
    if columns.count is not None:
        counts = check_counts(left.numbers(columns.count), left.locate(columns.count))
    if columns.clusters is not None:
        clusters = read_names([left, *sides.values()], columns.clusters)
    text = columns.find_input(left.names)
    groups = read_groups([left, *sides.values()], columns.by)
    named = [] if columns.language_column is None else [columns.language_column]
    languages = read_groups([left, *sides.values()], named)
    return replace(
        systems,
        groups=groups,
        tokenizers=find_tokenizers(columns, languages, groups, len(left)),
        clusters=clusters,
        weights=weights,
        counts=counts,
        ids=None if ids is None else left.column(ids),
        inputs=None if text is None else left.column(text),
    )


def find_tokenizers(
    columns: Columns, languages: Labels | None, groups: Labels | None, size: int
) -> Labels | None:
    """Returns the tokenizer of each example by language, named or that of its group, or None."""
    if columns.language is None and languages is None and groups is None:
        return None
    # Imported here because most examples are labels without groups.
    from tallystick.tokens.tokenizers import choose_tokenizer

    if columns.language is not None:
        names = (choose_tokenizer(columns.language),)
        found = Labels(np.zeros(size, np.uint8), names)
    elif languages is not None:
        found = languages.rename(lambda name: choose_tokenizer(str(name)))
    else:
        assert groups is not None
        found = _split_by_groups(groups, columns.by or (None,))
    return found if any(found.names) else None


def _split_by_groups(groups: Labels, by: Sequence[str | None]) -> Labels:
    """The tokenizers by the first column of the groups that contains languages."""
    from tallystick.tokens.tokenizers import choose_tokenizer, is_language, names_languages

    for place, column in enumerate(by):
        # A slash joins what a group is called by each of several columns.
        parts = [str(name).split("/") for name in groups.names]
        own = [one[place] if len(one) == len(by) else "" for one in parts]
        plain = names_languages(column) if column else all(map(is_language, own))
        chosen = [choose_tokenizer(one, pair=not plain) for one in own]
        found = groups.rename(dict(zip(groups.names, chosen, strict=True)).__getitem__)
        if any(found.names):
            return found
    return Labels(np.zeros(len(groups), np.uint8), ("",))


def join_beside(systems: Systems, reading: Reading, usual: Sequence[str]) -> Systems:
    """Adds groups, clusters and weights of the table `beside`, by ids of a `usual` name."""
    import pyarrow.compute as pc

    columns = reading.columns
    if reading.beside is None:
        named = (*columns.by, columns.clusters, columns.weight)
        if any(named) and systems.groups is None and systems.clusters is None:
            raise UsageError(
                f"there is no column {next(filter(None, named))!r} here; name a table of queries "
                "that has it with `beside=`"
            )
        return systems
    table = read_table(reading.beside, format=reading.input_format)
    name = find(table.names(), (*usual, *IDS), columns.id)
    if name is None:
        raise InputError(f"{table.source}: has no column of ids, such as {usual[0]!r}")
    known = as_keys(table.column(name), table.source)
    tell_twice(find_twice(table.column(name), table.source), table.source)
    places = pc.index_in(pa.array(systems.ids, pa.large_string()), value_set=known)
    if places.null_count:
        row = int(np.argmax(places.is_null().to_numpy(zero_copy_only=False)))
        raise InputError(
            f"{table.source}: {places.null_count} of {len(systems)} examples are missing, such as "
            f"{(systems.ids or ())[row]!r}"
        )
    side = Side(table, places.to_numpy().astype(np.int64))
    return replace(_add_beside(systems, side, {}, columns, None), ids=systems.ids)


def _check_other_ids(left: Side, side: Side, columns: Columns) -> None:
    """Raises an InputError where rows that one column of ids joins differ in another one."""
    joined, *others = _list_shared(left.names, side.names, columns) or [("", "")]
    if left.beside(side) or not others:
        return
    kept = np.ones(len(left), bool) if side.absent is None else ~side.absent
    for names in others:
        if names[0] in columns.named():
            continue
        count = count_differing(left.keep(kept), side.keep(kept), names)
        if count:
            raise InputError(
                f"{side.table.source}: joined with {left.table.source} by {joined[0]!r}, {count} "
                f"of {kept.sum()} rows have another {names[0]!r}; choose with "
                f"`id={joined[0]!r}` or `id={names[0]!r}`"
            )


def _check_alike(
    left: Side, sides: Mapping[str, Side], own: tuple[str, Side], columns: Columns, before: int
) -> None:
    system, other = own
    for name in filter(None, (*columns.by, columns.clusters)):
        known = [(first, side) for first, side in sides.items() if side.has(name)]
        if left.has(name) or not known or not other.has(name):
            continue
        first, side = known[0]
        one, two = unify(*(encode(part.values(name), part.locate(name)) for part in (side, other)))
        rows = np.flatnonzero(one.codes != two.codes)
        if len(rows):
            found = [str(column.names[column.codes[rows[0]]]) for column in (two, one)]
            raise InputError(
                f"{system} has {found[0]!r} in its column {name!r} where {first} has "
                f"{found[1]!r}, at example {before + rows[0] + 1}; move the column to the gold file"
            )
