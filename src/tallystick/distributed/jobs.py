"""What workers do, such as to count a part; and the engine of one process."""

import importlib.util
from collections import deque
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, Protocol, final

import pyarrow as pa

from tallystick.errors import InputError, UsageError
from tallystick.frozen import dataclass, fields, replace
from tallystick.model.reading import Reading, ResettleError
from tallystick.model.tallies.metric import Metric
from tallystick.scoring.counting import count
from tallystick.scoring.packing import pack_counted

if TYPE_CHECKING:
    from tallystick.reading.table_files import Source


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


def find_lacking(names: set[str]) -> list[str]:
    """The modules that are not installed here."""
    return [name for name in names if not _is_there(name)]


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a part was not counted.

    Attributes:
        kind: `data` for an InputError, `call` for a UsageError, `task` where a row tells another
            task than the first examples did, and `fault` for what says nothing about the data.
        message: What went wrong.
        again: Whether another try may do better.
        reading: How all parts are to be read, where that is the reason.
    """

    kind: Literal["data", "call", "task", "fault"]
    message: str
    again: bool = False
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a job.

    Attributes:
        place: Which job it was.
        content: What the job returns; or a Failure.
    """

    place: int
    content: object


class Work(Protocol):
    """A job; it is small, and can be sent to another process."""

    @property
    def name(self) -> str:
        """What messages call it."""

    def list_modules(self) -> set[str]:
        """The modules that it needs and that do not come with Tallystick."""

    def run(self) -> object:
        """Does it; what it returns can be sent.

        Raises:
            TallystickError: It cannot be done.
        """


@dataclass(frozen=True, slots=True)
class Job:
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
                values = [getattr(metric, one.name) for one in fields(metric)]  # type: ignore[arg-type]
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


def run(job: Work) -> object:
    """Does a job; returns what it returns, or a Failure."""
    try:
        return job.run()
    except ResettleError as changed:
        return Failure("task", "", reading=changed.reading)
    except UsageError as error:
        return Failure("call", str(error))
    except InputError as error:
        # A file that cannot be read now may be readable in a moment, but no label mends itself.
        return Failure("data", str(error), again=isinstance(error.__cause__, OSError))
    except MemoryError:
        return Failure("fault", "not enough memory; count smaller parts, or use fewer workers")


def run_alone(job: Work, content: Any = None) -> object:
    """Does a job in a process that does others too, on one thread for each.

    Args:
        job: The job.
        content: The partition of a Dask collection that is counted, where it is one.
    """
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

    def wait(self) -> Answer:
        """Waits for the answer of any job."""

    def share_folder(self) -> AbstractContextManager[str | None]:
        """A folder for what jobs leave for others, gone at the end; None for a single process."""

    def close(self) -> None:
        """Ends all work that is under way."""


@final
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

    def wait(self) -> Answer:
        """Does the next job."""
        place, job = self._taken.popleft()
        return Answer(place, run(job))

    def share_folder(self) -> AbstractContextManager[None]:
        """None."""
        return nullcontext()

    def close(self) -> None:
        """Forgets what was not counted."""
        self._taken.clear()
