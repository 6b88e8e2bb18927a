"""`tallystick task score`: the scores of one or more submissions, by track."""

import argparse
import os
from collections.abc import Mapping

import msgspec

from tallystick.cli.options.shared_options import read_intervals
from tallystick.cli.output import check_files, format_of, read_style, show, tell
from tallystick.comparison.ranking.teams import PerTeam
from tallystick.errors import InputError
from tallystick.io.names import cut_ending
from tallystick.output.tables.formats import check_style
from tallystick.tasks.checking import Checked, check_submission
from tallystick.tasks.entries import find_entries, name_systems
from tallystick.tasks.opening import holds_track
from tallystick.tasks.ranking import check_entry
from tallystick.tasks.scoring import score_submissions
from tallystick.tasks.task_checks import check_task
from tallystick.tasks.task_file import SharedTask, read_task


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick task score`; what is wrong with submissions is told beside the scores."""
    check_files({}, options.output)
    options.format = options.format or format_of(options.output)
    check_style(read_style(options), options.format)
    intervals = read_intervals(options)
    whole = read_task(options.task)
    task = check_task(whole, options.phase)
    checked = _check(whole, task, options)
    _tell(checked)
    if all(one.refused for one in checked.values()):
        raise InputError(f"{options.submission}: every track of it was refused")
    per_team: PerTeam = options.per_team or "all"
    show(score_submissions(task, checked, per_team=per_team, intervals=intervals), options)


def _check(whole: SharedTask, task: SharedTask, options: argparse.Namespace) -> dict[str, Checked]:
    """What was said of each submission, by the name of its system."""
    path, phase, manifest = options.submission, options.phase, options.manifest
    if manifest is None and (not os.path.isdir(path) or holds_track(task, path)):
        name = cut_ending(os.path.basename(os.path.normpath(path)))
        return {name: check_submission(task, path)}
    inside = os.path.join(path, phase or "")
    bare = msgspec.structs.replace(task, phases={})
    found = (
        find_entries(inside if os.path.isdir(inside) else path, bare)
        if manifest is None
        else find_entries(path, whole, manifest)
    )
    entries = sorted(
        (one for one in found if one.phase in (None, phase)), key=lambda one: (one.team, one.run)
    )
    checked = (check_entry(task, one) for one in entries)
    return dict(zip(name_systems(entries), checked, strict=True))


def _tell(checked: Mapping[str, Checked]) -> None:
    for name, one in checked.items():
        for finding in one.findings:
            if finding.fatal:
                tell(f"refused: {name}: {finding}")
