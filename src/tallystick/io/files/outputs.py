"""Writes output files together or not at all, and never over an input."""

import os
import shutil
import signal
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import FrameType
from typing import NoReturn, Self

from msgspec import Struct

from tallystick.errors import InputError, UsageError
from tallystick.io.files.stores import is_remote, store

_ENDED = 128 + signal.SIGTERM
_Key = str | tuple[int, int]


class Outputs:
    """The output files of a command, which are put in place once all of them are written.

    Until then they lie next to their targets under hidden names. After an exception they are
    removed, and all targets stay as they were.
    """

    def __init__(self, inputs: Iterable[str] = ()) -> None:
        """Notes the paths that are read, which no output may be written onto."""
        self._inputs: dict[str, None] = {}
        self._read: dict[_Key, str] = {}
        self._written: dict[_Key, str] = {}
        for path in inputs:
            self.note_input(path)
        self._files: list[_File] = []
        self._streams: list[tuple[str, bytes]] = []
        self._stored: list[tuple[str, bytes]] = []
        self._appended: list[tuple[str, bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                for path, content in self._streams:
                    with _explain(path), open(path, "wb") as stream:
                        stream.write(content)
                self._publish()
        finally:
            for file in self._files:
                file.clear()

    @property
    def inputs(self) -> tuple[str, ...]:
        """The paths that were read so far, in the order in which they were first read."""
        return tuple(self._inputs)

    def note_input(self, path: str) -> None:
        """Notes a path that is read, which no output may be written onto."""
        if path not in self._inputs:
            self._inputs[path] = None
            for key in _find_file(path):
                self._read.setdefault(key, path)
                if key in self._written:
                    _refuse_input(self._written[key], path)

    def write_bytes(self, path: str, content: bytes) -> None:
        """Writes a file as a whole; devices, pipes and object stores come at the end."""
        stream = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
        self._check(path, again=stream)
        if is_remote(path):
            self._stored.append((path, content))
            return
        if stream:
            self._streams.append((path, content))
            return
        with _explain(path):
            file = _File(path, os.path.realpath(path))
            self._files.append(file)  # noted first, so that an interruption leaves nothing
            file.stage(content)

    def append_text(self, path: str, text: str) -> None:
        """Writes UTF-8 text at the end of a file once all others are in place."""
        self._check(path)
        if is_remote(path):
            raise InputError(f"{path}: an object store has no file that can be added to")
        with _explain(path):
            _check_writable(path)
        self._appended.append((path, text.encode()))

    def _check(self, path: str, *, again: bool = False) -> None:
        """Raises an error where a path is read or written; some may be written `again`."""
        keys = _identify(path)
        for key in keys:
            if key in self._read:
                _refuse_input(path, self._read[key])
        for key in keys:
            if key in self._written:
                other = "" if path == self._written[key] else f", as {self._written[key]}"
                raise UsageError(f"{path} would be written twice{other}; name another file")
        self._written |= {} if again else dict.fromkeys(keys, path)

    def _publish(self) -> None:
        done: list[_File] = []
        try:
            for file in self._files:
                done.append(file)
                with _explain(file.path):
                    file.publish()
            for path, content in self._stored:
                store(path, content)
            for path, content in self._appended:
                with _explain(path), open(path, "ab") as end:
                    end.write(content)
        except BaseException:
            for file in reversed(done):
                file.retract()
            raise


_collected: ContextVar[Outputs | None] = ContextVar("collected", default=None)


@contextmanager
def collect_outputs() -> Iterator[None]:
    """Collects all files that are written within, and puts them in place together."""
    with Outputs() as outputs:
        token = _collected.set(outputs)
        try:
            yield
        finally:
            _collected.reset(token)


def find_outputs() -> Outputs | None:
    """Returns what collects outputs here; None where each file is put in place by itself."""
    return _collected.get()


@contextmanager
def end_on_sigterm() -> Iterator[None]:
    """Lets SIGTERM end the process as an exception does, so that nothing unfinished is left."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(_ENDED)

    former = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)


class _File(Struct):
    """An output file on its way to its target.

    Attributes:
        target: The file itself, after resolving symbolic links.
        beside: The path of the new content until it is put in place.
        kept: The path of the old content until all outputs are in place, if there is one.
        linked: Whether the target has other names, which must stay names of the same file.
    """

    path: str
    target: str
    beside: str = ""
    kept: str = ""
    linked: bool = False

    def stage(self, content: bytes) -> None:
        _check_writable(self.target)
        self.beside = self._name_beside()
        with open(self.beside, "xb") as file:
            file.write(content)
        if os.path.exists(self.target):
            status = os.stat(self.target)
            with suppress(OSError):  # only its owner or root may give a file away
                os.chown(self.beside, status.st_uid, status.st_gid)
            os.chmod(self.beside, stat.S_IMODE(status.st_mode))

    def publish(self) -> None:
        if os.path.exists(self.target):
            self.linked = os.stat(self.target).st_nlink > 1
            self.kept = self._name_beside()
            self._keep()
        if self.linked:
            shutil.copyfile(self.beside, self.target)  # the other names keep to the same file
        else:
            os.replace(self.beside, self.target)

    def retract(self) -> None:
        with suppress(OSError):
            if self.linked:
                shutil.copyfile(self.kept, self.target)
            elif self.kept:
                os.replace(self.kept, self.target)
            elif not os.path.exists(self.beside):
                os.unlink(self.target)

    def clear(self) -> None:
        for path in filter(None, (self.beside, self.kept)):
            with suppress(OSError):
                os.unlink(path)

    def _keep(self) -> None:
        if not self.linked:
            with suppress(OSError):  # not all file systems have hard links
                os.link(self.target, self.kept)
                return
        shutil.copy2(self.target, self.kept)

    def _name_beside(self) -> str:
        return os.path.join(os.path.dirname(self.target), f".{os.urandom(8).hex()}.tmp")


@contextmanager
def _explain(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _check_writable(path: str) -> None:
    if os.path.isdir(path):
        raise IsADirectoryError(21, "Is a directory")
    if not os.path.exists(path):
        return
    # Root may write to any file, but one without a single such permission is meant to stay.
    if not os.access(path, os.W_OK) or not os.stat(path).st_mode & 0o222:
        raise PermissionError(13, "Permission denied")


def _refuse_input(path: str, read: str) -> NoReturn:
    other = "" if path == read else f", as {read},"
    raise UsageError(f"{path} is read{other} and cannot be overwritten; name another file")


def _identify(path: str) -> list[_Key]:
    """What a path has in common with all others of the same file: its place, and the file there."""
    return [path if is_remote(path) else os.path.realpath(path), *_find_file(path)]


def _find_file(path: str) -> list[_Key]:
    if is_remote(path):
        return [path]
    if not os.path.isfile(path):
        return []
    status = os.stat(path)
    return [(status.st_dev, status.st_ino)]
