"""A worker process: takes jobs from standard input, and answers on standard output.

Every message is its length in 8 bytes and then so many bytes. A job is pickled, by the process that
started this one; an answer is a letter, and the bytes of tallies or a failure as JSON.
"""

import importlib
import os
import pickle
import queue
import sys
import threading
from typing import BinaryIO

_LENGTH = 8


def write_message(file: BinaryIO, *pieces: bytes) -> None:
    """Writes a message of some pieces."""
    file.write(sum(map(len, pieces)).to_bytes(_LENGTH, "little"))
    for piece in pieces:
        file.write(piece)
    file.flush()


def read_message(file: BinaryIO) -> bytes:
    """Returns the next message.

    Raises:
        EOFError: The other side is gone.
    """
    size = int.from_bytes(_read(file, _LENGTH), "little")
    return _read(file, size)


def _read(file: BinaryIO, size: int) -> bytes:
    content = file.read(size)
    if len(content) < size:
        raise EOFError
    return content


def run() -> None:
    """Counts one part after the other until there is nobody left to answer to."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else prints must not get between the answers
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(jobs,), daemon=True).start()
    importlib.import_module("tallystick.engines.jobs")  # heavy, and loaded before there is a job
    while True:
        write_message(answers, *_answer(jobs.get()))


def _listen(jobs: "queue.SimpleQueue[bytes]") -> None:
    """Hands on jobs; ends the process, whatever it does, as soon as nobody waits for it."""
    while True:
        try:
            jobs.put(read_message(sys.stdin.buffer))
        except (EOFError, OSError):
            os._exit(0)


def _answer(content: bytes) -> tuple[bytes, bytes]:
    import msgspec

    from tallystick.engines.jobs import Failure, count_job

    try:
        found = count_job(pickle.loads(content))
    except Exception as error:
        found = Failure("fault", f"{type(error).__name__}: {error}")
    if isinstance(found, Failure):
        return b"F", msgspec.json.encode(found)
    return b"T", found
