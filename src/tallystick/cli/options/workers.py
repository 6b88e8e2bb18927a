"""The options of engines: how many processes count, or which cluster does."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from tallystick.errors import UsageError


def add_workers(group: argparse._ArgumentGroup) -> None:
    """Adds who counts, and what keeps memory small."""
    group.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="count parts of the files on N processes; the results are the same to the last digit",
    )
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="count parts of the files on a Dask cluster that runs already, such as "
        "tcp://10.0.0.1:8786; its workers must see the files under the same paths",
    )
    group.add_argument(
        "--bins",
        type=int,
        metavar="N",
        help="count probabilities in N bins of equal width, so that memory does not grow with the "
        "number of examples; the largest error is shown (default: keep every probability)",
    )


@contextmanager
def open_engine(options: argparse.Namespace) -> Iterator[None]:
    """Starts what counts, if the options name it, and ends it again; it is `options.engine`.

    Raises:
        InputError: There is no such cluster.
        UsageError: Both are named, or there is no worker, or Dask is not installed.
    """
    workers, scheduler = (getattr(options, name, None) for name in ("workers", "scheduler"))
    options.engine = None
    if workers is not None and scheduler is not None:
        raise UsageError("--workers and --scheduler are two ways to count; name one of them")
    if workers is not None:
        if workers < 1:
            raise UsageError(f"--workers is 1 or more, not {workers}")
        from tallystick.engines.cluster import start

        options.engine = start(workers)
    elif scheduler is not None:
        from tallystick.engines.cluster import connect

        options.engine = connect(scheduler)
    try:
        yield
    finally:
        if options.engine is not None:
            options.engine.close()
