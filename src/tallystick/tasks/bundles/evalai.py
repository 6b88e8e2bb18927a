"""EvalAI and TIRA, whose scorers are given an archive of gold: their bundles, and the calls.

EvalAI's contract is that of scripts/workers/submission_worker.py and challenge_config_utils.py
of Cloud-CV/EvalAI, as of August 2026.
"""

import html
import json
import math
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from tallystick.io.files.opening import write_text
from tallystick.tasks.bundles.judging import BoardColumn, judge, list_columns, open_reference
from tallystick.tasks.bundles.reference import (
    Rehearsal,
    dump_yaml,
    list_phases,
    make_example,
    make_kit,
    make_reference,
    narrow,
    nest,
    pack,
    read_logo,
    rehearse,
    rehearse_phases,
    spell,
    write_pages,
)
from tallystick.tasks.task_file import Phase, SharedTask
from tallystick.version import __version__

_TIRA = "tallystick task run tira ${inputDataset} ${inputRun} ${outputDir}"
_REFERENCE = "reference.zip"
"""An archive, because the platform's client leaves out files that are no data to it."""
_BASELINE = "https://github.com/ORGANISATION/REPOSITORY/tree/main/baseline"
"""Where the client looks for a baseline's Dockerfile; for organisers to fill in."""
_DOCKER = """\
# As long as there is no release, a wheel built from a checkout lies next to this file:
#   pip wheel --no-deps --wheel-dir . CHECKOUT
FROM python:3.12-slim
COPY tallystick-*.whl /tmp/
RUN pip install --no-cache-dir /tmp/tallystick-*.whl
"""
_ABOUT = """\
# {title}: {phase}

`inputs` has the examples, which systems read, and the starting kit; `truths` has the gold, which
only the evaluator sees. The evaluator runs in an image that has tallystick, such as that of
`Dockerfile`.
Name your baseline above before `tira-cli dataset-submission`, or skip it with `--skip-baseline`.
"""


def bundle_tira(task: SharedTask, *, image: str | None = None) -> bytes:
    """Returns a zip archive with a data set for each phase; no image is that of the Dockerfile."""
    files = {"Dockerfile": _DOCKER.encode()}
    image = image or f"tallystick:{__version__}"
    for name, own in list_phases(task):
        rehearse(own, tuple(task.tracks))
        kit = make_kit(own)
        ids = {path: content for path, content in kit.items() if path.startswith("ids/")}
        about = _ABOUT.format(title=task.title, phase=name).encode()
        data = {
            "README.md": b"---\n" + dump_yaml(_describe_data(own, image)) + b"---\n\n" + about,
            **nest("inputs", {**ids, "kit.zip": pack(kit)}),
            f"truths/{_REFERENCE}": pack(make_reference(task, name, own)),
        }
        files |= nest(spell(name) or "data", data)
    return pack(files)


def run_tira(truth: str, run: str, output: str) -> list[str]:
    """Evaluates a run as TIRA calls an evaluator: writes evaluation.prototext; returns messages."""
    found = judge(open_reference(os.path.join(truth, _REFERENCE)), run)
    # A colon or a quote would end a key; keys are called as the platform itself writes them.
    measures = (
        f'measure{{\n  key: "{one.key.replace("_", " ").title()}"\n  value: "{one.value}"\n}}\n'
        for one in found.columns
        if one.value == one.value
    )
    write_text(os.path.join(output, "evaluation.prototext"), "".join(measures))
    return [*found.messages]


def _describe_data(task: SharedTask, image: str) -> dict[str, object]:
    """The configuration of a data set; files of any form go, as the evaluator checks them."""
    first = next(iter(make_example(task)))
    return {
        "configs": [
            {"config_name": name, "data_files": [{"split": "test", "path": f"{name}/**"}]}
            for name in ("inputs", "truths")
        ],
        "tira_configs": {
            "default_upload_name": first,
            "resolve_inputs_to": "inputs",
            "resolve_truths_to": "truths",
            "baseline": {"link": _BASELINE, "command": "predict", "format": {"name": "arbitrary"}},
            "input_format": {"name": "arbitrary"},
            "truth_format": {"name": "arbitrary"},
            "evaluator": {"image": image, "command": _TIRA},
        },
    }


_SCRIPT = '''\
"""Scores submissions on EvalAI's workers; written by tallystick {version}."""


def evaluate(test_annotation_file, user_annotation_file, phase_codename, **kwargs):
    """Returns what the leaderboard shows, with error bars."""
    from tallystick.tasks.bundles.evalai import evaluate as score

    return score(test_annotation_file, user_annotation_file)
'''
_REMOTE = '''\
"""Scores submissions on a machine of the organisers; written by tallystick {version}."""

from pathlib import Path


def evaluate(user_submission_file, phase_codename, test_annotation_file=None, **kwargs):
    """Returns what the leaderboard shows, with error bars."""
    from tallystick.tasks.bundles.evalai import evaluate as score

    gold = Path(__file__).parent / "annotations" / f"{{phase_codename}}.zip"
    return score(test_annotation_file or str(gold), user_submission_file)
'''
_ALWAYS = ("2000-01-01 00:00:00", "2099-12-31 23:59:59")
"""The start and the end where none is named: the platform wants both."""
_UNLIMITED = 100_000
_PUBLIC = 3
"""The visibility of a leaderboard that everybody sees."""


