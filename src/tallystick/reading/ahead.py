"""Looks at later rows of a file where its first block alone does not tell what a column holds."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tallystick.errors import InputError, UsageError
from tallystick.examples.guessed import Former, Seen
from tallystick.examples.reading import Reading, ResettleError
from tallystick.io.tables.table import Table
from tallystick.reading.tables import Entry, read_systems

_SCORES = Former(None, Seen(fractions=True))

Block = tuple[Table, Mapping[str, Entry]]
"""Rows of the gold, and those of the systems."""


def look_ahead(first: Block, rest: Iterator[Block], reading: Reading) -> None:
    """Raises a ResettleError where 0 and 1 of a first block are probabilities by later rows.

    No later row is read if the first block would be wrong also then.
    """
    former = dict(reading.former)
    left = [name for name in first[1] if not former.get(name, Former()).seen.fractions]
    trial = replace(reading, former=tuple(dict.fromkeys(left, _SCORES).items()))
    left = [name for name in left if _shows_fractions(first, name, trial)]
    for block in rest if left and reading.asked is None else ():
        found = [name for name in left if _shows_fractions(block, name, reading)]
        if found:
            former |= dict.fromkeys(found, _SCORES)
            raise ResettleError(replace(reading, former=tuple(former.items()), golden=None))


def _shows_fractions(block: Block, name: str, reading: Reading) -> bool:
    """Whether a system's outputs in a block can be read, and fractions have been seen."""
    gold, entries = block
    try:
        systems = read_systems(gold, {name: entries[name]}, reading)
    except (InputError, UsageError):
        return False
    return dict(systems.former)[name].seen.fractions
