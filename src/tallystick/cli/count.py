"""`tallystick count`: gold and systems in, a file of counts out that other commands read."""

import argparse

from tallystick.cli.output import check_target, promise, tell
from tallystick.cli.progress import show_progress
from tallystick.cli.reading.checks import take_column_names, take_logs
from tallystick.cli.reading.inputs import count_inputs
from tallystick.cli.reading.layouts import list_paths
from tallystick.errors import TallystickError, UsageError
from tallystick.io.files.progress import Progress
from tallystick.io.files.stores import cut_options, is_remote
from tallystick.scoring.counted import Counted
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
    check_least(options.min_cell)
    paths = list_paths(options)
    with show_progress(paths) as watch:
        counted = _count(options, watch)
    check_cells(counted, options.min_cell)
    save_counted(options.output, counted, measure_inputs(paths))
    promise(options.output, f": {counted.n[None]:,} examples of {', '.join(counted.systems)}")


def _count(options: argparse.Namespace, watch: Progress) -> Counted:
    """Counts at once, or in parts that are kept until all are counted."""
    if options.engine is None and not options.resume:
        return count_inputs(options, watch=watch)
    from tallystick.engines.jobs import Here
    from tallystick.engines.kept import Kept

    options.engine = options.engine or Here()
    beside = cut_options(options.output)
    if is_remote(options.output):
        beside = beside.rpartition("/")[2]  # finished parts are kept here
    options.kept = kept = Kept(f"{beside}.parts")
    if kept.size() and not options.resume:
        raise UsageError(
            f"{kept.folder} holds {kept.size()} finished parts of an earlier run: go on from there "
            "with --resume, or delete the folder"
        )
    try:
        counted = count_inputs(options, watch=watch)
    except TallystickError as error:
        if not kept.size():
            raise
        size = kept.size()
        parts = "1 finished part is" if size == 1 else f"{size} finished parts are"
        hint = f"{parts} kept, and --resume goes on from there"
        raise type(error)(f"{error}; {hint}") from error
    finally:
        for note in kept.notes:
            tell(f"note: {note}")
    kept.clear()
    return counted
