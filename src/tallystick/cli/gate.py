"""`tallystick gate`: a new system, an old one and gold in, a verdict out."""

import argparse
import os

from tallystick.cli.contest import meet
from tallystick.cli.intervals import read_draws
from tallystick.cli.output import check_target, tell
from tallystick.cli.reading import name_systems
from tallystick.comparison.gating import gate_meeting, settle_testing
from tallystick.errors import UsageError
from tallystick.io.files import append_text, write_text
from tallystick.results.gate import Gate

__all__ = ["run"]

_SUMMARY = "GITHUB_STEP_SUMMARY"


def run(options: argparse.Namespace) -> int:
    """Runs `tallystick gate` with parsed options; returns 1 where the gate is closed."""
    if not options.metrics:
        raise UsageError("name what to check with -m")
    for path in (options.junit, options.summary):
        if path not in (None, "auto"):
            check_target(path)
    paths = [options.new, options.against]
    systems = dict(zip(name_systems(paths), paths, strict=True))
    gate = gate_meeting(
        meet(options, options.gold, systems),
        settle_testing(**read_draws(options)),
        max_drop=options.max_drop,
        floor=options.floor,
        allow_inconclusive=options.allow_inconclusive,
    )
    for note in gate.notes:
        tell(f"note: {note}")
    print(gate)
    _write_reports(gate, options)
    return 0 if gate.passed else 1


def _write_reports(gate: Gate, options: argparse.Namespace) -> None:
    if options.junit is not None:
        write_text(options.junit, gate.to_junit())
        tell(f"wrote {options.junit}")
    path = os.environ.get(_SUMMARY) if options.summary == "auto" else options.summary
    if path:
        append_text(path, gate.to_markdown())
        tell(f"wrote {path}")
    elif options.summary:
        tell(f"note: no summary was written, because {_SUMMARY} names no file.")
