"""An existing Dask cluster, whose workers count the parts.

What travels is jobs and the bytes of tallies. The scheduler gives the jobs of a worker that is lost
to others.
"""

import logging
from contextlib import suppress
from typing import Any, final

from tallystick.engines.jobs import Answer, Failure, Job, count_alone
from tallystick.errors import InputError, UsageError

__all__ = ["Cluster", "connect"]

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
    # It would tell in tracebacks what is said in a sentence here.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
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
        self._owned = owned
        self._places: dict[Any, int] = {}
        completed: Any = as_completed
        self._finished = completed(loop=client.loop)

    def slots(self) -> int:
        """Two jobs for each thread that there is now."""
        threads: int = sum(self._client.nthreads().values())
        return max(1, threads) * _AHEAD

    def submit(self, place: int, job: Job) -> None:
        """Hands a job to the scheduler."""
        future = self._client.submit(count_alone, job, pure=False)
        self._places[future] = place
        self._finished.add(future)

    def wait(self) -> Answer:
        """Waits for the answer of any worker.

        Raises:
            InputError: The scheduler is gone.
        """
        future = next(self._finished)
        place = self._places.pop(future)
        if future.status == "finished":
            return Answer(place, future.result())
        if future.status == "error":
            return Answer(place, Failure("fault", str(future.exception())))
        raise InputError(
            f"the Dask scheduler at {self._client.scheduler.address} went away before all parts "
            "were counted; nothing was written"
        )

    def close(self) -> None:
        """Takes back the jobs that are under way."""
        if self._client.status == "running":
            self._client.cancel(list(self._places))
        self._places.clear()
        if self._owned:
            with suppress(OSError):
                self._client.close(timeout=_SECONDS)
