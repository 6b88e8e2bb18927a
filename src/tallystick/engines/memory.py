"""Parts of what is in memory: rows of systems, and partitions of Dask collections."""

from collections.abc import Iterator

from tallystick.examples.reading import Reading
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """Some rows of systems that have been read.

    Attributes:
        name: The rows, as messages count them.
        size: How many rows there are.
        identity: What they were read from, and which they are.
    """

    name: str
    size: int
    identity: str
    systems: Systems

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The rows, which have been read."""
        yield self.systems


def cut(systems: Systems, rows: int, *, inputs: str = "") -> list[Slice]:
    """Returns slices of so many rows each.

    The inputs are a text that changes when what they were read from does; none where that is
    memory, which cannot change.
    """
    slices = list[Slice]()
    for first in range(0, len(systems), rows):
        own = systems.take(slice(first, min(first + rows, len(systems))))
        name = f"rows {own.first + 1:,} to {own.first + len(own):,}"
        slices.append(Slice(name, len(own), f"{inputs} {name}", own))
    return slices
