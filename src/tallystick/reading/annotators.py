"""Ratings of several annotators: a column for each, or a row for each unit and annotator.

Of annotators alone, it is their agreement that is measured. Where there are systems beside them,
every rating is the gold of an example of its own, or the majority of a unit's ratings is its gold.
"""

import json
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tallystick.codes import Label, Labels, as_text, encode, list_labels
from tallystick.errors import InputError, UsageError
from tallystick.examples.columns import ANNOTATOR, BOTH, IDS, Columns, find, need
from tallystick.examples.ids import as_keys, check_ids, join_groups
from tallystick.examples.patterns import Patterns
from tallystick.examples.reading import Reading
from tallystick.examples.sides import Side, read_groups
from tallystick.examples.systems import Systems
from tallystick.examples.task import Task
from tallystick.frozen import dataclass, replace
from tallystick.io.tables.building import build_places
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_numpy, plain, write_out
from tallystick.reading.layouts import read_wide
from tallystick.tallies.arrays.distinct import find_distinct

PANEL = "annotators"
"""What the annotators together are called, who are the only system where no other is named."""

PEOPLE, CONSTANT = "people", "constant"
"""Systems to hold others against where no column is called that: of each rating the one that
another annotator gave the same unit, and always the commonest rating."""

_RATING, _UNIT = "rating", "unit"
_RATINGS = (_RATING, *BOTH)


def read_annotated(table: Table, systems: Sequence[str], reading: Reading) -> Systems:
    """Reads the ratings of annotators, and the systems in columns beside them if there are some.

    The groups of the reading are those of `Columns.by_annotator`.
    """
    if reading.task.kind == "multilabel":
        raise UsageError("each annotator gives a unit one rating, not a set of labels")
    table = replace(table, columns=write_out(table.columns))
    columns = reading.columns.spelled(table.names())
    ratings = _read_ratings(table, columns)
    names = columns.list_systems(systems)
    if columns.count is not None:
        raise UsageError("ratings of annotators are a row for each unit, not counts of them")
    if not names:
        if columns.weight is not None:
            raise UsageError("ratings of annotators alone have no weights")
        if columns.majority:
            raise UsageError("a majority is what systems are scored against: name their columns")
        return _read_panel(ratings, replace(reading, columns=columns))
    examples, notes = ratings.take_majority() if columns.majority else ratings.take_each(columns)
    examples, added = ratings.add_references(examples, set(names) - set(table.names()), columns)
    clusters = columns.clusters or (None if columns.majority else _free(table, _UNIT))
    told = replace(columns, gold=_free(table, _RATING), clusters=clusters, majority=False)
    told = replace(told, annotators=(), annotator=None)
    read = read_wide(examples, names, replace(reading, columns=told))
    return replace(read, notes=(*ratings.notes, *notes, *added, *read.notes))


