"""Bundles for Kaggle and Hugging Face, which score one table of public and private rows."""

import json
import os
import tempfile
import zlib
from collections.abc import Sequence
from datetime import UTC
from itertools import chain
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.io.tables.table import read_table
from tallystick.kinds.metrics.reference import describe
from tallystick.model.columns import IDS, find
from tallystick.output.tables.formats import join_rows
from tallystick.tasks.bundles.judging import TASK_FILE, Judgement, RejectedError, judge
from tallystick.tasks.bundles.reference import (
    draft_example,
    list_phases,
    make_kit,
    narrow,
    pack,
    rehearse_phases,
    write_pages,
    write_task,
)
from tallystick.tasks.masked_gold import plan_track, spell_cell
from tallystick.tasks.task_file import SharedTask, read_task
from tallystick.version import __version__

if TYPE_CHECKING:
    import pandas

_GOLD = "solution.csv"


class Solution(Struct, frozen=True):
    """All gold as CSV, a sample with its columns, ids first, and the scorer's task file."""

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
    """Makes one table of the gold of a task of one track, with a column that splits it.

    The public examples are those of the first phase and the private ones those of the last; where
    there is one, three in ten are public, chosen by their ids.
    """
    phases = [own for _, own in list_phases(task)]
    used = [phases[0], phases[-1]] if len(phases) > 1 else phases
    (name,) = task.tracks
    tracks = [own.tracks[name] for own in used]
    drafts = [draft_example(name, track) for track in tracks]
    if drafts[0].spell is not None:
        raise UsageError(
            f"this platform scores one table, and submissions to {name} are .{drafts[0].form} "
            "files; codabench, codalab, evalai and tira take them"
        )
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
    try:
        whole = pa.concat_tables(golds)
    except pa.ArrowInvalid as error:
        raise InputError(
            "the gold of each phase has columns of its own; name them alike"
        ) from error
    ids = whole.column(0).to_pylist()
    if len(set(ids)) < len(ids):
        raise InputError("an id occurs twice in the gold of the phases; rename those of one phase")
    if len(golds) == 1:
        marks = [sides[zlib.crc32(one.encode()) / 2**32 >= 0.3] for one in ids]
    else:
        marks = [mark for mark, own in zip(sides, golds, strict=True) for _ in range(own.num_rows)]
    if len(set(marks)) < len(sides):
        raise InputError("there are too few examples for a public and a private leaderboard")
    return whole.append_column(split, pa.array(marks))


def judge_table(task: str, solution: str, submission: str) -> Judgement:
    """Scores a submission joined with the solution by id; its team may read a RejectedError."""
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
    """Checks a whole submission, and scores it on the sides into which a column splits the gold."""
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
    texts = {
        name: [None if one is None else spell_cell(one) for one in table.values(name)]
        for name in order
    }
    return pa.table({name: pa.array(own, pa.string()) for name, own in texts.items()})


def _write_csv(table: pa.Table) -> bytes:
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return join_rows(chain([table.column_names], rows)).encode()


_USAGE = "Usage"
_LONGEST = 280
"""How many characters of an error participants see."""

_KAGGLE_METRIC = '''\
"""The metric of {title}; written by tallystick {version}.

The wheels of tallystick and of what it needs come as a data set that is attached to the metric,
because there is no network here.
"""

import pandas as pd

TASK = {task!r}


class ParticipantVisibleError(Exception):
    """An error that participants see."""


def score(solution: pd.DataFrame, submission: pd.DataFrame, row_id_column_name: str) -> float:
    """Returns {metric}: {summary}

    {formula}

    The tables are joined by id, in whatever order they come.
    """
    from tallystick.tasks.bundles.single_table import score_frames

    try:
        return score_frames(TASK, solution, submission, row_id_column_name)
    except ValueError as error:
        raise ParticipantVisibleError(str(error)) from None
'''


def bundle_kaggle(task: SharedTask, *, track: str | None = None) -> bytes:
    """Returns a zip archive with metric.py, solution.csv, sample_submission.csv and the pages."""
    task = choose_track(task, track)
    solution = make_solution(task, _USAGE, "Public", "Private")
    rehearsal = rehearse_phases(task)
    ((metric, *_),) = rehearsal.metrics.values()
    known = describe(type(metric))
    program = _KAGGLE_METRIC.format(
        title=task.title,
        version=__version__,
        task=solution.task,
        metric=metric.full_title,
        summary=known.summary,
        formula=known.formula,
    )
    files = {
        "metric.py": program.encode(),
        "solution.csv": solution.table,
        "sample_submission.csv": solution.sample,
        "kit.zip": pack(make_kit(list_phases(task)[-1][1])),
    }
    return pack({**files, **write_pages(task, rehearsal.metrics, "{}.md")})


