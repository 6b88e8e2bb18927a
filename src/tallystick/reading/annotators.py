"""Ratings of several annotators as systems: their agreement, or systems scored against them.

With systems, every rating is the gold of an example of its own, or the majority of a unit's is.
"""

import json
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import Danger, InputError, UsageError
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_keys, as_numpy, build_places, plain, write_out
from tallystick.model.codes import Label, Labels, as_text, encode, list_labels
from tallystick.model.columns import ANNOTATOR, BOTH, IDS, Columns, find, need
from tallystick.model.facts import Facts, Task
from tallystick.model.filter_expression import choose_rows
from tallystick.model.ids import find_twice, join_groups, need_keys, tell_twice
from tallystick.model.number_values import MISSING
from tallystick.model.reading import Patterns, Reading
from tallystick.model.sides import Side, read_groups
from tallystick.model.systems import Systems
from tallystick.model.tallies.groups import find_distinct
from tallystick.reading.table_files import read_block

RATING = "rating"
"""What a column of ratings is called."""

_RATINGS = (RATING, *BOTH)


def _count(labels: Labels) -> dict[Label, int]:
    return dict(zip(labels.names, labels.count_each().tolist(), strict=True))


class Ratings(Struct, frozen=True, eq=False, dict=True):
    """Ratings, of which none is missing.

    Attributes:
        rest: The columns of the table that are no ratings.
        units: The id of each unit, as Arrow text; None if rows have none.
        first: The first row of each unit.
        rows: The row of each rating.
        owners: The unit of each rating.
        missing: How often cells spell that there is no rating, by spelling.
    """

    table: Table
    rest: tuple[str, ...]
    units: pa.Array | None
    first: NDArray[np.int64]
    rows: NDArray[np.int64]
    owners: NDArray[np.int64]
    annotators: Labels
    values: Labels
    missing: Mapping[Label, int] = field(default_factory=dict)

    @property
    def counts(self) -> dict[Label, int]:
        """How often each rating was given."""
        return _count(self.values)

    def describe(self, *, alone: bool, majority: bool) -> tuple[str, ...]:
        """Who and what does not count, in words; `alone` says that there are no systems."""
        idle = ", ".join(str(name) for name, count in _count(self.annotators).items() if not count)
        units, rated = len(self.first), int(np.count_nonzero(np.bincount(self.owners)))
        unrated = units - rated if alone else 0
        tied = self.majority[2] if majority else 0
        # Punctuation marks are hardly ratings, though + and - may well be.
        short = {name: count for name, count in self.counts.items() if len(str(name)) == 1}
        marks = {
            name: count
            for name, count in short.items()
            if str(name) not in "+-" and unicodedata.category(str(name))[0] in "PS"
        }
        spelled, marked = (
            ", ".join(f"{str(name)!r} ({count:,})" for name, count in own.items())
            for own in (self.missing, marks)
        )
        notes = (
            (idle, f"no rating is by {idle}."),
            (unrated, f"without a rating, and left out: {unrated} of {units} units."),
            (tied, f"without a majority, and left out: {tied} of {rated} units with ratings."),
            (spelled, f"counted as missing ratings: {spelled}."),
            (
                marked,
                Danger(
                    f"counted as ratings: {marked}; leave these cells empty if they are missing "
                    "ratings."
                ),
            ),
        )
        return tuple(note for message, note in notes if message)

    @cached_property
    def majority(self) -> tuple[NDArray[np.int64], Labels, int]:
        """The units with a rating that most annotators gave, that rating, and how many are tied."""
        wide = len(self.values.names)
        pairs, counts = np.unique(self.owners * wide + self.values.codes, return_counts=True)
        units, codes = np.divmod(pairs, max(wide, 1))
        most = np.zeros(len(self.first), np.int64)
        np.maximum.at(most, units, counts)
        top = counts == most[units]
        leaders = np.bincount(units[top])
        clear = top & (leaders[units] == 1)
        golden = Labels(codes[clear].astype(np.uint32), self.values.names)
        return units[clear], golden, int((leaders > 1).sum())

    def name_units(self) -> pa.Array:
        """The name of each unit, as Arrow text: its id, or the number of its row."""
        if self.units is not None:
            return self.units
        numbers = build_places(self.first + 1).cast(pa.large_string())
        source = pa.scalar(self.table.source, pa.large_string())
        return pc.binary_join_element_wise(source, numbers, pa.scalar(" ", pa.large_string()))


