"""Counts parts by jobs: one code for all engines, with tries and progress."""

import importlib.util
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sized
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import Any, Protocol, TypeVar

import pyarrow as pa
from msgspec import Struct
from msgspec.structs import asdict, replace

from tallystick.errors import InputError, UsageError
from tallystick.io.files.opening import Progress
from tallystick.io.tables.table import from_arrow
from tallystick.model.reading import Reading, ResettleError
from tallystick.model.systems import Systems
from tallystick.model.tallies.metric import Metric
from tallystick.reading.table_files import Source, read_block
from tallystick.scoring.counted import Counted, add_counted
from tallystick.scoring.counting import count
from tallystick.scoring.saved import append_counted, unpack_counted
from tallystick.scoring.tally_file import pack_counted


class Counting(Struct, frozen=True):
    """How all parts are counted: for which metrics, and by which reading."""

    metrics: tuple[Metric | str, ...] | None
    reading: Reading
    heading: str | None = None


def find_lacking(names: set[str]) -> list[str]:
    """Returns the modules that are not installed here."""

    def is_there(name: str) -> bool:
        try:
            return importlib.util.find_spec(name) is not None
        except (ImportError, ValueError):
            return False

    return [name for name in names if not is_there(name)]


class Failure(Struct, frozen=True):
    """Why a part was not counted: an error about its data or the call, or what else went wrong.

    `again` shows whether another try may succeed.
    """

    error: Exception | str
    again: bool = False


class Work(Protocol):
    """A job; it is small, and can be sent to another process."""

    @property
    def name(self) -> str:
        """What messages call it."""

    def list_modules(self) -> set[str]:
        """The modules that it needs and that do not come with Tallystick."""

    def run(self) -> object:
        """Does it; what it returns can be sent."""


class Job(Struct, frozen=True):
    """A part to count, and how."""

    source: "Source"
    counting: Counting

    @property
    def name(self) -> str:
        """That of the part."""
        return self.source.name

    def list_modules(self) -> set[str]:
        """The modules of metrics, and of functions in them."""
        found = set[str]()
        for metric in self.counting.metrics or ():
            if not isinstance(metric, str):
                values = asdict(metric).values()
                named = (type(metric), *(value for value in values if callable(value)))
                found |= {str(one.__module__) for one in named}
        return {name for name in found if name.partition(".")[0] not in ("tallystick", "__main__")}

    def run(self) -> bytes | None:
        """Counts the part; returns the bytes of its tallies, or None where it has no examples."""
        counting = self.counting
        blocks = filter(len, self.source.read(counting.reading))
        first = next(blocks, None)
        if first is None:
            return None
        counted = count(
            chain([first], blocks),
            counting.metrics,
            heading=counting.heading,
            round_scores=counting.reading.columns.round_scores,
        )
        return pack_counted(counted)


