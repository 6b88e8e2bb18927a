"""Reads the submissions of a ranking or a gate from files: labels or texts, joined to one gold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tallystick.comparison.entries import read_entries
from tallystick.comparison.leaderboards import Metrics, admit_tables, admit_texts
from tallystick.comparison.meetings import Meeting
from tallystick.comparison.text_files import join_blocks
from tallystick.errors import InputError, UsageError
from tallystick.evaluate.text_files import TextFiles, read_text_tables
from tallystick.evaluate.texts import TextPart
from tallystick.examples.columns import GOLD, IDS, Columns, TextColumns, find, need
from tallystick.examples.task import Task
from tallystick.io.tables import Table, read_table

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Source", "meet_files", "meet_text_tables", "meet_texts", "split_systems"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where gold and submissions lie, and how they are scored.

    Attributes:
        gold: The path of the gold; of the references where systems write texts.
        systems: The path of each system's file.
        metrics: What to score by.
        columns: Which column holds what; of texts, `by` and `clusters` are files of names.
        task: What is known about the task.
        kind: What the files are, where their endings do not tell.
        references: Further files of references.
        blank_is_missing: Whether a blank line of a reference file is no reference at all.
        named: The columns of hypotheses and of references in tables, where not the usual.
    """

    gold: str
    systems: Mapping[str, str]
    metrics: Metrics
    columns: Columns = field(default_factory=Columns)
    task: Task = field(default_factory=Task)
    kind: str | None = None
    references: tuple[str, ...] = ()
    blank_is_missing: bool = False
    named: tuple[str | None, str | None] = (None, None)


def meet_files(source: Source) -> Meeting:
    """Brings systems together whose files hold labels, label sets or probabilities."""
    gold = read_table(source.gold, kind=source.kind)
    return admit_tables(
        gold,
        source.systems,
        source.metrics,
        columns=source.columns,
        task=source.task,
        kind=source.kind,
    )


def meet_texts(source: Source) -> Meeting:
    """Brings systems together whose files hold one text a line."""
    by = source.columns.by
    if len(by) > 1:
        raise UsageError("by takes one file with the group of each line")

    def read(name: str) -> TextPart:
        files = TextFiles(
            {name: source.systems[name]},
            (source.gold, *source.references),
            by[0] if by else None,
            source.columns.clusters,
            source.blank_is_missing,
        )
        return join_blocks([block[name] for block in files.blocks()])

    return admit_texts(read_entries(source.systems, read), source.metrics)


def meet_text_tables(source: Source) -> Meeting:
    """Brings systems together whose files are tables with a column of texts."""
    gold, columns = read_table(source.gold, kind=source.kind), source.columns

    def read(name: str) -> TextPart:
        table = read_table(source.systems[name], kind=source.kind)
        named = TextColumns(*source.named, columns.id, columns.by, columns.clusters)
        return read_text_tables(gold, {name: table}, named)[name]

    return admit_texts(read_entries(source.systems, read), source.metrics)


def split_systems(table: Table, name: str, columns: Columns) -> tuple[Table, dict[str, Table]]:
    """The gold of one table that holds several systems, and the predictions of each.

    Args:
        table: Gold and predictions, one row for each example of each system.
        name: The column that names the systems.
        columns: Which column holds what.

    Raises:
        InputError: A row names no system, or the gold differs between systems.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    named = table.column(name)
    if named.null_count:
        index = pc.index(pc.is_null(named), True).as_py()
        raise InputError(f"{table.source}, {table.locate(index)}, column {name!r}: names no system")
    names = pc.cast(named, pa.string())
    parts = {
        system: _slice(table, system, table.columns.filter(pc.equal(names, system)))
        for system in sorted(pc.unique(names).to_pylist())
    }
    label = need(table, GOLD, columns.gold, "gold")
    ids = find(table.names(), IDS, columns.id)
    if ids is None:
        return max(parts.values(), key=len), parts
    return _slice(table, "gold", _find_gold(table, ids, label)), parts


def _slice(table: Table, title: str, columns: "pyarrow.Table") -> Table:
    """Some of a table's rows, which are counted anew."""
    return Table(f"{table.source} ({title})", columns, "row", 1)


def _find_gold(table: Table, ids: str, label: str) -> "pyarrow.Table":
    """The first row of each example; all others must have the same gold."""
    import pyarrow.compute as pc

    counts = table.columns.group_by(ids).aggregate([(label, "count_distinct")])
    torn = counts.filter(pc.greater(counts.column(f"{label}_count_distinct"), 1)).column(ids)
    if len(torn):
        raise InputError(
            f"{table.source}: the gold of {torn[0].as_py()} differs between systems, column "
            f"{label!r}"
        )
    _, first = np.unique(np.array(table.column(ids).to_pylist(), dtype=str), return_index=True)
    return table.columns.take(np.sort(first))
