"""`tallystick task paper`: the results table of an overview paper, and what it shows."""

import argparse
import sys
from collections.abc import Sequence

from tallystick.cli.options import read_testing
from tallystick.cli.output import check_target, promise, read_style, tell
from tallystick.errors import InputError, UsageError
from tallystick.io.files import write_text
from tallystick.io.tasks import SharedTask, choose_phase, read_task
from tallystick.tasks.entries import Entry, find_entries
from tallystick.tasks.findings import Checked
from tallystick.tasks.limits import find_breaches
from tallystick.tasks.paper import write_paper
from tallystick.tasks.ranking import check_entry, rank_entries


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick task paper`."""
    if options.output is not None:
        if not options.output.endswith(".tex"):
            raise UsageError(f"a paper's results are LaTeX (.tex), not {options.output}")
        check_target(options.output)
    whole = read_task(options.task)
    phase = options.phase or (list(whole.phases)[-1] if whole.phases else None)
    task = choose_phase(whole, phase)
    found = find_entries(options.folder, whole, options.manifest)
    entries = [one for one in found if one.phase == phase]
    checked = _check(task, entries)
    style, testing = read_style(options), read_testing(options)
    rankings = rank_entries(task, checked, per_team=options.per_team, testing=testing, style=style)
    if not rankings:
        raise InputError(f"{options.folder}: holds no submission that can be scored")
    written = write_paper(rankings, style)
    if options.output is None:
        sys.stdout.write(written)
    else:
        write_text(options.output, written)
        promise(options.output)


def _check(task: SharedTask, entries: Sequence[Entry]) -> list[tuple[Entry, Checked]]:
    """The submissions that count, and what was said of them; tells what was refused, and why."""
    breaches = find_breaches(task, entries)
    checked = [(one, check_entry(task, one)) for one in entries if one not in breaches]
    reasons = [
        *breaches.items(),
        *((one, str(found)) for one, own in checked for found in own.findings if found.fatal),
    ]
    for one, reason in reasons:
        tell(f"note: {one.team}, {one.run}: {reason}")
    return checked
