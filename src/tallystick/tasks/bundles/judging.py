"""Judges a submission where a platform calls, and lists the numbers of its leaderboard."""

import math
import os
import re
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError
from tallystick.io.files.archives import unpack_zip
from tallystick.kinds.metrics.names import parse
from tallystick.model.reading import NoneLeftError
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.records import Score
from tallystick.output.results.scores import name_metrics
from tallystick.output.tables.document import Style
from tallystick.tasks.opening import Checked
from tallystick.tasks.published import publish_scores
from tallystick.tasks.scoring import score_submission
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_file import SharedTask, choose_phase, read_task

_LONGEST = 36
_ROOM = len("_high")
_WHOLE = (None, "macro", "micro")
"""The groups that represent all examples, those first that rank."""


class BoardColumn(Struct, frozen=True):
    """A number of a submission; keys and titles have at most 36 characters.

    The value is the worst one where the score is undefined, and NaN only for a bound. Hidden is
    what people do not rank by: a bound of an interval, or a count.
    """

    key: str
    title: str
    value: float
    better: str
    hidden: bool = False
    low: float = math.nan
    high: float = math.nan
    undefined: bool = False


def list_columns(
    scored: Mapping[str, Evaluation], tracks: Sequence[str]
) -> tuple[BoardColumn, ...]:
    """Returns the columns of a submission's scores, those that people see first.

    The same task and tracks, also those that were not submitted to, give the same keys. An
    InputError says that a score is infinite, too large, or undefined without a worst value.
    """
    many = len(tracks) > 1
    leads = {track: track if many else "" for track in scored}
    found = [
        (score, _make_column(score, name_metrics(own.scores)[score.metric], leads[track], group))
        for track, own in scored.items()
        for score, group in _list_scores(own)
    ]
    found.sort(key=lambda one: (one[1].hidden, one[0].group not in _WHOLE))
    shown = _tell_apart([column for _, column in found])
    ends = [end for column in shown for end in _list_ends(column)]
    counts = []
    for track, lead in leads.items():
        most = max(score.n for score in scored[track].scores)
        one = BoardColumn(
            _make_key(lead, "n"), _make_title(lead, "n"), most, "neither", hidden=True
        )
        counts.append(one)
    undefined = sum(column.undefined for column in shown)
    last = BoardColumn("undefined", "undefined scores", undefined, "lower", hidden=True)
    return (*shown, *ends, *counts, last)


def list_numbers(columns: Sequence[BoardColumn]) -> dict[str, float]:
    """Returns the finite numbers by their keys; a bound that there is not is left out."""
    return {one.key: one.value for one in columns if math.isfinite(one.value)}


def tell_undefined(columns: Sequence[BoardColumn]) -> list[str]:
    """Returns a sentence about each score that is undefined."""
    return [
        f"{column.title} is undefined for this submission; the leaderboard has its worst value, "
        f"{column.value:g}"
        for column in columns
        if column.undefined
    ]


def _list_scores(found: Evaluation) -> Iterator[tuple[Score, str]]:
    """The scores to show, each with the name of its group, which is empty for all examples."""
    overall = [one for one in found.scores if one.label is None]
    metrics = list(dict.fromkeys(one.metric for one in overall))
    for metric in metrics:
        own = {one.group: one for one in overall if one.metric == metric}
        main = next((own[name] for name in _WHOLE if name in own), None)
        if main is not None:
            yield main, ""
    for one in overall:
        if one.metric == metrics[0] and one.group not in _WHOLE:
            yield one, str(one.group)


def _make_column(score: Score, name: str, track: str, group: str) -> BoardColumn:
    """The column of a score; several metrics of one name are called by what shows them apart."""
    title = score.title if name == score.name else name
    return BoardColumn(
        _make_key(track, f"{name} {group}".rstrip()),
        _make_title(track, f"{title} {group}".rstrip()),
        _settle(score),
        score.better,
        hidden=score.better == "neither",
        low=score.low,
        high=score.high,
        undefined=math.isnan(score.value),
    )


def _tell_apart(columns: Sequence[BoardColumn]) -> list[BoardColumn]:
    taken: dict[str, BoardColumn] = {}
    for column in columns:
        key = column.key
        for number in count(2):
            if key not in taken:
                break
            key = f"{column.key[: _LONGEST - 2 * _ROOM]}_{number}"
        taken[key] = replace(column, key=key)
    return [*taken.values()]


