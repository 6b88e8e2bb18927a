"""Output streams whose reader may close them without changing the exit code."""

import io
import os
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


class Stream(io.TextIOBase):
    """A stream that drops what can no longer be written, and remembers why it was lost.

    A reader who has had enough, as `head` has, and a stream that was closed from the start are
    no fault.
    """

    def __init__(self, stream: "Any") -> None:
        """Wraps a stream; None stands for one that is closed."""
        self._stream = stream
        self._gone = stream is None
        self.lost: OSError | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream beneath."""
        return "utf-8" if self._stream is None else str(self._stream.encoding)

    def write(self, text: str) -> int:
        """Writes text, as far as somebody takes it."""
        if not self._gone:
            try:
                self._stream.write(text)
            except OSError as error:
                self._drop(error)
        return len(text)

    def flush(self) -> None:
        """Hands on what was written so far."""
        if not self._gone:
            try:
                self._stream.flush()
            except OSError as error:
                self._drop(error)

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return not self._gone and bool(self._stream.isatty())

    def fileno(self) -> int:
        """The number of the file beneath."""
        if self._stream is None:
            raise OSError("the stream is closed")
        return int(self._stream.fileno())

    def writable(self) -> bool:
        """That it takes text."""
        return True

    def _drop(self, error: OSError) -> None:
        """Sends what is still to be written nowhere, or Python would try it again at its end."""
        self._gone = True
        if not isinstance(error, BrokenPipeError):
            self.lost = error
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


def open_streams() -> tuple[Stream, Stream]:
    """Replaces standard output and standard error by streams that outlive their readers.

    Results leave as UTF-8, as files do; a file name may hold bytes that are no text.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    results = sys.stdout if isinstance(sys.stdout, Stream) else Stream(sys.stdout)
    words = sys.stderr if isinstance(sys.stderr, Stream) else Stream(sys.stderr)
    sys.stdout, sys.stderr = results, words
    return results, words
