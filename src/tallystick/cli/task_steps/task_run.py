"""`tallystick task run`: scores one submission as a platform calls a scoring program."""

import argparse
import sys
from collections.abc import Callable

from tallystick.cli.output import tell
from tallystick.errors import InputError
from tallystick.output.tables.controls import escape_controls
from tallystick.tasks.bundles.codabench import run_codabench, run_codalab
from tallystick.tasks.bundles.evalai import run_evalai
from tallystick.tasks.bundles.tira import run_tira

_BAD_DATA = 4
_RUNS: dict[str, Callable[..., list[str]]] = {
    "codabench": run_codabench,
    "codalab": run_codalab,
    "evalai": run_evalai,
    "tira": run_tira,
}


def run(options: argparse.Namespace) -> int:
    """Runs `tallystick task run`; bad data where the submission is refused.

    The refusal is told here and not raised, so that the page that tells it is written.
    """
    try:
        messages = _RUNS[options.platform](*options.paths)
    except InputError as error:
        for line in str(error).splitlines():
            print(f"error: {escape_controls(line)}", file=sys.stderr)
        return _BAD_DATA
    for message in messages:
        tell(f"note: {message}")
    return 0
