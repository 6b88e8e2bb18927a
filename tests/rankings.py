"""A kind of one's own in one file, which nothing in the package knows: rankings of three things."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from msgspec.structs import replace

from tallystick.errors import InputError
from tallystick.model.number_values import Cells
from tallystick.model.reading import Kind
from tallystick.model.systems import Column, Systems
from tallystick.model.tallies.metric import Metric, Values
from tallystick.model.tallies.sums import Sums, sum_values

THINGS = ("a", "b", "c")


class Rankings(Column):
    """The place of each of three things, of shape (systems, examples, 3) next to (examples, 3)."""

    gold: np.ndarray
    outputs: np.ndarray

    def __len__(self) -> int:
        return len(self.gold)

    def of(self, places: Sequence[int]) -> "Rankings":
        """The rankings of some of the systems."""
        return replace(self, outputs=self.outputs[list(places)])

    def take(self, rows: slice) -> "Rankings":
        """The rankings of some of the examples."""
        return Rankings(self.gold[rows], self.outputs[:, rows])

    def tell_gold(self, row: int) -> str:
        """The gold ranking, best first."""
        return _write(self.gold[row])

    def tell_output(self, place: int, row: int) -> str:
        """A system's ranking, best first."""
        return _write(self.outputs[place, row])


def _write(places: np.ndarray) -> str:
    return ", ".join(THINGS[at] for at in np.argsort(places))


class RankingKind(Kind[Rankings]):
    """Rankings of three things, written as `bca`."""

    name = "orders"
    column = Rankings

    def read(self, gold: Cells, outputs: Sequence[Cells]) -> Rankings:
        """Reads what is written."""
        return Rankings(_read(gold), np.stack([_read(own) for own in outputs]))


def _read(items: Cells) -> np.ndarray:
    for row, text in enumerate(items.values):
        if sorted(text or "") != [*THINGS]:
            raise InputError(f"{items.locate(row)}: {text!r} is no ranking such as 'bca'")
    return np.array([[text.index(one) for one in THINGS] for text in items.values])


RANKINGS = RankingKind()


@dataclass(frozen=True, slots=True)
class PairsInOrder:
    """Counts the pairs of things that are in the order in which gold has them."""

    kind: ClassVar = RANKINGS

    @property
    def columns(self) -> tuple[str, ...]:
        """The pairs in order, and all pairs."""
        return ("right", "pairs")

    def count(self, systems: Systems) -> Sums:
        """Tallies every system's examples by group."""
        column = RANKINGS.of(systems)
        pairs = [*combinations(range(len(THINGS)), 2)]
        same = [
            (column.gold[:, a] < column.gold[:, b])
            == (column.outputs[..., a] < column.outputs[..., b])
            for a, b in pairs
        ]
        right = np.sum(same, axis=0).T
        return sum_values(self, systems, np.stack([right, np.full_like(right, len(pairs))], -1))


class Concordance(Metric):
    """The share of pairs in order."""

    short: ClassVar[str] = "concordance"
    title: ClassVar[str] = "Concordance"
    better: ClassVar[Any] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[Any, ...]] = (PairsInOrder,)

    @property
    def counter(self) -> PairsInOrder:
        """What counts for it."""
        return PairsInOrder()

    def score(self, tally: Sums) -> Values:
        """The share of each group."""
        return tally["right"] / tally["pairs"]
