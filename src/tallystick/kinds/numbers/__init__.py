"""Numbers, distributions over labels, and the labels of several annotators."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from tallystick.model.reading import Kind, Reading, later

if TYPE_CHECKING:
    from tallystick.kinds.numbers.numbers import Numbers


class NumberKind(Kind["Numbers"], frozen=True, eq=False):
    """Numbers, distributions over labels and the labels of several annotators."""

    name: str
    said: str
    side = "numbers"
    numeric = True
    submitted = True

    column: "ClassVar[type[Numbers]]" = later("numbers.numbers", "Numbers")
    read_lists = later("numbers.number_reader", "read_lists")
    open = later("numbers.number_reader", "open_numbers")
    make_up = later("numbers.numbers", "make_numbers")
    draft = later("numbers.numbers", "draft_numbers")

    def repeat(self, values: Sequence[object], reading: Reading) -> Sequence[object] | None:
        """0, of numbers and of what CSV files have of them."""
        return None if values and isinstance(values[0], list) else [0.0] * len(values)


NUMBERS = NumberKind("numbers", "numbers")
DISTRIBUTIONS = NumberKind("distributions", "soft labels")
VOTES = NumberKind("votes", "labels of several annotators")
