"""Worker processes of this machine: one thread here waits for each of them.

They are started as commands, so that the program that counts needs no guard around its own code.
This module imports nothing heavy: workers start while the rest is still being loaded.
"""

import os
import pickle
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, cast, final

from tallystick.engines.worker import read_message, write_message

if TYPE_CHECKING:
    from tallystick.engines.jobs import Answer, Failure, Job

_LIMITED = ("MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""What tells libraries how many threads to use; other workers have the other cores."""


@final
class Processes:
    """Counts parts on so many processes of this machine."""

    def __init__(self, workers: int) -> None:
        """Starts the workers, which load while something else is done."""
        self._jobs: queue.SimpleQueue[tuple[int, bytes] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._workers = [_Worker(self._closing) for _ in range(workers)]
        self._threads = [
            threading.Thread(target=self._serve, args=(worker,), daemon=True)
            for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()

    def slots(self) -> int:
        """A job for each worker."""
        return len(self._workers)

    def submit(self, place: int, job: "Job") -> None:
        """Hands a job to the first worker that is free."""
        self._jobs.put((place, pickle.dumps(job)))

    def wait(self) -> "Answer":
        """Waits for the answer of any worker."""
        return self._answers.get()

    def close(self) -> None:
        """Ends all workers, whatever they do."""
        self._closing.set()
        for worker in self._workers:
            worker.kill()
            self._jobs.put(None)
        for thread, worker in zip(self._threads, self._workers, strict=True):
            thread.join()
            worker.close()

    def _serve(self, worker: "_Worker") -> None:
        """Gives one worker one job after the other."""
        while (taken := self._jobs.get()) is not None and not self._closing.is_set():
            from tallystick.engines.jobs import Answer

            place, job = taken
            self._answers.put(Answer(place, worker.count(job)))


class _Worker:
    """A process, and another one in its place when it ends too early."""

    def __init__(self, closing: threading.Event) -> None:
        self._closing = closing
        self._process = _start()

    def count(self, job: bytes) -> "bytes | Failure":
        """Returns what the process answers."""
        import msgspec

        from tallystick.engines.jobs import Failure

        process = self._process
        try:
            write_message(cast("BinaryIO", process.stdin), job)
            content = read_message(cast("BinaryIO", process.stdout))
        except (EOFError, OSError):
            code = process.wait()
            if not self._closing.is_set():
                _close(process)
                self._process = _start()
            cause = f"by signal {-code}" if code < 0 else f"with exit code {code}"
            return Failure("fault", f"its worker ended {cause} in the middle", again=True)
        if content[:1] == b"T":
            return content[1:]
        return msgspec.json.decode(content[1:], type=Failure)

    def kill(self) -> None:
        """Ends the process, whatever it does."""
        self._process.kill()

    def close(self) -> None:
        """Ends the process that nobody waits for any more."""
        self._process.kill()
        self._process.wait()
        _close(self._process)


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):  # what was written last may have found no reader
            cast("BinaryIO", pipe).close()


def _start() -> subprocess.Popen[bytes]:
    """Starts a process that finds modules where this one does, and that no key reaches."""
    code = f"import sys; sys.path[:] = {sys.path!r}; import tallystick.engines.worker as worker"
    return subprocess.Popen(
        [sys.executable, "-P", "-c", f"{code}; worker.run()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | dict.fromkeys(_LIMITED, "1"),
        start_new_session=True,
    )
