"""`tallystick task paper`: the results table of an overview paper, and what it shows."""

import argparse

from tallystick.cli.options.shared_options import read_testing
from tallystick.cli.output import check_target, promise, read_style, write_result
from tallystick.cli.task_steps.task_rank import rank_round
from tallystick.errors import UsageError
from tallystick.tasks.paper import write_paper
from tallystick.tasks.task_file import read_task


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick task paper`."""
    if options.output is not None:
        if not options.output.endswith(".tex"):
            raise UsageError(f"a paper's results are LaTeX (.tex), not {options.output}")
        check_target(options.output)
    rankings = rank_round(read_task(options.task), options, read_testing(options))
    written = write_paper(rankings, read_style(options))
    write_result(options.output, written)
    if options.output is not None:
        promise(options.output)
