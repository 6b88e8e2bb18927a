"""Scores what is in memory: lists, numpy arrays, and anything with the Arrow interface."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tallystick.errors import UsageError
from tallystick.evaluate.scoring import assemble, choose
from tallystick.evaluate.system import System
from tallystick.evaluate.tables import list_guesses, score_tables
from tallystick.examples.arrays import add_clusters, add_groups, add_weights, read_arrays
from tallystick.examples.columns import Columns
from tallystick.examples.labels import as_column
from tallystick.examples.task import Kind, Task
from tallystick.intervals.settings import Intervals, settle
from tallystick.io.tables import Table, from_arrow
from tallystick.metrics.metric import Metric
from tallystick.results.evaluation import Evaluation

__all__ = ["add_columns", "is_table", "list_names", "read_systems", "score", "to_table"]


def score(
    gold: object,
    predictions: object = None,
    *,
    metrics: Sequence[Metric | str] | Metric | str | None = None,
    by: object = None,
    weights: object = None,
    clusters: object = None,
    task: Task | Kind | None = None,
    intervals: Intervals | bool = True,
) -> Evaluation:
    """Scores predictions against gold.

    Args:
        gold: A column of labels (list, numpy array, Arrow array, pandas or polars series); for a
            multilabel task lists of labels or a 0/1 matrix; or a table with named columns.
        predictions: A column like `gold`; a column of floats, read as probabilities of the positive
            label, or a matrix of floats, one column per label; a `Predictions`; a table; or a
            dictionary of several systems by name. None where `gold` is a table that holds both.
        metrics: What to compute, such as `"f1"` or `F1("macro")`; None takes the task's usual set.
        by: What to break scores down by: column names of the table, or a column of group values.
        weights: The column name of the examples' weights, or a column of them.
        clusters: The column name, or a column, of what examples hang together with, such as their
            documents; intervals then come from draws of whole clusters.
        task: `"binary"`, `"multiclass"`, `"multilabel"`, or a `Task` with labels, positive label
            and threshold; None guesses it.
        intervals: How intervals are made, an `Intervals`; False leaves them out.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A metric or an option does not exist or does not fit.
    """
    wanted = task if isinstance(task, Task) else Task(kind=task)
    named = [metrics] if isinstance(metrics, Metric | str) else metrics
    systems = predictions if isinstance(predictions, Mapping) else {"predictions": predictions}
    if not systems:
        raise UsageError("there is no system to score")
    if is_table(gold):
        columns = Columns(
            by=list_names(by, "by"),
            weight=next(iter(list_names(weights, "weights")), None),
            clusters=next(iter(list_names(clusters, "clusters")), None),
        )
        tables = {str(name): to_table(value, str(name)) for name, value in systems.items()}
        gold_table = from_arrow(gold, "gold")
        return score_tables(
            gold_table, tables, metrics=named, columns=columns, task=wanted, intervals=intervals
        )
    read = read_systems(gold, systems, wanted)
    read = [add_columns(system, by, clusters, weights) for system in read]
    lead = (("system", "system"), *((("group", "group"),) if by is not None else ()), ("n", "n"))
    pairs = [(system, choose(named, system)) for system in read]
    scored = assemble(pairs, lead, settle(intervals))
    return replace(scored, notes=(*list_guesses(wanted, read[0].task), *scored.notes))


def read_systems(gold: object, systems: Mapping[Any, object], task: Task) -> list[System]:
    """Reads columns of gold and of each system's predictions, which are not tables."""
    return [_read(gold, value, str(name), task) for name, value in systems.items()]


def add_columns(system: System, by: object, clusters: object, weights: object = None) -> System:
    """The same system, with the columns that were given beside its examples."""
    (examples,) = system.parts
    if by is not None:
        examples = add_groups(examples, by)
    if weights is not None:
        examples = add_weights(examples, weights)
    if clusters is not None:
        examples = add_clusters(examples, clusters)
    return replace(system, parts=(examples,))


def is_table(data: object) -> bool:
    """Whether data has named columns."""
    return hasattr(data, "__arrow_c_stream__") and (
        hasattr(data, "columns") or hasattr(data, "schema")
    )


def list_names(value: object, option: str) -> tuple[str, ...]:
    """The columns that an option names: none, one, or several."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise UsageError(f"{option} names columns of the table, so it is a text or a list of texts")


def to_table(data: object, name: str) -> Table | None:
    """A system's predictions as a table; None where the gold table holds them."""
    if data is None or is_table(data):
        return None if data is None else from_arrow(data, name)
    import pyarrow as pa

    column = as_column(data)
    array = column if isinstance(column, pa.Array | pa.ChunkedArray) else pa.array(column)
    kind = "y_prob" if pa.types.is_floating(array.type) else "y_pred"
    return from_arrow(pa.table({kind: array}), name)


def _read(gold: object, predictions: object, name: str, task: Task) -> System:
    examples, settled = read_arrays(gold, predictions, name, task)
    return System(name, (examples,), settled, task)
