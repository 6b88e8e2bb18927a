"""What counts parts: the interface of all engines, and the engine that is no other process."""

from collections import deque
from typing import Protocol, final

from tallystick.engines.jobs import Answer, Job, count_job


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