def read_ratings(table: Table, columns: Columns) -> Ratings:
    """Reads the ratings of a table."""
    if columns.annotators and columns.annotator is not None:
        raise UsageError("annotators have a column each, or one that names them, but not both")
    if columns.annotator is not None:
        ratings = _read_rows(table, columns, columns.annotator)
    else:
        ratings = _read_columns(table, columns)
    if not len(ratings.rows):
        raise InputError(f"{table.source}: no annotator rated anything")
    return ratings


def _read_columns(table: Table, columns: Columns) -> Ratings:
    names = columns.annotators
    _check_annotators(names)
    if ANNOTATOR in table.names():
        raise InputError(
            f"{table.source}: has a column {ANNOTATOR!r}, which is what groups are called where "
            "annotators have a column each; rename it"
        )
    missing = dict[Label, int]()
    texts = [_write_ratings(table, name, missing) for name in names]
    known = [as_numpy(text.is_valid()) for text in texts]
    rows = np.concatenate([np.flatnonzero(own) for own in known])
    givers = np.repeat(np.arange(len(names), dtype=np.uint32), [own.sum() for own in known])
    return Ratings(
        table,
        tuple(name for name in table.names() if name not in names),
        _read_ids(table, columns),
        np.arange(len(table)),
        rows,
        rows,
        Labels(givers, names).rename(str),
        _read_values(texts, columns),
        missing=missing,
    )


def _read_rows(table: Table, columns: Columns, annotator: str) -> Ratings:
    ids = need(table, IDS, columns.id, "id")
    rating = need(table, _RATINGS, columns.gold, "gold")
    missing = dict[Label, int]()
    text = _write_ratings(table, rating, missing)
    keys = pc.dictionary_encode(need_keys(table.column(ids), table.source))
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
    _, first = np.unique(owners, return_index=True)
    return Ratings(
        table,
        tuple(name for name in table.names() if name not in (annotator, rating)),
        keys.dictionary,
        first,
        rows,
        owners[rows],
        givers.take(rows),
        _read_values([text], columns),
        missing=missing,
    )


def _read_ids(table: Table, columns: Columns) -> pa.Array | None:
    """The id of each row, with its groups if ids are per group; None without ids."""
    ids = find(table.names(), IDS, columns.id)
    if ids is None:
        return None
    groups = [table.column(name) for name in columns.by if Side(table).has(name)]
    names = join_groups(as_keys(table.column(ids), table.source), groups, table.source)
    tell_twice(find_twice(names, table.source), table.source)
    return names.combine_chunks() if isinstance(names, pa.ChunkedArray) else names


def _check_annotators(names: Sequence[Label]) -> None:
    if len(names) < 2:
        raise UsageError(
            f"agreement needs at least two annotators, and only {names[0]!r} is named; to score "
            f"another column against it, name {names[0]!r} as the gold column"
        )
    if len(set(names)) < len(names):
        raise UsageError("an annotator was named twice")


def _write_ratings(table: Table, name: str, missing: dict[Label, int]) -> Any:
    """A column of ratings as codes; spellings of missing ones are null, and counted."""
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
    indices = coded.indices
    for code, text in enumerate(texts.to_pylist()):
        if text is not None and text.strip() not in MISSING:
            continue
        blank = pc.equal(indices, code)
        indices = pc.if_else(blank, None, indices)
        if text:
            missing[text] = missing.get(text, 0) + pc.sum(blank).as_py()
    return pa.DictionaryArray.from_arrays(indices, texts)


def _read_values(texts: Sequence[Any], columns: Columns) -> Labels:
    column = pa.chunked_array(texts).drop_null()
    if not len(column):
        return Labels(np.zeros(0, np.uint8), ())
    return as_text(encode(column, str), fold_case=columns.fold_case)


def find_free(table: Table, name: str) -> str:
    """Returns the name, as much longer as it takes that no column of the table has it."""
    while name in table.names():
        name += "_"
    return name


def write_labels(labels: Labels) -> Any:
    """Returns labels as Arrow text."""
    return pa.array(list(map(str, labels.names)), pa.large_string()).take(pa.array(labels.codes))


PANEL = "annotators"
"""What the annotators together are called, who are the only system where no other is named."""

PEOPLE, CONSTANT = "people", "constant"
"""Systems to hold others against where no column is called that: of each rating the one that
another annotator gave the same unit, and always the commonest rating."""

