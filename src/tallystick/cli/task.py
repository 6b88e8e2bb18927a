"""`tallystick task`: a shared task from one file, a command for each step."""

import argparse
import importlib


def run(options: argparse.Namespace) -> int | None:
    """Runs the step of `tallystick task` that parsed options name."""
    step = importlib.import_module(f"tallystick.cli.task_steps.task_{options.step}")
    code: int | None = step.run(options)
    return code
