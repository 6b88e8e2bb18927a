"""Ranks what is in memory and what lies in tables: submissions in, places out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tallystick.comparison.entries import Entries, read_entries, refuse_misfits
from tallystick.comparison.meetings import Meeting, meet_systems
from tallystick.comparison.ranking import rank_meeting
from tallystick.comparison.settings import Test, Testing
from tallystick.comparison.texts import count_parts, meet_parts
from tallystick.errors import UsageError
from tallystick.evaluate.memory import add_columns, is_table, list_names, read_systems, to_table
from tallystick.evaluate.system import System
from tallystick.evaluate.tables import read_tables
from tallystick.evaluate.texts import TextPart, choose_texts, divide
from tallystick.examples.columns import Columns
from tallystick.examples.pairs import read_pairs
from tallystick.examples.task import Kind, Task
from tallystick.io.tables import Table, from_arrow, read_table
from tallystick.metrics.metric import Metric
from tallystick.metrics.names import parse
from tallystick.results import Missing
from tallystick.results.ranking import Ranking

__all__ = ["Metrics", "admit", "admit_tables", "admit_texts", "rank", "wants_texts"]

Metrics = Sequence[Metric | str] | Metric | str


def rank(
    gold: object,
    systems: Mapping[str, object],
    *,
    metrics: Metrics,
    by: object = None,
    clusters: object = None,
    baselines: Sequence[str] = (),
    missing: Missing = "exclude",
    test: Test | None = None,
    draws: int | None = None,
    seed: int = 12345,
    level: float = 0.95,
    task: Task | Kind | None = None,
) -> Ranking:
    """Ranks systems by what the examples can tell apart.

    A system whose predictions cannot be scored is set aside with the reason.

    Args:
        gold: As in `score`; the references where the metrics are of texts, as in `score_texts`.
        systems: The predictions of each system by name.
        metrics: What to rank by; several are ranked one by one, and then taken together.
        by: As in `score`.
        clusters: As in `compare`.
        baselines: The systems that are shown among the others, but have no rank.
        missing: What becomes of a system that lacks a metric or a group when several are taken
            together: `"exclude"`, `"zero"`, `"worst"`, or `"common"`, as in `rank_tracks`.
        test: As in `compare`.
        draws: How many replicates are drawn; None takes 10,000.
        seed: Where the draws begin.
        level: The level of intervals and tests.
        task: As in `score`.

    Raises:
        InputError: The gold is not what it should be, or no system can be scored.
        UsageError: A metric, a baseline or an option does not exist or does not fit.
    """
    testing = Testing(test, draws, seed, level)
    meeting = admit(gold, systems, metrics=metrics, by=by, clusters=clusters, task=task)
    marked = list_names(baselines, "baselines")
    return rank_meeting(meeting, testing, baselines=marked, missing=missing)


def admit(
    gold: object,
    systems: Mapping[str, object],
    *,
    metrics: Metrics,
    by: object = None,
    clusters: object = None,
    task: Task | Kind | None = None,
) -> Meeting:
    """Brings systems in memory together; those that cannot be scored are refused."""
    own = {str(name): value for name, value in systems.items()}
    if len(own) != len(systems):
        raise UsageError("two systems have the same name; give each its own")
    wanted = task if isinstance(task, Task) else Task(kind=task)
    if is_table(gold):
        cluster = next(iter(list_names(clusters, "clusters")), None)
        columns = Columns(by=list_names(by, "by"), clusters=cluster)
        return _admit_frames(from_arrow(gold, "gold"), own, metrics, columns=columns, task=wanted)
    if wants_texts(metrics):

        def read_texts(name: str) -> TextPart:
            return divide(read_pairs(own[name], gold, name), by, clusters)

        return admit_texts(read_entries(own, read_texts), metrics)

    def read(name: str) -> System:
        (system,) = read_systems(gold, {name: own[name]}, wanted)
        return add_columns(system, by, clusters)

    return _meet(read_entries(own, read), metrics)


def _admit_frames(
    gold: Table,
    systems: Mapping[str, object],
    metrics: Metrics,
    *,
    columns: Columns,
    task: Task,
) -> Meeting:
    def read(name: str) -> System:
        return read_tables(gold, {name: to_table(systems[name], name)}, columns, task)[0]

    return _meet(read_entries(systems, read), metrics)


def admit_tables(
    gold: Table,
    systems: Mapping[str, Table | str],
    metrics: Metrics,
    *,
    columns: Columns,
    task: Task,
    kind: str | None = None,
) -> Meeting:
    """Brings systems together whose predictions are tables, or files that are read as tables.

    Args:
        gold: The gold.
        systems: Each system's predictions, or the path of its file.
        metrics: What to score by.
        columns: Which column holds what, where their names do not tell.
        task: What is known about the task.
        kind: What the files are, where their endings do not tell.
    """

    def read(name: str) -> System:
        own = systems[name]
        table = read_table(own, kind=kind) if isinstance(own, str) else own
        return read_tables(gold, {name: table}, columns, task)[0]

    return _meet(read_entries(systems, read), metrics)


def admit_texts(entries: Entries[TextPart], metrics: Metrics) -> Meeting:
    """Brings systems together whose texts were read."""
    chosen = choose_texts(_list_metrics(metrics))
    parts = entries.accepted
    _check_some(parts)
    meeting = meet_parts(parts, chosen, count_parts(parts, chosen))
    return replace(meeting, refused=entries.refused)


def wants_texts(metrics: Metrics) -> bool:
    """Whether the first metric is one of texts."""
    named = _list_metrics(metrics)
    if not named:
        raise UsageError("no metric was named")
    return (parse(named[0]) if isinstance(named[0], str) else named[0]).counter is not None


def _meet(entries: Entries[System], metrics: Metrics) -> Meeting:
    named = _list_metrics(metrics)
    _check_some(entries.accepted)
    fitting = refuse_misfits(entries, named)
    meeting = meet_systems(tuple(fitting.accepted.values()), named)
    return replace(meeting, refused=fitting.refused)


def _list_metrics(metrics: Metrics) -> Sequence[Metric | str]:
    return [metrics] if isinstance(metrics, Metric | str) else metrics


def _check_some(systems: Mapping[str, object]) -> None:
    if not systems:
        raise UsageError("there is no system to rank")
