"""`tallystick rank`: gold and submissions in, places out."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tallystick.cli.contest import meet
from tallystick.cli.intervals import read_draws
from tallystick.cli.output import check_files, format_of, show, tell
from tallystick.cli.parser import refuse
from tallystick.cli.progress import show_progress
from tallystick.cli.reading import name_systems, read_columns, read_task
from tallystick.cli.texts import OF_TEXTS
from tallystick.comparison.files import (
    Source,
    meet_files,
    meet_texts,
    split_systems,
)
from tallystick.comparison.leaderboards import admit_tables, wants_texts
from tallystick.comparison.meetings import Meeting
from tallystick.comparison.ranking import rank_meeting
from tallystick.comparison.settings import Testing
from tallystick.comparison.standings import rank_tracks
from tallystick.errors import UsageError
from tallystick.examples.columns import Columns
from tallystick.examples.task import Task
from tallystick.io.submissions import Submissions, find_submissions
from tallystick.io.tables import read_table
from tallystick.report.ranking import Ranking, list_refusals
from tallystick.results import Missing, Refusal

if TYPE_CHECKING:
    from tallystick.io.tracks import Track

__all__ = ["run"]

_OF_ONE = (
    "submissions",
    "system_column",
    "metrics",
    "by",
    "clusters",
    "task",
    "labels",
    "positive",
    "threshold",
    "fold_case",
    "gold_column",
    "predicted_column",
    "probability_column",
    "id_column",
    "delimiter",
    "input_format",
    *OF_TEXTS,
)


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick rank` with parsed options."""
    check_files({}, options.output)
    if options.format is None:
        format_of(options.output)
    testing = Testing(options.test, **read_draws(options))
    with show_progress(options.files):
        ranking = _rank_config(options, testing) if options.config else _rank(options, testing)
    if options.output or options.format == "csv":  # else they stand where the ranking is read
        for refusal in list_refusals(ranking):
            tell(f"note: {refusal}")
    show(ranking, options)


def _rank(options: argparse.Namespace, testing: Testing) -> Ranking:
    if not options.files:
        raise UsageError("name a gold file and the systems' files, or tracks with --config")
    if not options.metrics:
        raise UsageError("name what to rank by with -m; the files come before it")
    missing: Missing = options.missing or "exclude"
    return rank_meeting(_meet(options), testing, baselines=options.baseline, missing=missing)


def _meet(options: argparse.Namespace) -> Meeting:
    gold, *files = options.files
    if options.system_column is not None:
        if files or options.submissions:
            raise UsageError("--system-column takes one table that holds gold and all systems")
        return _meet_table(options, gold)
    if options.submissions is not None:
        if files:
            raise UsageError("--submissions takes only the gold besides it")
        submissions = find_submissions(options.submissions)
        return _refuse_files(meet(options, gold, submissions.found), submissions)
    if not files:
        raise UsageError("name the systems' files after the gold, or their folder: --submissions")
    return meet(options, gold, dict(zip(name_systems(files), files, strict=True)))


def _meet_table(options: argparse.Namespace, path: str) -> Meeting:
    refuse(options, OF_TEXTS, "does not go with --system-column")
    columns = read_columns(options)
    table = read_table(path, kind=options.input_format)
    gold, systems = split_systems(table, options.system_column, columns)
    return admit_tables(gold, systems, options.metrics, columns=columns, task=read_task(options))


def _rank_config(options: argparse.Namespace, testing: Testing) -> Ranking:
    from tallystick.io.tracks import read_tracks

    if options.files:
        raise UsageError("--config takes no files besides it")
    refuse(options, _OF_ONE, "goes into the file of --config")
    plan = read_tracks(options.config)
    baselines = (*plan.baselines, *options.baseline)
    meetings = {name: _meet_track(track) for name, track in plan.tracks.items()}
    _check_baselines(baselines, list(meetings.values()))
    rankings = {
        name: rank_meeting(
            meeting,
            testing,
            baselines=[one for one in baselines if one in meeting.field.systems],
        )
        for name, meeting in meetings.items()
    }
    missing: Missing = options.missing or plan.missing or "exclude"
    return rank_tracks(rankings, missing=missing)


def _meet_track(track: "Track") -> Meeting:
    text = track.task == "text" or (track.task is None and wants_texts(track.metrics))
    submissions = find_submissions(track.submissions, whole_names=True)
    source = Source(
        track.gold,
        submissions.found,
        track.metrics,
        Columns(by=track.by, clusters=track.clusters),
        Task(
            kind=None if track.task == "text" else track.task,
            labels=track.labels,
            positive=track.positive,
        ),
    )
    return _refuse_files(meet_texts(source) if text else meet_files(source), submissions)


def _refuse_files(meeting: Meeting, submissions: Submissions) -> Meeting:
    """The meeting, with what its folder holds that cannot be read as a submission."""
    refused = [Refusal(name, None, f"{name} {reason}") for name, reason in submissions.refused]
    return replace(meeting, refused=(*meeting.refused, *refused))


def _check_baselines(baselines: Sequence[str], meetings: Sequence[Meeting]) -> None:
    known = {name for meeting in meetings for name in meeting.names}
    for name in baselines:
        if name not in known:
            raise UsageError(f"there is no system {name!r} to be a baseline in any track")
