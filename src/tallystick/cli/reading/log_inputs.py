"""Logs as systems, with their scores as metrics; loaded where files turn out to be logs."""

import argparse
from collections.abc import Sequence

from msgspec.structs import replace

from tallystick.comparison.gates.checks import Limits
from tallystick.io.logs.finding import read_logs
from tallystick.kinds.metrics.names import read_metrics
from tallystick.model.reading import Reading
from tallystick.reading.logs.log_files import read_log_systems
from tallystick.reading.logs.log_systems import LogSystem, group_logs, resolve_metrics
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count

Argument = tuple[str | None, Sequence[tuple[str, str]]]
"""The name that an argument gives its logs, and the logs, each with its format."""


def name_systems_of_logs(
    options: argparse.Namespace, arguments: Sequence[Argument], *, against: bool
) -> None:
    """Reads logs and names their scores as metrics; `against` makes the last argument last."""
    owners = [place for place, (_, own) in enumerate(arguments) for _ in own]
    logs = read_logs([one for _, own in arguments for one in own])
    last = len(arguments) - 1 if against else None
    options.logs = group_logs(
        [
            (arguments[place][0], int(place == last), place, log)
            for place, own in zip(owners, logs, strict=True)
            for log in own
        ]
    )
    if options.metrics or not hasattr(options, "limits"):  # a gate has limits, which name metrics
        options.metrics = resolve_metrics(options.metrics, options.logs)


def name_limits(options: argparse.Namespace, limits: Limits) -> Limits:
    """Returns the limits of a gate with means for scores of logs; without limits all scores."""
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


def count_logs(options: argparse.Namespace, reading: Reading, *, keep: bool) -> Counted:
    """Counts the systems of logs on the samples that all of them hold."""
    systems: Sequence[LogSystem] = options.logs
    found, by = read_log_systems(systems, read_metrics(options.metrics), reading)
    heading = "/".join(by) or None
    counted = count(
        [found],
        options.metrics,
        heading=heading,
        keep=keep,
        round_scores=reading.columns.round_scores,
    )
    tasks = {log.task for system in systems for log in system.logs}
    return replace(counted, title=tasks.pop() if len(tasks) == 1 else "")
