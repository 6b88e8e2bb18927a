"""`tallystick task paper`: the results table of an overview paper, and what it shows."""

import argparse
import sys

from tallystick.cli.options.shared_options import read_testing
from tallystick.cli.output import check_target, promise, read_style
from tallystick.cli.task_steps.task_rank import rank_round
from tallystick.errors import UsageError
from tallystick.io.files.opening import write_text
from tallystick.io.tasks import read_task
from tallystick.tasks.paper import write_paper


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick task paper`."""
    if options.output is not None:
        if not options.output.endswith(".tex"):
            raise UsageError(f"a paper's results are LaTeX (.tex), not {options.output}")
        check_target(options.output)
    rankings = rank_round(read_task(options.task), options, read_testing(options))
    written = write_paper(rankings, read_style(options))
    if options.output is None:
        sys.stdout.write(written)
    else:
        write_text(options.output, written)
        promise(options.output)
