"""The child process of `submission_worker`: reads gold once, and submissions within limits."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Thread
from typing import IO

import msgspec

from tallystick.errors import TallystickError, UsageError
from tallystick.model.reading import NoneLeftError, UnforeseenError, refusing
from tallystick.scoring.tally_file import pack_counted
from tallystick.tasks.checking import examine_submission, prepare
from tallystick.tasks.masked_gold import count_track, read_gold_table
from tallystick.tasks.opening import Checked, open_submission
from tallystick.tasks.submission_worker import (
    Answer,
    Ready,
    Reply,
    Request,
    Wrong,
    read_message,
    write_message,
)

_STACK = 1 << 24
"""So many bytes threads reserve for each processor, of which they use next to nothing."""
_KEPT = 4
"""A child that still has this part of the memory of a submission once it has answered ends."""


def serve() -> None:
    """Answers requests from standard input on standard output, until the parent is gone."""
    given, taken = (os.fdopen(os.dup(number), mode) for number, mode in ((0, "rb"), (1, "wb")))
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):  # for whatever a library reads or prints
        os.dup2(nothing, number)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and ends this process
    requests: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_receive, args=(given, requests), daemon=True).start()
    while True:
        request = msgspec.msgpack.decode(requests.get(), type=Request)
        _answer(request, taken)


def _receive(given: IO[bytes], requests: "SimpleQueue[bytes]") -> None:
    """Hands requests on as they come, and ends the process, whatever it does, without a parent."""
    with suppress(EOFError):
        while True:
            requests.put(read_message(given))
    shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)  # the parent's, for this process alone
    os._exit(0)


def _answer(request: Request, taken: IO[bytes]) -> None:
    os.chdir(request.folder)
    first = _try(lambda: _prepare(request))
    write_message(taken, first)
    if isinstance(first, Wrong):
        return
    memory = request.task.limits.bytes * max(len(request.files), 1)
    before = _measure()
    with _limiting(memory):
        answer = _try(lambda: _look(request))
    write_message(taken, answer)
    if _measure() - before > request.task.limits.bytes // _KEPT:
        os._exit(0)


def _try(work: Callable[[], Answer]) -> Answer:
    try:
        with refusing():
            return work()
    except NoneLeftError as error:
        return Wrong(str(error), rejected=error.rejected)
    except TallystickError as error:
        unforeseen = isinstance(error, UnforeseenError)
        return Wrong(str(error), isinstance(error, UsageError), unforeseen)


def _prepare(request: Request) -> Ready:
    tracks = request.task.tracks
    for track in tracks.values() if request.track is None else (tracks[request.track],):
        prepare(track)
    return Ready()


def _look(request: Request) -> Reply:
    if request.track is None:
        (path,) = request.files.values()
        if request.known:
            return Reply(msgspec.json.encode(Checked(open_submission(request.task, path).files)))
        return Reply(msgspec.json.encode(examine_submission(request.task, path)))
    track = request.task.tracks[request.track]
    counted = count_track(track, request.files, read_gold_table(track))
    notes = tuple((type(note).__name__, str(note)) for note in counted.facts.notes)
    return Reply(pack_counted(counted), notes)


def _measure() -> int:
    """How many bytes of memory this process may write to; 0 where the system does not tell."""
    with suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    return 0


@contextmanager
def _limiting(memory: int) -> Iterator[None]:
    """Lets this process take this many bytes more than it has, where the system can hold it to."""
    if sys.platform == "win32" or not _measure():
        yield
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = _measure() + memory + _STACK * (os.cpu_count() or 1)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
