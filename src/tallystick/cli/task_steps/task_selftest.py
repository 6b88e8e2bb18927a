"""`tallystick task selftest`: checks of the task itself, before it is announced."""

import argparse

from tallystick.cli.output import check_files, show
from tallystick.tasks.selftest import run_selftest
from tallystick.tasks.task_file import read_task

_FAILED = 1


def run(options: argparse.Namespace) -> int:
    """Runs `tallystick task selftest`; 1 where a check failed."""
    check_files({}, options.output)
    tested = run_selftest(read_task(options.task))
    show(tested, options)
    return 0 if tested.passed else _FAILED
