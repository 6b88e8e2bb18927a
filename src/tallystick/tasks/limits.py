"""Which submissions came too late or were too many, where it is known when they came."""

from collections import Counter
from collections.abc import Sequence
from datetime import date

from tallystick.io.tasks import Phase, SharedTask
from tallystick.tasks.entries import Entry


def find_breaches(task: SharedTask, entries: Sequence[Entry]) -> dict[Entry, str]:
    """Returns why submissions to a phase do not count.

    Every submission counts towards the limits of its team, also one that is refused for what is in
    it. Times that were taken from files say nothing, since files are copied.

    Args:
        task: The task, in that phase.
        entries: The submissions to it, by time.
    """
    breaches = {}
    days: Counter[tuple[str, date]] = Counter()
    teams: Counter[str] = Counter()
    for entry in entries:
        if entry.wrong is not None:
            breaches[entry] = entry.wrong
        if entry.wrong is not None or not entry.known:
            continue
        reason = _miss(task.phases.get(entry.phase or ""), entry)
        if reason is None:
            days[entry.team, entry.submitted.date()] += 1
            teams[entry.team] += 1
            reason = _exceed(task, days[entry.team, entry.submitted.date()], teams[entry.team])
        if reason is not None:
            breaches[entry] = reason
    return breaches


def _miss(phase: Phase | None, entry: Entry) -> str | None:
    """Whether a submission came outside of its phase."""
    if phase is None:
        return None
    if phase.start is not None and entry.submitted < phase.start:
        return f"it came before the phase began ({phase.start:%Y-%m-%d %H:%M} UTC)"
    if phase.end is not None and entry.submitted > phase.end:
        return f"it came after the end of the phase ({phase.end:%Y-%m-%d %H:%M} UTC)"
    return None


def _exceed(task: SharedTask, that_day: int, so_far: int) -> str | None:
    """Whether a team had handed in enough before."""
    per_day, total = task.limits.per_day, task.limits.total
    if per_day is not None and that_day > per_day:
        return f"it is number {that_day} of its team on that day, and {per_day} a day are allowed"
    if total is not None and so_far > total:
        return f"it is number {so_far} of its team, and {total} are allowed"
    return None
