"""Finds the files that have the ids of the gold in its order, so that they need no join."""

from collections.abc import Iterator, Mapping
from typing import Any

from tallystick.errors import InputError
from tallystick.io.tables.table import Table
from tallystick.reading.partitioned import Keys


class Alike:
    """Which systems have the keys of the gold in its order, found block by block."""

    def __init__(self, blocks: Mapping[str, tuple[Keys, Iterator[Table]]]) -> None:
        """Holds the blocks of the systems that are still alike."""
        self._blocks = dict(blocks)

    def check(self, gold: Any) -> None:
        """Drops the systems whose next keys are not those of the gold."""
        for name, (keys, blocks) in list(self._blocks.items()):
            if not _has_next(keys, blocks, gold):
                del self._blocks[name]

    def finish(self) -> frozenset[str]:
        """Returns the systems that were alike to the end."""
        return frozenset(
            name for name, (_, blocks) in self._blocks.items() if next(blocks, None) is None
        )


def _has_next(keys: Keys, blocks: Iterator[Table], gold: Any) -> bool:
    """Whether the next keys are those of the gold; what cannot be read is told in the join."""
    try:
        block = next(blocks, None)
        return block is not None and len(block) == len(gold) and keys.read(block).equals(gold)
    except InputError:
        return False