class Partition(Struct, frozen=True, eq=False):
    """A partition of a table, which may still have to be computed.

    Attributes:
        systems: The columns of outputs; none if they are found by their names.
        delayed: What computes it, a `dask.delayed.Delayed`; None if that is done.
        content: The partition: a frame of pandas, an Arrow table, or dictionaries.
    """

    name: str
    systems: tuple[str, ...]
    delayed: Any
    content: Any = None
    size: int = 1

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The examples in one block."""
        content = self.content
        if content is None:
            content = self.delayed.compute(scheduler="synchronous")
        if not hasattr(content, "__arrow_c_stream__"):
            content = pa.Table.from_pylist(list(content))
        if len(content):
            entries = {name: name for name in self.systems}
            table = from_arrow(content, self.name)
            yield read_block(table, entries or {"predictions": None}, reading, 0)


def run(job: Work) -> object:
    """Does a job; returns what it returns, or a Failure."""
    try:
        return job.run()
    except ResettleError as changed:
        return Failure(changed)
    except UsageError as error:
        return Failure(UsageError(str(error)))
    except InputError as error:
        # A file that cannot be read now may be readable in a moment, but no label mends itself.
        wrong = WrongPartError(f"{error} (in the part {job.name})")
        return Failure(wrong, again=isinstance(error.__cause__, OSError))
    except MemoryError:
        return Failure("not enough memory; count smaller parts, or use fewer workers")


def run_alone(job: Work, content: Any = None) -> object:
    """Runs a job on one thread; `content` is the partition of a Dask collection, if it is one."""
    pa.set_cpu_count(1)
    if content is not None and isinstance(job, Job):
        job = replace(job, source=replace(job.source, content=content))  # type: ignore[type-var]
    return run(job)


class Engine(Protocol):
    """Takes jobs, and gives their answers in any order."""

    def slots(self) -> int:
        """How many jobs it takes at a time."""

    def submit(self, place: int, job: Work) -> None:
        """Takes a job."""

    def wait(self) -> tuple[int, object]:
        """Waits for any job; returns its place, and what it returned, or a Failure."""

    def share_folder(self) -> AbstractContextManager[str | None]:
        """A folder for what jobs leave for others, gone at the end; None for a single process."""

    def close(self) -> None:
        """Ends all work that is under way."""


class Here:
    """Does one job after the other in this process."""

    def __init__(self) -> None:
        """Has nothing to do yet."""
        self._taken: deque[tuple[int, Work]] = deque()

    def slots(self) -> int:
        """One job at a time."""
        return 1

    def submit(self, place: int, job: Work) -> None:
        """Takes a job."""
        self._taken.append((place, job))

    def wait(self) -> tuple[int, object]:
        """Does the next job."""
        place, job = self._taken.popleft()
        return place, run(job)

    def share_folder(self) -> AbstractContextManager[None]:
        """None."""
        return nullcontext()

    def close(self) -> None:
        """Forgets what was not counted."""
        self._taken.clear()


_TRIES = 3
"""So often a part is tried whose file could not be read."""


class WrongPartError(InputError):
    """What a part holds is wrong, whoever reads it."""


def count_sources(
    sources: Iterable["Source"],
    counting: Counting,
    engine: Engine,
    watch: Progress | None = None,
) -> Counted:
    """Counts parts; the sum depends neither on the engine nor on the order of answers."""
    while True:
        try:
            return _count(sources, counting, engine, watch or Progress())
        except ResettleError as changed:  # such as a label that the first examples did not have
            counting = replace(counting, reading=changed.reading)


def _count(
    sources: Iterable["Source"], counting: Counting, engine: Engine, watch: Progress
) -> Counted:
    watch.parts = len(sources) if isinstance(sources, Sized) else 0
    watch.done_parts = watch.done_bytes = 0
    jobs = ((place, Job(source, counting)) for place, source in enumerate(sources))
    early, added = dict[int, tuple[str, object]](), list[tuple[str, Counted]]()
    following = 0
    for place, job, content in run_all(jobs, engine):
        early[place] = job.name, content
        while following in early:  # in the order of the parts
            name, own = early.pop(following)
            following += 1
            if isinstance(own, bytes):
                append_counted(added, name, unpack_counted(own, name))
        watch.done_parts += 1
        watch.done_bytes += job.source.size
    if not added:
        raise InputError("there are no examples to score")
    return add_counted(added)


_Work = TypeVar("_Work", bound=Work)


def run_all(
    jobs: Iterator[tuple[int, _Work]], engine: Engine
) -> Iterator[tuple[int, _Work, object]]:
    """Yields the result of each job in any order; a failure stops further jobs from starting."""
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
        place, content = engine.wait()
        job = busy.pop(place)
        tries[place] += 1
        if not isinstance(content, Failure):
            yield place, job, content
        elif content.again and tries[place] < _TRIES:
            again.appendleft((place, job))
        elif isinstance(content.error, Exception):
            failed[place] = content.error
        else:
            often = f" (tried {tries[place]} times)" if tries[place] > 1 else ""
            text = f"the part {job.name} cannot be counted{often}: {content.error}"
            failed[place] = InputError(text)
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
