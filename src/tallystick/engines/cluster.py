"""An existing Dask cluster, whose workers count the parts.

What travels is jobs and the bytes of tallies. The scheduler gives the jobs of a worker that is lost
to others.
"""

import logging
from contextlib import suppress
from dataclasses import replace
from typing import Any, final

from tallystick.engines.collections import Partition
from tallystick.engines.jobs import Answer, Failure, Job, count_alone
from tallystick.errors import InputError, UsageError

_SECONDS = 10
"""How long a scheduler may take to answer."""

_AHEAD = 2
"""So many jobs wait at each thread of a worker, so that it is never idle."""


def connect(address: str) -> Any:
    """Returns a connection to a scheduler.

    Raises:
        UsageError: Dask is not installed.
        InputError: There is no scheduler at the address.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise UsageError(
            "a Dask cluster needs the package distributed; install tallystick[dask]"
        ) from error
    # They would tell in tracebacks what is said in a sentence here.
    for name in [*logging.root.manager.loggerDict]:
        if name.startswith("distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client: Any = Client
        return client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(f"there is no Dask scheduler at {address}") from error


@final
class Cluster:
    """Counts parts on the workers of a Dask cluster."""

    def __init__(self, client: Any, *, owned: bool = False) -> None:
        """Takes a connection; one that is owned is closed at the end."""
        from distributed import as_completed

        self._client = client
        self._address = client.scheduler.address
        self._owned = owned
        self._places: dict[Any, int] = {}
        completed: Any = as_completed
        self._finished = completed(loop=client.loop)

    def slots(self) -> int:
        """Two jobs for each thread that there is now.

        Raises:
            InputError: The scheduler is gone.
        """
        try:
            threads: int = sum(self._client.nthreads().values())
        except OSError as error:
            raise self._tell_gone() from error
        return max(1, threads) * _AHEAD

    def submit(self, place: int, job: Job) -> None:
        """Hands a job to the scheduler."""
        content = None
        if isinstance(job.source, Partition):  # which the cluster makes, or has made already
            content = self._client.compute(job.source.delayed)
            job = replace(job, source=replace(job.source, delayed=None))
        future = self._client.submit(count_alone, job, content, pure=False)
        self._places[future] = place
        self._finished.add(future)

    def wait(self) -> Answer:
        """Waits for the answer of any worker.

        Raises:
            InputError: The scheduler is gone.
        """
        for future in self._finished:
            if future.status == "cancelled":
                break
            if future.status not in ("finished", "error"):  # its worker was lost with the result
                self._finished.add(future)
                continue
            place = self._places.pop(future)
            if future.status == "error":
                return Answer(place, Failure("fault", _tell(future.exception())))
            return Answer(place, future.result())
        raise self._tell_gone()

    def _tell_gone(self) -> InputError:
        return InputError(
            f"the Dask scheduler at {self._address} went away before all parts were counted, "
            "and there is no output"
        )

    def close(self) -> None:
        """Takes back the jobs that are under way."""
        if self._client.status == "running":
            self._client.cancel(list(self._places))
        self._places.clear()
        if self._owned:
            with suppress(OSError):
                self._client.close(timeout=_SECONDS)


def _tell(error: BaseException) -> str:
    """An exception in one line."""
    return f"{type(error).__name__}: {error}"
