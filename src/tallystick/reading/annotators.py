"""Ratings of several annotators as systems: their agreement, or systems held against them.

Of annotators alone, it is their agreement that is measured. Where there are systems beside them,
every rating is the gold of an example of its own, or the majority of a unit's ratings is its gold.
"""

import json
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import write_out
from tallystick.model.codes import Label, Labels, encode, list_labels
from tallystick.model.columns import ANNOTATOR, Columns
from tallystick.model.facts import Facts
from tallystick.model.reading import Patterns, Reading
from tallystick.model.sides import Side, read_groups
from tallystick.model.systems import Systems
from tallystick.model.tallies.arrays.distinct import find_distinct
from tallystick.model.task import Task
from tallystick.model.where import choose_rows
from tallystick.reading.ratings import (
    RATING,
    Ratings,
    find_free,
    read_ratings,
    write_labels,
)
from tallystick.reading.table_files import read_block

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
    told = ratings.describe(alone=not names, majority=columns.majority)
    reading = replace(reading, columns=columns)
    if not names:
        return _read_panel(ratings, reading).know(notes=told, shaped=shaped)
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
    return read.know(notes=(*told, *notes, *added, *read.facts.notes), shaped=shaped)


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
                "people are part of their own majority; hold systems and people against each "
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
    """Of each rating the one that another annotator gave the unit; null where nobody did.

    From unit to unit the next annotator, the one after and so on, so that each pair of
    annotators is compared about as often.
    """
    units, places, sizes = np.unique(ratings.owners, return_inverse=True, return_counts=True)
    alone = int((sizes == 1).sum())
    if alone and columns.missing == "error":
        raise InputError(
            f"{ratings.table.source}: {alone} of {len(units)} units have one rating alone, which "
            "people cannot be held against; leave them out of people's scores with "
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
        {"ratings": Patterns((patterns,), labels)},
        groups=read_groups([side], columns.by),
        clusters=None if columns.clusters is None else side.labels(columns.clusters, Columns()),
        ids=None if whole and ratings.units is None else ratings.name_units().take(units),
        facts=Facts(Task("multiclass", labels), replace(task, kind="multiclass")),
    )


def _check_labels(ratings: Ratings, known: Sequence[Label]) -> None:
    """Raises an InputError where a rating is none of the labels that were named."""
    strange = next((name for name in ratings.values.names if name not in known), None)
    if strange is not None:
        row = int(ratings.rows[ratings.values.first(strange)])
        raise InputError(
            f"{ratings.table.source}, {ratings.table.locate(row)}: the rating {str(strange)!r} is "
            f"not one of {list_labels(known)}"
        )


def _check_units(ratings: Ratings, columns: Columns) -> None:
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
