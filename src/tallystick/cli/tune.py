"""`tallystick tune`: the best threshold for probabilities, and predictions that it makes."""

import argparse

from tallystick.cli.options.shared_options import refuse
from tallystick.cli.output import check_target, promise, tell_notes
from tallystick.cli.reading.saved_inputs import are_tallies
from tallystick.errors import UsageError
from tallystick.frozen import replace
from tallystick.io.tables.table import read_table
from tallystick.kinds.metrics.names import parse
from tallystick.model.columns import Columns
from tallystick.output.results.other_results import Tuning
from tallystick.scoring.saved import load_counted
from tallystick.scoring.thresholds import Search, check_folds, tune_counted, tune_table

_OF_ROWS = ("cross_fit", "apply", "output")
_OF_READING = ("by", "positive", "gold_column", "probability_column", "input_format")


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick tune` with parsed options."""
    _check_output(options)
    named = options.metric
    metric = parse(named) if isinstance(named, str) else named
    search = Search(metric, options.grid)
    if options.cross_fit is not None:
        check_folds(options.cross_fit)
    if are_tallies(options.files):
        refuse(options, _OF_ROWS, "needs the rows, which a saved tally does not hold")
        refuse(options, _OF_READING, "goes with `tallystick count`: a saved tally has been counted")
        _show(tune_counted(load_counted(options.files), search))
        return
    if len(options.files) > 1:
        raise UsageError("tune takes one table, or saved tallies")
    columns = Columns(
        gold=options.gold_column, probability=options.probability_column, by=tuple(options.by)
    )
    table = read_table(options.files[0], format=options.input_format)
    tuned = tune_table(table, search, columns, options.positive, options.cross_fit)
    if options.output is not None:
        if options.apply is not None:
            table = read_table(options.apply, format=options.input_format)
        tuned.write(options.output, table, apart=options.apply is not None)
    _show(tuned.tuning)
    if options.output is not None:
        promise(options.output)


def _show(tuning: Tuning) -> None:
    print(replace(tuning, notes=()), flush=True)
    tell_notes(tuning.notes, verbose=True)


def _check_output(options: argparse.Namespace) -> None:
    if options.apply is not None and options.output is None:
        raise UsageError("--apply needs --output, the file for the predictions")
    if options.output is None:
        return
    if options.apply is None and options.cross_fit is None:
        raise UsageError(
            "--output needs --apply, the file to predict, or --cross-fit, which predicts "
            "each row of the file with a threshold tuned on other rows"
        )
    check_target(options.output)
