"""What options say about files, columns and the task, in the words of the floors below."""

import argparse
import os
from collections.abc import Sequence

from tallystick.errors import UsageError
from tallystick.examples.columns import Columns, TextColumns
from tallystick.examples.task import Task

__all__ = ["name_systems", "read_columns", "read_task", "read_text_columns"]


def read_columns(options: argparse.Namespace) -> Columns:
    """The columns that were named."""
    return Columns(
        gold=options.gold_column,
        predicted=options.predicted_column,
        probability=options.probability_column,
        id=options.id_column,
        weight=getattr(options, "weight_column", None),
        clusters=getattr(options, "clusters", None),
        by=tuple(options.by),
        delimiter=options.delimiter,
        fold_case=options.fold_case,
    )


def read_text_columns(options: argparse.Namespace) -> TextColumns:
    """The columns of texts that were named."""
    return TextColumns(
        options.hypothesis_column,
        options.reference_column,
        options.id_column,
        tuple(options.by),
        options.clusters,
    )


def read_task(options: argparse.Namespace) -> Task:
    """What was said about the task."""
    return Task(
        kind=options.task,
        labels=tuple(options.labels) if options.labels else None,
        positive=options.positive,
        threshold=options.threshold,
    )


def name_systems(paths: Sequence[str]) -> list[str]:
    """The files' names without folder and ending; the whole paths where those are not distinct."""
    names = [os.path.basename(path).removesuffix(".gz") for path in paths]
    stems = [os.path.splitext(name)[0] or name for name in names]
    for choice in (stems, names, list(paths)):
        if len(set(choice)) == len(choice):
            return choice
    raise UsageError("a prediction file is named twice")
