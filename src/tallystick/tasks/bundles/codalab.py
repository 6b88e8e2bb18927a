"""CodaLab Competitions 1.5: the bundle of a competition, and the scoring of one submission."""

import os
from datetime import UTC

from tallystick.io.files.opening import write_text
from tallystick.io.tasks import Phase, SharedTask
from tallystick.tasks.bundles.archive import Files, pack, read_logo
from tallystick.tasks.bundles.codabench import judge_folder
from tallystick.tasks.bundles.columns import list_numbers
from tallystick.tasks.bundles.kit import make_kit
from tallystick.tasks.bundles.pages import write_pages
from tallystick.tasks.bundles.program import IMAGE, make_program
from tallystick.tasks.bundles.reference import dump_yaml, list_phases, make_reference, spell
from tallystick.tasks.bundles.rehearsal import Rehearsal, rehearse_phases

_COMMAND = "python3 $program/score.py $input $output"
_PROGRAM = "scoring_program.zip"
_OPEN = "2000-01-01T00:00:00"
_UNLIMITED = 1000


def bundle_codalab(
    task: SharedTask, *, packages: Files | None = None, image: str | None = None
) -> bytes:
    """Returns the zip archive of a competition; the arguments are those of `bundle_codabench`."""
    rehearsal = rehearse_phases(task)
    program = dict(make_program("codalab", _COMMAND, packages))
    program["metadata"] = program.pop("metadata.yaml")
    files = {"logo.png": read_logo(), _PROGRAM: pack(program)}
    pages = write_pages(task, rehearsal.metrics, "{}.html")
    phases = {}
    for place, (name, own) in enumerate(list_phases(task), 1):
        files[f"reference-{place}.zip"] = pack(make_reference(task, name, own))
        files[f"kit-{place}-{spell(name)}.zip"] = pack(make_kit(own))
        phases[place] = _describe_phase(task, place, name, own)
    competition = {
        "title": task.title,
        "description": task.title,
        "image": "logo.png",
        "competition_docker_image": image or IMAGE,
        "has_registration": True,
        "enable_detailed_results": True,
        "html": {path.removesuffix(".html"): path for path in pages},
        "phases": phases,
        "leaderboard": _describe_board(rehearsal),
    }
    return pack({"competition.yaml": dump_yaml(competition), **files, **pages})


def run_codalab(given: str, output: str) -> list[str]:
    """Scores one submission as CodaLab's worker calls a scoring program.

    Does what `run_codabench` does, but for scores.txt, with a line for each finite number.
    """
    found = judge_folder(given, output)
    # YAML takes 1e-05 for a text.
    lines = (f"{key}: {value:.10f}\n" for key, value in list_numbers(found.columns).items())
    write_text(os.path.join(output, "scores.txt"), "".join(lines))
    return [*found.messages]


def _describe_phase(task: SharedTask, place: int, name: str, own: SharedTask) -> dict[str, object]:
    start = task.phases.get(name, Phase(gold={})).start
    return {
        "phasenumber": place,
        "label": name,
        # A phase of this platform ends where the next one begins.
        "start_date": _OPEN if start is None else f"{start.astimezone(UTC):%Y-%m-%dT%H:%M:%S}",
        "max_submissions": own.limits.total or _UNLIMITED,
        "max_submissions_per_day": own.limits.per_day or _UNLIMITED,
        "scoring_program": _PROGRAM,
        "reference_data": f"reference-{place}.zip",
        "starting_kit": f"kit-{place}-{spell(name)}.zip",
    }


def _describe_board(rehearsal: Rehearsal) -> dict[str, object]:
    board = {"label": "Results", "rank": 1}
    return {
        "leaderboards": {"RESULTS": board},
        "columns": {
            one.key: {
                "leaderboard": board,
                "label": one.title,
                "rank": place,
                "sort": "asc" if one.better == "lower" else "desc",
                "numeric_format": 4,
            }
            for place, one in enumerate(rehearsal.columns, 1)
            if not one.hidden
        },
    }
