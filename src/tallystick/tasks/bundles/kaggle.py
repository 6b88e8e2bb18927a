"""Kaggle: the metric of a competition, its solution and its sample submission."""

from typing import TYPE_CHECKING

from tallystick.kinds.metrics.reference import describe
from tallystick.tasks.bundles.archive import pack
from tallystick.tasks.bundles.judging import RefusedError
from tallystick.tasks.bundles.kit import make_kit, rehearse_phases
from tallystick.tasks.bundles.pages import write_pages
from tallystick.tasks.bundles.reference import list_phases
from tallystick.tasks.bundles.solution import choose_track, judge_table, make_solution
from tallystick.tasks.task_file import SharedTask
from tallystick.version import __version__

if TYPE_CHECKING:
    import pandas

_SPLIT = "Usage"
_LONGEST = 280
"""How many characters of an error participants see."""

_METRIC = '''\
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
    from tallystick.tasks.bundles.kaggle import score_frames

    try:
        return score_frames(TASK, solution, submission, row_id_column_name)
    except ValueError as error:
        raise ParticipantVisibleError(str(error)) from None
'''


def bundle_kaggle(task: SharedTask, *, track: str | None = None) -> bytes:
    """Returns a zip archive with metric.py, solution.csv, sample_submission.csv and the pages.

    The track need not be named where there is one.
    """
    task = choose_track(task, track)
    solution = make_solution(task, _SPLIT, "Public", "Private")
    rehearsal = rehearse_phases(task)
    ((metric, *_),) = rehearsal.metrics.values()
    known = describe(type(metric))
    program = _METRIC.format(
        title=task.title,
        version=__version__,
        task=solution.task,
        metric=metric.full_title,
        summary=known.summary,
        formula=known.formula,
    )
    kit = pack(make_kit(list_phases(task)[-1][1]))
    return pack(
        {
            "metric.py": program.encode(),
            "solution.csv": solution.table,
            "sample_submission.csv": solution.sample,
            "kit.zip": kit,
            **write_pages(task, rehearsal.metrics, "{}.md"),
        }
    )


def score_frames(
    task: str, solution: "pandas.DataFrame", submission: "pandas.DataFrame", row_id: str
) -> float:
    """Returns the score by which a submission is ranked, for Kaggle's `score`.

    It is called with the task file, the rows of the solution that are scored, as many rows of
    the submission, and the name of the column of ids. The message of its RefusedError has at
    most 280 characters, and may be shown to participants.
    """
    gold = solution.drop(columns=_SPLIT, errors="ignore")
    try:
        found = judge_table(task, gold.to_csv(index=False), submission.to_csv(index=False))
    except RefusedError as error:
        told = str(error)
        shown = told if len(told) <= _LONGEST else told[: _LONGEST - 1] + "…"
        raise RefusedError(shown) from None
    return found.columns[0].value
