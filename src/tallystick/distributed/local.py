"""A Dask cluster on this machine, started as a command.

A command needs no `__main__` guard in the program that counts. The scheduler and its workers listen
on the loopback address without a dashboard, and talk only to who has the key that is made for them.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from tallystick.errors import InputError
from tallystick.kinds.metrics.names import FOLDERS

_SCHEDULER = {
    "allowed-failures": 2,
    "http": {"routes": []},
    # No part waits at a worker, so that none is blamed for the end of another part's worker.
    "worker-saturation": 1.0,
    "worker-ttl": "60s",
}
_WORKER = {
    "http": {"routes": []},
    # A worker holds no results, so that it needs no disk: above its limit it is ended.
    "memory": {"pause": False, "spill": False, "target": False},
    "profile": {"enabled": False},
}
_NANNY = {
    "pre-spawn-environ": {
        # By itself Dask has all memory given back at once, and half of the time goes by taking it.
        "MALLOC_TRIM_THRESHOLD_": 1 << 28,
        "MALLOC_MMAP_THRESHOLD_": 1 << 25,
        "MALLOC_ARENA_MAX": 1,
    }
}
_SETTINGS = {"distributed": {"nanny": _NANNY, "scheduler": _SCHEDULER, "worker": _WORKER}}
"""Dask's settings of the scheduler and the workers; what a user has set comes first."""


class LocalCluster:
    """A scheduler and workers with one thread each; they write into `folder` alone."""

    def __init__(self, workers: int) -> None:
        """Starts the processes, which load while something else is done."""
        self.folder = Path(tempfile.mkdtemp(prefix="tallystick-"))
        self._log = self.folder / "log"
        code = (
            f"import sys; sys.path[:] = {[*sys.path, *FOLDERS]!r}; "
            "from tallystick.distributed.local import serve; serve(*sys.argv[1:])"
        )
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", code, str(workers), str(self.folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # so that Ctrl-C reaches this process alone
            )

    def open(self) -> tuple[str, Any]:
        """Waits for the workers; returns the address of the scheduler, and the key to it."""
        from distributed.security import Security

        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        if not answer:
            lines = self._log.read_text(encoding="utf-8", errors="replace").split("\n")
            reason = next(filter(str.strip, reversed(lines)), "no reason was given")
            raise InputError(f"the workers could not be started: {reason}")
        address, certificate, key = json.loads(answer)
        security: Any = Security
        return address, security(
            require_encryption=True,
            tls_ca_file=certificate,
            tls_client_cert=certificate,
            tls_client_key=key,
        )

    def close(self) -> None:
        """Ends all processes, whatever they do, unless they have been ended before."""
        if self._process.returncode is None:
            with suppress(OSError):  # where they have ended by themselves
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)


def serve(workers: str, folder: str) -> None:
    """Runs a cluster for as long as the process that started it does; called in its own process."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else prints must not get into the answer
    import dask
    import distributed
    from distributed.security import Security

    dask.config.update_defaults(_SETTINGS)
    make: Any = distributed.LocalCluster
    create: Any = Security.temporary
    security = create()
    cluster = make(
        n_workers=int(workers),
        threads_per_worker=1,
        memory_limit=1 / int(workers),
        local_directory=folder,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False},
        security=security,
    )
    with answer:
        text = [cluster.scheduler_address, security.tls_ca_file, security.tls_client_key]
        print(json.dumps(text), file=answer)
    os.read(0, 1)  # returns when the other side of the pipe is gone
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)
