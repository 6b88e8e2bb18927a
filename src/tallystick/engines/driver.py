"""Counts parts with an engine: one code for all engines, with tries, kept parts and progress."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tallystick.engines.engine import Engine
from tallystick.engines.jobs import Counting, Failure, Job, Source
from tallystick.engines.kept import Kept
from tallystick.engines.sums import Sums
from tallystick.errors import InputError, UsageError
from tallystick.examples.task import Task
from tallystick.io.progress import Progress
from tallystick.scoring.counted import Counted
from tallystick.scoring.saved import unpack_counted

__all__ = ["count_sources"]

_TRIES = 3
"""So often a part is tried whose worker was lost, or whose file could not be read."""


class _ChangedTaskError(Exception):
    """A part has a label that the first examples did not have: all must be counted anew."""

    def __init__(self, task: Task) -> None:
        self.task = task


def count_sources(
    sources: Sequence[Source],
    counting: Counting,
    engine: Engine,
    *,
    kept: Kept | None = None,
    watch: Progress | None = None,
) -> Counted:
    """Counts parts, and returns their sum, which depends on neither the engine nor its luck.

    Args:
        sources: The parts, in the order of their examples.
        counting: How they are counted.
        engine: What counts them.
        kept: Where finished parts are kept, and perhaps have been kept before.
        watch: What counts the parts and bytes that are done.

    Raises:
        InputError: A part is wrong, or cannot be counted; of several the first one is told.
        UsageError: The parts cannot be counted in the way that was asked for.
    """
    while True:
        jobs = [Job(source, counting) for source in sources]
        try:
            return _count(jobs, engine, kept, watch or Progress())
        except _ChangedTaskError as changed:
            if kept is not None:
                kept.drop(jobs)
            counting = replace(counting, reading=replace(counting.reading, task=changed.task))


def _count(jobs: Sequence[Job], engine: Engine, kept: Kept | None, watch: Progress) -> Counted:
    names = tuple(job.source.name for job in jobs)
    sums, done = Sums(names), set[int]()
    watch.parts, watch.done_parts, watch.done_bytes = len(jobs), 0, 0

    def take(place: int, counted: Counted | None) -> None:
        sums.add(place, counted)
        done.add(place)
        watch.done_parts += 1
        watch.done_bytes += jobs[place].source.size

    if kept is not None:
        kept.load(jobs, take)
    for place, content in _run(jobs, sorted({*range(len(jobs))} - done), engine):
        if content and kept is not None:
            kept.add(place, jobs[place], content)
        take(place, unpack_counted(content, names[place]) if content else None)
    return sums.total()


def _run(jobs: Sequence[Job], places: Sequence[int], engine: Engine) -> Iterator[tuple[int, bytes]]:
    """Yields the bytes of the tallies of each part as soon as they are there, in any order.

    A part without examples has none.

    After a part that fails no further ones are begun, but those that were are finished.
    """
    waiting, tries, failed = deque(places), Counter[int](), dict[int, Failure]()
    busy = 0
    while True:
        while waiting and busy < engine.slots() and waiting[0] < min(failed, default=len(jobs)):
            place = waiting.popleft()
            engine.submit(place, jobs[place])
            busy += 1
        if not busy:
            break
        answer = engine.wait()
        busy -= 1
        tries[answer.place] += 1
        if isinstance(answer.content, bytes):
            yield answer.place, answer.content
        elif answer.content.kind == "empty":
            yield answer.place, b""
        elif answer.content.again and tries[answer.place] < _TRIES:
            waiting.appendleft(answer.place)
        else:
            failed[answer.place] = answer.content
    if failed:
        first = min(failed)
        raise _to_error(failed[first], jobs[first].source.name, tries[first])


def _to_error(failure: Failure, name: str, tries: int) -> Exception:
    """The error of a part, which names the part."""
    if failure.task is not None:
        return _ChangedTaskError(failure.task)
    if failure.kind == "call":
        return UsageError(failure.message)
    if failure.kind == "data":
        return InputError(f"{failure.message} (in the part {name})")
    often = f" (tried {tries} times)" if tries > 1 else ""
    return InputError(f"the part {name} cannot be counted{often}: {failure.message}")
