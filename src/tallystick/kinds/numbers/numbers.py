"""Columns of numbers: what each system's examples are worth, and perhaps gold numbers beside."""

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from tallystick.frozen import dataclass, field, replace
from tallystick.model.codes import Labels
from tallystick.model.reading import Form, Needed
from tallystick.model.systems import Column

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
        """The numbers of a system, with the names of their columns where there are several."""
        values = {name: own[place, row] for name, own in self.outputs.items()}
        named = len(values) > 1
        told = [
            f"{name} {value:g}" if named and name else f"{value:g}"
            for name, value in values.items()
            if not np.isnan(value)
        ]
        judged = (own.tell_output(place, row) for own in self.judgements.values())
        return ", ".join([*told, *judged])
