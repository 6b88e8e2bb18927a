"""Counts what callers pass on workers or a Dask cluster: files, tables and collections."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Unpack, cast

from msgspec import Struct
from msgspec.structs import replace

from tallystick.distributed.cluster import Cluster, start
from tallystick.distributed.jobs import (
    Counting,
    Engine,
    Here,
    Partition,
    WrongPartError,
    count_sources,
    run_all,
)
from tallystick.errors import InputError, UsageError, short_traceback
from tallystick.io.files.opening import Progress
from tallystick.kinds.metrics.names import Metrics, name_metrics
from tallystick.limits import LIMITS
from tallystick.model.reading import Reading
from tallystick.model.systems import Systems
from tallystick.reading.input_plan import InputPlan, Layout, Source, plan_input
from tallystick.reading.joined_parts import Join, Split
from tallystick.reading.layouts import iterate_blocks
from tallystick.reading.table_files import settle_by
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import checking_use, count_input

_LARGE = 1 << 17
"""So many rows are a part, at most."""

_PARTS = 64
"""The number of parts of a smaller table, whatever the number of workers."""


@short_traceback
def count(
    gold: object = None,
    /,
    outputs: object = None,
    metrics: Metrics = None,
    *,
    engine: object = None,
    **layout: Unpack[Layout],
) -> Counted:
    """Counts examples once for all metrics; what comes out can be scored, added and saved.

    Args:
        gold: As in `score`; or a Dask DataFrame, or a Dask bag of dictionaries, whose partitions
            are counted apart.
        outputs: As in `score`.
        metrics: What to count for, as in `score`.
        engine: Who counts: None this process, a number that many worker processes, and a
            `dask.distributed.Client` its cluster. The counts are the same.
        layout: How the data is laid out, as in `tallystick.read`.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A metric or an option does not exist or does not fit.
    """
    source = Source.of(gold, outputs)
    if engine is None and not is_collection(gold):
        return count_input(source, layout, metrics)
    plan = plan_input(source, layout, metrics)
    named = name_metrics(metrics)
    counting = Counting(None if named is None else tuple(named), plan.reading, plan.heading)
    chosen = _choose(engine)

    def count_all() -> Counted:
        if is_collection(gold):
            return count_collection(plan, counting, chosen)
        if source.files is not None:
            return count_blocks(iterate_blocks(plan), counting, chosen)
        read = next(iterate_blocks(plan))  # what is in memory is one block
        parts = cut(read, min(max(len(read) // _PARTS, 1), _LARGE))
        return count_sources(parts, counting, chosen).add_facts(rejected=read.facts.rejected)

    try:
        return checking_use(plan, count_all)
    finally:
        chosen.close()


def _choose(engine: Any) -> Engine:
    if engine is None:
        return Here()
    if isinstance(engine, int) and not isinstance(engine, bool) and engine >= 1:
        return start(engine)
    if hasattr(engine, "submit") and hasattr(engine, "nthreads"):
        return Cluster(lambda: engine)
    raise UsageError(
        f"engine must be a number of workers, or a dask.distributed.Client, not {engine!r}"
    )


class Slice(Struct, frozen=True, eq=False):
    """Some rows of systems that have been read."""

    name: str
    size: int
    systems: Systems

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The rows, which have been read."""
        yield self.systems


def cut(systems: Systems, rows: int) -> list[Slice]:
    """Returns slices of a table with a given number of rows."""
    slices = list[Slice]()
    for first in range(0, len(systems), rows):
        own = systems.take(slice(first, min(first + rows, len(systems))))
        name = f"rows {own.first + 1:,} to {own.first + len(own):,}"
        slices.append(Slice(name, len(own), own))
    return slices


def count_blocks(blocks: Iterator[Systems], counting: Counting, engine: Engine) -> Counted:
    """Counts blocks of examples while further ones are read."""
    return count_sources(
        (own for block in blocks for own in cut(block, LIMITS.sent_rows)), counting, engine
    )


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
        raise UsageError("only a Dask DataFrame or a Dask bag of dictionaries can be counted")
    if plan.source.outputs is not None or plan.system_column is not None:
        raise UsageError(
            "a Dask collection contains gold and outputs in its columns; name those of several "
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


class _Step(Struct, frozen=True, eq=False):
    name: str
    do: Callable[[], object]

    def list_modules(self) -> set[str]:
        """None: metrics have nothing to do yet."""
        return set()

    def run(self) -> object:
        return self.do()


def count_joined(
    plan: Callable[[Reading], Join | None],
    counting: Counting,
    engine: Engine,
    watch: Progress | None = None,
) -> Counted | None:
    """Counts files joined by id on workers; None if one process must read all rows."""

    def run(jobs: Iterable[tuple[str, Callable[[], Split]]]) -> list[Split]:
        steps = ((place, _Step(*job)) for place, job in enumerate(jobs))
        found = {place: done for place, _, done in run_all(steps, engine)}
        return [cast("Split", done) for _, done in sorted(found.items())]

    with engine.share_folder() as folder:
        if folder is None:
            return None
        try:
            planned = plan(counting.reading)
            if planned is None:
                return None
            parts, reading = planned.prepare(run, folder)
        except (InputError, UsageError):
            return None
        try:
            counting = replace(counting, reading=reading)
            return count_sources(parts, counting, engine, watch)
        except WrongPartError:
            return None
