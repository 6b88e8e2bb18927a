"""A progress bar on the terminal while something takes long."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tallystick.io.files.opening import Progress, measure_input

_PATIENCE = 2.0
"""The bar appears where the work is expected to take longer than this many seconds."""

_FIRST_LOOK = 0.5
_TICK = 0.1


@contextmanager
def show_progress(paths: Sequence[str]) -> Iterator[Progress]:
    """Yields a counter of the bytes read, and shows their share on a terminal.

    The bar appears as soon as the whole is expected to take more than two seconds.
    """
    watch = Progress()
    total = measure_input(paths)
    if not sys.stderr.isatty():
        yield watch
        return
    ended = threading.Event()
    painter = threading.Thread(target=_paint, args=(watch, total, ended), daemon=True)
    painter.start()
    try:
        yield watch
    finally:
        ended.set()
        painter.join()


def _paint(watch: Progress, total: int, ended: threading.Event) -> None:
    """Shows the bar once it is needed, until the work has ended."""
    start = time.monotonic()
    wait = _FIRST_LOOK
    while not ended.wait(wait):
        spent, wait = time.monotonic() - start, _TICK
        share = _share(watch, total)
        if spent > _PATIENCE or (0 < share < 1 and spent / share > _PATIENCE):
            _draw(watch, total, ended)
            return


def _share(watch: Progress, total: int) -> float:
    if watch.parts:
        return watch.done_parts / watch.parts
    return min(watch.done_bytes / total, 1) if total else 1


def _draw(watch: Progress, total: int, ended: threading.Event) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TimeRemainingColumn(),
    )
    start = time.monotonic()
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0, left="")
        while not ended.wait(_TICK):
            share = _share(watch, total)
            rate = watch.done_bytes / 1e6 / (time.monotonic() - start)
            doing = f"reading {total / 1e6:,.0f} MB"
            if watch.parts:
                doing = f"counted {watch.done_parts:,} of {watch.parts:,} parts, {rate:,.0f} MB/s"
            if share < 1:
                bar.update(task, description=doing, completed=share, left="left:")
            else:
                bar.update(task, description="computing", total=None, left="")


@contextmanager
def watch_progress() -> Iterator[Callable[[str, float], None]]:
    """Yields a callback that shows on a terminal what is being done, and which share is done."""
    if not sys.stderr.isatty():
        yield lambda doing, share: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=1)
        yield lambda doing, share: progress.update(bar, description=doing, completed=share)
