"""Checks a submission as the server does, before it is uploaded: what is wrong, and the cure."""

import os
from contextlib import suppress
from itertools import chain

import msgspec
from msgspec.structs import replace

from tallystick.errors import InputError, TallystickError
from tallystick.frozen import dataclass
from tallystick.io.files.opening import hold_files
from tallystick.io.tables.table import Table, read_table, release_memory
from tallystick.kinds.labels import LABELS
from tallystick.kinds.recognition import refuse_layout
from tallystick.kinds.spans import SPANS
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.tries.tries import read_tries
from tallystick.model.reading import NoneLeftError, refusing
from tallystick.output.tables.controls import escape_controls
from tallystick.reading.layouts import read_files
from tallystick.reading.tables import read_systems
from tallystick.scoring.counting import count
from tallystick.tasks.masked_gold import (
    Blind,
    list_track_files,
    plan_track,
    read_blind,
    read_gold_table,
    remember,
)
from tallystick.tasks.opening import MEGABYTE, Finding, open_submission
from tallystick.tasks.submission_mistakes import Told, find_excess, find_mistakes, reword
from tallystick.tasks.submission_worker import WORKER, SubmissionFailedError, Wrong, raise_wrong
from tallystick.tasks.task_file import SharedTask, Track, choose_phase

NOT_READ = "was not read: there is neither gold nor a file of ids to check it by"
"""What is said of a file that nobody can check here."""

_BROKEN = (
    "cannot be checked: the task's own files are wrong, as `tallystick task selftest` tells the "
    "organisers"
)
_LONGEST = 500
_MOST_STRANGE = 1000
_TOO_MANY = "labels that the task does not know, and at most 1,000 are read; use those of the task"
_STRANGE = (
    "its outputs are not those of the task, which names no labels; hold them against its "
    "description"
)
"""What is said where another reason could come from the labels of the gold."""
_UNREAD = "its outputs were not checked; they are when they are scored"