@dataclass(frozen=True, slots=True, eq=False)
class _Ratings:
    """Ratings, of which none is missing.

    Attributes:
        rest: The columns of the table that hold no ratings.
        units: The id of each unit, as Arrow text; None where rows have none.
        first: The first row of each unit.
        rows: The row of each rating.
        owners: The unit of each rating.
    """

    table: Table
    rest: tuple[str, ...]
    units: pa.Array | None
    first: NDArray[np.int64]
    rows: NDArray[np.int64]
    owners: NDArray[np.int64]
    annotators: Labels
    values: Labels
    notes: tuple[str, ...]

    def name_units(self) -> pa.Array:
        """The name of each unit, as Arrow text: its id, or the number of its row."""
        if self.units is not None:
            return self.units
        numbers = build_places(self.first + 1).cast(pa.large_string())
        source = pa.scalar(self.table.source, pa.large_string())
        return pc.binary_join_element_wise(source, numbers, pa.scalar(" ", pa.large_string()))

    def take_each(self, columns: Columns) -> tuple[Table, tuple[str, ...]]:
        beside = {
            columns.annotator or ANNOTATOR: _write_labels(self.annotators),
            _free(self.table, _UNIT): self.name_units().take(self.owners),
            **self._write_gold(self.values),
        }
        table = self._take(self.rows, "rating", beside)
        note = "every rating is compared: groups are annotators, and macro is their mean."
        return table, (note,)

    def take_majority(self) -> tuple[Table, tuple[str, ...]]:
        """Every unit as an example, with the rating of most annotators, and what is to be noted."""
        wide = len(self.values.names)
        pairs, counts = np.unique(self.owners * wide + self.values.codes, return_counts=True)
        units, codes = np.divmod(pairs, wide)
        most = np.zeros(len(self.first), np.int64)
        np.maximum.at(most, units, counts)
        top = counts == most[units]
        leaders = np.bincount(units[top])
        clear = top & (leaders[units] == 1)
        if not clear.any():
            raise InputError(f"{self.table.source}: no unit has a rating that most annotators gave")
        golden = Labels(codes[clear].astype(np.uint32), self.values.names)
        table = self._take(self.first[units[clear]], "unit", self._write_gold(golden))
        tied, rated = (leaders > 1).sum(), (leaders > 0).sum()
        note = f"without a majority, and left out: {tied} of {rated} units with ratings."
        return table, (note,) if tied else ()

    def add_references(
        self, examples: Table, names: Collection[str], columns: Columns
    ) -> tuple[Table, tuple[str, ...]]:
        """Adds columns of `PEOPLE` and `CONSTANT` where these are among the names, with notes."""
        table, notes = examples.columns, list[str]()
        if PEOPLE in names:
            if columns.majority:
                raise UsageError(
                    "people are part of their own majority; hold systems and people against each "
                    "annotator, without --majority"
                )
            table = table.append_column(PEOPLE, [self._pair_people(columns)])
            notes.append("people: the rating of another annotator of the same unit, each in turn.")
        if CONSTANT in names:
            commonest = str(self.values.names[int(np.bincount(self.values.codes).argmax())])
            table = table.append_column(CONSTANT, [[commonest] * len(table)])
            notes.append(f"constant: always {commonest!r}, the commonest rating.")
        return replace(examples, columns=table), tuple(notes)

    def _pair_people(self, columns: Columns) -> Any:
        """Of each rating the one that another annotator gave the unit; null where nobody did.

        From unit to unit the next annotator, the one after and so on, so that each pair of
        annotators is compared about as often.
        """
        units, places, sizes = np.unique(self.owners, return_inverse=True, return_counts=True)
        alone = int((sizes == 1).sum())
        if alone and columns.missing == "error":
            raise InputError(
                f"{self.table.source}: {alone} of {len(units)} units have one rating alone, which "
                "people cannot be held against; leave them out of people's scores with "
                "--missing exclude"
            )
        order = np.lexsort([self.annotators.codes, places])
        starts = np.cumsum(sizes) - sizes
        step = 1 + np.arange(len(units)) % np.maximum(sizes - 1, 1)
        owners = places[order]
        nth = np.arange(len(order)) - starts[owners]
        partner = order[starts[owners] + (nth + step[owners]) % sizes[owners]]
        others = np.empty(len(order), np.int64)
        others[order] = partner
        given = _write_labels(self.values.take(others))
        return pc.if_else((sizes > 1)[places], given, None)

    def write_patterns(self) -> tuple[NDArray[np.int64], Labels]:
        """The units that have ratings, and the pattern of the ratings of each."""
        names = list(map(str, self.values.names))
        missing = len(names)
        # By rank, so that those of a unit stand in the order of their texts.
        ranked = sorted(range(missing), key=names.__getitem__)
        ranks = np.empty(missing, np.int64)
        ranks[ranked] = np.arange(missing)
        bits = missing.bit_length()
        # Ratings of an annotator are sorted by unit already, which a stable sort makes use of.
        ratings = np.sort(self.owners << bits | ranks[self.values.codes], kind="stable")
        sizes = np.bincount(ratings >> bits)
        units = np.flatnonzero(sizes)
        sizes = sizes[units]
        held = np.arange(sizes.max()) < sizes[:, None]
        codes = np.full(held.shape, missing, np.min_scalar_type(missing).newbyteorder(">"))
        codes[held] = ratings & ((1 << bits) - 1)
        found, patterns = find_distinct([codes.view(np.uint8)])
        written = [json.dumps(names[code], ensure_ascii=False) for code in ranked]
        # A JSON list that is the same whatever order the ratings came in.
        texts = tuple(
            f"[{', '.join([written[code] for code in row[:size]])}]"
            for row, size in zip(codes[found].tolist(), sizes[found].tolist(), strict=True)
        )
        return units, Labels(patterns.astype(np.uint32), texts).rename(str)

    def _write_gold(self, values: Labels) -> dict[str, Any]:
        return {_free(self.table, _RATING): _write_labels(values)}

    def _take(self, rows: NDArray[np.int64], unit: str, beside: dict[str, Any]) -> Table:
        kept = {name: self.table.columns.column(name).take(rows) for name in self.rest}
        columns = pa.table({**kept, **beside})
        return Table(self.table.source, columns, unit, 1)


