"""`tallystick task check`: what the server would say about a submission."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from tallystick.output.tables.controls import escape_controls
from tallystick.output.tables.document import Document
from tallystick.output.tables.formats import render
from tallystick.tasks.checking import Checked, check_submission
from tallystick.tasks.opening import Finding
from tallystick.tasks.task_checks import GoldError, check_task
from tallystick.tasks.task_file import read_task

_BAD_DATA = 4


def run(options: argparse.Namespace) -> int:
    """Runs `tallystick task check`; bad data is what keeps a track from being scored."""
    try:
        task = check_task(read_task(options.task), options.phase)
    except GoldError as error:
        raise error.blind from None
    checked = check_submission(task, options.submission)
    outcomes = {name: _conclude(name, checked) for name in task.tracks}
    findings = sorted(checked.findings, key=lambda one: not one.fatal)
    write = _write_json if options.format == "json" else _write_lines
    sys.stdout.write(write(outcomes, findings))
    return _BAD_DATA if checked.failed else 0


def _write_lines(outcomes: Mapping[str, str], findings: Sequence[Finding]) -> str:
    told = (f"{'error' if one.fatal else 'note'}: {one}" for one in findings)
    concluded = (f"{track}: {outcome}" for track, outcome in outcomes.items())
    return "".join(f"{escape_controls(line)}\n" for line in (*told, *concluded))


def _write_json(outcomes: Mapping[str, str], findings: Sequence[Finding]) -> str:
    tracks = [{"track": track, "outcome": outcome} for track, outcome in outcomes.items()]
    parts = {
        "passed": not any(one.fatal for one in findings),
        "tracks": tracks,
        "findings": [*map(asdict, findings)],
    }
    return render(Document(parts=parts), "json")


def _conclude(track: str, checked: Checked) -> str:
    if track in checked.files:
        return "can be scored"
    wrong = {one.track for one in checked.findings if one.fatal}
    return "refused" if {track, None} & wrong else "left out"