_UNIT = "unit"


def read_annotated(table: Table, systems: Sequence[str], reading: Reading) -> Systems:
    """Reads ratings of annotators, and the systems in columns next to them, if any."""
    if reading.task.kind == "multilabel":
        raise UsageError("each annotator gives a unit one rating, not a set of labels")
    table = choose_rows(table, reading.columns.where)
    table = replace(table, columns=write_out(table.columns))
    columns = reading.columns.spelled(table.names())
    ratings, shaped = read_ratings(table, columns), columns.describe()
    columns = replace(columns, where=None)
    names = columns.list_systems(systems)
    if columns.count is not None:
        raise UsageError("ratings of annotators are a row for each unit, not counts of them")
    if not names:
        if columns.weight is not None:
            raise UsageError("ratings of annotators alone have no weights")
        if columns.majority:
            raise UsageError("a majority is what systems are scored against: name their columns")
    message = ratings.describe(alone=not names, majority=columns.majority)
    reading = replace(reading, columns=columns)
    if not names:
        return _read_panel(ratings, reading).know(notes=message, shaped=shaped)
    examples, notes = _take_examples(ratings, columns)
    absent = set(names) - set(table.names())
    examples, added = _add_references(ratings, examples, absent, columns)
    clusters = columns.clusters or (None if columns.majority else find_free(table, _UNIT))
    named = replace(columns, gold=find_free(table, RATING), clusters=clusters, majority=False)
    named = replace(named, annotators=(), annotator=None)
    for name in names:
        examples.column(name)
    reading = replace(reading, columns=named)
    read = read_block(examples, {name: name for name in names}, reading, 0)
    return read.know(notes=(*message, *notes, *added, *read.facts.notes), shaped=shaped)


def _take_examples(ratings: Ratings, columns: Columns) -> tuple[Table, tuple[str, ...]]:
    """Every rating as an example, or every unit with that of most annotators; and a note."""
    if not columns.majority:
        beside = {
            columns.annotator or ANNOTATOR: write_labels(ratings.annotators),
            find_free(ratings.table, _UNIT): ratings.name_units().take(ratings.owners),
        }
        note = "every rating is compared: groups are annotators, and macro is their mean."
        return _take(ratings, ratings.rows, "rating", ratings.values, beside), (note,)
    units, golden, _ = ratings.majority
    if not len(units):
        source = ratings.table.source
        raise InputError(f"{source}: no unit has a rating that most annotators gave")
    return _take(ratings, ratings.first[units], "unit", golden, {}), ()


def _take(
    ratings: Ratings,
    rows: NDArray[np.int64],
    unit: str,
    golden: Labels,
    beside: dict[str, Any],
) -> Table:
    table = ratings.table
    kept = {name: table.columns.column(name).take(rows) for name in ratings.rest}
    gold = {find_free(table, RATING): write_labels(golden)}
    return Table(table.source, pa.table({**kept, **beside, **gold}), unit, 1)


def _add_references(
    ratings: Ratings, examples: Table, names: Collection[str], columns: Columns
) -> tuple[Table, tuple[str, ...]]:
    """Adds columns of `PEOPLE` and `CONSTANT` where these are among the names, with notes."""
    table, notes = examples.columns, list[str]()
    if PEOPLE in names:
        if columns.majority:
            raise UsageError(
                "people are part of their own majority; compare systems and people with each "
                "annotator, without `majority=True`"
            )
        table = table.append_column(PEOPLE, [_pair_people(ratings, columns)])
        notes.append("people: the rating of another annotator of the same unit, each in turn.")
    if CONSTANT in names:
        counts = ratings.counts
        commonest = str(max(counts, key=lambda name: counts[name]))
        table = table.append_column(CONSTANT, [[commonest] * len(table)])
        notes.append(f"constant: always {commonest!r}, the commonest rating.")
    return replace(examples, columns=table), tuple(notes)


