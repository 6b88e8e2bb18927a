"""Ratings of annotators as a table holds them: a column for each, or a row for each rating."""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct, field
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.building import build_places
from tallystick.io.tables.table import Table
from tallystick.io.tables.values import as_keys, as_numpy, plain
from tallystick.model.codes import Label, Labels, as_text, encode
from tallystick.model.columns import ANNOTATOR, BOTH, IDS, Columns, find, need
from tallystick.model.ids import find_twice, join_groups, need_keys, tell_twice
from tallystick.model.number_values import MISSING
from tallystick.model.sides import Side
from tallystick.output.tables.notes import Danger

RATING = "rating"
"""What a column of ratings is called."""

_RATINGS = (RATING, *BOTH)


def _count(labels: Labels) -> dict[Label, int]:
    return dict(zip(labels.names, labels.count_each().tolist(), strict=True))


def _is_mark(name: str) -> bool:
    """Whether a rating is a punctuation mark; + and - may well be ratings."""
    return len(name) == 1 and name not in "+-" and unicodedata.category(name)[0] in "PS"


def _list_counts(counts: Mapping[Label, int]) -> str:
    return ", ".join(f"{str(name)!r} ({count:,})" for name, count in counts.items())


class Ratings(Struct, frozen=True, eq=False, dict=True):
    """Ratings, of which none is missing.

    Attributes:
        rest: The columns of the table that hold no ratings.
        units: The id of each unit, as Arrow text; None where rows have none.
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
        marks = {name: count for name, count in self.counts.items() if _is_mark(str(name))}
        spelled, marked = (_list_counts(own) for own in (self.missing, marks))
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
        return tuple(note for told, note in notes if told)

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
    """The id of each row, with its groups where they have ids of their own; None without ids."""
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
