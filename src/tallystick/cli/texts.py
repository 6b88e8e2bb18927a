"""`tallystick score` for texts: hypotheses against references, line by line or in tables."""

import argparse
from collections.abc import Sequence

from tallystick.cli.intervals import read_intervals
from tallystick.cli.parser import refuse
from tallystick.cli.reading import read_text_columns
from tallystick.errors import UsageError
from tallystick.evaluate.text_files import TextFiles, score_text_files, score_text_tables
from tallystick.io.tables import Table, guess_kind, read_table
from tallystick.metrics.names import parse
from tallystick.results.evaluation import Evaluation

__all__ = [
    "OF_LABELS",
    "OF_TEXTS",
    "guess",
    "open_tables",
    "open_texts",
    "score_texts",
    "wants_texts",
]


_OF_TABLES = ("hypothesis_column", "reference_column", "id_column")
OF_TEXTS = ("ref", "blank_is_missing", "segments", "hypothesis_column", "reference_column")
"""Options that go with texts only."""
OF_LABELS = (
    "gold_column",
    "predicted_column",
    "probability_column",
    "weight_column",
    "delimiter",
    "labels",
    "positive",
    "threshold",
    "fold_case",
    "confusion",
)
"""Options that go with labels only."""


def wants_texts(options: argparse.Namespace) -> bool:
    """Whether the task or the first metric is one of texts."""
    if options.task is not None or not options.metrics:
        return bool(options.task == "text")
    return parse(options.metrics[0]).counter is not None


def score_texts(options: argparse.Namespace, names: Sequence[str]) -> Evaluation:
    """Scores text files or tables as the options say; `names` are those of the systems."""
    refuse(options, OF_LABELS, "goes with metrics of labels, not of texts")
    if guess(options.files[0], options) == "lines":
        texts = open_texts(options, names)
        return score_text_files(
            texts, options.metrics, segments=options.segments, intervals=read_intervals(options)
        )
    return score_text_tables(
        *open_tables(options, names),
        options.metrics,
        columns=read_text_columns(options),
        segments=options.segments,
        intervals=read_intervals(options),
    )


def open_texts(options: argparse.Namespace, names: Sequence[str]) -> TextFiles:
    """The text files that were named: references, and each system's hypotheses."""
    files = options.files
    if len(files) < 2:
        raise UsageError("name a reference file, and then the file of each system")
    for path in files[1:]:
        if guess(path, options) != "lines":
            raise UsageError(f"{path} is a table, but the references {files[0]} are lines of text")
    refuse(options, _OF_TABLES, "goes with tables, not with text files")
    if len(options.by) > 1:
        raise UsageError("--by takes one file with the group of each line")
    systems = dict(zip(names, files[1:], strict=True))
    return TextFiles(
        systems,
        (files[0], *options.ref),
        options.by[0] if options.by else None,
        options.clusters,
        options.blank_is_missing,
    )


def open_tables(
    options: argparse.Namespace, names: Sequence[str]
) -> tuple[Table, dict[str, Table | None]]:
    """The tables that were named: references, and each system's hypotheses."""
    if options.ref or options.blank_is_missing:
        raise UsageError("--ref and --blank-is-missing are for text files; tables hold lists")
    tables = [read_table(path, kind=options.input_format) for path in options.files]
    predictions: list[Table | None] = [*tables[1:]] or [None]
    return tables[0], dict(zip(names, predictions, strict=True))


def guess(path: str, options: argparse.Namespace) -> str:
    """What a file is; an ending that says nothing means lines of text, whatever is in them."""
    if options.input_format:
        return str(options.input_format)
    plain = path.lower().removesuffix(".gz")
    tables = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
    return guess_kind(path) if plain.endswith(tables) else "lines"
