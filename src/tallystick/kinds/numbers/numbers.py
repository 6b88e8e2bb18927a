"""Columns of numbers: what each system's examples are worth, and perhaps gold numbers beside."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from tallystick.codes import Labels, Locate, as_text, combine, encode
from tallystick.errors import InputError
from tallystick.examples.columns import Columns, find
from tallystick.examples.reading import Form, Needed
from tallystick.examples.sides import Side, find_gold, find_output
from tallystick.examples.systems import Column
from tallystick.frozen import dataclass, field, replace

_LARGEST = 1e50
"""The largest number that is scored: products of sums of weighted squares are finite then."""


GOLDEN = (Needed(gold=True),)
"""What is read where gold turns out to be numbers, and nobody named a metric."""

SOFT_GOLDEN = (Needed(gold=True, form="distribution"),)
"""What is read likewise where it turns out to be distributions."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Rated:
    """What each score is about: an item, and the system that was rated for it."""

    items: Labels
    systems: Labels

    def take(self, rows: slice) -> "Rated":
        """Those of some of the scores."""
        return Rated(self.items.take(rows), self.systems.take(rows))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Numbers(Column):
    """Numbers of all systems, one row per example.

    Attributes:
        gold: float64 of shape (examples,); None where no gold was read.
        outputs: The numbers of each column that was read, float64 of shape (systems, examples);
            None stands for the systems' outputs. NaN is an example that was not scored.
        judgements: What else was read, by its form.
        widths: How far each example may be off, float64 of shape (examples,), by the column that
            says so.
        rated: What each row is about, where systems were rated; else None.
    """

    gold: NDArray[np.float64] | None = None
    outputs: Mapping[str | None, NDArray[np.float64]] = field(default_factory=dict)
    judgements: Mapping[Form, Column] = field(default_factory=dict)
    widths: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    rated: Rated | None = None

    def beside(self, outputs: Sequence[Mapping[str | None, NDArray[np.float64]]]) -> "Numbers":
        """The same gold beside the numbers of some systems, each by its columns."""
        stacked = {name: np.stack([own[name] for own in outputs]) for name in outputs[0]}
        return replace(self, outputs=stacked)

    def __len__(self) -> int:
        judgements = next(iter(self.judgements.values()), None)
        if judgements is not None:
            return len(judgements)
        return len(next(iter(self.outputs.values())).T)

    def of(self, places: Sequence[int]) -> "Numbers":
        chosen = {name: own[list(places)] for name, own in self.outputs.items()}
        judgements = {form: own.of(places) for form, own in self.judgements.items()}
        return replace(self, outputs=chosen, judgements=judgements)

    def take(self, rows: slice) -> "Numbers":
        gold = None if self.gold is None else self.gold[rows]
        outputs = {name: own[:, rows] for name, own in self.outputs.items()}
        judgements = {form: own.take(rows) for form, own in self.judgements.items()}
        widths = {name: own[rows] for name, own in self.widths.items()}
        rated = None if self.rated is None else self.rated.take(rows)
        return Numbers(gold, outputs, judgements, widths, rated)

    def tell_gold(self, row: int) -> str:
        """The gold of an example; nothing where there is none."""
        if self.gold is not None:
            return f"{self.gold[row]:g}"
        return " ".join(own.tell_gold(row) for own in self.judgements.values())

    def tell_output(self, place: int, row: int) -> str:
        values = [own[place, row] for own in self.outputs.values()]
        told = [f"{value:g}" for value in values if not np.isnan(value)]
        return " ".join([*told, *(own.tell_output(place, row) for own in self.judgements.values())])


def read_outputs(
    left: Side, right: Side, columns: Columns, needed: Sequence[Needed]
) -> dict[str | None, NDArray[np.float64]]:
    """Reads the numbers of one system, by the column that was asked for."""
    found: dict[str | None, NDArray[np.float64]] = {}
    asked = [own for one in needed if one.form == "number" for own in one.columns]
    for column in dict.fromkeys(asked):
        name = find_output(left, right, columns, column)
        worst = [one.worst for one in needed if one.column == column and one.worst == one.worst]
        found[column] = _read_column(right, name, worst[0] if worst else math.nan)
    return found


