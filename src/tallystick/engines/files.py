"""Parts of files, and of what one process reads: its rows are sent to whoever counts them."""

from collections.abc import Iterator, Mapping, Sequence

from tallystick.engines.driver import count_sources
from tallystick.engines.jobs import Counting, Engine
from tallystick.engines.kept import Kept
from tallystick.engines.memory import cut
from tallystick.examples.reading import Reading, ResettleError
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.io.files.datasets import list_files
from tallystick.io.files.pipes import is_piped
from tallystick.io.files.progress import Progress
from tallystick.reading.parts import Part, plan_parts, read_part, settle
from tallystick.reading.table_files import Place
from tallystick.scoring.counted import Counted


@dataclass(frozen=True, slots=True)
class FilePart:
    """Some rows of files."""

    part: Part

    @property
    def name(self) -> str:
        """The file of gold, and its rows."""
        return self.part.name

    @property
    def size(self) -> int:
        """How many bytes of gold are read."""
        return self.part.size

    @property
    def identity(self) -> str:
        """A digest of the files, their sizes, times of change and rows."""
        return self.part.key

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The examples, block by block."""
        return read_part(self.part, reading)


def plan_files(gold: str, places: Mapping[str, Place], reading: Reading) -> tuple[FilePart, ...]:
    """Returns parts of usual sizes; none where files cannot be cut, as `plan_parts` tells."""
    return tuple(map(FilePart, plan_parts(gold, places, reading)))


def count_files(
    parts: Sequence[FilePart],
    counting: Counting,
    engine: Engine,
    *,
    kept: Kept | None = None,
    watch: Progress | None = None,
) -> Counted:
    """Counts parts of files."""
    reading = settle([own.part for own in parts], counting.reading)
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
