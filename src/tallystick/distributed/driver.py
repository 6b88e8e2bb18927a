"""Counts parts with an engine: one code for all engines, with tries and progress."""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sized
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from tallystick.distributed.jobs import Counting, Engine, Failure, Job, Work
from tallystick.errors import InputError, UsageError
from tallystick.io.files.progress import Progress
from tallystick.model.reading import Reading
from tallystick.scoring.counted import Counted, add_counted
from tallystick.scoring.saved import stay_small, unpack_counted

if TYPE_CHECKING:
    from tallystick.reading.table_files import Source

_FAN = 16
"""So many neighbours are added at a time."""

Key = tuple[int, int]
"""A level of the tree, of which 0 are the parts, and a place in it."""


class Sums:
    """The sums of neighbouring parts, each added as soon as all its parts are there."""

    def __init__(self) -> None:
        """Has no parts yet."""
        self._names: dict[int, str] = {}
        self._found: dict[Key, Counted | None] = {}

    def add(self, place: int, name: str, counted: Counted | None) -> None:
        """Takes what was counted of a part, if it has examples, and adds what is complete by it."""
        level = 0
        self._names[place] = name
        self._found[level, place] = counted
        while True:
            first = place // _FAN * _FAN
            row = [(level, one) for one in range(first, first + _FAN)]
            if not all(key in self._found for key in row) or not self._shrink(row):
                return
            level, place = level + 1, place // _FAN
            self._found[level, place] = self._add(row)

    def total(self) -> Counted:
        """The sum of all parts."""
        total = self._add(sorted(self._found, key=lambda key: key[1] * _FAN ** key[0]))
        if total is None:
            raise InputError("there are no examples to score")
        return total

    def _shrink(self, keys: list[Key]) -> bool:
        """Whether a sum is smaller than its parts; else all are best added at the end."""
        found = [one for one in map(self._found.get, keys) if one is not None]
        return stay_small(found)

    def _add(self, keys: list[Key]) -> Counted | None:
        found = [
            (self._names[place * _FAN**level], self._found.pop((level, place)))
            for level, place in keys
        ]
        there = [(name, counted) for name, counted in found if counted is not None]
        return add_counted(there) if there else None


_TRIES = 3
"""So often a part is tried whose file could not be read."""


class WrongPartError(InputError):
    """What a part holds is wrong, whoever reads it."""


class _ChangedTaskError(Exception):
    """A part has a label that the first examples did not have: all must be counted anew."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading


def count_sources(
    sources: Iterable["Source"],
    counting: Counting,
    engine: Engine,
    watch: Progress | None = None,
) -> Counted:
    """Counts parts, and returns their sum, which depends on neither the engine nor its luck.

    Args:
        sources: The parts, in the order of their examples; they may be made one after the other,
            while those before them are counted.
        counting: How they are counted.
        engine: What counts them.
        watch: What counts the parts and bytes that are done.

    Raises:
        InputError: A part is wrong, or cannot be counted; of several the first one is told.
    """
    while True:
        try:
            return _count(sources, counting, engine, watch or Progress())
        except _ChangedTaskError as changed:
            counting = replace(counting, reading=changed.reading)


def _count(
    sources: Iterable["Source"], counting: Counting, engine: Engine, watch: Progress
) -> Counted:
    sums = Sums()
    watch.parts = len(sources) if isinstance(sources, Sized) else 0
    watch.done_parts = watch.done_bytes = 0
    jobs = ((place, Job(source, counting)) for place, source in enumerate(sources))
    for place, job, content in run_all(jobs, engine):
        counted = unpack_counted(content, job.name) if isinstance(content, bytes) else None
        sums.add(place, job.name, counted)
        watch.done_parts += 1
        watch.done_bytes += job.source.size
    return sums.total()


_Work = TypeVar("_Work", bound=Work)


def run_all(
    jobs: Iterator[tuple[int, _Work]], engine: Engine
) -> Iterator[tuple[int, _Work, object]]:
    """Yields what comes of each job as soon as it is there, in any order.

    Of a part without examples that is None. After a job that fails no further ones are begun, but
    those that were are finished.

    Raises:
        WrongPartError: What a part holds is wrong; of several the first one is told.
        InputError: A job cannot be done.
    """
    again, tries = deque[tuple[int, _Work]](), Counter[int]()
    busy, failed = dict[int, _Work](), dict[int, Exception]()
    while True:
        try:
            while len(busy) < engine.slots() and (found := _choose(again, jobs, failed)):
                busy[found[0]] = found[1]
                engine.submit(*found)
        except InputError:  # what makes the parts found that they are wrong
            for _ in busy:
                engine.wait()
            raise
        if not busy:
            break
        answer = engine.wait()
        place, job, content = answer.place, busy.pop(answer.place), answer.content
        tries[place] += 1
        if not isinstance(content, Failure):
            yield place, job, content
        elif content.again and tries[place] < _TRIES:
            again.appendleft((place, job))
        else:
            failed[place] = _to_error(content, job.name, tries[place])
    if failed:
        raise failed[min(failed)]


def _choose(
    again: deque[tuple[int, _Work]], jobs: Iterator[tuple[int, _Work]], failed: Collection[int]
) -> tuple[int, _Work] | None:
    """The next part, if there is one; where one has failed, only those before it are counted."""
    while again:
        place, job = again.popleft()
        if place < min(failed, default=place + 1):
            return place, job
    return None if failed else next(jobs, None)


def _to_error(failure: Failure, name: str, tries: int) -> Exception:
    """The error of a part, which names the part."""
    if failure.reading is not None:
        return _ChangedTaskError(failure.reading)
    if failure.kind == "call":
        return UsageError(failure.message)
    if failure.kind == "data":
        return WrongPartError(f"{failure.message} (in the part {name})")
    often = f" (tried {tries} times)" if tries > 1 else ""
    return InputError(f"the part {name} cannot be counted{often}: {failure.message}")
