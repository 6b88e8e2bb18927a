"""Compares systems whose predictions were read, and tables of predictions."""

from collections.abc import Mapping, Sequence

from tallystick.comparison.flips import LabelFlips
from tallystick.comparison.joining import check_alike, check_systems
from tallystick.comparison.meetings import meet_systems
from tallystick.comparison.notes import list_notes
from tallystick.comparison.settings import Testing
from tallystick.comparison.verdicts import assess, judge_all
from tallystick.evaluate.system import System
from tallystick.evaluate.tables import read_tables
from tallystick.examples.columns import IDS, Columns, find
from tallystick.examples.task import Task
from tallystick.io.tables import Table
from tallystick.metrics.metric import Metric
from tallystick.results.comparison import Comparison

__all__ = ["compare_systems", "compare_tables", "read_ids"]


def compare_tables(
    gold: Table,
    systems: Mapping[str, Table | None],
    metrics: Sequence[Metric | str],
    testing: Testing,
    columns: Columns,
    task: Task,
) -> Comparison:
    """Compares systems whose tables go with one gold table."""
    read = read_tables(gold, systems, columns, task)
    return compare_systems(read, metrics, testing, ids=read_ids(gold, columns.id))


def compare_systems(
    systems: Sequence[System],
    metrics: Sequence[Metric | str],
    testing: Testing,
    *,
    ids: Sequence[str] | None = None,
) -> Comparison:
    """Compares systems of which every one has its examples in one piece, in one order.

    Args:
        systems: The systems.
        metrics: What to compare by.
        testing: How.
        ids: What flips call each example; None takes the numbers of the rows.
    """
    check_systems([system.name for system in systems])
    for system in systems[1:]:
        check_alike(systems[0], system)
    meeting = meet_systems(systems, metrics)
    outcomes = judge_all(meeting.contests, meeting.field, testing)
    ordered = {metric: outcomes[metric] for metric in meeting.metrics}
    notes = (*meeting.notes, *list_notes(ordered, meeting.field, testing))
    finder = LabelFlips(tuple(systems), None if ids is None else tuple(ids))
    return Comparison(tuple(assess(ordered, meeting.field, testing)), notes, finder)


def read_ids(table: Table, named: str | None) -> tuple[str, ...] | None:
    """The ids of the examples, where there are any."""
    name = find(table.names(), IDS, named)
    return None if name is None else tuple(map(str, table.column(name).to_pylist()))
