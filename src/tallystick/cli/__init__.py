"""The command `tallystick`: parses, calls, and turns errors into words and exit codes."""

import io
import os
import sys
from collections.abc import Sequence

from tallystick import __version__
from tallystick.errors import TallystickError, UsageError

__all__ = ["main"]

_GOOD, _WRONG_CALL, _BAD_DATA, _INTERRUPTED = 0, 2, 4, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code.

    0 is good, 1 a gate that failed, 3 one that is inconclusive, 2 a wrong call, 4 bad data.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    _write_utf8()
    if arguments == ["--version"]:
        print(f"tallystick {__version__}")
        return _GOOD
    # No matrices are multiplied here, and NumPy would start a thread for it on every core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tallystick.cli.parser import build_parser

    parser = build_parser()
    if not arguments:
        parser.exit(2, parser.format_help())
    options = parser.parse_args(arguments)
    try:
        code: int = options.run(options) or _GOOD
        sys.stdout.flush()
    except TallystickError as error:
        print(f"tallystick: error: {error}", file=sys.stderr)
        return _WRONG_CALL if isinstance(error, UsageError) else _BAD_DATA
    except BrokenPipeError:
        # Whoever read the output has had enough, as `head` does; there is nobody left to tell.
        _drop_output()
        return _GOOD
    except OSError as error:
        # Files tell of their own failures, so this is the output: a full disk, for one.
        _drop_output()
        print(f"tallystick: error: standard output: {error.strerror}", file=sys.stderr)
        return _BAD_DATA
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _write_utf8() -> None:
    """Lets results leave as UTF-8, as files do; a file name may hold bytes that are no text."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def _drop_output() -> None:
    """Sends what is still to be written nowhere, or Python would try it again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
