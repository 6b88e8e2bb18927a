"""Checks the submissions of all teams, and ranks the teams by track."""

import os
import stat
from collections.abc import Iterator, Sequence
from typing import Literal

from tallystick.comparison.ranking.rank import rank_counted
from tallystick.comparison.settings import Testing
from tallystick.errors import say_count
from tallystick.frozen import dataclass, field
from tallystick.io.submissions import name_kind
from tallystick.model.reading import NoneLeftError
from tallystick.output.results.ranking import Ranking
from tallystick.output.tables.document import Style
from tallystick.tasks.checking import Checked, check_submission
from tallystick.tasks.entries import Entry, find_breaches, find_entries, name_run, name_systems
from tallystick.tasks.opening import Finding
from tallystick.tasks.published import round_score
from tallystick.tasks.scoring import count_submissions
from tallystick.tasks.task_checks import check_task
from tallystick.tasks.task_file import SharedTask, TaskFileError, suggest

Chosen = Literal["last", "best"]
"""Which submission of a team counts."""


@dataclass(frozen=True, slots=True)
class Publishing:
    """How submissions are ranked and shown; `per_team` is which one of a team counts."""

    per_team: Chosen = "last"
    testing: Testing = field(default_factory=Testing)
    style: Style = field(default_factory=Style)


@dataclass(frozen=True, slots=True)
class Round:
    """The submissions to one phase by time, what was said of each, and why some are refused.

    Notes tell which rules did not apply.
    """

    task: SharedTask
    entries: tuple[tuple[Entry, Checked], ...]
    refused: tuple[str, ...]
    notes: tuple[str, ...] = ()


def check_round(
    task: SharedTask, folder: str, *, phase: str | None = None, manifest: str | None = None
) -> Round:
    """Checks the submissions to a phase of a task, the last one if none is named."""
    phase = phase or next(reversed(task.phases), None)
    own = check_task(task, phase)
    found = find_entries(folder, task, manifest)
    check_baselines(task, found)
    entries = [one for one in found if one.phase == phase]
    breaches = find_breaches(own, entries)
    checked = tuple((one, check_entry(own, one)) for one in entries if one not in breaches)
    reasons = [
        *breaches.items(),
        *((one, str(found)) for one, said in checked for found in said.findings if found.fatal),
    ]
    refused = tuple(f"{name_run(one.team, one.run)}: {reason}" for one, reason in reasons)
    return Round(own, checked, refused, (*note_times(own, entries),))


def check_baselines(task: SharedTask, entries: Sequence[Entry]) -> None:
    """Raises a TaskFileError where no submission is that of a baseline."""
    teams = dict.fromkeys(one.team for one in entries)
    known = {*teams, *(f"{one.team}/{one.run}" for one in entries)}
    for place, name in enumerate(task.baselines):
        if name not in known:
            hint = suggest(name, teams, "teams")
            raise TaskFileError(("baselines", place), f": no submission is of {name!r}; {hint}")


def note_times(task: SharedTask, entries: Sequence[Entry]) -> Iterator[str]:
    """Yields which rules on times were not applied to submissions to a phase; else nothing."""
    unknown = [one for one in entries if not one.known]
    phase = task.phases.get(unknown[0].phase or "") if unknown else None
    rules = {
        "start": phase and phase.start is not None,
        "end": phase and phase.end is not None,
        "per_day": task.limits.per_day is not None,
        "total": task.limits.total is not None,
    }
    named = [name for name, given in rules.items() if given]
    if unknown and named:
        where = f" of {unknown[0].phase}" if phase else ""
        yield (
            f"{', '.join(named)}{where} were not applied to "
            f"{say_count(len(unknown), 'submission')}: only their files tell when they came in. A "
            "list of submissions with a column 'submitted' tells it for sure."
        )


def check_entry(task: SharedTask, entry: Entry) -> Checked:
    """Checks a submission as `check_submission` does; links are refused, wherever they lead."""
    mode = os.lstat(entry.path).st_mode
    wrong = entry.wrong or (None if stat.S_ISDIR(mode) else name_kind(mode))
    if wrong is not None:
        return Checked({}, (Finding(None, None, wrong, True),))
    return check_submission(task, entry.path)


def rank_entries(
    task: SharedTask, entries: Sequence[tuple[Entry, Checked]], publishing: Publishing
) -> dict[str, Ranking]:
    """Returns the ranking of each track with a submission that can be scored.

    Ranks and the choice of each team's submission depend on no further digits than the style
    shows: of submissions that are shown as equal the first one by time is the best.
    """
    rankings: dict[str, Ranking] = {}
    for name in task.tracks:
        own = {entry: checked.files[name] for entry, checked in entries if name in checked.files}
        if not own:
            continue
        chosen = name_ranked([*own], publishing.per_team)
        try:
            files = {system: own[entry] for system, entry in chosen.items()}
            counted = count_submissions(task, name, files)
        except NoneLeftError:
            continue
        baselines = [system for system in task.baselines if system in counted.systems]
        rankings[name] = rank_counted(
            counted,
            publishing.testing,
            baselines=baselines,
            per_team=publishing.per_team,
            shown=lambda name, value: round_score(value, name, publishing.style),
        )
    return rankings


def name_ranked(entries: Sequence[Entry], per_team: Chosen) -> dict[str, Entry]:
    """Returns the submissions, by time, that are ranked, or of which the best are, by system.

    A system is called TEAM, or TEAM/RUN where the best of several submissions is looked for.
    """
    if per_team == "last":
        return {entry.team: entry for entry in entries}
    return dict(zip(name_systems(entries), entries, strict=True))
