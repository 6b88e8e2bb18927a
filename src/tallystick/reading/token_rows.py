"""Sentences as rows of tokens, whose tags are labels: parts of speech, or tags of entities."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.io.tables.table import Table
from tallystick.io.tables.values import build_places, build_strings
from tallystick.kinds.spans.span_columns import (
    check_lengths,
    check_tokens,
    find_gold_tags,
    find_tags,
    is_beside_tokens,
    list_cells,
)
from tallystick.model.columns import Columns
from tallystick.model.facts import Task
from tallystick.model.reading import Reading
from tallystick.model.sides import Side

_SENTENCE, _TOKEN, _OUTPUT = "sentence of the token", "place of the token", "tag of the output"
_TREES = 10
"""How many columns CoNLL-U has: the first one numbers words, and the fourth has their tags."""


_Tags = list[Any]


def are_sequences(rows: object, task: Task) -> bool:
    """Returns whether lists have a label for each token: in a set no label occurs twice."""
    lists: _Tags = (
        [row for row in rows if row is not None] if isinstance(rows, list | tuple) else []
    )
    if task.kind not in (None, "multiclass") or not any(map(bool, lists)):
        return False
    if not all(isinstance(row, list | tuple) for row in lists):
        return False
    plain = all(isinstance(one, str | int) for row in lists for one in row)
    return plain and (task.kind is not None or any(len({*row}) < len(row) for row in lists))


def _has_sequences(left: Side, name: str, task: Task) -> bool:
    some = Side(left.table.head())
    cells = [cell for cell in some.table.values(name) if cell is not None]
    if not all(isinstance(cell, list) or str(cell).lstrip().startswith("[") for cell in cells):
        return False
    tagged = task.kind is None and "tag" in name.casefold() and is_beside_tokens(left, name)
    return are_sequences(
        list_cells(some, name), replace(task, kind="multiclass") if tagged else task
    )


class Tokens(Struct, frozen=True, eq=False):
    """The tokens of sentences, whose gold is the `tags` of a column; `rows` are their sentences."""

    left: Side
    column: str
    tags: list[_Tags]
    rows: NDArray[np.int64]

    @classmethod
    def find(cls, left: Side, reading: Reading, *, alone: bool) -> "Tokens | None":
        """The tokens of a table that is read as labels; None where it has no sentences."""
        if not reading.labelled or len(reading.kinds or ()) > 1:
            return None
        name = _find_part_of_speech(left, reading.columns.gold)
        name = name or find_gold_tags(left, reading.columns, alone=alone)
        if name is None or not left.has(name):
            return None
        task = reading.asked or reading.task
        if left.table.unit != "sentence" and not _has_sequences(left, name, task):
            return None
        tags = _list_tags(left, name)
        return cls(left, name, tags, np.repeat(np.arange(len(tags)), [*map(len, tags)]))

    @property
    def note(self) -> str:
        """What was read as an example."""
        return (
            f"each token is an example, with its label in column {self.column!r}; the tokens of a "
            "sentence form a cluster."
        )

    def settle(self, reading: Reading, first: int) -> tuple[Side, Reading]:
        """Returns the gold with a row for each token, and how it is read."""
        named = [self.left.locate_row(row) for row in range(len(self.tags))]
        places = chain.from_iterable(range(len(own)) for own in self.tags)
        ids = [f"{first + row + 1}/{at + 1}" for row, at in zip(self.rows, places, strict=True)]
        sentences = build_strings(named).take(pa.array(self.rows))
        beside = {_TOKEN: build_strings(ids), _SENTENCE: sentences}
        columns = replace(
            reading.columns,
            gold=self.column,
            predicted=_OUTPUT,
            id=_TOKEN,
            clusters=reading.columns.clusters or _SENTENCE,
        )
        task = reading.task
        if task.kind is None and task.positive is None:
            task = replace(task, kind="multiclass")
        left = self._spread(self.left, {self.column: _flatten(self.tags), **beside})
        return left, replace(reading, columns=columns, task=task)

    def spread(self, side: Side, columns: Columns) -> Side:
        """Returns the outputs of a system with a row for each token."""
        if not side.beside(self.left):
            check_tokens(self.left, side)
        name = _find_part_of_speech(side, columns.predicted)
        name = name or find_tags(self.column, self.left, side, columns)
        tags = _list_tags(side, name)
        check_lengths([np.array([*map(len, own)]) for own in (self.tags, tags)], self.left, side)
        if side.absent is not None:
            lost = zip(self.tags, tags, side.absent.tolist(), strict=True)
            tags = [[None] * len(gold) if lacking else own for gold, own, lacking in lost]
        return self._spread(side, {_OUTPUT: _flatten(tags)})

    def _spread(self, side: Side, added: Mapping[str, pa.Array]) -> Side:
        """A side with its columns that are no lists, and those that are added, for each token."""
        schema = side.table.columns.schema
        kept = [one.name for one in schema if one.name not in added and not _is_nested(one.type)]
        rows = self.rows if side.rows is None else side.rows[self.rows]
        columns = pa.table(added)
        if kept:
            taken = side.table.columns.select(kept).take(build_places(np.maximum(rows, 0)))
            for own in taken.schema:
                columns = columns.append_column(own, taken.column(own.name))
        absent = np.where(rows < 0, -1, np.arange(len(rows)))
        table = Table(side.table.source, columns, side.table.unit, side.table.first)
        return Side(replace(table, places=rows), None if (rows >= 0).all() else absent)


def _is_nested(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _flatten(tags: list[_Tags]) -> pa.Array:
    return pa.array(chain.from_iterable(tags), from_pandas=False)


def _find_part_of_speech(side: Side, named: str | None) -> str | None:
    return "4" if named is None and _is_treebank(side) else None


def _is_treebank(side: Side) -> bool:
    return side.table.unit == "sentence" and str(_TREES) in side.names


def _list_tags(side: Side, name: str) -> list[_Tags]:
    """The tags of each sentence without ranges of words and empty nodes; none where absent."""
    cells = list_cells(side, name)
    if _is_treebank(side):
        numbers = list_cells(side, "1")
        words = (zip(*pair, strict=True) for pair in zip(numbers, cells, strict=True))
        cells = [[tag for number, tag in own if number.isdecimal()] for own in words]
    rows = range(len(cells)) if side.rows is None else side.rows.tolist()
    return [(cells[row] or []) if row >= 0 else [] for row in rows]
