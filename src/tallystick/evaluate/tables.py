"""Scores tables: gold and the predictions of one or more systems."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tallystick.evaluate.scoring import assemble, choose
from tallystick.evaluate.system import System
from tallystick.examples.columns import Columns
from tallystick.examples.tables import read_examples
from tallystick.examples.task import Task
from tallystick.intervals.settings import Intervals, settle
from tallystick.io.tables import Table
from tallystick.metrics.metric import Metric
from tallystick.results.evaluation import Evaluation

__all__ = ["list_guesses", "read_tables", "score_tables"]


def score_tables(
    gold: Table,
    systems: Mapping[str, Table | None],
    *,
    metrics: Sequence[Metric | str] | None = None,
    columns: Columns | None = None,
    task: Task | None = None,
    intervals: Intervals | bool = True,
) -> Evaluation:
    """Scores one or more systems against one gold table.

    Args:
        gold: The gold, and the predictions too where a system's table is None.
        systems: The predictions of each system.
        metrics: What to compute; None takes the task's usual metrics.
        columns: Which column holds what, where their names do not tell.
        task: What is known about the task; the rest is guessed.
        intervals: How intervals are made; False leaves them out.
    """
    columns, task = columns or Columns(), task or Task()
    read = read_tables(gold, systems, columns, task)
    by = (("/".join(columns.by), "group"),) if columns.by else ()
    scored = assemble(
        [(system, choose(metrics, system)) for system in read],
        (("system", "system"), *by, ("n", "n")),
        settle(intervals),
    )
    return replace(scored, notes=(*list_guesses(task, read[0].task), *scored.notes))


def read_tables(
    gold: Table, systems: Mapping[str, Table | None], columns: Columns, task: Task
) -> list[System]:
    """Reads each system's predictions beside the gold, in the order of the gold."""
    read = []
    for name, predictions in systems.items():
        examples, settled = read_examples(gold, predictions, columns, task)
        read.append(System(name, (examples,), settled, task))
    return read


def list_guesses(asked: Task, settled: Task) -> tuple[str, ...]:
    """What was guessed about the task, in words, so that nobody is surprised."""
    if asked.kind is not None:
        return ()
    if settled.kind == "binary":
        return (f"read as a binary task with the positive label {str(settled.positive)!r}.",)
    if settled.kind == "multiclass" and len(settled.labels or ()) == 2:
        names = " and ".join(repr(str(label)) for label in settled.labels or ())
        return (
            f"read as a multiclass task with the labels {names}; "
            "name the positive one to get binary scores.",
        )
    return (f"read as a {settled.kind} task with {len(settled.labels or ())} labels.",)
