"""`tallystick plan`: gold and two systems in, the power of other numbers of examples out."""

import argparse

from tallystick.cli.inputs import count_inputs, list_paths, need_systems
from tallystick.cli.options import read_testing
from tallystick.cli.output import check_files, format_of, show
from tallystick.cli.progress import show_progress
from tallystick.comparison.plan import plan_counted

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick plan` with parsed options."""
    check_files({}, options.output)
    if options.format is None:
        format_of(options.output)
    need_systems(options)
    testing = read_testing(options)
    with show_progress(list_paths(options)) as watch:
        planned = plan_counted(count_inputs(options, watch=watch), testing, options.sizes)
    show(planned, options)
