"""Dask DataFrames and bags: each partition is a part."""

import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from tallystick.distributed.driver import count_sources
from tallystick.distributed.jobs import Counting, Engine
from tallystick.errors import UsageError
from tallystick.frozen import dataclass, replace
from tallystick.io.tables.table import from_arrow
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems
from tallystick.reading.input_plan import InputPlan
from tallystick.reading.table_files import read_block, settle_by
from tallystick.scoring.counted import Counted


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """A partition of a table, which may still have to be made.

    Attributes:
        name: Its number, from 1 on.
        systems: The columns of outputs; none where they are found by their names.
        delayed: What makes it, a `dask.delayed.Delayed`; None where it is there.
        content: The partition: a frame of pandas, an Arrow table, or dictionaries.
        size: That of a part of which nobody knows the size.
    """

    name: str
    systems: tuple[str, ...]
    delayed: Any
    content: Any = None
    size: int = 1

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The examples in one block."""
        content = self.content
        if content is None:
            content = self.delayed.compute(scheduler="synchronous")
        if not hasattr(content, "__arrow_c_stream__"):
            content = pa.Table.from_pylist(list(content))
        if len(content):
            entries = {name: name for name in self.systems}
            table = from_arrow(content, self.name)
            yield read_block(table, entries or {"predictions": None}, reading, 0)


def is_collection(gold: object) -> bool:
    """Whether gold is a collection of Dask, which is not imported for that."""
    if "dask" not in sys.modules:
        return False
    from dask.base import is_dask_collection

    return bool(is_dask_collection(gold))


def count_collection(plan: InputPlan, counting: Counting, engine: Engine) -> Counted:
    """Counts a Dask DataFrame, or a bag of dictionaries."""
    gold: Any = plan.source.gold
    if not hasattr(gold, "to_delayed") or not (
        hasattr(gold, "columns") or hasattr(gold, "to_dataframe")
    ):
        raise UsageError("of Dask a DataFrame, or a bag of dictionaries, can be counted")
    if plan.source.outputs is not None or plan.system_column is not None:
        raise UsageError(
            "a Dask collection holds gold and outputs in its columns; name those of several "
            "systems with systems"
        )
    if counting.reading.columns.invalid != "error":
        raise UsageError("invalid outputs can only be found in all rows at once, not by partition")
    reading = counting.reading
    parts = [
        Partition(f"partition {number}", plan.systems, delayed)
        for number, delayed in enumerate(gold.to_delayed(), 1)
    ]
    first = next((block for part in parts for block in part.read(reading)), None)
    reading = reading if first is None else settle_by(reading, first)
    heading = "/".join(reading.columns.by) or None
    return count_sources(parts, replace(counting, reading=reading, heading=heading), engine)