def _read_panel(ratings: _Ratings, reading: Reading) -> Systems:
    columns, task = reading.columns, reading.task.spelled(fold_case=reading.columns.fold_case)
    _check_labels(ratings, task)
    _check_units(ratings, columns)
    units, patterns = ratings.write_patterns()
    unrated = len(ratings.first) - len(units)
    lost = f"without a rating, and left out: {unrated} of {len(ratings.first)} units."
    table = ratings.table
    # At least one column, which tells how many units there are.
    kept = table.columns.select(ratings.rest or table.names()[:1])
    rows = Table(table.source, kept.take(ratings.first[units]), table.unit, table.first)
    labels = task.labels or ratings.values.names
    systems = Systems(
        (PANEL,),
        {"ratings": Patterns((patterns,), labels)},
        notes=(*ratings.notes, lost) if unrated else ratings.notes,
        task=Task("multiclass", labels),
        asked=replace(task, kind="multiclass"),
    )
    side = Side(rows)
    return replace(
        systems,
        groups=read_groups([side], columns.by),
        clusters=None if columns.clusters is None else side.labels(columns.clusters, Columns()),
        ids=ratings.name_units().take(units) if unrated or ratings.units is not None else None,
    )


def _read_ratings(table: Table, columns: Columns) -> _Ratings:
    if columns.annotators and columns.annotator is not None:
        raise UsageError("annotators have a column each, or one that names them, but not both")
    if columns.annotator is not None:
        return _read_rows(table, columns, columns.annotator)
    return _read_columns(table, columns)


def _read_columns(table: Table, columns: Columns) -> _Ratings:
    names = columns.annotators
    _check_annotators(names)
    if ANNOTATOR in table.names():
        raise InputError(
            f"{table.source}: has a column {ANNOTATOR!r}, which is what groups are called where "
            "annotators have a column each; rename it"
        )
    texts = [_write_ratings(table, name) for name in names]
    known = [as_numpy(text.is_valid()) for text in texts]
    rows = np.concatenate([np.flatnonzero(own) for own in known])
    givers = np.repeat(np.arange(len(names), dtype=np.uint32), [own.sum() for own in known])
    return _Ratings(
        table,
        tuple(name for name in table.names() if name not in names),
        _read_ids(table, columns),
        np.arange(len(table)),
        rows,
        rows,
        Labels(givers, names).rename(str),
        _read_values(table, texts, columns),
        _note_idle(dict(zip(names, known, strict=True))),
    )


def _read_rows(table: Table, columns: Columns, annotator: str) -> _Ratings:
    ids = need(table, IDS, columns.id, "id")
    rating = need(table, _RATINGS, columns.gold, "gold")
    text = _write_ratings(table, rating)
    keys = pc.dictionary_encode(as_keys(table.column(ids), table.source).combine_chunks())
    if keys.null_count:
        raise InputError(f"{table.source}: {keys.null_count} ratings have no id")
    owners = as_numpy(keys.indices).astype(np.int64)
    givers = as_text(encode(table.column(annotator), Side(table).locate(annotator)))
    _check_annotators(givers.names)
    pairs, first, counts = np.unique(
        owners * len(givers.names) + givers.codes, return_index=True, return_counts=True
    )
    if (counts > 1).any():
        unit, who = divmod(int(pairs[counts > 1][0]), len(givers.names))
        raise InputError(
            f"{table.source}: {givers.names[who]} rated the id {keys.dictionary[unit].as_py()} "
            "more than once"
        )
    rows = np.flatnonzero(as_numpy(text.is_valid()))
    idle = {str(name): rows[givers.codes[rows] == code] for code, name in enumerate(givers.names)}
    _, first = np.unique(owners, return_index=True)
    return _Ratings(
        table,
        tuple(name for name in table.names() if name not in (annotator, rating)),
        keys.dictionary,
        first,
        rows,
        owners[rows],
        givers.take(rows),
        _read_values(table, [text], columns),
        _note_idle(idle),
    )