def _read_column(side: Side, name: str, worst: float) -> NDArray[np.float64]:
    """The numbers of a column, with the worst one where there is no output."""
    gaps, absent = name in side.table.gaps, side.absent
    if absent is None or not absent.any():
        return check_finite(side.numbers(name), side.locate(name), gaps=gaps)
    if math.isnan(worst):
        try:
            side.need_all(f"numeric column {name!r}")
        except InputError as error:
            raise InputError(
                f"{error}; tell its range, as in 'mean({name}, bounds=(0, 1))', or choose "
                "--missing exclude or common"
            ) from None
    found, kept = np.full(len(side), worst, np.float64), side.keep(~absent)
    found[~absent] = check_finite(kept.numbers(name), kept.locate(name), gaps=gaps)
    return found


def read_gold_numbers(left: Side, columns: Columns, *, alone: bool) -> NDArray[np.float64]:
    """Reads gold numbers."""
    name = find_gold(left, columns, alone=alone)
    return check_finite(left.numbers(name), left.locate(name))


def read_rated(left: Side, columns: Columns) -> Rated | None:
    """Reads the items and the rated systems; None where no column names them.

    Where an item of a rated system stands once in each of several groups, as in a table of several
    language pairs, items and rated systems are told apart by the columns of groups.
    """
    if columns.rated is None or columns.id is None:
        return None
    items, systems = (_read_names(left, name) for name in (columns.id, columns.rated))
    pairs = np.stack([items.codes, systems.codes])
    apart = [name for name in columns.by if left.has(name)]
    if apart and np.unique(pairs, axis=1).shape[1] < len(items):
        groups = [_read_names(left, name) for name in apart]
        items, systems = (combine([*groups, own]) for own in (items, systems))
    return Rated(items, systems)


def _read_names(left: Side, column: str) -> Labels:
    return as_text(encode(left.values(column), left.locate(column)))


def read_widths(left: Side, needed: Sequence[Needed]) -> dict[str, NDArray[np.float64]]:
    """Reads from the table of the gold how far examples may be off."""
    found: dict[str, NDArray[np.float64]] = {}
    for name in dict.fromkeys(one.width for one in needed if one.width is not None):
        own, locate = find(left.names, (), name) or name, left.locate(name)
        found[name] = check_finite(left.numbers(own), locate)
        negative = np.flatnonzero(found[name] < 0)
        if len(negative):
            where, stood = locate(int(negative[0])), found[name][negative[0]]
            raise InputError(
                f"{where}: {stood:g} is below 0, and it says how far output may be off"
            )
    return found


def check_finite(
    values: NDArray[Any], locate: Locate, *, gaps: bool = False
) -> NDArray[np.float64]:
    """Checks that values are finite numbers whose squares are too, one for each example.

    Args:
        values: The numbers.
        locate: Says where one stands.
        gaps: Whether NaN may stand for an example that was not scored.
    """
    if values.ndim != 1:
        raise InputError(f"numbers are one for each example, and not of the shape {values.shape}")
    broken = np.flatnonzero(~(np.isfinite(values) | (gaps & np.isnan(values))))
    if len(broken):
        raise InputError(
            f"{locate(int(broken[0]))}: {values[broken[0]]} is not a finite number; leave the "
            "example out, or write what it is worth"
        )
    large = np.flatnonzero(np.abs(values) > _LARGEST)
    if len(large):
        raise InputError(
            f"{locate(int(large[0]))}: {values[large[0]]:g} is too large to be scored; numbers "
            f"lie between {-_LARGEST:g} and {_LARGEST:g}, so divide all by the same"
        )
    return np.ascontiguousarray(values, np.float64)
