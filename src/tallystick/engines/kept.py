"""Finished parts in a folder, so that a run that was interrupted goes on where it ended."""

import hashlib
import os
from contextlib import suppress

from tallystick import __version__
from tallystick.engines.jobs import Job
from tallystick.errors import InputError
from tallystick.frozen import dataclass, field
from tallystick.scoring.counted import Counted
from tallystick.scoring.saved import unpack_counted

_ENDING = ".tally"


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder with the tallies of each finished part.

    A file is called by the number of its part and by a digest of what was counted and how, and
    holds what `tallystick count` would write of that part.

    Attributes:
        notes: What was found in it, in words.
        asked: The files that were looked for.
        found: Those of them that were there.
        damaged: Those that were there and are not whole.
    """

    folder: str
    notes: list[str] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    found: set[str] = field(default_factory=set)
    damaged: set[str] = field(default_factory=set)

    def begin(self) -> None:
        """Forgets what was found before."""
        for names in (self.asked, self.found, self.damaged):
            names.clear()

    def find(self, place: int, job: Job) -> Counted | None:
        """Returns what is kept of a part; None where there is nothing, or what is damaged."""
        name = _name(place, job)
        self.asked.add(name)
        path = os.path.join(self.folder, name)
        try:
            with open(path, "rb") as file:
                counted = unpack_counted(file.read(), path)
        except FileNotFoundError:
            return None
        except (InputError, OSError):
            self.damaged.add(name)
            return None
        self.found.add(name)
        return counted

    def note(self) -> None:
        """Notes what was found, once all parts have been asked for."""
        changed = len(set(self._list()) - self.asked)
        self.notes[:] = _note(len(self.found), len(self.asked), changed, len(self.damaged))

    def add(self, place: int, job: Job, content: bytes) -> None:
        """Keeps a finished part."""
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

    def drop(self) -> None:
        """Deletes what is kept of the parts that were asked for."""
        for name in self.asked:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(self.folder, name))
        self._remove()

    def size(self) -> int:
        """How many parts are kept."""
        return len(self._list())

    def clear(self) -> None:
        """Deletes all that is kept."""
        for name in self._list():
            os.unlink(os.path.join(self.folder, name))
        self._remove()

    def _remove(self) -> None:
        with suppress(OSError):  # whatever else lies there is not ours
            os.rmdir(self.folder)

    def _list(self) -> list[str]:
        if not os.path.isdir(self.folder):
            return []
        return sorted(name for name in os.listdir(self.folder) if name.endswith(_ENDING))


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
