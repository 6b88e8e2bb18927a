"""Numbers, distributions over labels, and the labels of several annotators."""

from typing import TYPE_CHECKING, final

from tallystick.frozen import dataclass
from tallystick.model.reading import Kind, Lists, Opened, Reader
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

    def read_lists(self, systems: Systems, given: Lists) -> Systems:
        from tallystick.kinds.numbers.number_reader import read_lists

        return read_lists(systems, given)

    def open(self, gold: Opened) -> Reader:
        from tallystick.kinds.numbers.number_reader import open_numbers

        return open_numbers(gold)


NUMBERS = NumberKind("numbers", "numbers")
DISTRIBUTIONS = NumberKind("distributions", "soft labels")
VOTES = NumberKind("votes", "labels of several annotators")
