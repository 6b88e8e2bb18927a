"""How the rows of some ids are joined once they are in memory: each layout has its form.

Gold in a file beside a file of each system; a file whose rows are of the systems that a column
names; and repeated tries.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Protocol

import pyarrow as pa

from tallystick.errors import InputError
from tallystick.examples.reading import Reading
from tallystick.examples.sides import Side
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.io.files.spill import Spilled
from tallystick.io.tables.table import Table
from tallystick.reading.joined_files import File, restore
from tallystick.reading.layouts import split_long
from tallystick.reading.partitioned import (
    Faults,
    carry,
    check_partition,
    count_blank,
    join_partition,
)
from tallystick.reading.table_files import give, read_block
from tallystick.reading.tables import Entry


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a partition of a file, in their order."""

    file: File
    schema: pa.Schema
    spilled: tuple[Spilled, ...]

    def read(self) -> pa.Table:
        """Reads them, with their numbers and keys."""
        batches = [batch for one in self.spilled for batch in one.read(self.schema)]
        return pa.Table.from_batches(batches, self.schema).combine_chunks()

    def restore(self) -> Table:
        """Reads them as the table that they are from.

        Raises:
            InputError: One has no id.
        """
        rows = self.read()
        if count_blank(rows):
            raise InputError(f"{self.file.path}: a row has no id")
        return replace(self.file.first, columns=carry(rows))


class Form(Protocol):
    """How the rows of all files that have some ids are joined."""

    def join(self, files: Mapping[str | None, Rows], reading: Reading) -> Systems:
        """Returns the examples, of which there are some.

        Raises:
            InputError: They are not as they should be.
        """


@dataclass(frozen=True, slots=True)
class Beside:
    """Gold in a file, which is called None, and each system's outputs in another one."""

    def join(self, files: Mapping[str | None, Rows], reading: Reading) -> Systems:
        """Returns the examples, where each id of the gold stands once in all files."""
        left = files[None].read()
        faults, sides = check_partition(left), dict[str, Side]()
        for name, own in files.items():
            if name is not None:
                right = own.read()
                joined = join_partition(left, right)
                faults += joined.faults
                sides[name] = Side(restore(own.file, right), joined.places)
        if faults != Faults():
            raise InputError("ids are not as they should be")
        entries = {name: Entry(partial(give, side)) for name, side in sides.items()}
        return read_block(restore(files[None].file, left), entries, reading, 0)


@dataclass(frozen=True, slots=True)
class Long:
    """A file with a row for each example of each system, which a column names.

    Attributes:
        systems: The systems that are meant; all if none are named.
        last: Those that come last, whether they are named or not.
    """

    column: str
    systems: tuple[str, ...]
    last: tuple[str, ...]

    def join(self, files: Mapping[str | None, Rows], reading: Reading) -> Systems:
        """Returns the examples, which all systems must have."""
        gold, entries = split_long(files[None].restore(), self.column, reading)
        return self.choose(read_block(gold, entries, reading, 0))

    def choose(self, found: Systems) -> Systems:
        """The same examples with the systems that are meant.

        Raises:
            UsageError: There is no such system.
        """
        rest = self.systems or tuple(name for name in found.names if name not in self.last)
        return found.choose((*rest, *self.last), f"the column {self.column!r}")


@dataclass(frozen=True, slots=True)
class Tries:
    """Tables of repeated tries.

    Attributes:
        names: The system of each table.
        long: What tells systems apart where that is a column of the only table.
    """

    names: tuple[str, ...]
    long: Long | None

    def join(self, files: Mapping[str | None, Rows], reading: Reading) -> Systems:
        """Returns the problems, which all systems must have tried."""
        return self.read([rows.restore() for rows in files.values()], reading)

    def read(self, tables: Sequence[Table], reading: Reading) -> Systems:
        """Reads the tables, of which the first one holds the gold where they do not tell it."""
        from tallystick.kinds.tries.tries import read_tries, read_try_tables, split_systems

        if self.long is None:
            return read_try_tables([*zip(self.names, tables, strict=True)], reading)
        systems = split_systems(tables[0], self.long.column)
        return self.long.choose(read_tries(None, systems, reading))
