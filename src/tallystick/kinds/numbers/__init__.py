"""Numbers, distributions over labels, and the labels of several annotators."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, final

from tallystick.frozen import dataclass
from tallystick.model.reading import Kind, Reader, Reading
from tallystick.model.sides import Side
from tallystick.model.systems import Systems

if TYPE_CHECKING:
    from tallystick.kinds.numbers.numbers import Numbers


@final
@dataclass(frozen=True, slots=True, eq=False)
class NumberKind(Kind["Numbers"]):
    """Numbers, distributions over labels and the labels of several annotators."""

    name: str
    said: str
    side = "numbers"
    numeric = True

    @property
    def column(self) -> "type[Numbers]":
        from tallystick.kinds.numbers.numbers import Numbers

        return Numbers

    def read_lists(
        self, systems: Systems, gold: object, outputs: Mapping[str, object], reading: Reading
    ) -> Systems:
        from tallystick.kinds.numbers.number_reader import read_lists

        return read_lists(systems, gold, outputs, reading)

    def open(self, left: Side, reading: Reading, *, alone: bool) -> Reader:
        from tallystick.kinds.numbers.number_reader import open_numbers

        return open_numbers(left, reading, alone=alone)


NUMBERS = NumberKind("numbers", "numbers")
DISTRIBUTIONS = NumberKind("distributions", "soft labels")
VOTES = NumberKind("votes", "labels of several annotators")
