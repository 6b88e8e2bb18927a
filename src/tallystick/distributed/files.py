"""Parts of files, and of what is in memory: its rows are sent to whoever counts them."""

from collections.abc import Iterator, Sequence

from tallystick.distributed.driver import count_sources
from tallystick.distributed.jobs import Counting, Engine
from tallystick.frozen import dataclass, replace
from tallystick.io.files.progress import Progress
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems
from tallystick.reading.table_files import Part, settle_rows
from tallystick.scoring.counted import Counted


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """Some rows of systems that have been read.

    Attributes:
        name: The rows, as messages count them.
        size: How many rows there are.
    """

    name: str
    size: int
    systems: Systems

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The rows, which have been read."""
        yield self.systems


def cut(systems: Systems, rows: int) -> list[Slice]:
    """Returns slices of a table with a given number of rows."""
    slices = list[Slice]()
    for first in range(0, len(systems), rows):
        own = systems.take(slice(first, min(first + rows, len(systems))))
        name = f"rows {own.first + 1:,} to {own.first + len(own):,}"
        slices.append(Slice(name, len(own), own))
    return slices


def count_files(
    parts: Sequence[Part],
    counting: Counting,
    engine: Engine,
    watch: Progress | None = None,
) -> Counted:
    """Counts parts of files."""
    reading = settle_rows(replace(parts[0], pieces=None), counting.reading, whole=False)
    return count_sources(parts, replace(counting, reading=reading), engine, watch)


_ROWS = 1 << 14
"""So many rows are a part, at most: enough to be worth the way, and few enough for all to work."""


def count_blocks(blocks: Iterator[Systems], counting: Counting, engine: Engine) -> Counted:
    """Counts blocks of examples while further ones are read."""
    return count_sources((own for block in blocks for own in cut(block, _ROWS)), counting, engine)
