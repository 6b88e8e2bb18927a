"""Reads a shared task from its YAML file: tracks, phases, limits and policies."""

import datetime
import difflib
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, combinations
from typing import Annotated, Literal, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta

from tallystick.errors import InputError, UsageError
from tallystick.io.bounded_yaml import spell_keys
from tallystick.io.config import read_yaml
from tallystick.io.files.datasets import cut_ending
from tallystick.io.submissions import is_aside
from tallystick.io.tables.formats import Submitted

_MEMORY = re.compile(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*(MB|GB|TB)\s*", re.IGNORECASE | re.ASCII)
_LEAST_MEMORY, _MOST_SECONDS = 10**8, 86_400

Label = str | Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Positive = Annotated[int, Meta(ge=1, le=10**9)]
_Keys = tuple[object, ...]
_Record = TypeVar("_Record", bound=msgspec.Struct)


class ColumnNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the columns of gold and submissions are called, where that is not usual."""

    id: str | tuple[str, ...] | None = None
    system_id: str | None = None
    gold: str | None = None
    predicted: str | None = None
    probability: str | None = None
    weight: str | None = None
    delimiter: str | None = None


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much a team may submit, and how much a submission may take."""

    per_day: Positive | None = None
    total: Positive | None = None
    megabytes: Positive = 50
    memory: str = "2 GB"
    seconds: float = 60.0

    @property
    def bytes(self) -> int:
        """The memory in bytes; 0 where it is no amount."""
        found = _MEMORY.fullmatch(self.memory)
        units = {"MB": 10**6, "GB": 10**9, "TB": 10**12}
        return int(float(found[1]) * units[found[2].upper()]) if found else 0


class Track(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One track: its gold, what is submitted to it, and how that is scored."""

    metrics: Annotated[tuple[str, ...], Meta(min_length=1)]
    gold: str | None = None
    ids: str | None = None
    file: str | None = None
    format: Submitted | None = None
    columns: ColumnNames = ColumnNames()
    task: Literal["binary", "multiclass", "multilabel", "text", "spans"] | None = None
    labels: tuple[Label, ...] | None = None
    order: tuple[Label, ...] | None = None
    positive: Label | None = None
    by: tuple[str, ...] = ()
    clusters: str | None = None
    invalid: Literal["error", "wrong", "class"] = "error"
    missing_outputs: Literal["error", "wrong"] = "error"
    train: str | None = None

    def __post_init__(self) -> None:
        if self.labels is None:
            msgspec.structs.force_setattr(self, "labels", self.order)


class Phase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A time in which submissions are scored on gold of their own."""

    gold: dict[str, str] = {}
    ids: dict[str, str] = {}
    start: datetime.datetime | None = None
    end: datetime.datetime | None = None
    limits: Limits | None = None


class Details(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What participants see of a submission next to scores, intervals and n."""

    minimum: Positive


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the leaderboards of `task board` show next to ranks and scores."""

    columns: tuple[str, ...] = ()
    scores: str | None = None
    show_rejected: bool = False


class SharedTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A shared task: its tracks, its phases, and what contains for all of them."""

    tracks: dict[str, Track]
    title: str = "Shared task"
    description: str | None = None
    end: datetime.datetime | None = None
    times: Literal["manifest", "files"] = "manifest"
    late: Literal["reject", "mark"] = "reject"
    phases: dict[str, Phase] = {}
    baselines: tuple[str, ...] = ()
    overall: Literal["mean", "mean_rank", "borda"] | None = None
    missing_tracks: Literal["exclude", "zero", "worst", "common"] | None = None
    limits: Limits = Limits()
    details: Details | None = None
    board: Board = Board()

    def find_end(self, phase: str | None) -> datetime.datetime | None:
        """Returns when a phase is over, or else the task."""
        own = self.phases.get(phase or "")
        return self.end if own is None or own.end is None else own.end


_DESCRIPTIONS: dict[type[msgspec.Struct], dict[str, str]] = {
    ColumnNames: {
        "id": "joins gold and submissions; a list of columns that are an id together",
        "system_id": "the id in submissions, where it has another name there",
        "gold": "the gold label, text or number",
        "predicted": "the predicted label, text or number",
        "probability": "the probability of the positive label",
        "weight": "how much an example counts",
        "delimiter": "what separates the labels in a cell of label sets",
    },
    Limits: {
        "per_day": "submissions a day",
        "total": "submissions in all",
        "megabytes": "the size of a submission, packed and unpacked",
        "memory": "how much memory a submission may take to be read and counted",
        "seconds": "how long a submission may take to be read and counted",
    },
    Track: {
        "metrics": "what is computed; the first ranks, the others are shown beside it",
        "gold": "the file of the gold; phases may have their own",
        "ids": "the examples without their gold, such as the test data that participants have; "
        "`task check` needs no more",
        "file": "what its file is called in a submission; the ending tells the form (default: the "
        "name of the track with any ending)",
        "format": "the form of all files, where the ending does not tell",
        "columns": "the names of columns",
        "task": "what is predicted (default: guessed; metrics alone tell numbers, soft labels and "
        "repeated tries)",
        "labels": "the labels that may occur",
        "order": "the same from the lowest to the highest, for metrics such as `mae` and `qwk`",
        "positive": "the positive label of a binary task",
        "by": "columns of the gold to score by",
        "clusters": "the column of the gold that shows which examples belong together",
        "invalid": "an output that is not a label is an error, counts as wrong, or is a class of "
        "its own",
        "missing_outputs": "an example without an output is an error, or counts as wrong",
        "train": "the training data, which `task selftest` holds against the gold",
    },
    Phase: {
        "gold": "the file of the gold by track; tracks that are not named take no part (default: "
        "all tracks, with their own gold)",
        "ids": "the examples without their gold, by track",
        "start": "when it begins; a date is its midnight, in UTC",
        "end": "when it is over",
        "limits": "its own limits in place of the task's",
    },
    Details: {
        "minimum": "publishes confusion matrices, with counts rounded down to multiples of this "
        "number",
    },
    Board: {
        "columns": "columns of the table of `--manifest` that stand beside each submission",
        "scores": "a table of scores that were computed elsewhere, such as COMET or human "
        "judgements, which stand beside the others and do not rank",
        "show_rejected": "rejected submissions are on the front page too (default: on their team's "
        "page)",
    },
    SharedTask: {
        "tracks": "the tracks by name, in order",
        "title": "what it is called",
        "description": "what it is about, for its pages",
        "end": "when it is over, for phases that do not say so",
        "times": "the times of submissions are those in the table of `--manifest`, or those of "
        "their files where it has none (default: manifest)",
        "late": "submissions after the end are rejected, or ranked and marked (default: reject)",
        "phases": "the phases by name, in order",
        "baselines": "systems that are shown among the others, but have no rank",
        "overall": "adds a ranking over all tracks, by the mean of the first metric of each, by "
        "the mean of the ranks there, or by Borda's count (default: none)",
        "missing_tracks": "in an overall order a system that lacks a track is left out, has 0 or "
        "the worst value there, or only what all systems have counts (default: exclude)",
        "limits": "how much a team may submit",
        "details": "what participants see of a submission beside scores, intervals and n (default: "
        "nothing)",
        "board": "what leaderboards show beside ranks and scores",
    },
}
"""What each key is for, as the schema says."""
_EXAMPLES: dict[type[msgspec.Struct], tuple[object, ...]] = {
    ColumnNames: ("sub_id", "rid", "label", "prediction", "score", "weight", "|"),
    Limits: (5, 20, 50, "500 MB", 120),
    Track: (
        *(["macro_f1", "accuracy"], "gold.csv", "test.csv", "track1.csv", "tsv", {"id": "sub_id"}),
        *("multiclass", ["P", "NP", "NR"], ["low", "high"], "P", ["language"], "document"),
        *("wrong", "wrong"),
        "train.csv",
    ),
    Phase: (
        *({"track1": "dev/track1.csv"}, {"track1": "dev/inputs1.csv"}),
        *("2026-03-01", "2026-03-31T23:59:00Z", {"per_day": 1}),
    ),
    Details: (20,),
    Board: (["affiliation", "constrained"], "scores.csv", True),
    SharedTask: (
        {"track1": {"gold": "gold.csv", "metrics": ["macro_f1"]}},
        *("Stance detection 2026", "Is a comment for or against its topic?", "2026-04-30"),
        *("files", "mark"),
        *({"development": {"gold": {"track1": "dev.csv"}}}, ["majority"]),
        *("mean_rank", "exclude", {"per_day": 5}, {"minimum": 20}, {"columns": ["affiliation"]}),
    ),
}
"""A value of each key, in their order."""


class TaskFileError(InputError):
    """A key of the task file is wrong: what the message says goes on behind the keys to it."""

    def __init__(self, keys: Sequence[object], text: str) -> None:
        """Keeps the keys."""
        super().__init__(f"{spell_keys(keys)}{text}")
        self.keys = keys


def read_task(path: str) -> SharedTask:
    """Returns the shared task that a YAML file describes, with paths from the folder of the file.

    Raises:
        InputError: The file is not YAML, or a key is missing, unknown, of the wrong type, empty,
            or contradicts another one; the message names the line, the key and the nearest key.
    """
    document = read_yaml(path)
    value = _date(document.value)
    if not isinstance(value, Mapping):
        raise InputError(
            f"{document.source}: this is no task file, which is YAML with keys such as title and "
            "tracks; 'tallystick task init' drafts one"
        )
    try:
        _check(value, SharedTask, ())
        _check_values(value, ())
        found = msgspec.convert(value, SharedTask)
        _check_names(found)
        _check_limits(found.limits, ("limits",))
        for name, phase in found.phases.items():
            _check_limits(phase.limits or Limits(), ("phases", name, "limits"))
        _check_phases(found)
        for name, track in found.tracks.items():
            _check_track(track, ("tracks", name))
        if found.missing_tracks is not None and found.overall is None:
            text = " is about the overall order; add the key 'overall'"
            raise TaskFileError(("missing_tracks",), text)
        _check_distinct(found.baselines, "baselines")
        _check_distinct(found.board.columns, "board", "columns")
    except TaskFileError as error:
        raise InputError(f"{document.locate(error.keys)}: {error}") from error
    return _place(found, os.path.dirname(path))


def choose_phase(task: SharedTask, phase: str | None) -> SharedTask:
    """Returns a task with gold, ids and limits of a phase; None takes the only gold there is."""
    if phase is None:
        lacking = [name for name, one in task.tracks.items() if one.gold is one.ids is None]
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
    limits = own.limits or task.limits
    if not own.gold and not own.ids:
        return msgspec.structs.replace(task, limits=limits)
    tracks = {
        name: msgspec.structs.replace(track, gold=own.gold.get(name), ids=own.ids.get(name))
        for name, track in task.tracks.items()
        if name in own.gold or name in own.ids
    }
    return msgspec.structs.replace(task, tracks=tracks, limits=limits)


def make_schema() -> dict[str, object]:
    """Returns the JSON schema of the file, with which editors complete and check it."""
    schema = msgspec.json.schema(SharedTask)
    for kind, text in _DESCRIPTIONS.items():
        own = schema["$defs"][kind.__name__]["properties"]
        for key, example in zip(kind.__struct_fields__, _EXAMPLES[kind], strict=True):
            own[key] = {"description": text[key], "examples": [example], **own[key]}
    for key in ("start", "end"):  # a date alone is right too
        for name in ("Phase", "SharedTask"):
            for kind in schema["$defs"][name]["properties"].get(key, {}).get("anyOf", ()):
                kind.pop("format", None)
    return schema


def _date(value: object) -> object:
    """Turns dates into points in time in UTC, a day into its midnight."""
    if isinstance(value, Mapping):
        return {key: _date(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_date(one) for one in value]
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            return value.replace(tzinfo=datetime.UTC)
        with suppress(OverflowError):  # before the first or after the last year
            return value.astimezone(datetime.UTC)
    return value


_PARTS: dict[type, dict[str, type]] = {
    SharedTask: {"limits": Limits, "details": Details, "board": Board},
    Track: {"columns": ColumnNames},
    Phase: {"limits": Limits},
}
"""The records under a key of a record."""
_FAMILIES: dict[str, type] = {"tracks": Track, "phases": Phase}
"""The records under a key of the task, by name."""
_FIT = {
    "positive": ("binary",),
    "probability": ("binary",),
    "delimiter": ("multilabel",),
    "labels": ("binary", "multiclass", "multilabel"),
    "order": ("binary", "multiclass"),
}
"""The tasks that have some keys."""
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_MOST_SHOWN = 9
_NO_VALUE = " has no value; give it one, or remove the key"


def _check(value: object, kind: type, keys: _Keys) -> None:
    """Raises an error that names the key of what is of a wrong type, parts before the whole."""
    if isinstance(value, dict):
        _check_keys(value, kind, keys)
        for key, part in _PARTS.get(kind, {}).items():
            if key in value:
                _check(value[key], part, (*keys, key))
        for key, family in _FAMILIES.items() if kind is SharedTask else ():
            if isinstance(value.get(key), Mapping):
                for name, one in value[key].items():
                    if not isinstance(name, str):
                        text = " is no text; quote it, so that YAML takes it as a name"
                        raise TaskFileError((key, name), text)
                    _check(one, family, (key, name))
    try:
        msgspec.convert(value, kind)
    except (msgspec.ValidationError, OverflowError) as error:
        reason, _, where = str(error).partition(" - at ")
        inside = re.findall(r"(?<=\.)\w+|(?<=\[)\d+(?=\])", where)
        found = (*keys, *(int(one) if one.isdigit() else one for one in inside))
        raise TaskFileError(found, _explain(reason)) from error


def _check_keys(value: dict[object, object], kind: type, keys: _Keys) -> None:
    """Raises an error where a key, or a choice, is none; choices may be written in any case."""
    fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for key, given in value.items():
        if kind in (Phase, SharedTask) and key in ("start", "end") and isinstance(given, str):
            with suppress(ValueError):  # whatever else is wrong with it is told of its type
                value[key] = _date(datetime.datetime.fromisoformat(given))
        if key not in fields:
            hint = suggest(str(key), fields, "keys")
            raise TaskFileError((*keys, key), f" is not a key; {hint}")
        parts = (fields[key], *get_args(fields[key]))
        words = [word for part in parts if get_origin(part) is Literal for word in get_args(part)]
        if words and isinstance(given, str):
            value[key] = given.casefold()
            if given.casefold() not in words:
                known = ", ".join(words)
                raise TaskFileError((*keys, key), f" must be one of {known}, not {given!r:.60}")


def suggest(name: str, known: Iterable[str], what: str) -> str:
    """Returns what else to write: the nearest of the known names, or the first of them."""
    known = [*known]
    near = difflib.get_close_matches(name, known, 1, 0.5)
    more = ", ..." if len(known) > _MOST_SHOWN else ""
    listed = f"the {what} are {', '.join(f'{one:.60}' for one in known[:_MOST_SHOWN])}{more}"
    return f"did you mean {near[0]!r:.60}?" if near else listed


def _explain(reason: str) -> str:
    """Msgspec's reason, with advice where YAML has read a word as another type."""
    text = f": {reason[0].lower()}{reason[1:]}".replace(" | null`", "`")
    text = text.replace("`object`", "a mapping of keys to values").replace("`array`", "a list")
    got = text.rpartition("got ")[2]
    if "RFC3339" in reason or "`datetime" in reason:
        return ": a date such as 2026-03-31 or a time such as 2026-03-31T23:59:00Z was expected"
    if got == "`null`":
        return _NO_VALUE
    if got == "`bool`" and "str" in text:
        return f"{text}; YAML reads a bare no, off, yes or on as true or false, so quote it"
    if got in ("`float`", "`int`", "`datetime`") and "str" in text:
        return f"{text}; quote it, so that YAML takes it as text"
    return text


def _check_values(value: object, keys: _Keys) -> None:
    """Raises an error where a key has no value, or one that is empty or cannot be shown."""
    if value is None:
        raise TaskFileError(keys, _NO_VALUE)
    if isinstance(value, str):
        for letter in value:
            if unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\t\n":
                raise TaskFileError(
                    keys, (f" contains the control character {letter!a}; leave it out")
                )
    blank = isinstance(value, str) and not value.strip() and keys[-1:] != ("delimiter",)
    if blank or value in ("", [], {}):
        raise TaskFileError(keys, " is empty; give it a value, or remove the key")
    if isinstance(value, Mapping):
        for key, one in value.items():
            _check_values(key, (*keys, key))
            _check_values(one, (*keys, key))
    for place, one in enumerate(value if isinstance(value, list) else ()):
        _check_values(one, (*keys, place))


def _check_limits(limits: Limits, keys: _Keys) -> None:
    if limits.bytes < _LEAST_MEMORY:
        text = f": {limits.memory!r} is no amount such as 2 GB or 500 MB, of at least 100 MB"
        raise TaskFileError((*keys, "memory"), text)
    if not 0 < limits.seconds <= _MOST_SECONDS:
        text = f": {limits.seconds:g} is not between 0 and {_MOST_SECONDS:,}"
        raise TaskFileError((*keys, "seconds"), text)
    if limits.per_day and limits.total and limits.per_day > limits.total:
        raise TaskFileError((*keys, "per_day"), f" is more than the total, {limits.total}")


def _check_names(task: SharedTask) -> None:
    named = [("tracks", name) for name in task.tracks] + [("phases", name) for name in task.phases]
    files = {("tracks", name, "file"): own.file for name, own in task.tracks.items() if own.file}
    for keys, name in [*((one, one[-1]) for one in named), *files.items()]:
        if wrong := find_wrong(name):
            raise TaskFileError(
                keys, f" {wrong}, so that no file can be called {name!r:.60}; rename it"
            )
    taken: dict[tuple[str, str], str] = {}
    for family, name in named:
        other = taken.setdefault((family, _fold(name)), name)
        if other != name:
            raise TaskFileError(
                (family, name), f" differs from {other!r:.60} in case alone; rename it"
            )
    called = {_fold(name): name for name, own in task.tracks.items() if own.file is None}
    for keys, file in files.items():
        for spelled in (_fold(file), _fold(cut_ending(file))):
            other = called.get(spelled, keys[1])
            if other != keys[1]:
                raise TaskFileError(keys, f" is that of the track {other} too; rename it")
        called[_fold(file)] = keys[1]


def _fold(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def find_wrong(name: str) -> str | None:
    """Returns why a track, a phase or a file cannot be called so; None where it can."""
    if not name.isprintable() or name != name.strip():
        return "has blanks at its ends or characters that are not shown"
    if {*"/\\"} & {*name} or not name.strip("."):
        return "leads into another folder"
    if is_aside(name) or name.lower().endswith(".zip"):
        return "is a name for notes, hidden files or archives"
    if _RESERVED.fullmatch(name):
        return "is reserved on Windows"
    return "is too long" if len(name.encode()) > 200 else None


def _check_phases(task: SharedTask) -> None:
    for name, phase in task.phases.items():
        for key in ("gold", "ids"):
            for track in getattr(phase, key):
                if track not in task.tracks:
                    hint = suggest(track, task.tracks, "tracks")
                    keys = ("phases", name, key, track)
                    raise TaskFileError(keys, f": there is no track {track!r:.60}; {hint}")
        if phase.start and phase.end and phase.end <= phase.start:
            raise TaskFileError(("phases", name, "end"), ": the phase ends before it starts")
    inherited = [one for one, own in task.phases.items() if not own.gold and not own.ids]
    for name, own in task.tracks.items() if inherited or not task.phases else ():
        if own.gold is own.ids is None:
            raise TaskFileError(("tracks", name), " has no key 'gold', nor is there a phase")


def _check_track(track: Track, keys: _Keys) -> None:
    labels = [*map(str, track.labels or ())]
    task = "binary" if track.task is None and track.positive is not None else track.task
    for key, values in (("labels", labels), ("metrics", track.metrics), ("by", track.by)):
        _check_distinct(values, *keys, key)
    for key, fit in _FIT.items():
        own = getattr(track, key, None) or getattr(track.columns, key, None)
        if own is not None and task is not None and task not in fit:
            place = (*keys, key) if hasattr(track, key) else (*keys, "columns", key)
            raise TaskFileError(place, f" is for {' and '.join(fit)} tasks, and this one is {task}")
    if labels and task == "binary" and len(labels) != 2:
        raise TaskFileError((*keys, "labels"), f": a binary task has two labels, not {len(labels)}")
    if track.order is not None and track.order != track.labels:
        raise TaskFileError((*keys, "order"), " names the labels too; remove the key 'labels'")
    if labels and track.positive is not None and str(track.positive) not in labels:
        hint = suggest(str(track.positive), labels, "labels")
        raise TaskFileError((*keys, "positive"), f" is none of the labels; {hint}")
    named = msgspec.structs.asdict(track.columns)
    named["system_id"] = named["system_id"] or named["id"]
    sides = ("id", "gold", "weight"), ("system_id", "predicted", "probability")
    for one, other in chain(*(combinations(side, 2) for side in sides)):
        if named[one] is not None and named[one] == named[other]:
            raise TaskFileError(
                (*keys, "columns", other), f" is the column of {one} too; name another"
            )
    for key in ("ids", "train"):
        if track.gold is not None and getattr(track, key) == track.gold:
            raise TaskFileError((*keys, key), " is the file of the gold; name another one")


def _check_distinct(values: Sequence[str], *keys: object) -> None:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise TaskFileError((*keys, place), f": {value!r:.60} stands there twice; keep one")


def _place(task: SharedTask, folder: str) -> SharedTask:
    def join(one: _Record, *keys: str) -> _Record:
        """A record whose keys have paths, or paths by track, from the folder."""
        named = {key: getattr(one, key) for key in keys}
        placed = {
            key: {track: os.path.join(folder, path) for track, path in own.items()}
            if isinstance(own, dict)
            else os.path.join(folder, own)
            for key, own in named.items()
            if own is not None
        }
        return msgspec.structs.replace(one, **placed)

    tracks = {name: join(track, "gold", "ids", "train") for name, track in task.tracks.items()}
    phases = {name: join(phase, "gold", "ids") for name, phase in task.phases.items()}
    board = join(task.board, "scores")
    return msgspec.structs.replace(task, tracks=tracks, phases=phases, board=board)
