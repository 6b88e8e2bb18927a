"""`tallystick score`: predictions and gold in, scores out."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace

from tallystick.cli.intervals import read_intervals
from tallystick.cli.output import check_targets, show, tell, write_confusions
from tallystick.cli.parser import refuse
from tallystick.cli.progress import show_progress
from tallystick.cli.texts import score_texts, wants_texts
from tallystick.errors import UsageError
from tallystick.evaluate.run import open_run
from tallystick.evaluate.tables import score_tables
from tallystick.examples.columns import Columns
from tallystick.examples.task import Task
from tallystick.io.config import read_languages
from tallystick.io.tables import Table, read_table
from tallystick.report.evaluation import Evaluation

__all__ = ["run"]

_OF_RUNS = ("run_tag", "languages", "config", "dump_errors", "errors_dir")
_OF_TEXTS = ("ref", "blank_is_missing", "segments", "hypothesis_column", "reference_column")
_OF_FILES = ("by", "delimiter", "input_format")


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick score` with parsed options."""
    check_targets(options)
    with show_progress(_list_paths(options)):
        scored = _score_run(options) if options.pred_dir else _score_files(options)
    write_confusions(scored, options.confusion, normalise=options.normalise)
    if options.metrics or len(scored.confusions) > 1:
        scored = replace(scored, confusions=())
    show(scored, options)


def _score_files(options: argparse.Namespace) -> Evaluation:
    refuse(options, _OF_RUNS, "goes with --pred-dir")
    if not options.files:
        hint = "; files come before -m" if options.metrics else ", or a folder with --pred-dir"
        raise UsageError(f"name a gold file and prediction files{hint}")
    if options.files.count("-") > 1:
        raise UsageError("standard input can be one file only")
    names = _name_systems(options.files[1:] or options.files)
    if wants_texts(options):
        return score_texts(options, names)
    refuse(options, _OF_TEXTS, "goes with metrics of texts, such as bleu")
    tables = [read_table(path, kind=options.input_format) for path in options.files]
    predictions: list[Table | None] = [*tables[1:]] or [None]
    systems = dict(zip(names, predictions, strict=True))
    return score_tables(
        tables[0],
        systems,
        metrics=options.metrics,
        columns=_columns(options),
        task=_task(options),
        intervals=read_intervals(options),
    )


def _score_run(options: argparse.Namespace) -> Evaluation:
    if options.files:
        raise UsageError("--pred-dir takes no files besides it")
    refuse(options, (*_OF_FILES, *_OF_TEXTS), "does not go with --pred-dir")
    if options.task not in (None, "binary"):
        raise UsageError(f"--pred-dir is for binary tasks, not for a {options.task} one")
    if not options.run_tag:
        raise UsageError("--pred-dir needs --run-tag: what the names of the files begin with")
    opened = open_run(
        options.pred_dir,
        options.run_tag,
        languages=options.languages or (read_languages(options.config) if options.config else ()),
        columns=_columns(options),
        task=_task(options),
        whole=options.dump_errors,
    )
    scored = opened.score(options.metrics, read_intervals(options))
    if options.dump_errors:
        folder = options.errors_dir or options.pred_dir
        for path, positives, negatives in opened.write_errors(
            folder, most=options.max_errors
        ).values():
            tell(f"wrote {path}: {positives} false positives, {negatives} false negatives")
    return scored


def _columns(options: argparse.Namespace) -> Columns:
    return Columns(
        gold=options.gold_column,
        predicted=options.predicted_column,
        probability=options.probability_column,
        id=options.id_column,
        weight=options.weight_column,
        by=tuple(options.by),
        clusters=options.clusters,
        delimiter=options.delimiter,
        fold_case=options.fold_case,
    )


def _list_paths(options: argparse.Namespace) -> list[str]:
    if not options.pred_dir:
        return list(options.files)
    folder = options.pred_dir
    return (
        [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []
    )


def _task(options: argparse.Namespace) -> Task:
    return Task(
        kind=options.task,
        labels=tuple(options.labels) if options.labels else None,
        positive=options.positive,
        threshold=options.threshold,
    )


def _name_systems(paths: Sequence[str]) -> list[str]:
    """The files' names without folder and ending; the whole paths where those are not distinct."""
    names = [os.path.basename(path).removesuffix(".gz") for path in paths]
    stems = [os.path.splitext(name)[0] or name for name in names]
    for choice in (stems, names, list(paths)):
        if len(set(choice)) == len(choice):
            return choice
    raise UsageError("a prediction file is named twice")
