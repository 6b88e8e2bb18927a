"""What `rank` and `gate` share: files become a meeting of systems, as the options say."""

import argparse
from collections.abc import Mapping

from tallystick.cli.parser import refuse
from tallystick.cli.reading import read_columns, read_task
from tallystick.cli.texts import OF_LABELS, OF_TEXTS, guess, wants_texts
from tallystick.comparison.files import Source, meet_files, meet_text_tables, meet_texts
from tallystick.comparison.meetings import Meeting
from tallystick.errors import UsageError
from tallystick.examples.task import Task

__all__ = ["meet"]

_OF_FILES = ("ref", "blank_is_missing")
_OF_TABLES = ("hypothesis_column", "reference_column", "id_column")


def meet(options: argparse.Namespace, gold: str, systems: Mapping[str, str]) -> Meeting:
    """Brings the systems of some files together."""
    texts = wants_texts(options)
    if texts:
        refuse(options, OF_LABELS, "goes with metrics of labels, not of texts")
    else:
        refuse(options, OF_TEXTS, "goes with metrics of texts, such as bleu")
    source = Source(
        gold,
        systems,
        options.metrics,
        read_columns(options),
        Task() if texts else read_task(options),
        options.input_format,
        tuple(options.ref),
        options.blank_is_missing,
        (options.hypothesis_column, options.reference_column),
    )
    if not texts:
        return meet_files(source)
    if guess(gold, options) != "lines":
        refuse(options, _OF_FILES, "is for text files; tables hold lists")
        return meet_text_tables(source)
    refuse(options, _OF_TABLES, "goes with tables, not with text files")
    for path in systems.values():
        if guess(path, options) != "lines":
            raise UsageError(f"{path} is a table, but the references {gold} are lines of text")
    return meet_texts(source)
