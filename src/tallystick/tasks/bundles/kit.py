"""What bundles make of the gold: the starting kit of a phase, and a rehearsal of its scoring."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.kinds.numbers.numbers import vote
from tallystick.model.tallies.metric import Metric
from tallystick.tasks.bundles.judging import TASK_FILE, Column, list_columns
from tallystick.tasks.bundles.reference import (
    Files,
    find_labels,
    list_phases,
    nest,
    pack,
    read_one,
    spell,
    write_task,
)
from tallystick.tasks.masked_gold import Draft, draft_gold, plan_track
from tallystick.tasks.scoring import score_submission
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_checks import check_ranked
from tallystick.tasks.task_file import SharedTask, Track

_PLACEHOLDER = "your output"
_README = """\
# {title}: starting kit

- `task.yaml` describes the task for the check; it names no gold.
- `ids/` has the examples to predict, one file for each track.
- `example/` is a submission in the right form, whose predictions are all the same.

Zip your files, not the folder that they lie in, and check the archive before you upload it, with
the wheel of Tallystick that the organisers hand out as long as there is no release:

    pip install tallystick-*.whl
    tallystick task check submission.zip --task task.yaml

The check says what the server would say, and needs no network.
"""


def make_kit(task: SharedTask) -> Files:
    """Returns the files of a starting kit; nothing in them tells the gold of an example."""
    files, tracks = {}, {}
    for place, (name, track) in enumerate(task.tracks.items(), 1):
        gold = draft_gold(name, track)
        path, content = _write_ids(f"ids/{place}-{spell(name)}", track, gold)
        files[path], columns = content, track.columns
        if track.task == "multilabel" and columns.gold is None:
            labels = {*map(str, find_labels(track) or ())}
            named = None if labels <= {*gold.answers} else "gold"
            columns = msgspec.structs.replace(columns, gold=named)
        tracks[name] = msgspec.structs.replace(
            track,
            gold=None,
            ids=path,
            labels=_publish_labels(name, track, gold),
            columns=columns,
        )
    readme = _README.format(title=task.title).encode()
    example = make_example(task)
    return {
        "README.md": readme,
        TASK_FILE: write_task(msgspec.structs.replace(task, phases={}), tracks),
        "example.zip": pack(example),
        **nest("example", example),
        **files,
    }


def make_example(task: SharedTask) -> dict[str, bytes]:
    """Returns the files of a submission to all tracks whose predictions are all the same."""
    drafts = (draft_example(name, track) for name, track in task.tracks.items())
    return {draft.file: draft.encode() for draft in drafts}


def draft_example(name: str, track: Track) -> Draft:
    """Returns a submission with one answer throughout: the first label, 0, or a text of no gold."""
    draft = draft_gold(name, track)
    track = msgspec.structs.replace(track, labels=_publish_labels(name, track, draft))
    if track.labels is None and (track.columns.probability or "y_prob") in draft.answers:
        label = track.columns.predicted or "y_pred"  # a probability needs none beside it
        kept = {key: own for key, own in draft.columns.items() if key != label}
        draft = replace(draft, columns=kept)
    shares = sum(name.startswith("prob_") for name in draft.answers)
    share = 1 / max(shares, 2)
    return draft.fill(
        {name: _repeat(name, draft.columns[name], track, share) for name in draft.answers}
    )


def _publish_labels(name: str, track: Track, gold: Draft) -> tuple[str | int, ...] | None:
    """The labels that the task names or columns are named after, not those that the gold has."""
    if track.labels is not None:
        return track.labels
    labels = find_labels(track)
    names = gold.answers
    if labels is None or not all(
        any(name == str(label) or name.endswith(f"_{label}") for name in names) for label in labels
    ):
        return None
    if plan_track(track).labelled and track.task != "multilabel":
        raise UsageError(
            f"tracks.{name}: submissions have a column of probabilities for each label, so name "
            "the labels that participants may see in `labels`"
        )
    return labels


def _repeat(name: str, values: Sequence[object], track: Track, share: float) -> Sequence[object]:
    """The same value in each row; of spans none, of tags the one for what is outside of them."""
    reading = plan_track(track)
    if reading.soft:
        labels = track.labels or (_PLACEHOLDER,)
        return [_level(value, [str(label) for label in labels]) for value in values]
    if reading.labelled:
        return [_choose_label(name, values, track, share)] * len(values)
    found = (kind.repeat(values, reading) for kind in reading.kinds or ())
    return next((own for own in found if own is not None), [_PLACEHOLDER] * len(values))


def _choose_label(name: str, values: Sequence[object], track: Track, share: float) -> object:
    """The first of the sorted labels in the form of a column, whatever answers are in it."""
    labels = track.labels or ()
    form = values[0] if values else ""
    if isinstance(form, float):
        return share
    if name in map(str, labels):
        return 0
    first = min(labels, key=str, default=track.positive or _PLACEHOLDER)
    if isinstance(form, list):
        return [first]
    return json.dumps([first]) if str(form).startswith("[") else first


def _level(value: object, labels: Sequence[str]) -> object:
    """A soft label that has the same share of each label, in the form of another one."""
    votes = vote(value, labels[0])
    if votes is not None:
        return votes
    if isinstance(value, Sequence):
        return [1 / len(value)] * len(value)
    share = 1 / len(labels)
    return share if isinstance(value, float) else dict.fromkeys(labels, share)


def _write_ids(path: str, track: Track, gold: Draft) -> tuple[str, bytes]:
    """The path and the content of the file of a track's examples, without their gold."""
    if track.ids is not None:
        return path + os.path.splitext(track.ids)[1], read_one(track.ids)
    if gold.form == "lines":
        return f"{path}.txt", "".join(
            f"example {row}\n" for row in range(1, len(gold) + 1)
        ).encode()
    if gold.form == "conll":
        outside = gold.fill({name: [[]] * len(gold) for name in gold.answers})
        return f"{path}.conll", outside.encode()
    keys = {name: gold.columns[name] for name in gold.keys} or {"row": range(1, len(gold) + 1)}
    rows = dict.fromkeys(zip(*keys.values(), strict=True))
    columns = dict(zip(keys, map(list, zip(*rows, strict=True)), strict=True))
    return f"{path}.csv", Draft("ids.csv", "csv", columns, tuple(keys)).encode()


