"""Finished parts in a folder, so that a run that was interrupted goes on where it ended."""

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from tallystick import __version__
from tallystick.engines.jobs import Job
from tallystick.errors import InputError
from tallystick.scoring.counted import Counted
from tallystick.scoring.saved import unpack_counted

__all__ = ["Kept"]

_ENDING = ".tally"


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder with the tallies of each finished part.

    A file is called by the number of its part and by a digest of what was counted and how, and
    holds what `tallystick count` would write of that part.

    Attributes:
        folder: The folder, which is made for the first part.
        notes: What was found in it, in words.
    """

    folder: str
    notes: list[str] = field(default_factory=list)

    def load(self, jobs: Sequence[Job], take: Callable[[int, Counted], None]) -> None:
        """Hands over what is kept of some parts, one by one; what is damaged is deleted."""
        known = {_name(place, job): place for place, job in enumerate(jobs)}
        found = changed = damaged = 0
        for name in self._list():
            counted = self._read(name) if name in known else None
            if counted is not None:
                take(known[name], counted)
                found += 1
                continue
            changed += name not in known
            if name in known:
                damaged += 1
                os.unlink(os.path.join(self.folder, name))
        self.notes[:] = _note(found, len(jobs), changed, damaged)

    def add(self, place: int, job: Job, content: bytes) -> None:
        """Keeps a finished part.

        Raises:
            InputError: It cannot be written.
        """
        path = os.path.join(self.folder, _name(place, job))
        beside = os.path.join(self.folder, f".{os.urandom(8).hex()}.tmp")
        try:
            os.makedirs(self.folder, exist_ok=True)
            with open(beside, "xb") as file:
                file.write(content)
            os.replace(beside, path)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
        finally:
            with suppress(OSError):
                os.unlink(beside)

    def drop(self, jobs: Sequence[Job]) -> None:
        """Deletes what is kept of some parts."""
        for place, job in enumerate(jobs):
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, _name(place, job)))

    def size(self) -> int:
        """How many parts are kept."""
        return len(self._list())

    def clear(self) -> None:
        """Deletes all that is kept."""
        for name in self._list():
            os.unlink(os.path.join(self.folder, name))
        with suppress(OSError):  # whatever else lies there is not ours
            os.rmdir(self.folder)

    def _list(self) -> list[str]:
        if not os.path.isdir(self.folder):
            return []
        return sorted(name for name in os.listdir(self.folder) if name.endswith(_ENDING))

    def _read(self, name: str) -> Counted | None:
        """What a file holds; None where it is damaged."""
        path = os.path.join(self.folder, name)
        try:
            with open(path, "rb") as file:
                return unpack_counted(file.read(), path)
        except (InputError, OSError):
            return None


def _name(place: int, job: Job) -> str:
    """What the file of a part is called; the digest is of its content, options, and the version."""
    told = f"{__version__}\n{job.counting!r}\n{job.source.name}\n{job.source.identity}"
    return f"{place:06d}-{hashlib.sha256(told.encode()).hexdigest()[:32]}{_ENDING}"


def _note(found: int, parts: int, changed: int, damaged: int) -> list[str]:
    if not (found or changed or damaged):
        return []
    notes = [f"{found} of {parts} parts were counted before, and are not counted again."]
    if changed:
        notes.append(
            f"of other inputs, options or versions, and counted again: {changed} of the kept parts."
        )
    if damaged:
        notes.append(f"damaged, and counted again: {damaged} of the kept parts.")
    return notes
