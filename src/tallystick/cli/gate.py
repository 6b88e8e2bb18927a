"""`tallystick gate`: gold, a new system and an old one in, a verdict out."""

import argparse
import locale
import os
import sys

from msgspec.structs import replace

from tallystick.cli.options.shared_options import read_testing
from tallystick.cli.output import (
    check_target,
    promise,
    read_style,
    show,
    tell,
    tell_notes,
    write_result,
)
from tallystick.cli.reading.checks import check_directions, check_options, take_logs
from tallystick.cli.reading.inputs import count_inputs, need_systems, place_gold
from tallystick.comparison.gates.checks import KINDS, Limits, collect_limits, read_limits
from tallystick.comparison.gates.gate import gate_counted
from tallystick.errors import TallystickError, UsageError
from tallystick.io.files.opening import append_text, write_text
from tallystick.kinds.metrics.names import read_metrics
from tallystick.output.results.gate import MARKS, Broken, Gate
from tallystick.output.tables.formats import render

_SUMMARY = "GITHUB_STEP_SUMMARY"


def run_gate(options: argparse.Namespace) -> int:
    """Runs `tallystick gate`; the exit code is the verdict, and reports tell errors too."""
    for path in (options.junit, options.json, options.summary):
        if path not in (None, "auto"):
            check_target(path)
    try:
        take_logs(options)
        check_options(options, "gate")
        gate = _gate(options)
    except (TallystickError, OSError) as error:
        if not (options.junit or options.json or options.summary):
            raise
        _write_reports(Broken(str(error)), options)
        tell(f"tallystick: error: {error}")
        return 2 if isinstance(error, UsageError) else 4
    _print(gate, options)
    _write_reports(gate, options)
    return 0 if gate.passed else {"pass": 0, "fail": 1, "inconclusive": 3}[gate.verdict]


def _name_limits(options: argparse.Namespace, limits: Limits) -> Limits:
    """Returns limits with means for scores of logs; without metrics, all scores are checked."""
    # Imported here because most gates read no logs.
    from tallystick.reading.log_systems import resolve_metrics

    systems = options.logs
    if not options.metrics and not limits.metrics:
        options.metrics = resolve_metrics(None, systems)
    return Limits(
        tuple(
            replace(rule, metric=one if one is None or isinstance(one, str) else repr(one))
            for rule in limits.rules
            for one in ([None] if rule.metric is None else resolve_metrics([rule.metric], systems))
        )
    )


def _gate(options: argparse.Namespace) -> Gate:
    limits = _read_limits(options)
    if options.logs:
        limits = _name_limits(options, limits)
    options.metrics = options.metrics or list(limits.metrics)
    if not options.metrics:
        raise UsageError("name what to check with -m")
    place_gold(options)
    if options.against is not None or options.annotators:  # else one may stand beside its gold
        need_systems(options)
    testing = read_testing(options)
    testing.one_sided()
    check_directions(options)
    read_metrics(limits.metrics)
    if options.against is None and limits.kinds != ("floor",):
        raise UsageError(
            "name the older system with --against; only --floor and --max do without one"
        )
    counted = count_inputs(options)
    others = len(counted.systems) - (options.against is not None)
    if others != 1:
        raise UsageError(f"a gate takes one new system besides --against, and there are {others}")
    return gate_counted(
        counted,
        testing,
        limits,
        sequential=options.sequential,
        allow_inconclusive=options.allow_inconclusive,
    )


def _read_limits(options: argparse.Namespace) -> Limits:
    given = {kind: getattr(options, kind) for kind in KINDS}
    if options.limits is None:
        given["floor"] = [*(options.floor or ()), *_list_most(options)] or None
        if not any(given.values()):
            raise UsageError(
                "name a limit, such as --max-drop 0.01, --floor 0.8, --max mae=0.5 or "
                "--equivalent-within 0.01, or a file of limits with --config"
            )
        return collect_limits({kind: _join(kind, own) for kind, own in given.items()})
    for name in ("metrics", *KINDS, "max"):
        if getattr(options, name):
            option = "-m" if name == "metrics" else f"--{name.replace('_', '-')}"
            raise UsageError(f"metrics and limits are in {options.limits}; leave out {option}")
    return read_limits(options.limits)


def _list_most(options: argparse.Namespace) -> list[tuple[str | None, float]]:
    given: list[tuple[str | None, float]] = options.max or []
    for name, _ in given:
        if name is None:
            raise UsageError("--max names what it limits, such as --max 'gap(f1)=0.05'")
        for one in [] if options.logs else read_metrics([name]):
            if one.better != "lower":
                named = getattr(one, "column", None)
                hint = f", unless it is mean({named}, better=lower)" if named else ""
                message = (
                    f"--max is for scores of which lower is better; {name} has a --floor{hint}"
                )
                raise UsageError(message)
    return given


def _join(
    kind: str, given: list[tuple[str | None, float]] | None
) -> float | dict[str, float] | None:
    if given is None:
        return None
    named = {name: number for name, number in given if name is not None}
    if len(named) == len(given):
        return dict(named)
    if len(given) == 1:
        return given[0][1]
    option = f"--{kind.replace('_', '-')}"
    raise UsageError(f"{option} takes one number, or one for each metric, such as f1=0.01")


def _print(gate: Gate, options: argparse.Namespace) -> None:
    if options.output or options.format not in {None, "table"}:
        show(gate, options)
        return
    bare, style = replace(gate, notes=()), read_style(options)
    if sys.stdout.isatty():
        from tallystick.output.tables.text import print_rich

        # The stream takes any character, but the terminal may show only those of its encoding.
        marks = MARKS if "utf" in locale.getencoding().lower() else {}
        print_rich(bare.show(marks=marks, folded=not options.verbose), style)
    else:
        write_result(None, render(bare.show(folded=not options.verbose), "table", style))
    sys.stdout.flush()
    tell_notes(gate.notes, verbose=options.verbose)


def _write_reports(gate: Gate | Broken, options: argparse.Namespace) -> None:
    for report, write in ((options.junit, gate.to_junit), (options.json, gate.to_json)):
        if report is not None:
            write_text(report, write())
            promise(report)
    path = os.environ.get(_SUMMARY) if options.summary == "auto" else options.summary
    if path:
        append_text(path, gate.to_markdown())
        promise(path)
    elif options.summary:
        tell(f"note: no summary was written, because {_SUMMARY} names no file.")
