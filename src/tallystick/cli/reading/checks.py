"""Checks options before any data is read: what needs no data to be wrong stops no long run."""

import argparse
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from tallystick.cli.options.shared_options import refuse
from tallystick.cli.output import (
    NAMED,
    check_figures,
    check_files,
    format_of,
    read_style,
    split_figure,
)
from tallystick.cli.reading.inputs import list_against, list_columns, place_gold
from tallystick.cli.reading.saved_inputs import are_reports, are_tallies
from tallystick.errors import UsageError
from tallystick.io.files.datasets import name_systems
from tallystick.io.tables.formats import mark_headless
from tallystick.kinds.metrics.names import look_up, read_metrics, take_columns
from tallystick.kinds.metrics.requirements import translate
from tallystick.model.facts import KINDS
from tallystick.output.tables.formats import check_style
from tallystick.reading.input_plan import open_logs

if TYPE_CHECKING:
    from tallystick.statistics.settings import Testing


_FIGURES = {
    "score": (
        *("scores", "groups", "heatmap", "labels", "confusion", "depths"),
        *("roc", "pr", "reliability", "threshold", "risks", "lengths", "wins"),
    ),
    "compare": ("compare", "groups"),
    "rank": ("rank", "critical-difference"),
    "gate": ("gate",),
}
"""The first word of each figure of a command."""

_NOT_OF_LOGS = (
    *("systems", "system_column", "submissions", "ref", "annotators"),
    *("id_column", "count_column", "workers", "corrected_by"),
    "gold",
)
"""Options that do not belong to logs, whose layout is known."""

_HEADINGS = {
    "score": (
        *("system", "n", "invalid", "label", "metric", "gold\\predicted"),
        *("runs", "mean", "SD", "over examples", "seed share"),
    ),
    "compare": (
        *("system", "difference", "p", "equivalent", "metric"),
        *("a", "b", "value_a", "value_b", "p_holm"),
    ),
    "rank": (
        *("rank", "change", "system", "ranks", "letters", "best_share", "mean_rank", "n"),
        *("mean", "points"),
    ),
    "gate": ("verdict", "metric", "new", "old", "difference", "limit", "needed"),
    "plan": ("metric", "n", "clusters", "power", "minimum detectable difference"),
}
"""The columns of a command that are no metrics, where nothing is broken down by groups."""


def check_options(
    options: argparse.Namespace, command: str, files: Mapping[str, str | None] | None = None
) -> None:
    """Checks what all commands have that show a result, and settles the format."""
    take_column_names(options)
    if "own_gold" in options:  # else a task file names the files
        place_gold(options)
    options.format = options.format or format_of(options.output)
    check_style(read_style(options), options.format)
    _check_columns(options, command)
    figure, _, _ = split_figure(options)
    kind = figure.split(" ")[0] if _is_broken_down(options) else figure
    kinds = _FIGURES.get(command, ())
    if figure and kind.lower() not in kinds:
        raise UsageError(f"there is no figure {figure!r} of {command}, only {', '.join(kinds)}")
    check_files(files or {}, options.output)
    check_figures(options)


def take_column_names(options: argparse.Namespace) -> None:
    """Takes a name for the mean of a column where the files have it and no metric is called so."""
    if getattr(options, "metrics", None):
        named = translate(options.files[0], options.metrics) if options.files else options.metrics
        options.metrics = take_columns(named or (), lambda: list_columns(options))


def check_directions(options: argparse.Namespace) -> None:
    """Raises a UsageError where systems cannot be ranked by a metric."""
    from tallystick.comparison.ranking.orders import check_direction

    for metric in read_metrics(options.metrics or ()):
        check_direction(metric.name, metric.better)


def check_overall(options: argparse.Namespace) -> None:
    """Raises a UsageError where there is one score alone to make an overall order of."""
    from tallystick.comparison.ranking.overall_ranking import TOO_FEW

    metrics = {*read_metrics(options.metrics or ())}
    if options.overall and len(metrics) < 2 and not _is_broken_down(options):
        raise UsageError(TOO_FEW)


