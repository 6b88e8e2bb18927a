"""Competitions on Hugging Face: the files of the private repository, and the scores of a file."""

import json
from datetime import UTC

from tallystick.tasks.bundles.archive import pack
from tallystick.tasks.bundles.kit import rehearse_phases
from tallystick.tasks.bundles.pages import write_pages
from tallystick.tasks.bundles.solution import choose_track, judge_sides, make_solution
from tallystick.tasks.task_file import SharedTask
from tallystick.version import __version__

_SPLIT = "split"
_SIDES = ("public", "private")
_SHOWN = 6
"""How many lines of the sample are shown."""
_METRIC = '''\
"""Scores submissions; written by tallystick {version}, and needs it and Python 3.11 or newer."""

from huggingface_hub import hf_hub_download

TASK = {task!r}


def compute(params):
    """Returns the scores on the public and on the private examples, joined by id."""
    from tallystick.tasks.bundles.hugging_face import compute_scores

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
    """Returns a zip archive with the files of a competition's private repository.

    Arguments and errors are those of `bundle_kaggle`.
    """
    task = choose_track(task, track)
    solution = make_solution(task, _SPLIT, *_SIDES)
    rehearsal = rehearse_phases(task)
    first = rehearsal.columns[0]
    ends = [phase.end for phase in task.phases.values() if phase.end is not None]
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
    shown = "\n".join(solution.sample.decode().splitlines()[:_SHOWN])
    sample = f"The file looks like this:\n\n```\n{shown}\n```\n"
    files = {
        "conf.json": json.dumps(settings, indent=2) + "\n",
        "metric.py": _METRIC.format(version=__version__, task=solution.task),
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
    """Returns the scores on both sides of a solution, under the same keys.

    The submission is checked as a whole, and each side is joined by id: the platform's own
    metrics take a file whose ids are not those of the solution for one in another order.
    """
    found = judge_sides(task, solution, submission, (_SPLIT, *_SIDES))
    return {
        f"{side}_score": {one.key: one.value for one in own.columns if not one.hidden}
        for side, own in zip(_SIDES, found, strict=True)
    }
