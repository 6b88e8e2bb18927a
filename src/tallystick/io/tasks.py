"""Reads a shared task from its YAML file: tracks, phases, limits and policies."""

import datetime
import difflib
import os
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tallystick.errors import InputError, UsageError
from tallystick.io.config import read_yaml, spell_choices
from tallystick.io.files.opening import name_source

Label = str | int
Positive = Annotated[int, Meta(ge=1)]


def _about(description: str, example: object, *, min_length: int | None = None) -> Meta:
    """Describes a key in the schema, with an example of its value."""
    return Meta(description=description, examples=[example], min_length=min_length)


class ColumnNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the columns of gold and submissions are called, where that is not usual."""

    id: Annotated[str | None, _about("joins gold and submissions", "sub_id")] = None
    gold: Annotated[str | None, _about("the gold label, text or number", "label")] = None
    predicted: Annotated[
        str | None, _about("the predicted label, text or number", "prediction")
    ] = None
    probability: Annotated[str | None, _about("the probability of the positive label", "score")] = (
        None
    )
    weight: Annotated[str | None, _about("how much an example counts", "weight")] = None
    delimiter: Annotated[
        str | None, _about("what separates the labels in a cell of label sets", "|")
    ] = None


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much a team may submit."""

    per_day: Annotated[Positive | None, _about("submissions a day", 5)] = None
    total: Annotated[Positive | None, _about("submissions in all", 20)] = None
    megabytes: Annotated[Positive, _about("the size of a submission, packed and unpacked", 50)] = 50