def check_tests(options: argparse.Namespace, testing: "Testing") -> None:
    """Raises a UsageError where the test is not for a metric."""
    from tallystick.comparison.significance import check_test

    for metric in read_metrics(options.metrics or ()):
        check_test(testing.test, metric)


def check_baselines(options: argparse.Namespace, baselines: Sequence[str]) -> None:
    """Raises a UsageError where the options name all systems, and a baseline is none of them."""
    known = (list(options.systems) or _name_files(options)) if baselines else []
    known = [system.name for system in getattr(options, "logs", ())] or known
    for name in baselines:
        if known and name not in known:
            raise UsageError(
                f"there is no system {name!r} to be a baseline, only {', '.join(known)}"
            )


def _name_files(options: argparse.Namespace) -> list[str]:
    """The systems of files; none where something else than a file shows them."""
    elsewhere = (options.system_column, options.submissions, options.pred_dir)
    if any(elsewhere) or are_tallies(options.files) or are_reports(options.files):
        return []
    return list(name_systems(options.files[1:]))


def _check_columns(options: argparse.Namespace, command: str) -> None:
    """Raises a UsageError for a column that no table can have; groups are known to data alone."""
    shows_labels = command == "score" and not options.metrics  # those of its confusion matrix
    if _is_broken_down(options) or shows_labels:
        return
    metrics = (one for kind in KINDS for one in read_metrics(options.metrics or (), kind))
    names = dict.fromkeys(name for one in metrics for name in (one.name, repr(one)))
    known = (*_HEADINGS[command], *names)
    for name in options.columns:
        if name in known or name.startswith("- "):  # a column of the matrix of all pairs
            continue
        with suppress(UsageError):
            if not options.metrics and look_up(name):
                continue
        raise UsageError(f"there is no column {name!r}, only {', '.join(map(repr, known))}")


def _is_broken_down(options: argparse.Namespace) -> bool:
    """Whether there may be groups or tracks, whose names only the data tells."""
    text = (options.by, options.pred_dir, getattr(options, "config", None))
    logs = getattr(options, "logs", ())
    return any((*text, logs)) or are_tallies(options.files) or are_reports(options.files)


def _take_patterns(options: argparse.Namespace) -> None:
    """Splits names such as gold/{id}.txt into the folder and the pattern of its files."""
    options.patterns = []

    def take(path: str) -> str:
        folder, name = os.path.split(path)
        pattern = name if "{id}" in name or "#ID#" in name else ""
        options.patterns.append(pattern)
        return (folder or ".") if pattern else path

    options.gold = options.gold and take(options.gold)
    options.files = [*map(take, options.files)]
    if list_against(options):
        options.against = take(options.against)
    if not any(options.patterns):
        options.patterns = []


def take_logs(options: argparse.Namespace) -> None:
    """Reads logs where the files are some, and names the scores that they hold as metrics."""
    options.logs = ()
    _take_patterns(options)
    if getattr(options, "quote", None) is not None:
        if options.rows or options.input_format not in (None, "csv", "tsv"):
            raise UsageError("--quote can only be used with CSV and TSV files")
        options.input_format = f"{options.input_format or ''} {options.quote}"
    if options.no_header:
        numbered = any(getattr(options, f"{name}_column") for name in NAMED)
        form = options.input_format if options.rows is None else "JSON"
        options.input_format = mark_headless(form, named=numbered)
    given = options.input_format
    apart = options.pred_dir or options.rows or options.per_file or options.patterns
    if not options.files or apart:
        return
    against = list_against(options)
    last = len(options.files) if against else None  # which the others are compared with
    options.logs = open_logs([*options.files, *against], given, last)
    if not options.logs:
        return
    refuse(
        options, _NOT_OF_LOGS, ("cannot be used with logs, each of which is a system with its gold")
    )
    from tallystick.reading.log_systems import resolve_metrics

    if options.metrics or not hasattr(options, "limits"):  # a gate has limits, which name metrics
        options.metrics = resolve_metrics(options.metrics, options.logs)
