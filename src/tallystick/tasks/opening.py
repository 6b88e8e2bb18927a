"""Opens a submission, a zip archive, a folder or a file, and finds the file of each track."""

import difflib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from tallystick.errors import InputError
from tallystick.io.files.archives import is_zip, unpack_zip
from tallystick.io.files.datasets import cut_ending
from tallystick.io.submissions import is_aside, name_kind
from tallystick.model.reading import refusing
from tallystick.output.tables.cells import escape_controls
from tallystick.tasks.task_file import SharedTask, Track

MEGABYTE = 1_000_000
_DEEPEST = 4
_MOST_FILES = 1000
_LONGEST_NAME = 100
_UNPRINTABLE = "has a name that cannot be printed"


class Remark(Struct, frozen=True):
    """What participants must know of a track or a file; fatal keeps the track from being scored."""

    track: str | None
    file: str | None
    message: str
    fatal: bool

    def __str__(self) -> str:
        """Returns the message with what it is about before it."""
        about = ": ".join(one for one in (self.track, self.file) if one is not None)
        return f"{about}: {self.message}" if about else self.message


class Opened(Struct, frozen=True):
    """The file of each track of a submission, what each is called in it, and what was found."""

    files: dict[str, str]
    shown: dict[str, str]
    findings: tuple[Remark, ...]


