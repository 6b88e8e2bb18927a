"""`tallystick task`: a shared task from one file, a command for each step."""

import argparse
import importlib


def run(options: argparse.Namespace) -> int | None:
    """Runs the step of `tallystick task` that parsed options name."""
    if options.step in ("board", "check", "run", "score"):
        _save_memory()
    step = importlib.import_module(f"tallystick.cli.task_steps.task_{options.step}")
    code: int | None = step.run(options)
    return code


def _save_memory() -> None:
    """Lets tables take their memory from the system, which has it back at once."""
    import pyarrow

    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
