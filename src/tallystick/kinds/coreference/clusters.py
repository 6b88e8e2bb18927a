"""Columns of clusters of mentions: the numbers of their first and last tokens."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeGuard

import numpy as np
from msgspec import Struct, field

from tallystick.errors import Danger, InputError, MissingValueError, say_count
from tallystick.io.tables.json_cells import read_literal
from tallystick.io.tables.values import build_strings
from tallystick.kinds.coreference import COREFERENCE, TOKENS
from tallystick.model.codes import Locate
from tallystick.model.columns import BOTH, OUTPUTS, Columns, find
from tallystick.model.facts import count_wrong
from tallystick.model.number_values import Cells
from tallystick.model.reading import Drafted, MadeUp, Reading, Sample
from tallystick.model.sides import Side, find_gold, find_output
from tallystick.model.systems import Column, Systems

Mention = tuple[int, ...]
Clusters = tuple[tuple[Mention, ...], ...]

_CLUSTERS = ("gold_clusters", "clusters", "clusters_token_offsets", "clusters_char_offsets")
_GOLD = (*_CLUSTERS, *BOTH)
_OWN = ("predicted_clusters", "pred_clusters", "system_clusters", *_CLUSTERS, *OUTPUTS)
_OTHER = 0.2
"""From this share of other tokens on a document is another one."""


class Coreference(Column, frozen=True, eq=False):
    """The clusters of each document, those of the gold and those of each system."""

    gold: tuple[Clusters, ...]
    outputs: tuple[tuple[Clusters, ...], ...]

    def __len__(self) -> int:
        return len(self.gold)

    def of(self, places: Sequence[int]) -> "Coreference":
        return Coreference(self.gold, tuple(self.outputs[place] for place in places))

    def take(self, rows: slice) -> "Coreference":
        return Coreference(self.gold[rows], tuple(own[rows] for own in self.outputs))

    def tell_gold(self, row: int) -> str:
        """The clusters of a document, such as `0-1 5 | 3 9`."""
        return _tell(self.gold[row])

    def tell_output(self, place: int, row: int) -> str:
        """The clusters that a system has in a document."""
        return _tell(self.outputs[place][row])


def _tell(clusters: Clusters) -> str:
    def tell(mention: Mention) -> str:
        parts = zip(mention[::2], mention[1::2], strict=True)
        return "+".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts)

    return " | ".join(" ".join(map(tell, own)) for own in clusters)


def _read_cell(cell: object, where: str) -> Clusters:
    """The clusters of a document as they were written."""
    if cell is None:
        raise MissingValueError(f"{where}: the clusters are missing")
    try:
        found = read_literal(cell) if isinstance(cell, str) else cell
    except (ValueError, RecursionError):
        found = cell
    if _are_lists(found) and all(map(_are_lists, found)):
        return tuple(tuple(_read_mention(one, where) for one in own) for own in found)
    shown = repr(cell)[:60]
    raise InputError(f"{where}: expected clusters such as [[[0, 1], [5, 5]]], found {shown}")


def _are_lists(values: object) -> TypeGuard[Sequence[Sequence[object]]]:
    return isinstance(values, list | tuple | np.ndarray)


def _read_mention(value: object, where: str) -> Mention:
    """The numbers of the first and the last token of each part."""
    if _are_lists(value) and len(value) > 1 and len(value) % 2 == 0:
        whole = (one for one in value if isinstance(one, int | np.integer))
        found = tuple(int(one) for one in whole if not isinstance(one, bool))
        if len(found) == len(value) and found[0] >= 0 and all(a <= b for a, b in pairwise(found)):
            return found
    shown = repr(value)[:60]
    raise InputError(f"{where}: expected a mention such as [0, 1], found {shown}")


def _read_side(cells: Sequence[object], locate: Locate) -> tuple[tuple[Clusters, ...], int]:
    """The clusters of documents, and how many mentions were left out that occur twice."""
    found, twice = list[Clusters](), 0
    for row, cell in enumerate(cells):
        clusters, seen = list[tuple[Mention, ...]](), set[Mention]()
        for own in _read_cell(cell, locate(row)):
            kept = tuple(dict.fromkeys(one for one in own if one not in seen))
            twice += len(own) - len(kept)
            seen.update(kept)
            clusters += [kept] if kept else []
        found.append(tuple(clusters))
    return tuple(found), twice


def _note(name: str, twice: int) -> list[str]:
    what = f"{name}: {say_count(twice, 'mention')} of a document occur again"
    return [Danger(f"{what}; only the first occurrence counts.")] if twice else []


def read_clusters(gold: Cells, outputs: Sequence[Cells]) -> Coreference:
    """Reads clusters in memory."""
    sides = [_read_side(list(own.values), own.locate)[0] for own in (gold, *outputs)]
    return Coreference(sides[0], tuple(sides[1:]))


def has_clusters(left: Side, columns: Columns, *, alone: bool) -> bool:
    """Whether the gold of a table has clusters of mentions."""
    names = [name for name in left.names if name != columns.predicted]
    name = find(names, _CLUSTERS, columns.gold)
    if name is None or not left.has(name):
        return False
    some = left.table.head().values(name)
    return are_clusters(some) or (name == "clusters" and left.table.unit == "document")


def are_clusters(values: Sequence[object]) -> bool:
    """Whether values are clusters of mentions, and not only empty lists."""
    try:
        return any(any(_read_cell(cell, "")) for cell in values)
    except InputError:
        return False


class ClusterReader(Struct, frozen=True, eq=False):
    """Reads the clusters of systems next to those of the gold, whose documents must be the same."""

    left: Side
    gold: tuple[Clusters, ...]
    notes: tuple[str, ...]
    found: dict[str, tuple[tuple[Clusters, ...], list[str]]] = field(default_factory=dict)

    def read(self, name: str, side: Side, columns: Columns) -> None:
        column = find_output(self.left, side, columns, usual=(_OWN, _GOLD))
        cells, lost = list[object](), 0
        if columns.missing == "wrong":
            values = side.table.values(column)
            rows = range(len(values)) if side.rows is None else side.rows.tolist()
            known = [values[row] if row >= 0 else None for row in rows]
            lost = known.count(None)
            cells = [[] if one is None else one for one in known]
        else:
            side.need_all("coreference")
            cells = side.objects(column)
        notes = [] if self.left.beside(side) else _check_tokens(self.left, side)
        clusters, twice = _read_side(cells, side.locate(column))
        notes += [*_note(name, twice), *([count_wrong(name, lost)] if lost else [])]
        self.found[name] = clusters, notes

    def add(self, systems: Systems) -> Systems:
        outputs = tuple(self.found[name][0] for name in systems.names)
        own = dict.fromkeys(note for name in systems.names for note in self.found[name][1])
        found = systems.beside(COREFERENCE.side, Coreference(self.gold, outputs))
        return found.know(notes=(*self.notes, *systems.facts.notes, *own))


def open_clusters(left: Side, reading: Reading, *, alone: bool) -> ClusterReader:
    """Reads the gold of a table."""
    name = find_gold(left, reading.columns, alone=alone, usual=_GOLD)
    gold, twice = _read_side(left.objects(name), left.locate(name))
    return ClusterReader(left, gold, tuple(_note("gold", twice)))


def _check_tokens(left: Side, right: Side) -> list[str]:
    """Raises an InputError where documents have other tokens than in the gold; notes a few."""
    notes = list[str]()
    name = next((one for one in TOKENS if one in left.names and one in right.names), None)
    if name is None:
        return notes
    values = right.table.values(name)
    rows = range(len(left)) if right.rows is None else right.rows.tolist()
    for place, (gold, row) in enumerate(zip(left.objects(name), rows, strict=True)):
        if row < 0:
            continue
        one, other = [*_list_tokens(gold)], [*_list_tokens(values[row])]
        if len(one) != len(other):
            raise InputError(
                f"{right.locate_row(place)}: has {say_count(len(other), 'token')}, but "
                f"{left.locate_row(place)} has {len(one)}; both must have the same tokens"
            )
        pairs = enumerate(zip(one, other, strict=True), 1)
        differing = [at for at, (a, b) in pairs if a != b and a and b]
        if differing:
            at = differing[0]
            message = (
                f"{right.locate_row(place)}: token {at} is {other[at - 1][:40]!r}, but "
                f"{one[at - 1][:40]!r} in {left.locate_row(place)}"
            )
            if len(differing) >= _OTHER * len(one):
                raise InputError(f"{message}; both must have the same tokens")
            notes[:] = notes or [Danger(f"{message}; mentions are compared by token number.")]
    return notes


def _list_tokens(value: object) -> Iterator[str]:
    """The tokens of a document, which may be in lists of sentences; blank where unknown."""
    if isinstance(value, str):
        yield value
    elif _are_lists(value):
        for one in value:
            yield from _list_tokens(one)


def make_clusters(sample: Sample, name: str) -> MadeUp:
    """Makes a cluster of one mention in each document."""
    return MadeUp({name: build_strings(["[[[0, 0]]]"] * len(sample.table))})


def draft_clusters(sample: Sample, name: str) -> Drafted:
    """Returns the clusters of the gold."""
    side, columns = Side(sample.table), sample.reading.columns
    found: Mapping[str, Sequence[object]] = {
        columns.predicted or "predicted_clusters": side.objects(
            find_gold(side, columns, alone=False, usual=_GOLD)
        )
    }
    return Drafted(found)