class Rehearsal(Struct, frozen=True):
    """The leaderboard's columns, and each track's metrics, of which the first ranks."""

    columns: tuple[Column, ...]
    metrics: Mapping[str, tuple[Metric, ...]]


def rehearse(task: SharedTask, tracks: Sequence[str]) -> Rehearsal:
    """Scores the gold of a phase of a task with these tracks as a submission."""
    with tempfile.TemporaryDirectory() as folder:
        for name, track in task.tracks.items():
            check_ranked(name, track.metrics)
            draft_gold(name, track).write(folder)
        checked = check_submission(task, folder)
        if checked.failed or checked.refused:
            faults = "; ".join(str(one) for one in checked.findings if one.fatal)
            raise InputError(f"the gold itself cannot be scored as a submission: {faults}")
        scored = score_submission(task, checked, intervals=False).tracks
    names = {
        track: dict.fromkeys(one.metric for one in found.scores if one.label is None)
        for track, found in scored.items()
    }
    metrics = {track: tuple(map(parse, own)) for track, own in names.items()}
    return Rehearsal(list_columns(scored, tracks), metrics)


def rehearse_phases(whole: SharedTask) -> Rehearsal:
    """Scores the gold of each phase of a task; the columns are those of all phases."""
    found = [rehearse(task, tuple(whole.tracks)) for _, task in list_phases(whole)]
    columns = {one.key: one for rehearsal in found for one in rehearsal.columns}
    shown = sorted(columns.values(), key=lambda column: column.hidden)
    return Rehearsal(
        tuple(shown), {name: own for one in found for name, own in one.metrics.items()}
    )
