"""Parts of what is in memory: rows of systems, and partitions of Dask collections."""

from collections.abc import Iterator

from tallystick.examples.reading import Reading
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """Some rows of systems that have been read.

    Attributes:
        systems: The rows.
        inputs: A text that changes when what they were read from does; none where that is memory,
            which cannot change.
    """

    systems: Systems
    inputs: str = ""

    @property
    def name(self) -> str:
        """The rows, as messages count them."""
        first = self.systems.first
        return f"rows {first + 1:,} to {first + len(self.systems):,}"

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.systems)

    @property
    def identity(self) -> str:
        """What it was read from, and its rows."""
        return f"{self.inputs} {self.name}"

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The rows, which have been read."""
        yield self.systems


def cut(systems: Systems, rows: int, *, inputs: str = "") -> list[Slice]:
    """Returns slices of so many rows each."""
    return [
        Slice(systems.take(slice(first, min(first + rows, len(systems)))), inputs)
        for first in range(0, len(systems), rows)
    ]
