"""Parts of what one process reads: its rows are sent to whoever counts them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tallystick.engines.driver import count_sources
from tallystick.engines.engine import Engine
from tallystick.engines.jobs import Counting
from tallystick.engines.kept import Kept
from tallystick.engines.memory import Slice, cut
from tallystick.examples.reading import ResettleError
from tallystick.examples.systems import Systems
from tallystick.io.files.datasets import list_files
from tallystick.io.files.pipes import is_piped
from tallystick.scoring.counted import Counted

_ROWS = 1 << 14
"""So many rows are a part, at most: enough to be worth the way, and few enough for all to work."""


def count_blocks(
    blocks: Iterator[Systems],
    counting: Counting,
    engine: Engine,
    *,
    paths: Sequence[str],
    kept: Kept | None = None,
) -> Counted:
    """Counts blocks of examples while further ones are read."""
    if any(map(is_piped, paths)):  # of which nothing is known before it is read
        kept = None
    inputs = repr([list_files(path) for path in paths]) if kept is not None else ""
    while True:
        try:
            return count_sources(_cut(blocks, inputs), counting, engine, kept=kept)
        except ResettleError as changed:
            if changed.read is None:
                raise
            if kept is not None:
                kept.drop()
            blocks, task = changed.read(), changed.reading.task
            counting = replace(counting, reading=replace(counting.reading, task=task))


def _cut(blocks: Iterator[Systems], inputs: str) -> Iterator[Slice]:
    for block in blocks:
        yield from cut(block, _ROWS, inputs=inputs)
