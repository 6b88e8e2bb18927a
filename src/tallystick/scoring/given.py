"""Counts input, in files or in memory, for the metrics that are named."""

from collections.abc import Callable, Sequence

from tallystick.errors import UsageError
from tallystick.frozen import replace
from tallystick.kinds.metrics.names import Metrics, name_metrics
from tallystick.reading.input_plan import InputPlan, Layout, Source, plan_input
from tallystick.reading.layouts import iterate_blocks
from tallystick.reading.used_options import check_used
from tallystick.scoring.choosing import name_anew
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count, count_accepted


def count_input(
    source: Source, layout: Layout, metrics: Metrics = None, *, tolerant: bool = False
) -> Counted:
    """Reads a source and counts it, where it does not hold counts.

    With `tolerant`, a system that is wrong is set aside and stops no other.
    """
    if not isinstance(source.gold, Counted):
        return count_plan(plan_input(source, layout, metrics, tolerant=tolerant))
    if source.outputs is not None or any(one not in (None, ()) for one in layout.values()):
        raise UsageError("saved counts take metrics only; give the other options when counting")
    return name_anew(source.gold, name_metrics(metrics))


def checking_use(plan: InputPlan, count: Callable[[], Counted]) -> Counted:
    """Counts what was planned, whatever counts it.

    Raises:
        UnusedError: A keyword was given that has no use, as metrics tell or what was read.
    """
    check_used(plan, [kind.side for kind in plan.reading.kinds or ()])
    counted = count()
    check_used(plan, counted.facts.kinds, counted.facts.task.kind)
    return counted


def count_plan(plan: InputPlan, *, keep: bool = False) -> Counted:
    """Counts what was planned; `keep` keeps the examples for what looks at single ones."""

    def count_blocks(own: InputPlan) -> Counted:
        round_scores = own.reading.columns.round_scores
        return count(
            iterate_blocks(own),
            own.metrics,
            heading=own.heading,
            keep=keep,
            round_scores=round_scores,
        )

    return checking_use(plan, lambda: _count_accepted(plan, count_blocks))


def _count_accepted(plan: InputPlan, count_blocks: Callable[[InputPlan], Counted]) -> Counted:
    """Counts systems together; of a folder's those that can be counted."""
    files = plan.source.files
    if files is None or files.submissions is None or not plan.reading.tolerant:
        return count_blocks(plan)
    found = files.submissions

    def count_some(names: Sequence[str]) -> Counted:
        own = replace(files, submissions=found.keep(names))
        return count_blocks(replace(plan, source=replace(plan.source, outputs=own)))

    return count_accepted([*found.found], count_some)
