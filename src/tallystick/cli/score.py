"""`tallystick score`: predictions and gold in, scores out."""

import argparse
import os
from dataclasses import replace

from tallystick.cli.intervals import read_intervals
from tallystick.cli.output import check_targets, show, tell, write_confusions
from tallystick.cli.parser import refuse
from tallystick.cli.progress import show_progress
from tallystick.cli.reading import name_systems, read_columns, read_task
from tallystick.cli.texts import OF_TEXTS, score_texts, wants_texts
from tallystick.errors import UsageError
from tallystick.evaluate.run import open_run
from tallystick.evaluate.tables import score_tables
from tallystick.io.config import read_languages
from tallystick.io.tables import Table, read_table
from tallystick.results.evaluation import Evaluation

__all__ = ["run"]

_OF_RUNS = ("run_tag", "languages", "config", "dump_errors", "errors_dir")
_LARGEST_MATRIX = 50
_OF_FILES = ("by", "delimiter", "input_format")


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick score` with parsed options."""
    check_targets(options)
    with show_progress(_list_paths(options)):
        scored = _score_run(options) if options.pred_dir else _score_files(options)
    write_confusions(scored, options.confusion, normalise=options.normalise)
    if options.metrics or len(scored.confusions) > 1:
        scored = replace(scored, confusions=())
    show(_drop_large(scored, options), options)


def _drop_large(scored: Evaluation, options: argparse.Namespace) -> Evaluation:
    """The scores without a confusion matrix that nobody could read, and a note on it."""
    most = max((len(matrix.labels) for matrix in scored.confusions), default=0)
    if most <= _LARGEST_MATRIX:
        return scored
    scored = replace(scored, confusions=())
    if options.confusion or options.format not in ("table", "markdown", "latex"):
        return scored
    note = f"the confusion matrix of {most} labels is not shown; --confusion FILE writes it."
    return replace(scored, notes=(*scored.notes, note))


def _score_files(options: argparse.Namespace) -> Evaluation:
    refuse(options, _OF_RUNS, "goes with --pred-dir")
    if not options.files:
        hint = "; files come before -m" if options.metrics else ", or a folder with --pred-dir"
        raise UsageError(f"name a gold file and prediction files{hint}")
    if options.files.count("-") > 1:
        raise UsageError("standard input can be one file only")
    names = name_systems(options.files[1:] or options.files)
    if wants_texts(options):
        return score_texts(options, names)
    refuse(options, OF_TEXTS, "goes with metrics of texts, such as bleu")
    tables = [read_table(path, kind=options.input_format) for path in options.files]
    predictions: list[Table | None] = [*tables[1:]] or [None]
    systems = dict(zip(names, predictions, strict=True))
    return score_tables(
        tables[0],
        systems,
        metrics=options.metrics,
        columns=read_columns(options),
        task=read_task(options),
        intervals=read_intervals(options),
    )


def _score_run(options: argparse.Namespace) -> Evaluation:
    if options.files:
        raise UsageError("--pred-dir takes no files besides it")
    refuse(options, (*_OF_FILES, *OF_TEXTS), "does not go with --pred-dir")
    if options.task not in (None, "binary"):
        raise UsageError(f"--pred-dir is for binary tasks, not for a {options.task} one")
    if not options.run_tag:
        raise UsageError("--pred-dir needs --run-tag: what the names of the files begin with")
    opened = open_run(
        options.pred_dir,
        options.run_tag,
        languages=options.languages or (read_languages(options.config) if options.config else ()),
        columns=read_columns(options),
        task=read_task(options),
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


def _list_paths(options: argparse.Namespace) -> list[str]:
    if not options.pred_dir:
        return list(options.files)
    folder = options.pred_dir
    return (
        [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []
    )
