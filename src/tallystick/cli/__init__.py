"""The command `tallystick`; what it needs is loaded where an interrupt ends in no traceback."""

import atexit
import os
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["main"]

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code.

    0 is good, 1 a gate that failed, 3 one that is inconclusive, 2 a wrong call, 4 bad data. A
    reader of the output who goes away changes no code.

    Args:
        arguments: Those of the command line. None takes those of the process, which then ends.
    """
    try:
        from tallystick.cli.command import run

        return run(arguments)
    except KeyboardInterrupt:
        if arguments is None:
            with suppress(KeyboardInterrupt):
                atexit._run_exitfuncs()  # which remove what was unpacked
            os._exit(_INTERRUPTED)
        return _INTERRUPTED