def open_submission(task: SharedTask, path: str) -> Opened:
    """Finds the file of each track in a submission; what may be an attack refuses all of it."""
    try:
        kind = os.stat(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: there is no such submission") from error
    shown = _print(os.path.basename(os.path.normpath(path)))
    try:
        with refusing():
            if stat.S_ISDIR(kind.st_mode):
                return _open_folder(task, path)
            wrong = name_kind(kind.st_mode) or _measure(kind.st_size, task)
            if wrong is not None:
                raise InputError(wrong)
            if is_zip(path):
                folder, rejected = unpack_zip(path, most=task.limits.megabytes * MEGABYTE)
                wrongs = [(name, reason) for name, reason in rejected if not _is_aside(name)]
                found = [Remark(None, _print(name), reason, True) for name, reason in wrongs]
                return _refuse(found) if found else _open_folder(task, folder)
            if path.lower().endswith(".zip"):
                raise InputError("is not a zip archive with files in it; zip them again")
            return _match(task, {shown: path}, [])
    except InputError as error:
        return _refuse([Remark(None, shown, str(error).removeprefix(f"{path}: "), True)])


def _open_folder(task: SharedTask, folder: str) -> Opened:
    root = _find_only_folder(folder)
    found = dict(islice(_walk(root), _MOST_FILES + 1))
    if len(found) > _MOST_FILES:
        message = f"contains more than {_MOST_FILES:,} files; send those of the tracks alone"
        return _refuse([Remark(None, None, message, True)])
    kept = {name: one for name, one in sorted(found.items()) if not _is_aside(name)}
    wrong = _find_wrong(task, kept)
    if wrong:
        return _refuse(wrong)
    notes = [
        Remark(None, _print(name), "is no part of a submission, and is ignored", False)
        for name in sorted({*found} - {*kept})
    ]
    if root != folder:
        inner = _print(os.path.relpath(root, folder))
        text = "its files lie one folder too deep, which is mended; zip the files, not the folder"
        notes.append(Remark(None, inner, text, False))
    return _match(task, {name: one.path for name, one in kept.items()}, notes)


def holds_track(task: SharedTask, folder: str) -> bool:
    """Returns whether most files in a folder are of tracks; a team may be called like one."""
    with os.scandir(_find_only_folder(folder)) as entries:
        files = [one.name for one in islice(entries, _MOST_FILES) if not is_aside(one.name)]
    tracks = task.tracks.items()
    found = sum(any(fits(name, track, file) for name, track in tracks) for file in files)
    return 2 * found > len(files)


def _find_only_folder(folder: str) -> str:
    for _ in range(_DEEPEST):
        with os.scandir(folder) as entries:
            rest = [entry for entry in islice(entries, _MOST_FILES) if not is_aside(entry.name)]
        if len(rest) != 1 or not rest[0].is_dir(follow_symlinks=False):
            break
        folder = rest[0].path
    return folder


def _walk(folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    waiting = [("", 0)]
    while waiting:
        inside, depth = waiting.pop()
        with os.scandir(os.path.join(folder, inside)) as entries:
            for entry in entries:
                name = f"{inside}{entry.name}"
                if entry.is_dir(follow_symlinks=False) and depth < _DEEPEST:
                    waiting.append((f"{name}/", depth + 1))
                else:
                    yield name, entry


def _find_wrong(task: SharedTask, files: Mapping[str, os.DirEntry[str]]) -> list[Remark]:
    states = {name: entry.stat(follow_symlinks=False) for name, entry in files.items()}
    wrong = [
        Remark(None, _print(name), reason, True)
        for name, state in states.items()
        if (reason := name_kind(state.st_mode) if name.isprintable() else _UNPRINTABLE)
    ]
    size = _measure(sum(state.st_size for state in states.values()), task)
    return wrong if size is None else [*wrong, Remark(None, None, size, True)]


def _measure(size: int, task: SharedTask) -> str | None:
    if size <= task.limits.megabytes * MEGABYTE:
        return None
    return (
        f"has {size / MEGABYTE:,.1f} MB, and a submission may have at most "
        f"{task.limits.megabytes} MB"
    )


def _is_aside(name: str) -> bool:
    return any(is_aside(part) for part in name.split("/") if part != os.pardir)


def _print(name: str) -> str:
    plain = name if name.isprintable() else ascii(name)[1:-1]
    return plain if len(plain) <= _LONGEST_NAME else f"{plain[:_LONGEST_NAME]}..."


def _refuse(findings: Sequence[Remark]) -> Opened:
    return Opened({}, {}, tuple(_cut(findings)))


def _cut(findings: Sequence[Remark]) -> Iterator[Remark]:
    """The first findings of several alike, and how many more there are."""
    yield from findings[:5]
    if len(findings) > 5:
        more = f"{len(findings) - 5} more files are like that"
        yield Remark(None, None, more, findings[0].fatal)


def _match(task: SharedTask, files: Mapping[str, str], notes: Sequence[Remark]) -> Opened:
    """The file of each track by its name; the only file for the only track has any name."""
    chosen: dict[str, str] = {}
    wrong: list[Remark] = []
    for name, track in task.tracks.items():
        fitting = [file for file in files if fits(name, track, file)]
        if len(task.tracks) == len(files) == 1 and track.file is None:
            fitting = [*files]
        if track.file in fitting:
            fitting = [track.file]
        if len(fitting) == 1:
            chosen[name] = fitting[0]
        elif fitting:
            message = f"has two files, {_print(fitting[0])} and {_print(fitting[1])}; keep one"
            wrong.append(Remark(name, None, message, True))
    spare = [file for file in files if file not in chosen.values()]
    settled = {*chosen, *(one.track for one in wrong)}
    absent = [
        _tell_absent(name, track, spare, alone=not chosen)
        for name, track in task.tracks.items()
        if name not in settled
    ]
    names = (track.file or f"{name}.csv" for name, track in task.tracks.items())
    text = f"is the file of no track; the files are called {', '.join(names)}"
    strange = [Remark(None, _print(file), text, False) for file in spare if not wrong]
    found = {name: files[file] for name, file in chosen.items()}
    shown = {name: _print(file) for name, file in chosen.items()}
    return Opened(found, shown, (*_cut(notes), *wrong, *absent, *_cut(strange)))


def fits(name: str, track: Track, file: str) -> bool:
    """Returns whether a file of a submission is that of a track, by its name."""
    if track.file is not None:
        return file.lower() in (track.file.lower(), f"{track.file.lower()}.gz")
    return cut_ending(file).lower() == name.lower()


def _tell_absent(name: str, track: Track, spare: Sequence[str], *, alone: bool) -> Remark:
    """A track without a file takes no part, unless there is nothing else, or a name is near."""
    deep = [file for file in spare if fits(name, track, os.path.basename(file))]
    if deep:
        message = f"its file lies in a folder, as {_print(deep[0])}; put it beside the others"
        return Remark(name, None, message, True)
    called = track.file or f"{name}.csv"
    near = difflib.get_close_matches(called, spare, 1, 0.6)
    message = f"has no file {called}"
    if near:
        same = os.path.splitext(near[0])[1].lower() == os.path.splitext(called)[1].lower()
        other = f"if {_print(near[0])} is it, save it in the format of {called}"
        hint = f"rename {_print(near[0])} if that is it" if same else other
        return Remark(name, None, f"{message}; {hint}", True)
    if alone:
        return Remark(name, None, message, True)
    return Remark(name, None, f"{message}; the submission takes no part in it", False)


class Checked(Struct, frozen=True):
    """A submission that was looked at: the file of each track that can be scored, and findings."""

    files: dict[str, str]
    findings: tuple[Remark, ...] = ()

    @property
    def rejected(self) -> bool:
        """Whether all of the submission is rejected."""
        return not self.files

    @property
    def failed(self) -> bool:
        """Whether something in it keeps a track from being scored."""
        return any(one.fatal for one in self.findings)


_LONGEST = 500


def clean(message: str) -> str:
    """A message that quotes neither control characters of a submission nor a whole book of it."""
    plain = escape_controls(message)
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}..."
