"""One table of gold for platforms whose scorers are given tables: Kaggle and Hugging Face."""

import json
import os
import tempfile
import zlib
from collections.abc import Sequence
from itertools import chain

import msgspec
import pyarrow as pa

from tallystick.errors import InputError, UsageError
from tallystick.frozen import dataclass, replace
from tallystick.io.tables.table import read_table
from tallystick.model.columns import IDS, find
from tallystick.output.tables.data_formats import join_rows
from tallystick.tasks.bundles.judging import TASK_FILE, Judgement, judge
from tallystick.tasks.bundles.kit import draft_example
from tallystick.tasks.bundles.reference import list_phases, narrow, write_task
from tallystick.tasks.task_file import SharedTask, read_task
from tallystick.tasks.tracks import plan_track

_GOLD = "solution.csv"
_SHARE = 0.3
"""The share of the examples that the public leaderboard has, where there is a single gold file."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What a platform of tables is given.

    The table is the gold of all examples as CSV, with a column that splits them; the sample is
    a submission in the right form, with its columns, that of the ids first; the task is the
    scorer's task file.
    """

    table: bytes
    sample: bytes
    columns: tuple[str, ...]
    rows: int
    task: str


def choose_track(task: SharedTask, track: str | None) -> SharedTask:
    """Returns the task with one of its tracks, which need not be named where there is one."""
    if track is None and len(task.tracks) == 1:
        (track,) = task.tracks
    if track not in task.tracks:
        raise UsageError(
            "this platform scores one table: name one of the tracks with --track, of "
            f"{', '.join(task.tracks)}"
        )
    if plan_track(task.tracks[track]).repeated:
        raise UsageError(
            f"this platform takes one row for each id, and submissions to {track} have several, "
            "its tries; codabench, codalab, evalai and tira take them"
        )
    return narrow(task, track)


def make_solution(task: SharedTask, split: str, public: str, private: str) -> Solution:
    """Makes one table of the gold of a task of one track.

    The public examples are those of the first phase and the private ones those of the last;
    where there is one, three in ten are public, chosen by their ids. The column `split` says
    `public` or `private` of each.
    """
    phases = [own for _, own in list_phases(task)]
    used = [phases[0], phases[-1]] if len(phases) > 1 else phases
    (name,) = task.tracks
    tracks = [own.tracks[name] for own in used]
    drafts = [draft_example(name, track) for track in tracks]
    columns = {
        key: [value for one in drafts for value in one.columns[key]] for key in drafts[0].columns
    }
    sample = replace(drafts[0], file="sample.csv", form="csv", columns=columns)
    track = msgspec.structs.replace(
        task.tracks[name], gold=_GOLD, ids=None, file=None, format="csv"
    )
    golds = [_read_table(str(one.gold), one.columns.id, one.format) for one in tracks]
    gold = _join(golds, split, (public, private))
    return Solution(
        _write_csv(gold),
        sample.encode(),
        tuple(columns),
        gold.num_rows,
        write_task(msgspec.structs.replace(task, phases={}), {name: track}).decode(),
    )


def _join(golds: Sequence[pa.Table], split: str, sides: tuple[str, str]) -> pa.Table:
    """One table of the gold of all phases, ids first and the side of each example last."""
    try:
        whole = pa.concat_tables(golds)
    except pa.ArrowInvalid as error:
        raise InputError(
            "the gold of each phase has columns of its own; name them alike"
        ) from error
    ids = whole.column(0).to_pylist()
    if len(set(ids)) < len(ids):
        raise InputError("an id stands twice in the gold of the phases; rename those of one phase")
    if len(golds) == 1:
        marks = [sides[zlib.crc32(one.encode()) / 2**32 >= _SHARE] for one in ids]
    else:
        marks = [mark for mark, own in zip(sides, golds, strict=True) for _ in range(own.num_rows)]
    if len(set(marks)) < len(sides):
        raise InputError("there are too few examples for a public and a private leaderboard")
    return whole.append_column(split, pa.array(marks))


def judge_table(task: str, solution: str, submission: str) -> Judgement:
    """Checks and scores a submission by its CSV, joined with the solution by id.

    The task file calls the gold solution.csv. A RefusedError may be shown to the submission's
    team.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = {TASK_FILE: task, _GOLD: solution, "submission.csv": submission}
        for name, content in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        read = read_task(os.path.join(folder, TASK_FILE))
        return judge(read, os.path.join(folder, "submission.csv"))


def judge_sides(
    task: str, solution: str, submission: str, split: tuple[str, str, str]
) -> tuple[Judgement, ...]:
    """Checks a submission as a whole, and scores it on both sides of a solution.

    `split` has the name of the column that splits the examples, and what it says of each side.
    """
    import pyarrow.compute as pc

    column, *sides = split
    ids = read_table(solution, format="csv").names()[0]
    gold = _read_table(solution, ids)
    own = gold.drop_columns([column])
    with open(submission, encoding="utf-8", errors="replace", newline="") as file:
        judge_table(task, _write_csv(own).decode(), file.read())
    said = _read_table(submission, ids)
    found = []
    for side in sides:
        kept = own.filter(pc.equal(gold[column], side))
        rows = said.filter(pc.is_in(said.column(0), kept.column(0).combine_chunks()))
        found.append(judge_table(task, _write_csv(kept).decode(), _write_csv(rows).decode()))
    return tuple(found)


def _read_table(
    path: str, id: str | tuple[str, ...] | None = None, kind: str | None = "csv"
) -> pa.Table:
    """A table as text, the column of its ids first."""
    if isinstance(id, tuple):
        raise InputError(f"{path}: this platform joins by one column of ids, not by {len(id)}")
    table = read_table(path, format=kind)
    names = table.names()
    ids = find(names, IDS, id if id in names else None)
    if ids is None:
        raise InputError(f"{path}: this platform joins by id; give it a column of ids")
    order = [ids, *(name for name in names if name != ids)]
    texts = {name: map(_spell, table.values(name)) for name in order}
    return pa.table({name: pa.array(own, pa.string()) for name, own in texts.items()})


def _spell(value: object) -> str | None:
    if isinstance(value, list | dict):
        return json.dumps(value)
    return None if value is None else str(value)


def _write_csv(table: pa.Table) -> bytes:
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return join_rows(chain([table.column_names], rows)).encode()