class Track(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One track: its gold, what is submitted to it, and how that is scored."""

    metrics: Annotated[
        tuple[str, ...],
        _about(
            "what is computed; the first ranks, the others are shown beside it",
            ["macro_f1", "accuracy"],
            min_length=1,
        ),
    ]
    gold: Annotated[
        str | None, _about("the file of the gold; phases may have their own", "gold.csv")
    ] = None
    ids: Annotated[
        str | None,
        _about(
            "the examples without their gold, such as the test data that participants "
            "have; `task check` needs no more",
            "test.csv",
        ),
    ] = None
    file: Annotated[
        str | None,
        _about(
            "what its file is called in a submission; the ending tells the form "
            "(default: the name of the track with any ending)",
            "track1.csv",
        ),
    ] = None
    format: Annotated[
        Literal["lines", "csv", "tsv", "jsonl", "parquet", "conll"] | None,
        _about("the form of all files, where the ending does not tell", "tsv"),
    ] = None
    columns: Annotated[ColumnNames, _about("the names of columns", {"id": "sub_id"})] = (
        ColumnNames()
    )
    task: Annotated[
        Literal["binary", "multiclass", "multilabel", "text", "spans"] | None,
        _about(
            "what is predicted (default: guessed; metrics alone tell numbers, soft "
            "labels and repeated tries)",
            "multiclass",
        ),
    ] = None
    labels: Annotated[
        tuple[Label, ...] | None, _about("the labels that may occur", ["P", "NP", "NR"])
    ] = None
    positive: Annotated[Label | None, _about("the positive label of a binary task", "P")] = None
    by: Annotated[tuple[str, ...], _about("columns of the gold to score by", ["language"])] = ()
    clusters: Annotated[
        str | None,
        _about("the column of the gold that tells which examples belong together", "document"),
    ] = None
    invalid: Annotated[
        Literal["error", "wrong", "class"],
        _about(
            "an output that is not a label is an error, counts as wrong, or is a class of its own",
            "wrong",
        ),
    ] = "error"
    missing_outputs: Annotated[
        Literal["error", "wrong"],
        _about("an example without an output is an error, or counts as wrong", "wrong"),
    ] = "error"
    train: Annotated[
        str | None,
        _about("the training data, which `task selftest` holds against the gold", "train.csv"),
    ] = None


class Phase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A time in which submissions are scored on gold of their own."""

    gold: Annotated[
        dict[str, str],
        _about(
            "the file of the gold by track; tracks that are not named take no part",
            {"track1": "dev/track1.csv"},
        ),
    ]
    ids: Annotated[
        dict[str, str],
        _about("the examples without their gold, by track", {"track1": "dev/inputs1.csv"}),
    ] = {}
    start: Annotated[
        datetime.datetime | None,
        _about("when it begins; a date is its midnight, in UTC", "2026-03-01"),
    ] = None
    end: Annotated[datetime.datetime | None, _about("when it is over", "2026-03-31T23:59:00Z")] = (
        None
    )
    limits: Annotated[
        Limits | None, _about("its own limits in place of the task's", {"per_day": 1})
    ] = None


class Details(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What participants see of a submission beside scores, intervals and n."""

    minimum: Annotated[
        Positive,
        _about(
            "publishes confusion matrices, with counts rounded down to multiples of this number", 20
        ),
    ]


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the leaderboards of `task board` show beside ranks and scores."""

    columns: Annotated[
        tuple[str, ...],
        _about(
            "columns of the table of `--manifest` that stand beside each submission",
            ["affiliation", "constrained"],
        ),
    ] = ()
    scores: Annotated[
        str | None,
        _about(
            "a table of scores that were computed elsewhere, such as COMET or human judgements, "
            "which stand beside the others and do not rank",
            "scores.csv",
        ),
    ] = None
    show_refused: Annotated[
        bool,
        _about(
            "refused submissions stand on the front page too (default: on their team's page)", True
        ),
    ] = False


class SharedTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A shared task: its tracks, its phases, and what holds for all of them."""

    tracks: Annotated[
        dict[str, Track],
        _about(
            "the tracks by name, in order",
            {"track1": {"gold": "gold.csv", "metrics": ["macro_f1"]}},
        ),
    ]
    title: Annotated[str, _about("what it is called", "Stance detection 2026")] = "Shared task"
    phases: Annotated[
        dict[str, Phase],
        _about("the phases by name, in order", {"development": {"gold": {"track1": "dev.csv"}}}),
    ] = {}
    baselines: Annotated[
        tuple[str, ...],
        _about("systems that are shown among the others, but have no rank", ["majority"]),
    ] = ()
    overall: Annotated[
        Literal["mean", "mean_rank", "borda"] | None,
        _about(
            "adds a ranking over all tracks, by the mean of the first metric of each, by the mean "
            "of the ranks there, or by Borda's count (default: none)",
            "mean_rank",
        ),
    ] = None
    missing_tracks: Annotated[
        Literal["exclude", "zero", "worst", "common"] | None,
        _about(
            "in an overall order a system that lacks a track is left out, has 0 or "
            "the worst value there, or only what all systems have counts (default: exclude)",
            "exclude",
        ),
    ] = None
    limits: Annotated[Limits, _about("how much a team may submit", {"per_day": 5})] = Limits()
    details: Annotated[
        Details | None,
        _about(
            "what participants see of a submission beside scores, intervals and n "
            "(default: nothing)",
            {"minimum": 20},
        ),
    ] = None
    board: Annotated[
        Board,
        _about("what leaderboards show beside ranks and scores", {"columns": ["affiliation"]}),
    ] = Board()


def read_task(path: str) -> SharedTask:
    """Returns the shared task that a YAML file describes, with paths from the folder of the file.

    Raises:
        InputError: The file is not YAML, or a key is missing, unknown or of the wrong type; the
            message names the track, the key, and the nearest key that there is.
    """
    source = name_source(path)
    document = _date(read_yaml(path))
    if not isinstance(document, Mapping):
        raise InputError(
            f"{source}: this is no task file, which is YAML with keys such as title and "
            "tracks; 'tallystick task init' drafts one"
        )
    _check(document, SharedTask, source, "")
    found = msgspec.convert(document, SharedTask)
    _check_names(found, source)
    return _place(found, os.path.dirname(path))


def choose_phase(task: SharedTask, phase: str | None) -> SharedTask:
    """Returns a task whose tracks have the gold and ids of a phase, and its limits.

    None takes the gold of the tracks themselves, or of the only phase where they have none.
    """
    if phase is None:
        lacking = [name for name, track in task.tracks.items() if _is_bare(track)]
        if not lacking:
            return task
        if len(task.phases) != 1:
            hint = f"name one of the phases {', '.join(task.phases)}" if task.phases else "add gold"
            raise UsageError(f"the track {lacking[0]} has no gold of its own; {hint}")
        (phase,) = task.phases
    if phase not in task.phases:
        known = ", ".join(task.phases) or "none"
        raise UsageError(f"there is no phase {phase!r}; the phases are: {known}")
    own = task.phases[phase]
    tracks = {
        name: msgspec.structs.replace(track, gold=own.gold.get(name), ids=own.ids.get(name))
        for name, track in task.tracks.items()
        if name in own.gold or name in own.ids
    }
    return msgspec.structs.replace(task, tracks=tracks, limits=own.limits or task.limits)


def make_schema() -> dict[str, object]:
    """Returns the JSON schema of the file, with which editors complete and check it."""
    schema = msgspec.json.schema(SharedTask)
    for key in ("start", "end"):  # a date alone is right too
        for kind in schema["$defs"]["Phase"]["properties"][key]["anyOf"]:
            kind.pop("format", None)
    return schema


def _is_bare(track: Track) -> bool:
    return track.gold is None and track.ids is None


def _date(value: object) -> object:
    """Turns dates into points in time: midnight, in UTC."""
    if isinstance(value, Mapping):
        return {key: _date(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_date(one) for one in value]
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if isinstance(value, datetime.datetime) and value.tzinfo is None:
        return value.replace(tzinfo=datetime.UTC)
    return value


_PARTS: dict[type, dict[str, type]] = {
    SharedTask: {"limits": Limits, "details": Details, "board": Board},
    Track: {"columns": ColumnNames},
    Phase: {"limits": Limits},
}
"""The records under a key of a record."""
_FAMILIES: dict[str, type] = {"tracks": Track, "phases": Phase}
"""The records under a key of the task, by name."""


def _check(value: object, kind: type, source: str, place: str) -> None:
    """Raises an InputError that names the place of what is wrong, parts before the whole."""
    if isinstance(value, dict):
        _check_keys(value, kind, source, place)
        spell_choices(value, kind, f"{source}: {place}")
        for key, part in _PARTS.get(kind, {}).items():
            if key in value:
                _check(value[key], part, source, f"{place}{key}.")
        for key, family in _FAMILIES.items() if kind is SharedTask else ():
            if isinstance(value.get(key), Mapping):
                for name, one in value[key].items():
                    _check(one, family, source, f"{key}.{name}.")
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        reason, _, where = str(error).partition(" - at ")
        where = where.replace("key` in `", "").strip("`").removeprefix("$").removeprefix(".")
        where = f"{place}{where}".rstrip(".")
        raise InputError(f"{source}: {where or 'the file'}: {_explain(reason)}") from error


def _check_keys(value: Mapping[object, object], kind: type, source: str, place: str) -> None:
    known = [field.name for field in msgspec.structs.fields(kind)]
    for key in value:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, 1, 0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(known)}"
            raise InputError(f"{source}: {place}{key} is not a key; {hint}")


def _explain(reason: str) -> str:
    """Msgspec's reason, with advice where YAML has read a word as another type."""
    told = reason[0].lower() + reason[1:]
    told = told.replace("`object`", "a mapping of keys to values").replace("`array`", "a list")
    if "RFC3339" in reason:
        return "a date such as 2026-03-31 or a time such as 2026-03-31T23:59:00Z was expected"
    if "got `bool`" in reason:
        return f"{told}; YAML reads a bare no, off, yes or on as true or false, so quote it"
    if "got `float`" in reason or "got `datetime`" in reason:
        return f"{told}; quote it, so that YAML takes it as it stands"
    return told


def _check_names(task: SharedTask, source: str) -> None:
    """Raises an InputError where a name is that of nothing, or a phase ends before it starts."""
    if not task.tracks:
        raise InputError(f"{source}: tracks is empty; at least one track was expected")
    for name, phase in task.phases.items():
        for track in (*phase.gold, *phase.ids):
            if track not in task.tracks:
                near = difflib.get_close_matches(track, task.tracks, 1, 0.5)
                known = f"the tracks are {', '.join(task.tracks)}"
                hint = f"did you mean {near[0]!r}?" if near else known
                raise InputError(f"{source}: phases.{name}: there is no track {track!r}; {hint}")
        if phase.start and phase.end and phase.end <= phase.start:
            raise InputError(f"{source}: phases.{name}.end: the phase ends before it starts")
    if not task.phases:
        for name, own in task.tracks.items():
            if _is_bare(own):
                raise InputError(f"{source}: tracks.{name} has no key 'gold', nor is there a phase")


def _place(task: SharedTask, folder: str) -> SharedTask:
    def join(path: str | None) -> str | None:
        return None if path is None else os.path.join(folder, path)

    def join_all(paths: Mapping[str, str]) -> dict[str, str]:
        return {track: os.path.join(folder, path) for track, path in paths.items()}

    paths = ("gold", "ids", "train")
    tracks = {
        name: msgspec.structs.replace(track, **{key: join(getattr(track, key)) for key in paths})
        for name, track in task.tracks.items()
    }
    phases = {
        name: msgspec.structs.replace(phase, gold=join_all(phase.gold), ids=join_all(phase.ids))
        for name, phase in task.phases.items()
    }
    board = msgspec.structs.replace(task.board, scores=join(task.board.scores))
    return msgspec.structs.replace(task, tracks=tracks, phases=phases, board=board)
