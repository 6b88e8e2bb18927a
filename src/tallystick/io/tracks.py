"""Reads the tracks of a shared task from a YAML file."""

import os
from typing import Any, Literal

import msgspec

from tallystick.errors import InputError
from tallystick.io.config import read_yaml
from tallystick.io.files import name_source

__all__ = ["Track", "Tracks", "read_tracks"]


class Track(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One track: its gold, its submissions, and how they are scored.

    Attributes:
        gold: The path of the gold; as all paths, told from the folder of the YAML file.
        submissions: The folder of the submissions, one file per system.
        metrics: What to compute; the first one ranks, the others are reported.
        task: What the submissions hold; None is guessed.
        labels: The labels that may occur.
        positive: The positive label of a binary task.
        by: The columns whose values are scored on their own.
        clusters: The column whose equal values mark examples of one cluster.
    """

    gold: str
    submissions: str
    metrics: tuple[str, ...]
    task: Literal["binary", "multiclass", "multilabel", "text"] | None = None
    labels: tuple[str | int, ...] | None = None
    positive: str | int | None = None
    by: tuple[str, ...] = ()
    clusters: str | None = None


class Tracks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tracks of a shared task.

    Attributes:
        tracks: The tracks by name, in order.
        baselines: The systems that are baselines.
        missing: What becomes of a system that lacks a track.
    """

    tracks: dict[str, Track]
    baselines: tuple[str, ...] = ()
    missing: Literal["exclude", "zero", "worst", "common"] | None = None


def read_tracks(path: str) -> Tracks:
    """Returns what a YAML file says of the tracks, with their paths made whole.

    Raises:
        InputError: The file is not YAML, or a key is missing, unknown or of the wrong type.
    """
    source = name_source(path)
    found: Tracks = _convert(read_yaml(path), Tracks, source)
    if not found.tracks:
        raise InputError(f"{source}: $.tracks is empty; at least one track was expected")
    folder = os.path.dirname(path)
    tracks = {name: _place(track, folder) for name, track in found.tracks.items()}
    return msgspec.structs.replace(found, tracks=tracks)


def _convert(value: object, kind: Any, source: str) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{source}: {error}") from error


def _place(track: Track, folder: str) -> Track:
    return msgspec.structs.replace(
        track,
        gold=os.path.join(folder, track.gold),
        submissions=os.path.join(folder, track.submissions),
    )
