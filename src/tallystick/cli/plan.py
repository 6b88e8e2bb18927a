"""`tallystick plan`: gold and two systems in, the power of other numbers of examples out."""

import argparse

from tallystick.cli.options.shared_options import read_testing
from tallystick.cli.output import show
from tallystick.cli.progress import show_progress
from tallystick.cli.reading.checks import check_options, take_logs
from tallystick.cli.reading.inputs import count_inputs, list_paths, need_systems
from tallystick.comparison.plan import check_sizes, plan


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick plan` with parsed options."""
    take_logs(options)
    check_options(options, "plan")
    need_systems(options)
    testing = read_testing(options)
    check_sizes(options.sizes)
    with show_progress(list_paths(options)) as watch:
        counted = count_inputs(options, watch=watch)
        planned = plan(counted, sizes=options.sizes, testing=testing)
    show(planned, options)
