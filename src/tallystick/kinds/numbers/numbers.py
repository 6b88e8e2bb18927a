"""Columns of numbers, of distributions over labels, and of the votes of annotators."""

import json
from collections.abc import Mapping, Sequence
from itertools import chain, cycle, islice
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.io.tables.values import build_numbers, build_strings, parse_number
from tallystick.model.codes import Label, Labels
from tallystick.model.columns import BOTH, OUTPUTS, PROBABILITIES, Columns, find
from tallystick.model.facts import Task
from tallystick.model.number_values import Cells, find_votes, spell_label
from tallystick.model.reading import Drafted, Form, MadeUp, Needed, Sample
from tallystick.model.sides import Side, find_gold, find_output
from tallystick.model.systems import Column

SHARES = ("soft_label", "soft_labels", "distribution")
"""What columns are called that hold distributions over labels."""

SOFT = (*SHARES, "annotations", "votes")
"""What columns are called that hold the labels of annotators, or their shares."""

_GOLD = (*SOFT, *BOTH)
_OUTPUTS = (*OUTPUTS, *SOFT)

EACH_GOLD = ("y_true_", "gold_")
"""How those of gold begin, which may are in the table of the outputs."""


class Distributions(Column, frozen=True, eq=False):
    """Distributions over labels, one per example: the gold ones, and those of all systems.

    Attributes:
        gold: float64 of shape (examples, labels).
        outputs: float64 of shape (systems, examples, labels).
        ordered: Whether labels were named, are whole numbers, or are only two.
    """

    labels: tuple[str, ...]
    gold: NDArray[np.float64]
    outputs: NDArray[np.float64]
    ordered: bool

    @classmethod
    def of_gold(cls, cells: Cells, task: Task) -> "Distributions":
        """Gold distributions, without systems yet."""
        named = tuple(spell_label(label, cells.fold_case) for label in task.labels or ())
        labels = named or cells.list_labels()
        gold = cells.spread(labels)
        whole = all(label.removeprefix("-").isdecimal() for label in labels)
        known = bool(named) or len(labels) < 3 or whole
        return cls(labels, gold, np.zeros((0, *gold.shape)), known)

    def match(self, cells: Cells) -> NDArray[np.float64]:
        """The distributions of a system over the same labels, of shape (examples, labels)."""
        found = cells.spread(self.labels)
        if len(found) != len(self):
            raise InputError(f"there are {len(found)} distributions for {len(self)} examples")
        return found

    def add(self, outputs: Sequence[NDArray[np.float64]]) -> "Distributions":
        """The same gold with what `match` returned for each system."""
        return replace(self, outputs=np.stack(outputs))

    def __len__(self) -> int:
        return len(self.gold)

    def of(self, places: Sequence[int]) -> "Distributions":
        return replace(self, outputs=self.outputs[list(places)])

    def take(self, rows: slice) -> "Distributions":
        return replace(self, gold=self.gold[rows], outputs=self.outputs[:, rows])

    def tell_gold(self, row: int) -> str:
        return self._tell(self.gold[row])

    def tell_output(self, place: int, row: int) -> str:
        return self._tell(self.outputs[place, row])

    def _tell(self, shares: NDArray[np.float64]) -> str:
        pairs = zip(self.labels, shares.tolist(), strict=True)
        return ", ".join(f"{label} {share:.4g}" for label, share in pairs)


def read_gold_cells(left: Side, columns: Columns, *, alone: bool) -> Cells:
    """Reads the cells of gold distributions: one column, or one for each label."""
    prefixes = EACH_GOLD if alone else (*EACH_GOLD, *PROBABILITIES)
    return _read_each(left, columns, columns.gold, prefixes) or _read_cells(
        left, find_gold(left, columns, alone=alone, usual=_GOLD), columns
    )


def read_output_cells(left: Side, right: Side, columns: Columns) -> Cells:
    """Reads the cells of a system's distributions likewise."""
    return _read_each(right, columns, columns.predicted, PROBABILITIES) or _read_cells(
        right, find_output(left, right, columns, usual=(_OUTPUTS, _GOLD)), columns
    )


def _read_each(
    side: Side, columns: Columns, named: str | None, usual: Sequence[str]
) -> Cells | None:
    if named is not None and find(side.names, (named,)) is not None:
        return None
    prefixes = usual if named is None else (f"{named}_",)
    found = ((one, [name for name in side.names if name.startswith(one)]) for one in prefixes)
    prefix, names = next((both for both in found if both[1]), ("", []))
    if not names:
        return None
    labels = tuple(spell_label(one.removeprefix(prefix), columns.fold_case) for one in names)
    matrix = np.stack([side.numbers(name) for name in names], axis=1)
    return Cells(matrix, side.locate(names[0]), labels)


