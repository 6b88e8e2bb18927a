"""What is found out beforehand of rows that are read in blocks: labels, and probabilities."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.table import Table
from tallystick.kinds.labels.label_cells import read_sets
from tallystick.model.codes import Label, order
from tallystick.model.guessed import Former, Seen
from tallystick.model.reading import Reading, ResettleError
from tallystick.model.sides import Side
from tallystick.model.task import Task
from tallystick.reading.tables import Block, Outputs, read_systems, read_truth

_SCORES = Former(None, Seen(fractions=True))


class Survey:
    """The labels of all the gold, which are collected block by block from the columns `names`."""

    def __init__(self, first: Table, entries: Mapping[str, Outputs], reading: Reading) -> None:
        """Finds out from the first block which columns hold the labels."""
        self.names: tuple[str, ...] = ()
        self.examples = 0
        self._columns = reading.columns
        self._sets: Task | None = None
        self._named: tuple[Label, ...] | None = None
        self._labels: set[Label] = set()
        self._error: InputError | None = None
        try:
            truth = read_truth(first, entries, reading)
        except InputError as error:
            self._error = error
            return
        if truth is None:
            self._named = ()
        elif truth.matrix:
            self._named = truth.labels.names
        else:
            self.names = (truth.name,)
            if truth.labels.several:
                self._sets, self._named = truth.task, truth.task.labels

    def take(self, block: Table) -> None:
        """Notes the labels of a block."""
        self.examples += len(block)
        if not self.names or self._error is not None:
            return
        side = Side(block)
        try:
            if self._sets is not None:
                found = read_sets(side, self.names[0], self._columns, self._sets).names
            else:
                found = side.labels(self.names[0], self._columns).names
        except InputError as error:
            self._error = error
            return
        self._labels.update(found)

    def add(self, other: "Survey") -> None:
        """Notes the labels that another one found in other blocks."""
        self.examples += other.examples
        self._labels |= other._labels
        self._error = self._error or other._error

    def finish(self) -> tuple[Label, ...]:
        """Returns the labels; none where the gold is read as texts."""
        if self._error is not None:
            raise self._error
        return order(self._labels) if self._named is None else self._named


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
