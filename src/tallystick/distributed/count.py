"""Counts what callers pass, at once, on worker processes, or on a Dask cluster."""

from typing import Any, Unpack

from tallystick.distributed.cluster import Cluster, start
from tallystick.distributed.collections import count_collection, is_collection
from tallystick.distributed.driver import count_sources
from tallystick.distributed.files import count_blocks, cut
from tallystick.distributed.jobs import Counting, Engine, Here
from tallystick.errors import UsageError
from tallystick.kinds.metrics.names import Metrics, name_metrics
from tallystick.reading.input_plan import Layout, Source, plan_input
from tallystick.reading.layouts import iterate_blocks
from tallystick.scoring.counted import Counted
from tallystick.scoring.given import checking_use, count_input

_ROWS = 1 << 17
"""So many rows are a part, at most."""

_PARTS = 64
"""Into so many parts fewer rows are cut, whoever counts them."""


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
        parts = cut(read, min(max(len(read) // _PARTS, 1), _ROWS))
        return count_sources(parts, counting, chosen).add_facts(refused=read.facts.refused)

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
    raise UsageError(f"engine is a number of workers, or a dask.distributed.Client, not {engine!r}")