def _make_key(track: str, name: str) -> str:
    """Letters, digits and underscores of ASCII; what they leave out has a checksum in its place."""
    most, lead, rest = _LONGEST - _ROOM, _slug(track), _slug(name)
    whole = "_".join(part for part in (lead, rest) if part)
    if len(whole) <= most and track.isascii() and name.isascii():
        return whole
    mark = f"{zlib.crc32(f'{track} {name}'.encode()):08x}"
    rest = rest[: most - len(mark) - 1]
    room = most - len(mark) - len(rest) - 2
    return "_".join(part for part in (lead[: max(room, 0)].strip("_"), mark, rest) if part)


def _slug(name: str) -> str:
    spelled = name.lower().replace("@", "_at_").replace("^", "_hat_")
    return re.sub(r"[^a-z0-9]+", "_", spelled).strip("_")


def _make_title(track: str, name: str) -> str:
    room = _LONGEST - len(name) - 1
    return _clip(f"{_clip(track, max(room, 1))} {name}".strip(), _LONGEST)


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _settle(score: Score) -> float:
    """The value of a score, or the worst one that its metric has where it is undefined."""
    value = float(score.value)
    if math.isnan(value):
        least, most = parse(score.metric).bounds
        value = most if score.better == "lower" else least
    if not abs(value) < 1e10:  # platforms keep ten digits before the point, and ten behind it
        state = "undefined" if math.isnan(score.value) else f"{score.value:g}"
        raise InputError(
            f"{score.title} is {state} for this submission, which no leaderboard can show"
        )
    return value


def _list_ends(column: BoardColumn) -> Iterator[BoardColumn]:
    for name, value in (("low", column.low), ("high", column.high)):
        title = f"{_clip(column.title, _LONGEST - _ROOM)} {name}"
        yield BoardColumn(f"{column.key}_{name}", title, value, column.better, hidden=True)


TASK_FILE = "task.yaml"
"""What the task is called among the reference data."""

_OURS = (
    "the scoring program failed on the competition's own side, which is no fault of the "
    "submission; please tell the organisers"
)

_BESIDE = (
    "the outputs do not fit the gold, though the ids are right: they are not in the form of the "
    "task; hold them against the example of the starting kit"
)


class RejectedError(InputError):
    """A submission is rejected; the message may be shown to its team."""


class Judgement(Struct, frozen=True):
    """The scores of a submission by track, the leaderboard's numbers, and messages to its team."""

    tracks: dict[str, Evaluation]
    columns: tuple[BoardColumn, ...]
    messages: tuple[str, ...]


def open_reference(archive: str) -> SharedTask:
    """Returns the task of an archive of reference data, unpacked until the process ends."""
    return read_reference(unpack_zip(archive)[0])


def read_reference(folder: str) -> SharedTask:
    """Returns the task that lies among the reference data of a platform."""
    for inside, folders, names in os.walk(folder):
        folders.sort()
        if TASK_FILE in names:
            return read_task(os.path.join(inside, TASK_FILE))
    raise InputError(
        f"{folder}: has no {TASK_FILE}; the reference data is that of `tallystick task bundle`"
    )


def judge(task: SharedTask, submission: str) -> Judgement:
    """Checks and scores a submission; a rejected track is a message, a RejectedError if all."""
    try:
        checked = check_submission(task, submission)
    except Exception:
        # Whatever it is may quote gold; `tallystick task score` tells the organisers.
        raise RejectedError(_OURS) from None
    scored, lost = {}, []
    for name, path in checked.files.items():
        try:
            scored[name] = _score_track(task, name, path)
        except RejectedError as error:
            lost.append(str(error) if len(task.tracks) == 1 else f"{name}: {error}")
    if not scored:
        faults = [*lost, *(str(one) for one in checked.findings if one.fatal)]
        raise RejectedError("\n".join(faults) or "all of the submission is rejected")
    columns = list_columns(scored, tuple(task.tracks))
    # Codabench puts a file `metadata` beside the submission, of which its team knows nothing.
    message = (str(one) for one in checked.findings if one.file != "metadata")
    return Judgement(scored, columns, (*lost, *message, *tell_undefined(columns)))


def _score_track(task: SharedTask, name: str, path: str) -> Evaluation:
    """Scores a track's file, as participants see it; libraries' warnings are kept from logs."""
    try:
        with warnings.catch_warnings(action="ignore"):
            found = score_submission(task, Checked({name: path})).tracks[name]
    except NoneLeftError:  # which may quote gold
        raise RejectedError(_BESIDE) from None
    except Exception:
        raise RejectedError(_OURS) from None
    scored = publish_scores(found, choose_phase(task, None).tracks[name], task.details, Style())
    try:
        list_columns({name: scored}, tuple(task.tracks))
    except InputError as error:
        raise RejectedError(str(error)) from None
    return scored
