"""Has submissions read and counted in a child process, which alone can be harmed by them.

The child reads gold once, and is replaced after a failure. What it answers is JSON and saved
counts, which are checked when they are read, so that nothing it could be made to send is run.
"""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, NoReturn

import msgspec

from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.io.files.outputs import find_outputs
from tallystick.output.results.records import Refusal
from tallystick.tasks.opening import Checked, Remark, clean
from tallystick.tasks.task_file import Limits, SharedTask, choose_phase

_START = (
    "import sys; sys.path[:] = sys.argv[1:]; "
    "from tallystick.tasks.submission_child import serve; serve()"
)
_SIZE = 8
_BROKEN = (
    "the task's own files cannot be read: the process that reads them ended; look at the gold, or "
    "free some memory"
)


class Request(msgspec.Struct, frozen=True):
    """What the child is asked for: to count a track, or to check a path, whose name is empty."""

    task: SharedTask
    track: str | None
    files: dict[str, str]
    folder: str
    known: bool = False


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The child has read the gold, and looks at the submissions from now on."""


class Reply(msgspec.Struct, frozen=True, tag=True):
    """A submission that was checked, or the counts of a track, as bytes of JSON or saved counts."""

    content: bytes
    notes: tuple[tuple[str, str], ...] = ()


class Wrong(msgspec.Struct, frozen=True, tag=True):
    """An error that was raised; some are those of all submissions that were to be counted."""

    message: str
    usage: bool = False
    unforeseen: bool = False
    rejected: tuple[Refusal, ...] = ()


Answer = Ready | Reply | Wrong


class SubmissionFailedError(InputError):
    """A submission failed in the child; the message may be shown to its team."""


def write_message(stream: IO[bytes], message: Request | Answer) -> None:
    """Writes a message behind its size."""
    content = msgspec.msgpack.encode(message)
    stream.write(len(content).to_bytes(_SIZE) + content)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes:
    """Returns the bytes of a message; an EOFError says that the other process has ended."""
    size = int.from_bytes(_read(stream, _SIZE))
    if size > 1 << 31:
        raise EOFError
    return _read(stream, size)


def _read(stream: IO[bytes], size: int) -> bytes:
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return content


class Worker:
    """A child process, which is started when it is first asked, and again after a failure."""

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._process: subprocess.Popen[bytes] | None = None
        self._owner, self._lock, self._folder = 0, threading.Lock(), ""

    def ask(
        self, task: SharedTask, track: str | None, files: Mapping[str, str], *, known: bool = False
    ) -> Reply | Wrong:
        """Returns what the child says; a SubmissionFailedError shows that limits are exceeded."""
        request = Request(task, track, dict(files), os.getcwd(), known)
        if outputs := find_outputs():
            golden = [path for one in task.tracks.values() for path in (one.gold, one.ids) if path]
            for path in (*files.values(), *golden):
                outputs.note_input(path)
        with self._lock:
            try:
                found = self._exchange(request) or self._exchange(request)
            except BaseException:  # also an interrupt: nothing may go on
                self.stop()
                raise
        if found is None:
            raise InputError(_BROKEN)
        return found

    def _exchange(self, request: Request) -> Reply | Wrong | None:
        """What the child answers; None where it ends before it has looked at submissions."""
        given, taken, process = self._start()
        try:
            write_message(given, request)
            first: Answer = msgspec.msgpack.decode(read_message(taken), type=Answer)
        except (BrokenPipeError, EOFError):
            self.stop()
            return None
        if not isinstance(first, Ready):
            return first
        limits, many = request.task.limits, max(len(request.files), 1)
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(limits.seconds * many, end)
        timer.daemon = True
        timer.start()
        began = time.monotonic()
        try:
            answer: Reply | Wrong = msgspec.msgpack.decode(read_message(taken), type=Reply | Wrong)
            if time.monotonic() - began > limits.seconds * many:  # where the timer came too late
                late.set()
                raise EOFError
        except (EOFError, msgspec.MsgspecError) as error:
            self.stop()
            raise SubmissionFailedError(_explain(limits, late=late.is_set())) from error
        finally:
            timer.cancel()
        return answer

    def _start(self) -> "tuple[IO[bytes], IO[bytes], subprocess.Popen[bytes]]":
        if self._owner != os.getpid():  # the first time, or after a fork
            self._process, self._owner = None, os.getpid()
            self._folder = tempfile.mkdtemp(prefix="tallystick-")
            atexit.register(self.close)
        if self._process is None or self._process.poll() is not None:
            self.stop()
            # Arrow's own allocators reserve more memory than they take, which limits would count.
            own = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OPENBLAS_NUM_THREADS": "1"}
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | own | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._folder),
            )
        process = self._process
        given, taken = process.stdin, process.stdout
        assert given is not None
        assert taken is not None
        return given, taken, process

    @property
    def pid(self) -> int | None:
        """The number of the child; None where none was started."""
        return None if self._process is None else self._process.pid

    def stop(self) -> None:
        """Ends the child, if there is one."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def close(self) -> None:
        """Ends the child and removes what it unpacked."""
        self.stop()
        if self._owner == os.getpid():
            shutil.rmtree(self._folder, ignore_errors=True)


def _explain(limits: Limits, *, late: bool) -> str:
    if late:
        return f"takes more than {limits.seconds:g} seconds to read and count, which is the limit"
    return (
        f"cannot be read or counted: that ends the process, or takes more than {limits.memory} of "
        "memory, which is the limit"
    )


WORKER = Worker()
"""The one of this process."""


def raise_wrong(wrong: Wrong) -> NoReturn:
    """Raises the error that the child tells of."""
    if wrong.unforeseen:
        raise SubmissionFailedError(wrong.message)
    error: type[TallystickError] = UsageError if wrong.usage else InputError
    raise error(wrong.message)


def check_submission(task: SharedTask, path: str) -> Checked:
    """Checks a submission within the limits of the task.

    Nothing that is said of it comes from the gold but how many examples there are, their ids, and
    the labels that the task names.
    """
    from tallystick.tasks.task_checks import check_tracks  # the child has no need of it

    task = choose_phase(task, None)
    check_tracks(task)
    return _ask(task, path, known=False)


def open_checked(task: SharedTask, path: str) -> Checked:
    """Returns the files of a submission that was checked before, and has not changed."""
    return _ask(task, path, known=True)


def _ask(task: SharedTask, path: str, *, known: bool) -> Checked:
    try:
        found = WORKER.ask(task, None, {"": path}, known=known)
        if isinstance(found, Wrong):
            raise_wrong(found)
    except SubmissionFailedError as error:
        shown = os.path.basename(os.path.normpath(path))
        return Checked({}, (Remark(None, clean(shown), str(error), True),))
    return msgspec.json.decode(found.content, type=Checked)
