"""`tallystick gate`: gold, a new system and an old one in, a verdict out."""

import argparse
import os

from tallystick.cli.inputs import count_inputs, need_systems
from tallystick.cli.options import read_testing
from tallystick.cli.output import check_target, promise, tell
from tallystick.comparison.gate import gate_counted
from tallystick.errors import UsageError
from tallystick.io.files import append_text, write_text
from tallystick.results.gate import Gate

__all__ = ["run"]

_SUMMARY = "GITHUB_STEP_SUMMARY"
_CODES = {"pass": 0, "fail": 1, "inconclusive": 3}


def run(options: argparse.Namespace) -> int:
    """Runs `tallystick gate` with parsed options; returns 1 where it fails, 3 where it is open."""
    if not options.metrics:
        raise UsageError("name what to check with -m")
    for path in (options.junit, options.summary):
        if path not in (None, "auto"):
            check_target(path)
    need_systems(options)
    counted = count_inputs(options, against=options.against)
    if len(counted.systems) != 2:
        others = len(counted.systems) - 1
        raise UsageError(f"a gate takes one new system beside --against, and there are {others}")
    gate = gate_counted(
        counted,
        read_testing(options),
        max_drop=options.max_drop,
        floor=options.floor,
        allow_inconclusive=options.allow_inconclusive,
    )
    print(gate, flush=True)
    for note in gate.notes:
        tell(f"note: {note}")
    _write_reports(gate, options)
    return 0 if gate.passed else _CODES[gate.verdict]


def _write_reports(gate: Gate, options: argparse.Namespace) -> None:
    if options.junit is not None:
        write_text(options.junit, gate.to_junit())
        promise(options.junit)
    path = os.environ.get(_SUMMARY) if options.summary == "auto" else options.summary
    if path:
        append_text(path, gate.to_markdown())
        promise(path)
    elif options.summary:
        tell(f"note: no summary was written, because {_SUMMARY} names no file.")
