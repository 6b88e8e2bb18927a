"""What is known of all the gold before its rows are read in blocks: its labels."""

from collections.abc import Mapping

from tallystick.codes import Label, order
from tallystick.errors import InputError
from tallystick.examples.reading import Reading
from tallystick.examples.sides import Side
from tallystick.io.tables.table import Table
from tallystick.kinds.labels.answers import Gold
from tallystick.kinds.labels.set_cells import read_sets
from tallystick.reading.tables import Entry, read_truth


class Survey:
    """The labels of all the gold, which are collected block by block from the columns `names`."""

    def __init__(self, first: Table, entries: Mapping[str, Entry], reading: Reading) -> None:
        """Finds out from the first block which columns hold the labels."""
        self.names: tuple[str, ...] = ()
        self.examples = 0
        self._reading = reading
        self._truth: Gold | None = None
        self._labels: set[Label] = set()
        self._error: InputError | None = None
        try:
            self._truth = read_truth(first, entries, reading)
        except InputError as error:
            self._error = error
        if self._truth is not None and not self._truth.matrix:
            self.names = (self._truth.name,)

    def take(self, block: Table) -> None:
        """Notes the labels of a block."""
        self.examples += len(block)
        if self._truth is None or not self.names or self._error is not None:
            return
        side, columns = Side(block), self._reading.columns
        try:
            if self._truth.labels.several:
                found = read_sets(side, self.names[0], columns, self._truth.task).names
            else:
                found = side.labels(self.names[0], columns).names
        except InputError as error:
            self._error = error
            return
        self._labels.update(found)

    def finish(self) -> tuple[Label, ...]:
        """Returns the labels; none where the gold is read as texts."""
        if self._error is not None:
            raise self._error
        if self._truth is None or not self.names:
            return () if self._truth is None else self._truth.labels.names
        named = self._truth.task.labels if self._truth.labels.several else None
        return named or order(self._labels)