def bundle_evalai(task: SharedTask) -> bytes:
    """Returns the archive of a challenge: a leaderboard per track, kits, a remote evaluation."""
    boards = {name: rehearse_phases(narrow(task, name)) for name in task.tracks}
    names = {name: f"{at}-{spell(name)}" for at, (name, _) in enumerate(list_phases(task), 1)}
    remote = {"evaluate.py": _REMOTE.format(version=__version__).encode()}
    script = {
        "__init__.py": b"from .main import evaluate\n",
        "main.py": _SCRIPT.format(version=__version__).encode(),
        "requirements.txt": f"tallystick=={__version__}\n".encode(),
    }
    files = {"logo.png": read_logo(), "evaluation_script.zip": pack(script)}
    metrics = {name: one.metrics[name] for name, one in boards.items()}
    files |= write_pages(task, metrics, "templates/{}.html")
    for name, own in list_phases(task):
        path = f"annotations/{names[name]}.zip"
        files[path] = remote[path] = pack(make_reference(task, name, own))
        files[f"kit/{names[name]}.zip"] = pack(make_kit(own))
        files[f"templates/{names[name]}.html"] = f"<p>{html.escape(name)}</p>\n".encode()
    challenge = {
        **_describe(task),
        "leaderboard": [
            _describe_board(place, one) for place, one in enumerate(boards.values(), 1)
        ],
        "challenge_phases": [*_describe_phases(task, names)],
        "dataset_splits": [
            {"id": place, "name": name, "codename": _name_split(place, name)}
            for place, name in enumerate(task.tracks, 1)
        ],
        "challenge_phase_splits": _describe_splits(task, boards),
    }
    return pack({"challenge_config.yaml": dump_yaml(challenge), **files, **nest("remote", remote)})


def evaluate(annotation: str, submission: str) -> dict[str, Any]:
    """Scores a submission for EvalAI's workers: each track is a split, errors are half widths."""
    task = open_reference(annotation)
    found = judge(task, submission)
    splits = {name: _name_split(place, name) for place, name in enumerate(task.tracks, 1)}
    columns = {
        name: [one for one in list_columns({name: own}, (name,)) if not one.hidden]
        for name, own in found.tracks.items()
    }
    return {
        "result": [
            {splits[name]: {one.title: one.value for one in own}} for name, own in columns.items()
        ],
        "error": [
            {splits[name]: {f"error_{one.title}": _halve(one) for one in own}}
            for name, own in columns.items()
        ],
        "submission_result": [*found.messages],
        "submission_metadata": {"tallystick": __version__},
    }


def run_evalai(annotation: str, submission: str) -> list[str]:
    """Prints as JSON what `evaluate` returns, and returns what the team may know besides."""
    found = evaluate(annotation, submission)
    print(json.dumps(found, allow_nan=False, indent=2))
    return list(found["submission_result"])


def _halve(column: BoardColumn) -> float | None:
    half = (column.high - column.low) / 2
    return half if math.isfinite(half) else None


def _name_split(place: int, track: str) -> str:
    return f"{place}-{spell(track)}"


def _describe(task: SharedTask) -> dict[str, object]:
    start = [phase.start for phase in task.phases.values() if phase.start is not None]
    ends = [phase.end for phase in task.phases.values()]
    last = max(end for end in ends if end) if ends and all(ends) else None
    return {
        "title": task.title,
        "short_description": task.title,
        "description": "templates/overview.html",
        "evaluation_details": "templates/evaluation.html",
        "terms_and_conditions": "templates/terms.html",
        "submission_guidelines": "templates/overview.html",
        "image": "logo.png",
        "evaluation_script": "evaluation_script.zip",
        "remote_evaluation": True,
        "start_date": _tell_time(min(start, default=None), _ALWAYS[0]),
        "end_date": _tell_time(last, _ALWAYS[1]),
        "published": False,
    }


def _tell_time(time: datetime | None, otherwise: str) -> str:
    return otherwise if time is None else f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def _describe_board(place: int, board: Rehearsal) -> dict[str, object]:
    columns = [one for one in board.columns if not one.hidden]
    return {
        "id": place,
        "schema": {
            "labels": [one.title for one in columns],
            "default_order_by": columns[0].title,
            "metadata": {
                one.title: {"sort_ascending": one.better == "lower", "description": one.title}
                for one in columns
            },
        },
    }


def _describe_phases(task: SharedTask, names: Mapping[str, str]) -> Iterator[dict[str, object]]:
    for place, (name, own) in enumerate(list_phases(task), 1):
        phase, limits = task.phases.get(name, Phase(gold={})), own.limits
        yield {
            "id": place,
            "name": name,
            "description": f"templates/{names[name]}.html",
            "codename": names[name],
            "leaderboard_public": True,
            "is_public": True,
            "is_submission_public": False,
            "start_date": _tell_time(phase.start, _ALWAYS[0]),
            "end_date": _tell_time(phase.end, _ALWAYS[1]),
            "test_annotation_file": f"annotations/{names[name]}.zip",
            "max_submissions_per_day": limits.per_day or _UNLIMITED,
            "max_submissions_per_month": limits.total or _UNLIMITED,
            "max_submissions": limits.total or _UNLIMITED,
            "allowed_submission_file_types": ".zip, .csv, .tsv, .jsonl, .txt, .parquet",
        }


def _describe_splits(task: SharedTask, boards: Mapping[str, Rehearsal]) -> list[dict[str, object]]:
    places = {name: place for place, name in enumerate(boards, 1)}
    return [
        {
            "challenge_phase_id": phase,
            "leaderboard_id": places[name],
            "dataset_split_id": places[name],
            "visibility": _PUBLIC,
            "leaderboard_decimal_precision": 4,
            "is_leaderboard_order_descending": boards[name].columns[0].better != "lower",
        }
        for phase, (_, own) in enumerate(list_phases(task), 1)
        for name in own.tracks
    ]
