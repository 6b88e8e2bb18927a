"""`tallystick tune`: the best threshold for probabilities, and predictions that it makes."""

import argparse
from dataclasses import replace

from tallystick.cli.output import check_target, promise, tell_notes
from tallystick.errors import UsageError
from tallystick.examples.columns import Columns
from tallystick.io.tables import read_table
from tallystick.metrics.names import parse
from tallystick.scoring.threshold_tables import tune_table
from tallystick.scoring.thresholds import Search

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick tune` with parsed options."""
    _check_output(options)
    columns = Columns(
        gold=options.gold_column, probability=options.probability_column, by=tuple(options.by)
    )
    table = read_table(options.file, kind=options.input_format)
    search = Search(parse(options.metric), options.grid)
    tuned = tune_table(table, search, columns, options.positive, options.cross_fit)
    if options.output is not None:
        if options.apply is not None:
            table = read_table(options.apply, kind=options.input_format)
        tuned.write(options.output, table, apart=options.apply is not None)
    print(replace(tuned.tuning, notes=()), flush=True)
    tell_notes(tuned.tuning.notes, verbose=True)
    if options.output is not None:
        promise(options.output)


def _check_output(options: argparse.Namespace) -> None:
    if options.apply is not None and options.output is None:
        raise UsageError("--apply needs --output, the file for the predictions")
    if options.output is None:
        return
    if options.apply is None and options.cross_fit is None:
        raise UsageError(
            "--output needs --apply, the file to predict, or --cross-fit, which predicts the file "
            "itself with thresholds that were tuned on others of its rows"
        )
    check_target(options.output)
