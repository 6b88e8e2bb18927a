"""Counts parts on a Dask cluster: one that exists, or one that is started on this machine."""

import importlib.util
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import Any
from warnings import catch_warnings

from msgspec.structs import replace

from tallystick.distributed.jobs import (
    Engine,
    Failure,
    Here,
    Job,
    Partition,
    Work,
    find_lacking,
    run_alone,
)
from tallystick.distributed.local import LocalCluster
from tallystick.errors import InputError, UsageError
from tallystick.limits import LIMITS

_AHEAD = 2
"""So many jobs wait for each thread of a worker, so that it is never idle."""


def connect(address: str) -> "Cluster":
    """Returns the workers of a scheduler that runs already."""
    _require("distributed")
    with ExitStack() as ending:
        client = ending.enter_context(_open_client(address))
        return Cluster(lambda: client, ending.pop_all())


_MOST_WORKERS = 1000
"""So many processes are started on one machine."""


def start(workers: int) -> Engine:
    """Starts worker processes, which load meanwhile; a single worker is this process."""
    if workers == 1:
        return Here()
    if workers > _MOST_WORKERS:
        raise UsageError(
            f"this machine starts at most {_MOST_WORKERS:,} workers, not {workers:,}; choose fewer"
        )
    _require("distributed", "cryptography")
    local, ending = LocalCluster(workers), ExitStack()

    def open_client() -> Any:
        client = ending.enter_context(_open_client(*local.open()))
        ending.callback(local.close)  # so that a connection never waits for a stopped scheduler
        return client

    ending.callback(local.close)
    return Cluster(open_client, ending, str(local.folder))


def _require(*packages: str) -> None:
    if not all(map(importlib.util.find_spec, packages)):
        raise UsageError(
            f"workers need Dask ({' and '.join(packages)}): pip install 'tallystick[dask]'"
        )


@contextmanager
def _open_client(address: str, security: Any = None) -> Iterator[Any]:
    from distributed import Client

    client: Any = Client
    with _silence_log():
        try:
            with catch_warnings(action="ignore"):
                opened = client(
                    address,
                    timeout=LIMITS.scheduler_seconds,
                    set_as_default=False,
                    security=security,
                )
        except (OSError, TypeError, ValueError) as error:  # a TypeError where keys are missing
            raise InputError(f"there is no Dask scheduler at {address}") from error
        try:
            yield opened
        finally:
            with suppress(OSError):
                opened.close(timeout=LIMITS.scheduler_seconds)


@contextmanager
def _silence_log() -> Iterator[None]:
    """Silences Dask's log, which repeats in tracebacks what is raised in a sentence here."""
    loggers = [logging.getLogger(name) for name in [*logging.root.manager.loggerDict]]
    names = "distributed", "tornado"  # on which Dask is built
    levels = {own: own.level for own in loggers if own.name.startswith(names)}
    for logger in levels:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


class Cluster:
    """Counts parts on the workers of a Dask cluster."""

    def __init__(
        self,
        open_client: Callable[[], Any],
        ending: ExitStack | None = None,
        folder: str | None = None,
    ) -> None:
        """Takes what opens a connection for the first job, and what ends it.

        Without `ending` the caller closes the connection; `folder` is gone with the cluster.
        """
        self._open_client = open_client
        self._ending = ending
        self._folder = folder
        self._places: dict[Any, int] = {}
        self._known = set[str]()

    @cached_property
    def _client(self) -> Any:
        return self._open_client()

    @cached_property
    def _finished(self) -> Any:
        from distributed import as_completed

        completed: Any = as_completed
        return completed(loop=self._client.loop)

    @cached_property
    def _address(self) -> str:
        return str(self._client.scheduler.address)

    def slots(self) -> int:
        """Two jobs for each thread that there is now."""
        try:
            threads: int = sum(self._client.nthreads().values())
        except OSError as error:
            raise self._describe_end() from error
        return max(1, threads) * _AHEAD

    def submit(self, place: int, job: Work) -> None:
        """Hands a job to the scheduler."""
        self._need_modules(job)
        content = None
        # A partition of a collection is made by the cluster, or has been already.
        if isinstance(job, Job) and isinstance(job.source, Partition):
            content = self._client.compute(job.source.delayed)
            job = replace(job, source=replace(job.source, delayed=None))
        with catch_warnings(action="ignore"):  # of jobs that are large
            future = self._client.submit(run_alone, job, content, pure=False)
        self._places[future] = place
        self._finished.add(future)

    def _need_modules(self, job: Work) -> None:
        names = job.list_modules() - self._known
        if not names:
            return
        answers = [*self._client.run(find_lacking, names).values()]
        answers.append(self._client.run_on_scheduler(find_lacking, names))
        lacking = sorted({name for answer in answers for name in answer})
        if lacking:
            raise UsageError(
                f"the Dask cluster at {self._address} has no module {lacking[0]!r}, which a metric "
                "is from; install it where the scheduler and the workers run"
            )
        self._known |= names

    def wait(self) -> tuple[int, object]:
        """Waits for the answer of any worker."""
        for future in self._finished:
            if future.status == "cancelled":
                break
            if future.status not in ("finished", "error"):  # its worker was lost with the result
                self._finished.add(future)
                continue
            place = self._places.pop(future)
            if future.status == "error":
                return place, Failure(_describe(future.exception()))
            try:
                return place, future.result()
            except OSError as error:
                raise self._describe_end() from error
        raise self._describe_end()

    def _describe_end(self) -> InputError:
        return InputError(
            f"the Dask scheduler at {self._address} stopped before all parts were counted; "
            "nothing was written"
        )

    def share_folder(self) -> AbstractContextManager[str]:
        """A folder on this machine, which workers on others may not see."""
        folder = self._folder or os.environ.get("TMPDIR")
        return TemporaryDirectory(prefix="tallystick-", dir=folder, ignore_cleanup_errors=True)

    def close(self) -> None:
        """Takes back the jobs that are under way, and ends what was opened for them."""
        if self._ending is not None:
            self._ending.close()
        elif self._client.status == "running":
            self._client.cancel(list(self._places))
        self._places.clear()


def _describe(error: BaseException) -> str:
    from distributed.scheduler import KilledWorker

    if isinstance(error, KilledWorker):
        return (
            f"its worker process ended before it had finished, {error.allowed_failures + 1} "
            "times in a row; if "
            "memory ran out, use fewer workers, or smaller files"
        )
    return f"{type(error).__name__}: {error}"