def _read_ids(table: Table, columns: Columns) -> pa.Array | None:
    """The id of each row, with its groups where they have ids of their own; None without ids."""
    ids = find(table.names(), IDS, columns.id)
    if ids is None:
        return None
    groups = [table.column(name) for name in columns.by if Side(table).has(name)]
    names = join_groups(as_keys(table.column(ids), table.source), groups, table.source)
    check_ids(names, table.source, str)
    return names.combine_chunks() if isinstance(names, pa.ChunkedArray) else names


def _check_annotators(names: Sequence[Label]) -> None:
    if len(names) < 2:
        raise UsageError(f"agreement needs at least two annotators, and only {names[0]!r} is named")
    if len(set(names)) < len(names):
        raise UsageError("an annotator was named twice")


def _note_idle(given: dict[str, NDArray[Any]]) -> tuple[str, ...]:
    idle = [name for name, ratings in given.items() if not ratings.any()]
    return (f"no rating is by {', '.join(idle)}.",) if idle else ()


def _write_ratings(table: Table, name: str) -> Any:
    """A column of ratings as codes of texts, null where one is missing: empty, null, or NaN."""
    column = plain(table.column(name)).combine_chunks()
    kind = column.type
    if pa.types.is_floating(kind):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
        endless = pc.index(pc.is_inf(column), pa.scalar(value=True)).as_py()
        if endless >= 0:
            where = Side(table).locate(name)(endless)
            raise InputError(f"{where}: {column[endless].as_py()} is not a rating")
    if pa.types.is_nested(kind) or pa.types.is_temporal(kind):
        raise InputError(f"{table.source}, column {name!r}: {kind} values are not ratings")
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    coded = column.dictionary_encode()
    # So each rating that occurs is written once.
    texts = coded.dictionary.cast(pa.large_string())
    blank = pc.index(texts, pa.scalar("", pa.large_string())).as_py()
    indices = coded.indices
    if blank >= 0:
        indices = pc.if_else(pc.equal(indices, blank), None, indices)
    return pa.DictionaryArray.from_arrays(indices, texts)


def _read_values(table: Table, texts: Sequence[Any], columns: Columns) -> Labels:
    column = pa.chunked_array(texts).drop_null()
    if not len(column):
        raise InputError(f"{table.source}: no annotator rated anything")
    return as_text(encode(column, str), fold_case=columns.fold_case)


def _check_labels(ratings: _Ratings, task: Task) -> None:
    """Raises an InputError where a rating is none of the labels that were named."""
    known = task.labels or ratings.values.names
    strange = next((name for name in ratings.values.names if name not in known), None)
    if strange is not None:
        row = int(ratings.rows[ratings.values.first(strange)])
        raise InputError(
            f"{ratings.table.source}, {ratings.table.locate(row)}: the rating {str(strange)!r} is "
            f"not one of {list_labels(known)}"
        )


def _check_units(ratings: _Ratings, columns: Columns) -> None:
    """Raises an InputError where ratings of a unit stand beside different groups or clusters."""
    table = ratings.table
    for name in (*columns.by, *([columns.clusters] if columns.clusters else ())):
        if not Side(table).has(name):
            continue  # reading it tells what is wrong
        values = encode(table.column(name), Side(table).locate(name))
        torn = values.codes[ratings.rows] != values.codes[ratings.first[ratings.owners]]
        if torn.any():
            where = f"{table.source}, {table.locate(int(ratings.rows[torn.argmax()]))}"
            raise InputError(
                f"{where}: {name} is not what other ratings of the same unit have; groups and "
                "clusters are of units"
            )


def _free(table: Table, name: str) -> str:
    """The name, as much longer as it takes that no column of the table has it."""
    while name in table.names():
        name += "_"
    return name


def _write_labels(labels: Labels) -> Any:
    return pa.array(list(map(str, labels.names)), pa.large_string()).take(pa.array(labels.codes))
