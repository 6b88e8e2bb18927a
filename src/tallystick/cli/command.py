"""Runs the command: parses, calls, and turns errors into words and exit codes."""

import argparse
import atexit
import functools
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.version import __version__

if TYPE_CHECKING:
    from tallystick.cli.parser import Parser


class Stream(io.TextIOBase):
    """A stream that drops what its reader no longer takes, and remembers other reasons."""

    def __init__(self, stream: TextIO | None) -> None:
        """Wraps a stream; None means one that is closed."""
        self._stream = stream
        self._gone = stream is None
        self.lost: OSError | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream beneath."""
        return "utf-8" if self._stream is None else str(self._stream.encoding)

    def write(self, text: str) -> int:
        """Writes text, as far as somebody takes it."""
        self._try(lambda stream: stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Hands on what was written so far."""
        self._try(lambda stream: stream.flush())

    def _try(self, work: Callable[[TextIO], object]) -> None:
        if self._stream is None or self._gone:
            return
        try:
            work(self._stream)
        except OSError as error:
            self._gone = True
            if not isinstance(error, BrokenPipeError):
                self.lost = error
            # What is still to be written goes nowhere, or Python would try it again at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self._stream is not None and not self._gone and self._stream.isatty()

    def fileno(self) -> int:
        """The number of the file beneath."""
        if self._stream is None:
            raise OSError("the stream is closed")
        return self._stream.fileno()

    def writable(self) -> bool:
        """That it takes text."""
        return True


def open_streams() -> tuple[Stream, Stream]:
    """Replaces standard output and error by UTF-8 streams that outlive their readers."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    results = sys.stdout if isinstance(sys.stdout, Stream) else Stream(sys.stdout)
    words = sys.stderr if isinstance(sys.stderr, Stream) else Stream(sys.stderr)
    sys.stdout, sys.stderr = results, words
    return results, words


_LEAST_MEMORY = 768 << 20
"""With less address space the libraries that read tables abort, or wait for ever."""

_GOOD, _WRONG_CALL, _BAD_DATA = 0, 2, 4


def run(arguments: Sequence[str] | None) -> int:
    """Runs the command; without arguments it takes those of the process, which then ends.

    Objects are then searched for cycles seldom, which would cost a tenth of a small run, and not
    taken apart one by one, in which Arrow's threads may abort a process that ends soon.
    """
    if arguments is not None:
        return _run_in_streams(list(arguments))
    gc.set_threshold(500_000)
    try:
        code = _run_in_streams(sys.argv[1:])
    except SystemExit as ended:  # of the parser, or by SIGTERM
        code = ended.code if isinstance(ended.code, int) else _GOOD
    open_streams()[0].flush()
    atexit._run_exitfuncs()
    os._exit(code)


def _run_in_streams(arguments: Sequence[str]) -> int:
    former = sys.stdout, sys.stderr
    results, _ = open_streams()
    try:
        code = _run(arguments)
        results.flush()
        if results.lost is not None:
            _complain(f"standard output: {results.lost.strerror}")
            return code or _BAD_DATA
        return code
    finally:
        sys.stderr.flush()
        sys.stdout, sys.stderr = former


def _run(arguments: Sequence[str]) -> int:
    if arguments == ["--version"]:
        print(f"tallystick {__version__}")
        return _GOOD
    # No matrices are multiplied here, and NumPy would start a thread for it on every core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # The system has memory back at once that other pools keep, which is a tenth of a run's.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    from tallystick.cli.parser import check_command

    parser = _load_parser(next((one for one in arguments if not one.startswith("-")), ""))
    if not arguments:
        parser.exit(2, parser.format_help())
    try:
        _check_text(arguments)
        check_command(arguments[0])
        options = parser.parse_args(arguments)
        _take_files(options)
        parser.check_files(options, arguments)
        _check_address_space()
        import shlex

        options.command = _write_text(shlex.join(["tallystick", *arguments]))
        return _call(options)
    except TallystickError as error:
        _complain(str(error))
        return _WRONG_CALL if isinstance(error, UsageError) else _BAD_DATA
    except Exception as error:
        return _explain(error)


def _take_files(options: argparse.Namespace) -> None:
    """Takes files that follow columns of ids or gold, as in `--id-column id gold.csv`, as files."""
    for name in ("id_column", "gold_column"):
        named = getattr(options, name, None)
        if isinstance(named, list) and not options.files:
            paths = [os.path.exists(one.partition("=")[2] or one) for one in named[1:]]
            if any(paths):
                first = 1 + paths.index(True)
                options.files, named[first:] = named[first:], []


def _explain(error: Exception) -> int:
    """Says in one sentence what went wrong outside of the program, and returns the exit code."""
    if isinstance(error, MemoryError):
        phrase = "not enough memory; use --workers, or score smaller parts or fewer systems"
    elif isinstance(error, RecursionError):
        phrase = "the data is nested too deeply"
    else:
        _complain(_blame_own(error))
        return _WRONG_CALL
    _complain(phrase)
    return _BAD_DATA


def _blame_own(error: Exception) -> str:
    """Says which metric, counter or kind of the caller's own raised an error, or raises it."""
    import traceback

    ours = os.path.dirname(os.path.dirname(__file__)) + os.sep
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        own, file = type(frame.f_locals.get("self")), frame.f_code.co_filename
        if own.__module__ == frame.f_globals.get("__name__") and not file.startswith(ours):
            where = f"{os.path.basename(file)}, line {line}"
            phrase = f"{type(error).__name__}: {error}".removesuffix(": ")
            return f"{own.__module__}:{own.__qualname__} raised {phrase} ({where})"
    raise error


@functools.cache
def _load_parser(command: str) -> "Parser":
    from tallystick.cli.parser import build_parser

    return build_parser(command)


def _check_address_space() -> None:
    try:
        import resource
    except ModuleNotFoundError:  # as on Windows
        return
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and most < _LEAST_MEMORY:
        raise InputError(
            f"this process may have {most >> 20} MiB of address space (ulimit -v), and "
            f"{_LEAST_MEMORY >> 20} MiB or more are needed"
        )


def _check_text(arguments: Sequence[str]) -> None:
    for former, one in zip(["", *arguments], arguments, strict=False):
        if "\0" in one:
            raise UsageError(f"the argument {one!r} contains a NUL, which no name or path may")
        name, _, path = one.partition("=")
        if one.isascii() or former in ("-o", "--output") or one == _write_text(one):
            continue
        if not (os.path.exists(one) or (os.path.exists(path) and name == _write_text(name))):
            raise UsageError(f"the argument {one!r} is not UTF-8; write names in UTF-8")


def _write_text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _call(options: argparse.Namespace) -> int:
    """Runs a command; the files that it writes appear together when it has ended well."""
    from tallystick.cli.output import tell_written
    from tallystick.io.files.opening import hold_pipes
    from tallystick.io.files.outputs import collect_outputs, end_on_sigterm

    try:
        with end_on_sigterm(), hold_pipes(), collect_outputs():
            code: int = options.run(options) or _GOOD
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        raise InputError(f"{named}{error.strerror or error}") from error
    tell_written()
    return code


def _complain(message: str) -> None:
    from tallystick.cli.output import name_options
    from tallystick.output.tables.cells import escape_controls

    print(f"tallystick: error: {name_options(escape_controls(message))}", file=sys.stderr)
