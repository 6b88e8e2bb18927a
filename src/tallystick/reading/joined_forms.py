"""How the rows of some ids are joined once they are in memory: each layout has its form.

Gold in a file beside a file of each system; a file whose rows are of the systems that a column
names; and repeated tries.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pyarrow as pa

from tallystick.errors import InputError
from tallystick.frozen import dataclass, replace
from tallystick.io.files.spill import Spilled
from tallystick.io.tables.table import Table
from tallystick.model.ids import find_keys
from tallystick.model.reading import Reading
from tallystick.model.sides import Side
from tallystick.model.systems import Systems
from tallystick.reading.layouts import Long, Tries
from tallystick.reading.table_files import give, read_block


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


def join(form: Long | Tries | None, files: Mapping[str | None, Rows], reading: Reading) -> Systems:
    """Returns the examples of some ids, of which there are some.

    Args:
        form: Which systems a column of the only file names, or whose tries the files are; None is
            gold in a file, which is called None, and each system's outputs in another one.
        files: The rows of each file.
        reading: How columns are read.

    Raises:
        InputError: An id does not stand once in all files, or an example is wrong.
    """
    if form is not None:
        return form.join([rows.read()[1] for rows in files.values()], reading)
    (keys, gold), entries = files[None].read(), {}
    for name, rows in files.items():
        if name is not None:
            own, table = rows.read()
            places = find_keys(own, keys)
            if not len(own) == len(keys) == len(np.unique(places)) or (places < 0).any():
                raise InputError("ids are not as they should be")
            entries[name] = partial(give, Side(table, places))
    return read_block(gold, entries, reading, 0)
