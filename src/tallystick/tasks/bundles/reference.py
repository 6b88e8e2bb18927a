"""The data that a scorer is given, and archives that platforms can unpack."""

import io
import os
import re
import stat
import zipfile
from collections.abc import Mapping
from importlib import resources
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from tallystick.errors import InputError
from tallystick.io.files.datasets import is_dataset
from tallystick.io.tables.table import read_table
from tallystick.kinds.numbers.numbers import read_gold_cells
from tallystick.model.sides import Side
from tallystick.tasks.bundles.judging import TASK_FILE
from tallystick.tasks.masked_gold import read_answers
from tallystick.tasks.task_file import Board, Phase, SharedTask, Track, choose_phase
from tallystick.tasks.tracks import plan_track

Files: TypeAlias = Mapping[str, bytes]
"""The content of each file by its path, with `/` between folders."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
_MODE = (stat.S_IFREG | 0o644) << 16


def pack(files: Files) -> bytes:
    """Returns a zip archive of files; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = _MODE
            archive.writestr(member, files[name])
    return buffer.getvalue()


def read_logo() -> bytes:
    """Returns the logo of a bundle whose organiser has none: a tally of five."""
    return (resources.files("tallystick.tasks.bundles") / "logo.png").read_bytes()


def nest(folder: str, files: Files) -> dict[str, bytes]:
    """Returns files as they lie in a folder."""
    return {f"{folder}/{name}": content for name, content in files.items()}


def list_phases(task: SharedTask) -> list[tuple[str, SharedTask]]:
    """Returns the phases by name, each as a task of its own; one called `Final` where none is."""
    if not task.phases:
        return [("Final", task)]
    return [(name, choose_phase(task, name)) for name in task.phases]


def narrow(task: SharedTask, track: str) -> SharedTask:
    """Returns the task with one of its tracks alone, and the phases in which that takes part."""
    phases = {
        name: replace(
            phase,
            gold={track: phase.gold[track]},
            ids={track: phase.ids[track]} if track in phase.ids else {},
        )
        for name, phase in task.phases.items()
        if track in phase.gold
    }
    return replace(task, tracks={track: task.tracks[track]}, phases=phases)


def make_reference(whole: SharedTask, phase: str, task: SharedTask) -> Files:
    """Returns the gold of a phase, and a task file that names this phase alone.

    It keeps the tracks that take no part, because columns are called by all of them.
    """
    files, gold = {}, {}
    for place, (name, track) in enumerate(task.tracks.items(), 1):
        if track.gold is not None:
            endings = re.findall(r"\.[A-Za-z0-9]+", os.path.basename(track.gold))
            gold[name] = f"gold/{place}-{spell(name)}{''.join(endings[-2:])}"
            files[gold[name]] = read_one(track.gold)
    bare = {name: replace(track, gold=None, ids=None) for name, track in whole.tracks.items()}
    only = replace(whole, phases={phase: Phase(gold=gold)}, limits=task.limits)
    return {TASK_FILE: write_task(only, bare), **files}


def read_one(path: str) -> bytes:
    """Returns the content of the file of a track's gold or ids, which may not be several files."""
    if is_dataset(path):
        raise InputError(
            f"{path}: is several files; a bundle holds one for each track, so join them"
        )
    with open(path, "rb") as file:
        return file.read()


def find_labels(track: Track) -> tuple[str | int, ...] | None:
    """Returns the labels that the task names, or those of its gold; None where there are none."""
    reading = plan_track(track)
    if track.labels is not None or not (reading.soft or reading.labelled):
        return track.labels
    assert track.gold is not None, "labels are found in a phase"
    if reading.soft:
        side = Side(read_table(track.gold, format=track.format))
        return read_gold_cells(side, reading.columns, alone=False).list_labels()
    return tuple(read_answers(track.gold, track).names)


def write_task(task: SharedTask, tracks: dict[str, Track]) -> bytes:
    """Returns a task file with other tracks, without what neither a scorer nor a check reads."""
    kept = {name: replace(track, train=None) for name, track in tracks.items()}
    bare = replace(task, tracks=kept, overall=None, missing_tracks=None, board=Board())
    return dump_yaml(_shorten(msgspec.to_builtins(bare)))


def dump_yaml(document: object) -> bytes:
    """Returns YAML with its keys in order."""
    import yaml

    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)
    return text.encode()


def spell(name: str) -> str:
    """Returns a name as a part of a path: ASCII letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")


def _shorten(value: object) -> object:
    """The same without keys that hold nothing."""
    if isinstance(value, dict):
        kept = {key: _shorten(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one not in (None, {}, [], ())}
    return list(value) if isinstance(value, tuple) else value
