"""Numbers, distributions over labels, and the labels of several annotators."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tallystick.io.tables.values import build_numbers
from tallystick.model.reading import Drafted, Kind, MadeUp, Reader, Reading, Sample
from tallystick.model.sides import Side, find_gold
from tallystick.model.systems import Systems

if TYPE_CHECKING:
    from tallystick.kinds.numbers.numbers import Numbers


class NumberKind(Kind["Numbers"], frozen=True, eq=False):
    """Numbers, distributions over labels and the labels of several annotators."""

    name: str
    said: str
    side = "numbers"
    numeric = True
    submitted = True

    @property
    def column(self) -> "type[Numbers]":
        from tallystick.kinds.numbers.numbers import Numbers

        return Numbers

    def read_lists(
        self, systems: Systems, gold: object, outputs: Mapping[str, object], reading: Reading
    ) -> Systems:
        from tallystick.kinds.numbers.number_reader import read_lists

        return read_lists(systems, gold, outputs, reading)

    def make_up(self, sample: Sample, name: str) -> MadeUp | None:
        from tallystick.kinds.numbers.numbers import make_shares

        if sample.reading.soft:
            return make_shares(sample, name)
        if not any(one.gold for one in sample.reading.numbers):
            return None
        return MadeUp({name: build_numbers([*map(float, range(len(sample.table)))])})

    def draft(self, sample: Sample, name: str) -> Drafted | None:
        from tallystick.kinds.numbers.numbers import draft_shares

        table, reading = sample.table, sample.reading
        if reading.soft:
            return draft_shares(sample, name)
        if any(one.gold for one in reading.numbers):
            gold = find_gold(Side(table), reading.columns, alone=False)
            return Drafted({name: table.column(gold).to_pylist()})
        return None

    def repeat(self, values: Sequence[object], reading: Reading) -> Sequence[object] | None:
        """0, of numbers and of what CSV files have of them."""
        return None if values and isinstance(values[0], list) else [0.0] * len(values)

    def open(self, left: Side, reading: Reading, *, alone: bool) -> Reader:
        from tallystick.kinds.numbers.number_reader import open_numbers

        return open_numbers(left, reading, alone=alone)


NUMBERS = NumberKind("numbers", "numbers")
DISTRIBUTIONS = NumberKind("distributions", "soft labels")
VOTES = NumberKind("votes", "labels of several annotators")
