"""`tallystick count`: gold and systems in, a file of counts out that other commands read."""

import argparse

from tallystick.cli.output import check_target, promise
from tallystick.cli.progress import show_progress
from tallystick.cli.reading.checks import take_column_names, take_logs
from tallystick.cli.reading.inputs import count_inputs, list_paths, place_gold
from tallystick.errors import UsageError
from tallystick.io.files.stores import cut_options
from tallystick.scoring.packing import measure_inputs, save_counted
from tallystick.scoring.saved import check_cells, check_least


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick count` with parsed options."""
    take_logs(options)
    if not cut_options(options.output).lower().endswith(".tally"):
        raise UsageError(f"counts go to a file that ends with .tally, not to {options.output}")
    if any(":" in name for name in options.by):
        raise UsageError("--by NAME:4 makes bins of all examples, and a part has not all of them")
    check_target(options.output)
    take_column_names(options)
    place_gold(options)
    check_least(options.min_cell)
    paths = list_paths(options)
    with show_progress(paths) as watch:
        counted = count_inputs(options, watch=watch)
    check_cells(counted, options.min_cell)
    save_counted(options.output, counted, measure_inputs(paths))
    promise(options.output, f": {counted.facts.n[None]:,} examples of {', '.join(counted.systems)}")
