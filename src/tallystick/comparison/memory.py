"""Compares what is in memory: lists, numpy arrays, and anything with the Arrow interface."""

from collections.abc import Mapping, Sequence

from tallystick.comparison.settings import Test, Testing
from tallystick.comparison.tables import compare_systems, compare_tables
from tallystick.evaluate.memory import add_columns, is_table, list_names, read_systems, to_table
from tallystick.examples.columns import Columns
from tallystick.examples.task import Kind, Task
from tallystick.io.tables import from_arrow
from tallystick.metrics.metric import Metric
from tallystick.results.comparison import Comparison

__all__ = ["compare"]


def compare(
    gold: object,
    systems: Mapping[str, object],
    *,
    metrics: Sequence[Metric | str] | Metric | str,
    by: object = None,
    clusters: object = None,
    test: Test | None = None,
    draws: int | None = None,
    seed: int = 12345,
    level: float = 0.95,
    task: Task | Kind | None = None,
) -> Comparison:
    """Compares every two of several systems on the same examples.

    Args:
        gold: As in `score`.
        systems: The predictions of each system by name, as in `score`.
        metrics: What to compare by, such as `"f1"` or `F1("macro")`.
        by: As in `score`.
        clusters: What hangs together, such as documents or authors, and is drawn and exchanged as
            a whole: a column name of the gold table, or a column of names.
        test: `"ar"` (approximate randomisation), `"bootstrap"`, `"mcnemar"`, `"mcnemar-midp"` or
            `"delong"`; None takes `delong` for a binary task's ROC-AUC and `ar` for the rest.
        draws: How many replicates are drawn; None takes 10,000.
        seed: Where the draws begin.
        level: The level of the intervals.
        task: As in `score`.

    Raises:
        InputError: The data is not what it should be; the message names the row.
        UsageError: A metric, a test or an option does not exist or does not fit.
    """
    testing = Testing(test, draws, seed, level)
    wanted = task if isinstance(task, Task) else Task(kind=task)
    named = [metrics] if isinstance(metrics, Metric | str) else metrics
    if is_table(gold):
        cluster = next(iter(list_names(clusters, "clusters")), None)
        columns = Columns(by=list_names(by, "by"), clusters=cluster)
        tables = {str(name): to_table(value, str(name)) for name, value in systems.items()}
        return compare_tables(from_arrow(gold, "gold"), tables, named, testing, columns, wanted)
    read = [add_columns(own, by, clusters) for own in read_systems(gold, systems, wanted)]
    return compare_systems(read, named, testing)