@dataclass(frozen=True, slots=True)
class Checked:
    """A submission that was looked at: the file of each track that can be scored, and findings."""

    files: dict[str, str]
    findings: tuple[Finding, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether all of the submission is refused."""
        return not self.files

    @property
    def failed(self) -> bool:
        """Whether something in it keeps a track from being scored."""
        return any(one.fatal for one in self.findings)


def check_submission(task: SharedTask, path: str) -> Checked:
    """Checks a submission, a zip archive, a folder or a file, within the limits of the task.

    Nothing that is said of it comes from the gold but how many examples there are, their ids,
    and the labels that the task names. An InputError says that there is no submission at the
    path, or that the task's own files are wrong.
    """
    from tallystick.tasks.task_checks import check_tracks  # the child has no need of it

    task = choose_phase(task, None)
    check_tracks(task)
    return _ask(task, path, known=False)


def open_checked(task: SharedTask, path: str) -> Checked:
    """Returns the files of a submission that was checked before, and has not changed."""
    return _ask(task, path, known=True)


def _ask(task: SharedTask, path: str, *, known: bool) -> Checked:
    try:
        found = WORKER.ask(task, None, {"": path}, known=known)
        if isinstance(found, Wrong):
            raise_wrong(found)
    except SubmissionFailedError as error:
        shown = os.path.basename(os.path.normpath(path))
        return Checked({}, (Finding(None, _clean(shown), str(error), True),))
    return msgspec.json.decode(found.content, type=Checked)


def prepare(track: Track) -> None:
    """Reads what submissions to a track are held against, and keeps it; errors come later."""
    with suppress(TallystickError):
        hold_files(list_track_files(track))
        _check_layout(track, "")
        read_blind(track)
        read_gold_table(track)


def examine_submission(task: SharedTask, path: str) -> Checked:
    """Checks a submission as `check_submission` does, without limits and in this process."""
    for name, track in task.tracks.items():
        _check_layout(track, name)
    opened = open_submission(task, path)
    findings = [*opened.findings]
    accepted, broken = {}, None
    for name, file in opened.files.items():
        shown = opened.shown[name]
        try:
            told = _check_file(task.tracks[name], file, shown, task.limits.megabytes * MEGABYTE)
        except TallystickError as error:  # which may quote gold
            broken = error, name
            told = [(_BROKEN, True)]
        findings += [Finding(name, shown, _clean(message), fatal) for message, fatal in told]
        if not any(fatal for _, fatal in told):
            accepted[name] = file
    if broken is not None and not accepted:
        raise InputError(f"the track {broken[1]} {_BROKEN}") from broken[0]
    return Checked(accepted, tuple(findings))


def _clean(message: str) -> str:
    """A message that quotes neither control characters of a submission nor a whole book of it."""
    plain = escape_controls(message)
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}..."


@remember
def _check_layout(track: Track, name: str) -> None:
    """Raises an InputError where the gold of a track has no rows of examples."""
    if track.gold is not None and track.task is None:
        refuse_layout(track.gold, f"tracks.{name}.gold", plan_track(track).kinds)


def _check_file(track: Track, path: str, shown: str, most: int) -> list[Told]:
    blind = read_blind(track)
    if blind is None:
        return [(NOT_READ, False)]
    told, reason = _read(blind, track, path, most)
    if reason is not None and blind.open_ended and not reason.endswith(_TOO_MANY):
        reason = _keep_label_free(reason, track, path, most)
    release_memory()
    if reason is None and not (blind.gold or blind.lines):
        return [*told, (_UNREAD, False)]
    if reason is None:
        return [one for one in told if not one[1]]
    if any(fatal for _, fatal in told):
        return told
    for known, called in ((blind.lines, "the test data"), (path, shown)):
        reason = reason.replace(known, called) if known else reason
    reason = reason.removeprefix(f"{shown}: ").removeprefix(f"{shown}, ")
    return [*told, (reword(reason), True)]


def _keep_label_free(reason: str, track: Track, path: str, most: int) -> str:
    """The reason where it is the same beside labels that are not the gold's; a general one else."""
    positive = track.positive or "yes"
    tolerant = replace(track, invalid="wrong", positive=positive)
    other = read_blind(tolerant, ("made up", positive))
    same = other is not None and _read(other, track, path, most)[1] == reason
    return reason if same and "label" not in reason else _STRANGE


def _read(blind: Blind, track: Track, path: str, most: int) -> tuple[list[Told], str | None]:
    """What is told of the table of a file, and why it is refused; None if it is not."""
    table, told = None, list[Told]()
    try:
        with refusing():
            reason = find_excess(path, track.format, blind.count, most)
            if reason is None and blind.lines is None:
                table = read_table(path, format=track.format)
                told = find_mistakes(table, blind)
            if reason is None:
                reason = _refuse(blind, track, path, table)
    except NoneLeftError as error:
        reason = error.refused[0].reason
    except TallystickError as error:
        reason = str(error)
    return told, reason


def _refuse(blind: Blind, track: Track, path: str, table: Table | None) -> str | None:
    """Why a file is refused, told by reading it beside made-up gold; None if it is not."""
    if blind.lines is not None:
        texts = read_files(blind.lines, {path: path}, blind.reading)
        refused = [one for block in texts for one in block.facts.refused]
    elif table is None or blind.gold is None:
        return None
    elif blind.reading.repeated:
        read_tries(blind.gold, {path: table}, blind.reading)
        refused = []
    else:
        read = read_systems(blind.gold, {path: (lambda: table)}, blind.reading)
        column = LABELS.find(read) or SPANS.find(read)
        names = [one.labels.names for one in (() if column is None else column.outputs)]
        strange = {*map(str, chain.from_iterable(names))} - {*map(str, blind.known)}
        if len(strange) > _MOST_STRANGE:
            return f"has {len(strange):,} {_TOO_MANY}"
        refused = (
            [*read.facts.refused]
            if TEXTS.find(read)
            else [*count([read], track.metrics).facts.refused]
        )
    return refused[0].reason if refused else None