def score_frames(
    task: str, solution: "pandas.DataFrame", submission: "pandas.DataFrame", row_id: str
) -> float:
    """Returns the score for Kaggle's `score`; a RejectedError has at most 280 characters."""
    gold = solution.drop(columns=_USAGE, errors="ignore")
    try:
        found = judge_table(task, gold.to_csv(index=False), submission.to_csv(index=False))
    except RejectedError as error:
        message = str(error)
        shown = message if len(message) <= _LONGEST else message[: _LONGEST - 1] + "…"
        raise RejectedError(shown) from None
    return found.columns[0].value


_SPLIT = "split"
_SIDES = ("public", "private")
_SPACE_METRIC = '''\
"""Scores submissions; written by tallystick {version}, and needs it and Python 3.11 or newer."""

from huggingface_hub import hf_hub_download

TASK = {task!r}


def compute(params):
    """Returns the scores on the public and on the private examples, joined by id."""
    from tallystick.tasks.bundles.single_table import compute_scores

    names = ("solution.csv", f"submissions/{{params.team_id}}-{{params.submission_id}}.csv")
    paths = (
        hf_hub_download(
            repo_id=params.competition_id, filename=name, token=params.token, repo_type="dataset"
        )
        for name in names
    )
    return compute_scores(TASK, *paths)
'''


def bundle_hugging_face(task: SharedTask, *, track: str | None = None) -> bytes:
    """Returns a zip archive with the files of a competition's private repository."""
    task = choose_track(task, track)
    solution = make_solution(task, _SPLIT, *_SIDES)
    rehearsal = rehearse_phases(task)
    first = rehearsal.columns[0]
    ends = [*filter(None, (task.end, *(phase.end for phase in task.phases.values())))]
    settings = {
        "COMPETITION_TYPE": "generic",
        "SUBMISSION_LIMIT": task.limits.per_day or 5,
        "TIME_LIMIT": 10,
        "HARDWARE": "cpu-basic",
        "SELECTION_LIMIT": 1,
        "END_DATE": f"{max(ends).astimezone(UTC):%Y-%m-%d}" if ends else "2099-12-31",
        "EVAL_HIGHER_IS_BETTER": int(first.better != "lower"),
        "SUBMISSION_ID_COLUMN": solution.columns[0],
        "SUBMISSION_COLUMNS": ",".join(solution.columns),
        "SUBMISSION_ROWS": solution.rows,
        "EVAL_METRIC": "custom",
        "SCORING_METRIC": first.key,
        "LOGO": "",
        "DATASET": "",
        "SUBMISSION_FILENAMES": ["submission.csv"],
    }
    pages = write_pages(task, rehearsal.metrics, "{}.md").values()
    overview, evaluation, terms = (page.decode() for page in pages)
    shown = "\n".join(solution.sample.decode().splitlines()[:6])
    sample = f"The file looks like this:\n\n```\n{shown}\n```\n"
    files = {
        "conf.json": json.dumps(settings, indent=2) + "\n",
        "metric.py": _SPACE_METRIC.format(version=__version__, task=solution.task),
        "solution.csv": solution.table.decode(),
        "sample_submission.csv": solution.sample.decode(),
        "COMPETITION_DESC.md": overview,
        "DATASET_DESC.md": f"# Data\n\n{solution.rows:,} examples, joined by id.\n",
        "SUBMISSION_DESC.md": f"{evaluation}\n{sample}",
        "RULES.md": terms,
        "teams.json": "{}\n",
        "user_team.json": "{}\n",
        "requirements.txt": f"tallystick=={__version__}\n",
    }
    return pack({name: text.encode() for name, text in files.items()})


def compute_scores(task: str, solution: str, submission: str) -> dict[str, dict[str, float]]:
    """Returns the scores on both sides of a solution under the same keys, joined by id."""
    found = judge_sides(task, solution, submission, (_SPLIT, *_SIDES))
    return {
        f"{side}_score": {one.key: one.value for one in own.columns if not one.hidden}
        for side, own in zip(_SIDES, found, strict=True)
    }
