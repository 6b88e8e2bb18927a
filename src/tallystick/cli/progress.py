"""A moving bar on the terminal while something takes long, if someone watches."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

__all__ = ["show_progress", "watch_progress"]

_LONG = 1 << 26
"""From this many bytes on, people wait long enough to wonder."""


@contextmanager
def show_progress(paths: Sequence[str]) -> Iterator[None]:
    """Shows that work goes on, and for how long, if the input is long and someone watches."""
    size = sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
    if size < _LONG or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(f"scoring {size / 1e6:,.0f} MB", total=None)
        yield


@contextmanager
def watch_progress() -> Iterator[Callable[[str, float], None]]:
    """Gives what shows on a terminal what is being done, and what share of the whole is done."""
    if not sys.stderr.isatty():
        yield lambda doing, share: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=1)
        yield lambda doing, share: progress.update(bar, description=doing, completed=share)
