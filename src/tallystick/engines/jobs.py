"""What workers do: count one part, and hand back its tallies; and the engine of one process."""

import importlib.util
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any, Literal, Protocol, final

from tallystick.errors import InputError, UsageError
from tallystick.examples.reading import Reading, ResettleError
from tallystick.examples.systems import Systems
from tallystick.frozen import dataclass, fields, replace
from tallystick.scoring.counting import count
from tallystick.scoring.packing import pack_counted
from tallystick.tallies.metric import Metric


class Source(Protocol):
    """Where the examples of a part come from; it is small, and can be sent to another process."""

    @property
    def name(self) -> str:
        """What messages call the part."""

    @property
    def size(self) -> int:
        """How many bytes of it are read."""

    @property
    def identity(self) -> str:
        """A text that changes when the part's content does."""

    def read(self, reading: Reading) -> Iterator[Systems]:
        """The examples, block by block."""


@dataclass(frozen=True, slots=True)
class Counting:
    """How all parts are counted.

    Attributes:
        metrics: The metrics, or their names, which mean the same in every process; None takes the
            usual ones.
        reading: How columns are read; what the first examples tell of the task is settled.
        heading: What the column of groups is called.
    """

    metrics: tuple[Metric | str, ...] | None
    reading: Reading
    heading: str | None = None


def list_modules(counting: Counting) -> set[str]:
    """The modules of metrics, and of functions in them, that do not come with Tallystick."""
    found = set[str]()
    for metric in counting.metrics or ():
        if not isinstance(metric, str):
            values = [getattr(metric, one.name) for one in fields(metric)]  # type: ignore[arg-type]
            named = (type(metric), *(value for value in values if callable(value)))
            found |= {str(one.__module__) for one in named}
    return {name for name in found if name.partition(".")[0] not in ("tallystick", "__main__")}


def find_lacking(names: set[str]) -> list[str]:
    """The modules that are not installed here."""
    return [name for name in names if not _is_there(name)]


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class Job:
    """A part to count, and how."""

    source: Source
    counting: Counting


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a part was not counted.

    Attributes:
        kind: `data` for an InputError, `call` for a UsageError, `task` where a row tells another
            task than the first examples did, `empty` where there are no examples, and `fault` for
            what says nothing about the data.
        message: What went wrong.
        again: Whether another try may do better.
        reading: How all parts are to be read, where that is the reason.
    """

    kind: Literal["data", "call", "task", "empty", "fault"]
    message: str
    again: bool = False
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a job.

    Attributes:
        place: Which job it was.
        content: The bytes of the saved tallies of its part; or why there are none.
    """

    place: int
    content: bytes | Failure


def count_job(job: Job) -> bytes | Failure:
    """Counts a part; returns the bytes of its tallies, or what went wrong."""
    counting = job.counting
    try:
        blocks = filter(len, job.source.read(counting.reading))
        first = next(blocks, None)
        if first is None:
            return Failure("empty", "")
        bins = counting.reading.columns.bins
        counted = count(
            chain([first], blocks), counting.metrics, heading=counting.heading, bins=bins
        )
        return pack_counted(counted)
    except ResettleError as changed:
        return Failure("task", "", reading=changed.reading)
    except UsageError as error:
        return Failure("call", str(error))
    except InputError as error:
        # A file that cannot be read now may be readable in a moment, but no label mends itself.
        return Failure("data", str(error), again=isinstance(error.__cause__, OSError))
    except MemoryError:
        return Failure("fault", "not enough memory; count smaller parts, or use fewer workers")


def count_alone(job: Job, content: Any = None) -> bytes | Failure:
    """Counts a part in a process that counts other parts too, on one thread for each.

    Args:
        job: The part.
        content: The partition of a Dask collection that the part is, where it is one.
    """
    import pyarrow

    pyarrow.set_cpu_count(1)
    if content is not None:
        job = replace(job, source=replace(job.source, content=content))  # type: ignore[type-var]
    return count_job(job)


class Engine(Protocol):
    """Takes jobs, and gives their answers in any order."""

    def slots(self) -> int:
        """How many jobs it takes at a time."""

    def submit(self, place: int, job: Job) -> None:
        """Takes a job."""

    def wait(self) -> Answer:
        """Waits for the answer of any job."""

    def close(self) -> None:
        """Ends all work that is under way."""


@final
class Here:
    """Counts one part after the other in this process."""

    def __init__(self) -> None:
        """Has nothing to do yet."""
        self._taken: deque[tuple[int, Job]] = deque()

    def slots(self) -> int:
        """One job at a time."""
        return 1

    def submit(self, place: int, job: Job) -> None:
        """Takes a job."""
        self._taken.append((place, job))

    def wait(self) -> Answer:
        """Counts the next part."""
        place, job = self._taken.popleft()
        return Answer(place, count_job(job))

    def close(self) -> None:
        """Forgets what was not counted."""
        self._taken.clear()