def _read_cells(side: Side, name: str, columns: Columns) -> Cells:
    return Cells.of(side.objects(name), side.locate(name), fold_case=columns.fold_case)


def is_soft(left: Side, columns: Columns) -> bool:
    """Whether a column of distributions is the only one with a usual name of gold."""
    found = find(left.names, (*BOTH, *SHARES), columns.gold)
    return found is not None and find((found,), SHARES) is not None


class Votes(Column, frozen=True, eq=False):
    """The labels that annotators gave, and those that each system says they gave.

    Attributes:
        annotators: Who rated each example: names, or places in a list.
        gold: The label from each annotator, example by example.
        outputs: The labels from each system, of shape (systems, votes).
    """

    annotators: tuple[tuple[Label, ...], ...]
    gold: NDArray[np.str_]
    outputs: NDArray[np.str_]

    @classmethod
    def of_gold(cls, cells: Cells) -> "Votes":
        """Gold votes, without systems yet."""
        votings = [_read_votes(cells, index) for index in range(len(cells.values))]
        flat = np.array(list(chain.from_iterable(own.values() for own in votings)), np.str_)
        return cls(tuple(map(tuple, votings)), flat, flat[None][:0])

    def match(self, cells: Cells) -> NDArray[np.str_]:
        """What a system says of the same annotators."""
        if len(cells.values) != len(self):
            raise InputError(f"there are votes on {len(cells.values)} examples, not {len(self)}")
        found: list[str] = []
        for index, annotators in enumerate(self.annotators):
            own = _read_votes(cells, index)
            if own.keys() != {*annotators}:
                raise _miss(cells.locate(index), own, annotators)
            found += [own[name] for name in annotators]
        return np.array(found, np.str_)

    def add(self, outputs: Sequence[NDArray[np.str_]]) -> "Votes":
        """The same gold with what `match` returned for each system."""
        return replace(self, outputs=np.stack(outputs))

    def __len__(self) -> int:
        return len(self.annotators)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many annotators rated each example."""
        return np.fromiter(map(len, self.annotators), np.int64, len(self))

    def of(self, places: Sequence[int]) -> "Votes":
        return replace(self, outputs=self.outputs[list(places)])

    def take(self, rows: slice) -> "Votes":
        ends = np.concatenate([[0], self.sizes.cumsum()])
        first, last = ends[[rows.start, min(rows.stop, len(self))]]
        return Votes(self.annotators[rows], self.gold[first:last], self.outputs[:, first:last])

    def tell_gold(self, row: int) -> str:
        return ", ".join(self.take(slice(row, row + 1)).gold.tolist())

    def tell_output(self, place: int, row: int) -> str:
        return ", ".join(self.take(slice(row, row + 1)).outputs[place].tolist())


def _read_votes(cells: Cells, index: int) -> dict[Label, str]:
    """The label of each annotator of an example; those who gave none are left out."""
    cell: Any = cells.values[index]
    named: dict[Label, Any] = {}
    if isinstance(cell, Mapping):
        named = {name: label for name, label in cell.items() if label is not None}
    elif isinstance(cell, Sequence | np.ndarray):
        named = dict(enumerate(cell))
    if not named or not all(map(_is_label, named.values())):
        raise InputError(
            f"{cells.locate(index)}: {repr(cell)[:60]} is not the label of each annotator; "
            'write a list such as ["no", "yes"], or an object such as {"ann1": "no"}'
        )
    return {name: spell_label(label, cells.fold_case) for name, label in named.items()}


def _is_label(value: object) -> bool:
    return isinstance(value, str | int) or (isinstance(value, float) and value.is_integer())


def _miss(where: str, own: Mapping[Label, str], annotators: Sequence[Label]) -> InputError:
    lacking = [name for name in annotators if name not in own]
    strange = [name for name in own if name not in annotators]
    if len(own) != len(annotators) and isinstance(next(iter(own)), int):
        return InputError(
            f"{where}: the number of votes is {len(own)} here, and {len(annotators)} in the gold"
        )
    name, what = (lacking[0], "lacks") if lacking else (strange[0], "holds")
    rest = "" if lacking else ", which the gold has not"
    return InputError(f"{where}: it {what} a vote of the annotator {name!r}{rest}")


def are_words(task: Task) -> bool:
    """Whether labels are a scale of words, whose places are numbers."""
    return any(parse_number(str(label)) is None for label in task.labels or ())


def make_numbers(sample: Sample, name: str) -> MadeUp | None:
    """Makes numbers, or as JSON soft labels that are sure of each label in turn, or votes."""
    if not sample.reading.soft:
        if not any(one.gold for one in sample.reading.numbers):
            return None
        if are_words(sample.reading.task):
            dealt = islice(cycle(map(str, sample.reading.task.labels or ())), len(sample.table))
            return MadeUp({name: build_strings([*dealt])})
        return MadeUp({name: build_numbers([*map(float, range(len(sample.table)))])})
    labels, cells = sample.labels, [None] * len(sample.table)
    if sample.golden:
        truth = read_gold_cells(Side(sample.table), sample.reading.columns, alone=False)
        labels, cells = labels or truth.list_labels(), [*truth.values]
    if not labels:
        return MadeUp(None, labels)
    dealt = islice(cycle(map(str, labels)), len(cells))
    made = [
        json.dumps(vote(cell, one) or {str(label): float(str(label) == one) for label in labels})
        for cell, one in zip(cells, dealt, strict=True)
    ]
    return MadeUp({name: build_strings(made)}, labels)


def draft_numbers(sample: Sample, name: str) -> Drafted | None:
    """Returns gold numbers, or soft labels: the cells of one column, or a column for each label."""
    reading = sample.reading
    if not reading.soft:
        if not any(one.gold for one in reading.numbers):
            return None
        gold = find_gold(Side(sample.table), reading.columns, alone=False)
        return Drafted({name: sample.table.column(gold).to_pylist()})
    cells = read_gold_cells(Side(sample.table), reading.columns, alone=False)
    voted = any(one.form == "votes" for one in reading.numbers)
    # The first label stands for a vote that another row lacks.
    filler = cells.list_labels()[0] if voted else None
    if cells.labels is None or not isinstance(cells.values, np.ndarray):
        return Drafted({name: [*cells.values]}, filler=filler)
    head = "prob" if reading.columns.predicted is None else name
    shares = zip(cells.labels, cells.values.T.tolist(), strict=True)
    return Drafted({f"{head}_{label}": values for label, values in shares}, filler=filler)


def vote(cell: Any, label: str) -> Any:
    """Returns the votes of a cell, all of them for one label; None where it contains none."""
    if find_votes(cell) is None:
        return None
    return dict.fromkeys(cell, label) if isinstance(cell, Mapping) else [label] * len(cell)


GOLDEN = (Needed(gold=True),)
"""What is read where gold is numbers and no metric was named."""

SOFT_GOLDEN = (Needed(gold=True, form="distribution"),)
"""What is read where gold is distributions and no metric was named."""


class Rated(Struct, frozen=True, eq=False):
    """What each score is about: an item, and the system that was rated for it."""

    items: Labels
    systems: Labels

    def take(self, rows: slice) -> "Rated":
        """Returns some of the rows."""
        return Rated(self.items.take(rows), self.systems.take(rows))


class Numbers(Column, frozen=True, eq=False):
    """Numbers of all systems, one row per example.

    Attributes:
        gold: float64 of shape (examples,); None without gold.
        outputs: By column, float64 of shape (systems, examples), NaN for examples that were not
            scored; None is the systems' outputs.
        judgements: Distributions and votes, by form.
        widths: How far each example may be off, float64 of shape (examples,), by column.
        rated: What each row is about, where systems were rated.
    """

    gold: NDArray[np.float64] | None = None
    outputs: Mapping[str | None, NDArray[np.float64]] = field(default_factory=dict)
    judgements: Mapping[Form, Column] = field(default_factory=dict)
    widths: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    rated: Rated | None = None

    def beside(self, outputs: Sequence[Mapping[str | None, NDArray[np.float64]]]) -> "Numbers":
        """The same gold with the numbers of some systems, each by its columns."""
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
        """The numbers of a system, with the names of their columns where there are several."""
        values = {name: own[place, row] for name, own in self.outputs.items()}
        named = len(values) > 1
        text = [
            f"{name} {value:g}" if named and name else f"{value:g}"
            for name, value in values.items()
            if not np.isnan(value)
        ]
        judged = (own.tell_output(place, row) for own in self.judgements.values())
        return ", ".join([*text, *judged])
