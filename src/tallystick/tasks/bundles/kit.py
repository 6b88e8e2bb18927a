"""Makes the starting kit of a phase: its examples without gold, and an example submission."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from tallystick.comparison.tracks import plan_track
from tallystick.examples.kinds import SPANS
from tallystick.io.tasks import ColumnNames, SharedTask, Track
from tallystick.tasks.bundles.archive import Files, nest, pack
from tallystick.tasks.bundles.judging import TASK_FILE
from tallystick.tasks.bundles.reference import find_labels, read_one, spell, write_task
from tallystick.tasks.drafts import Draft, draft_gold

__all__ = ["draft_example", "make_example", "make_kit"]

_README = """\
# {title}: starting kit

- `task.yaml` describes the task for the check; it names no gold.
- `ids/` has the examples to predict, one file for each track.
- `example/` is a submission in the right form, whose predictions are all the same.

Zip your files, not the folder that they lie in, and check the archive before you upload it:

    pip install tallystick
    tallystick task check submission.zip --task task.yaml

The check says what the server would say, and needs no network.
"""


def make_kit(task: SharedTask) -> Files:
    """Returns the files of a starting kit; nothing in them tells the gold of an example."""
    files, tracks = {}, {}
    for place, (name, track) in enumerate(task.tracks.items(), 1):
        gold = draft_gold(name, track)
        path, content = _write_ids(f"ids/{place}-{spell(name)}", track, gold)
        files[path] = content
        tracks[name] = msgspec.structs.replace(
            track,
            gold=None,
            ids=path,
            labels=find_labels(track),
            columns=_name_gold(track, gold),
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
    """Returns a submission to a track that predicts the same for every example.

    It is the first of the sorted labels, 0 for a number, and no text of the gold.
    """
    draft = draft_gold(name, track)
    columns = {
        name: values if name == draft.id else _repeat(name, values, track)
        for name, values in draft.columns.items()
    }
    return replace(draft, columns=columns)


def _repeat(name: str, values: Sequence[Any], track: Track) -> list[Any]:
    """The same value in each row; of spans none, of tags the one for what is outside of them."""
    kinds = plan_track(track).kinds or ()
    if kinds == SPANS:
        return [["O" for one in row if isinstance(one, str)] for row in values]
    one: Any = "your output"
    if "numbers" in kinds:
        one = 0.0
    elif "labels" in kinds:
        one = _choose_label(name, values, track)
    return [one] * len(values)


def _choose_label(name: str, values: Sequence[Any], track: Track) -> Any:
    """The first of the sorted labels in the form of a column, whatever answers stand in it."""
    labels = find_labels(track) or ()
    form = values[0] if values else ""
    if isinstance(form, float):
        return 0.5
    if name in map(str, labels):
        return 0
    first = min(labels, key=str, default="")
    if isinstance(form, list):
        return [first]
    return json.dumps([first]) if str(form).startswith("[") else first


def _write_ids(path: str, track: Track, gold: Draft) -> tuple[str, bytes]:
    """The path and the content of the file of a track's examples, without their gold."""
    if track.ids is not None:
        return path + os.path.splitext(track.ids)[1], read_one(track.ids)
    if gold.form == "lines":
        return f"{path}.txt", "".join(
            f"example {row}\n" for row in range(1, len(gold) + 1)
        ).encode()
    name = gold.id or "row"
    values = range(1, len(gold) + 1) if gold.id is None else gold.columns[gold.id]
    return f"{path}.csv", Draft("ids.csv", "csv", {name: [*values]}, (name,)).encode()


def _name_gold(track: Track, gold: Draft) -> ColumnNames:
    """The names of columns; that of the gold tells that label sets are no columns of 0 and 1."""
    labels = {str(label) for label in find_labels(track) or ()}
    if track.task != "multilabel" or track.columns.gold is not None or labels <= set(gold.answers):
        return track.columns
    return msgspec.structs.replace(track.columns, gold="gold")