def _pair_people(ratings: Ratings, columns: Columns) -> Any:
    """Returns another annotator's rating of the unit for each rating, each pair about as often."""
    units, places, sizes = np.unique(ratings.owners, return_inverse=True, return_counts=True)
    alone = int((sizes == 1).sum())
    if alone and columns.missing == "error":
        raise InputError(
            f"{ratings.table.source}: {alone} of {len(units)} units have one rating alone, so "
            "people cannot be compared with others there; leave them out of people's scores with "
            "`missing='exclude'`"
        )
    order = np.lexsort([ratings.annotators.codes, places])
    starts = np.cumsum(sizes) - sizes
    step = 1 + np.arange(len(units)) % np.maximum(sizes - 1, 1)
    owners = places[order]
    nth = np.arange(len(order)) - starts[owners]
    partner = order[starts[owners] + (nth + step[owners]) % sizes[owners]]
    others = np.empty(len(order), np.int64)
    others[order] = partner
    given = write_labels(ratings.values.take(others))
    return pc.if_else((sizes > 1)[places], given, None)


def _write_patterns(ratings: Ratings) -> tuple[NDArray[np.int64], Labels]:
    names = list(map(str, ratings.values.names))
    missing = len(names)
    # By rank, so that those of a unit stand in the order of their texts.
    ranked = sorted(range(missing), key=names.__getitem__)
    ranks = np.empty(missing, np.int64)
    ranks[ranked] = np.arange(missing)
    bits = missing.bit_length()
    # Ratings of an annotator are sorted by unit already, which a stable sort makes use of.
    given = np.sort(ratings.owners << bits | ranks[ratings.values.codes], kind="stable")
    sizes = np.bincount(given >> bits)
    units = np.flatnonzero(sizes)
    sizes = sizes[units]
    held = np.arange(sizes.max()) < sizes[:, None]
    codes = np.full(held.shape, missing, np.min_scalar_type(missing).newbyteorder(">"))
    codes[held] = given & ((1 << bits) - 1)
    found, patterns = find_distinct([codes.view(np.uint8)])
    written = [json.dumps(names[code], ensure_ascii=False) for code in ranked]
    # A JSON list that is the same whatever order the ratings came in.
    texts = tuple(
        f"[{', '.join([written[code] for code in row[:size]])}]"
        for row, size in zip(codes[found].tolist(), sizes[found].tolist(), strict=True)
    )
    return units, Labels(patterns.astype(np.uint32), texts).rename(str)


def _write_complete(ratings: Ratings, units: NDArray[np.int64]) -> Labels:
    """The ratings of each unit in the order of the annotators, "[]" unless all rated it."""
    names, raters = ratings.values.names, len(ratings.annotators.names)
    whole = np.bincount(ratings.owners, minlength=units[-1] + 1)[units] == raters
    places = np.searchsorted(units, ratings.owners)
    rows = np.lexsort([ratings.annotators.codes, ratings.owners])
    kept = rows[whole[places[rows]]]
    found, codes = np.unique(
        ratings.values.codes[kept].reshape(-1, raters), axis=0, return_inverse=True
    )
    texts = [json.dumps([str(names[code]) for code in row], ensure_ascii=False) for row in found]
    spread = np.full(len(units), len(texts))
    spread[whole] = codes
    return Labels(spread.astype(np.uint32), (*texts, "[]")).rename(str)


def _read_panel(ratings: Ratings, reading: Reading) -> Systems:
    columns, task = reading.columns, reading.task.spelled(fold_case=reading.columns.fold_case)
    labels = task.labels or ratings.values.names
    _check_labels(ratings, labels)
    _check_units(ratings, columns)
    units, patterns = _write_patterns(ratings)
    table = ratings.table
    # At least one column, which tells how many units there are.
    kept = table.columns.select(ratings.rest or table.names()[:1])
    rows = Table(table.source, kept.take(ratings.first[units]), table.unit, table.first)
    whole, side = len(units) == len(ratings.first), Side(rows)
    return Systems(
        (PANEL,),
        {
            "ratings": Patterns((patterns,), labels),
            "raters": Patterns((_write_complete(ratings, units),), labels),
        },
        groups=read_groups([side], columns.by),
        clusters=None if columns.clusters is None else side.labels(columns.clusters, Columns()),
        ids=None if whole and ratings.units is None else ratings.name_units().take(units),
        facts=Facts(Task("multiclass", labels), replace(task, kind="multiclass")),
    )


def _check_labels(ratings: Ratings, known: Sequence[Label]) -> None:
    strange = next((name for name in ratings.values.names if name not in known), None)
    if strange is not None:
        row = int(ratings.rows[ratings.values.first(strange)])
        raise InputError(
            f"{ratings.table.source}, {ratings.table.locate(row)}: the rating {str(strange)!r} is "
            f"not one of {list_labels(known)}"
        )


def _check_units(ratings: Ratings, columns: Columns) -> None:
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
