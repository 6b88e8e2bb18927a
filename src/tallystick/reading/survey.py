"""What is known of all the gold before its rows are read in blocks: its labels."""

from collections.abc import Mapping

from tallystick.codes import Label, order
from tallystick.errors import InputError
from tallystick.examples.reading import Reading
from tallystick.examples.sides import Side
from tallystick.examples.task import Task
from tallystick.io.tables.table import Table
from tallystick.kinds.labels.label_cells import read_sets
from tallystick.reading.tables import Entry, read_truth


class Survey:
    """The labels of all the gold, which are collected block by block from the columns `names`."""

    def __init__(self, first: Table, entries: Mapping[str, Entry], reading: Reading) -> None:
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
