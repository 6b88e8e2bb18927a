"""Texts beside their references, read from tables and from memory."""

import json
from collections.abc import Sequence
from typing import Any, final

import numpy as np

from tallystick.errors import InputError
from tallystick.examples.block_notes import count_empty
from tallystick.examples.columns import BOTH, IDS, REFERENCE, Columns, find, need
from tallystick.examples.reading import Lists
from tallystick.examples.sides import Side, find_output_column
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, field, replace
from tallystick.kinds.texts.text_columns import TextColumn, TextPart, read_pairs
from tallystick.kinds.texts.texts import Texts, pair_texts, take_texts


@final
@dataclass(frozen=True, slots=True, eq=False)
class TextReader:
    """Reads texts beside their references; keeps those of each system, and how many are missing."""

    left: Side
    found: dict[str, tuple[TextPart, int]] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        left, output = self.left, find_output_column(self.left, side, columns)
        rest = [one for one in left.names if not left.beside(side) or one != output]
        reference = find(rest, BOTH, columns.gold)
        apart = (*IDS, *columns.by, columns.clusters, columns.id)
        single = [one for one in rest if one not in apart]
        if reference is None and not left.beside(side) and len(single) == 1:
            reference = single[0]
        if reference is None:
            reference = need(left.table, REFERENCE, None, "gold")
        if left.beside(side) and output == reference:
            raise InputError(
                f"{left.table.source}: column {output!r} cannot be both gold and output; name them "
                "with --gold-column and --predicted-column"
            )
        hypotheses, missing = _read_texts(side, output, columns)
        references = _read_references(left, reference)
        located = (side.locate(output), left.locate(reference))
        self.found[name] = (pair_texts(hypotheses, references, located), missing)

    def add(self, systems: Systems) -> Systems:
        sizes = {name: self.found[name][1] for name in systems.names}
        empty = (count_empty(name, size) for name, size in sizes.items() if size)
        texts = TextColumn(tuple(self.found[name][0] for name in systems.names))
        return replace(systems.beside("texts", texts), notes=(*systems.notes, *empty))


def _read_references(side: Side, name: str) -> Sequence[Any] | Texts:
    """Returns the references of each example; in one buffer where each has one, a string."""
    values = side.values(name)
    texts = take_texts(values)
    if texts is not None and not values[0].as_py().startswith("["):
        return texts
    import pyarrow.compute as pc

    if texts is None or pc.all(pc.starts_with(values, "[")).as_py():
        return list_references(side, name)
    return texts


def list_references(side: Side, name: str) -> list[Any]:
    """Returns the references of each example; where all cells of a file are JSON, their lists."""
    cells = side.cells(name)
    if not all(isinstance(cell, str) and cell.startswith("[") for cell in cells):
        return cells
    try:
        found = [json.loads(cell) for cell in cells]
    except (ValueError, RecursionError):
        return cells
    alike = all(isinstance(one, list) and all(isinstance(t, str) for t in one) for one in found)
    return found if alike else cells


def _read_texts(side: Side, name: str, columns: Columns) -> tuple[Sequence[str] | Texts, int]:
    """The texts, with an empty one for each that is missing, and how many are."""
    texts = take_texts(side.values(name))
    if texts is not None:
        return texts, 0
    cells = side.cells(name)
    lacking = np.zeros(len(cells), bool) if side.absent is None else side.absent
    missing = [row for row, text in enumerate(cells) if text is None]
    for row in missing:
        if columns.invalid == "error" and not lacking[row]:
            raise InputError(
                f"{side.locate(name)(row)}: the text is missing; pass --invalid wrong "
                "to count it as empty"
            )
    return ["" if one is None else one for one in cells], len(missing)


def read_text_lists(given: Lists) -> TextColumn:
    """Reads columns in memory as texts, or as token lists."""
    parts = (read_pairs(own, given.gold, name) for name, own in given.outputs.items())
    return TextColumn(tuple(parts))
