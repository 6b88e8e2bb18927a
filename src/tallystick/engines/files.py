"""Parts of files, and of what is in memory: its rows are sent to whoever counts them."""

from collections.abc import Iterator, Sequence

from tallystick.engines.driver import count_sources
from tallystick.engines.jobs import Counting, Engine
from tallystick.engines.kept import Kept
from tallystick.examples.reading import Reading, ResettleError
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.io.files.datasets import list_files
from tallystick.io.files.pipes import is_piped
from tallystick.io.files.progress import Progress
from tallystick.reading.parts import Part, settle
from tallystick.scoring.counted import Counted


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


def count_files(
    parts: Sequence[Part],
    counting: Counting,
    engine: Engine,
    *,
    kept: Kept | None = None,
    watch: Progress | None = None,
) -> Counted:
    """Counts parts of files."""
    reading = settle(parts, counting.reading)
    return count_sources(parts, replace(counting, reading=reading), engine, kept=kept, watch=watch)


_ROWS = 1 << 14
"""So many rows are a part, at most: enough to be worth the way, and few enough for all to work."""


def count_blocks(
    blocks: Iterator[Systems],
    counting: Counting,
    engine: Engine,
    *,
    paths: Sequence[str],
    layout: object,
    kept: Kept | None = None,
) -> Counted:
    """Counts blocks of examples while further ones are read.

    Args:
        blocks: The examples.
        counting: How they are counted.
        engine: What counts them.
        paths: The files that they are read from.
        layout: What of these files the systems are, by whose repr kept parts are known too.
        kept: As in `count_sources`.
    """
    if any(map(is_piped, paths)):  # of which nothing is known before it is read
        kept = None
    inputs = repr((layout, [list_files(path) for path in paths])) if kept is not None else ""
    while True:
        slices = (own for block in blocks for own in cut(block, _ROWS, inputs=inputs))
        try:
            return count_sources(slices, counting, engine, kept=kept)
        except ResettleError as changed:
            if changed.read is None:
                raise
            if kept is not None:
                kept.drop()
            blocks, task = changed.read(), changed.reading.task
            counting = replace(counting, reading=replace(counting.reading, task=task))
