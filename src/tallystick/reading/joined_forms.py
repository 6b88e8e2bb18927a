"""How the rows of some ids are joined once they are in memory: each layout has its form.

Gold in a file beside a file of each system; a file whose rows are of the systems that a column
names; and repeated tries.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Protocol

import numpy as np
import pyarrow as pa

from tallystick.errors import InputError
from tallystick.examples.ids import find_keys
from tallystick.examples.reading import Reading
from tallystick.examples.sides import Side
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, replace
from tallystick.io.files.spill import Spilled
from tallystick.io.tables.table import Table
from tallystick.reading.layouts import split_long
from tallystick.reading.table_files import give, read_block
from tallystick.reading.tables import Entry


@dataclass(frozen=True, slots=True)
class File:
    """A file that has ids, or several that are one table; its first row, and its column of ids."""

    path: str
    first: Table
    id: str


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a partition of a file, in their order."""

    file: File
    schema: pa.Schema
    spilled: tuple[Spilled, ...]

    def read(self) -> tuple[pa.Array, Table]:
        """Reads the ids of the rows, as text, and the table that they are from.

        Its column of ids is empty where it was left out, as it has done its work.
        """
        batches = [batch for one in self.spilled for batch in one.read(self.schema)]
        rows = pa.Table.from_batches(batches, self.schema).combine_chunks()
        columns = rows.select(range(1, rows.num_columns))
        names, ids = self.file.first.names(), self.file.id
        if ids in names and ids not in columns.column_names:
            columns = columns.add_column(names.index(ids), ids, pa.nulls(len(columns)))
        keys = rows.column(0).combine_chunks()
        return keys, replace(self.file.first, columns=columns)


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
        keys, gold = files[None].read()
        entries = {}
        for name, rows in files.items():
            if name is not None:
                own, table = rows.read()
                places = find_keys(own, keys)
                if not len(own) == len(keys) == len(np.unique(places)) or (places < 0).any():
                    raise InputError("ids are not as they should be")
                entries[name] = Entry(partial(give, Side(table, places)))
        return read_block(gold, entries, reading, 0)


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
        gold, entries = split_long(files[None].read()[1], self.column, reading)
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
        return self.read([rows.read()[1] for rows in files.values()], reading)

    def read(self, tables: Sequence[Table], reading: Reading) -> Systems:
        """Reads the tables, of which the first one holds the gold where they do not tell it."""
        from tallystick.kinds.tries.tries import read_tries, read_try_tables, split_systems

        if self.long is None:
            return read_try_tables([*zip(self.names, tables, strict=True)], reading)
        systems = split_systems(tables[0], self.long.column)
        return self.long.choose(read_tries(None, systems, reading))
