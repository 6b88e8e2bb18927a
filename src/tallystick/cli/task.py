"""`tallystick task`: a shared task from one file, a command for each step."""

import argparse
import importlib

from tallystick.tasks.task_file import TaskFileError, locate_key


def run(options: argparse.Namespace) -> int | None:
    """Runs the step of `tallystick task` that parsed options name."""
    step = importlib.import_module(f"tallystick.cli.task_steps.task_{options.step}")
    try:
        code: int | None = step.run(options)
    except TaskFileError as error:
        raise locate_key(options.task, error) from error
    return code
