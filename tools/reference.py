"""Writes the references of docs/: metrics from their docstrings, commands from their parsers."""

import argparse
import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from tallystick.cli.parser import build_parser
from tallystick.kinds.metrics.reference import OPTIONS, describe
from tallystick.metrics import METRICS
from tallystick.model.tallies.metric import Metric

DOCS = Path(__file__).parents[1] / "docs"
_TITLES = {
    "labels": "Labels",
    "probabilities": "Probabilities",
    "texts": "Texts",
    "spans": "Spans",
    "numbers": "Numbers",
    "tries": "Repeated tries",
    "ratings": "Ratings of annotators",
    "rankings": "Rankings of documents",
    "preferences": "Preferences",
    "trees": "Dependency trees",
    "formulas": "Means and gaps of other metrics",
}


def write_pages() -> dict[str, str]:
    """Each page by its path below docs."""
    found = sorted(METRICS, key=lambda metric: list(_TITLES).index(_find_kind(metric)))
    kinds = {kind: list(own) for kind, own in groupby(found, _find_kind)}
    pages = {"metrics.md": _write_index(kinds)}
    for kind, metrics in kinds.items():
        lines = [line for metric in metrics for line in _write_metric(metric)]
        pages[f"metrics/{kind}.md"] = "\n".join([f"# Metrics: {_TITLES[kind]}", *lines, ""])
    options = [f"- `{name}`: {meaning}." for name, meaning in OPTIONS.items()]
    pages["metrics/options.md"] = "\n".join(["# Options of metrics", "", *options, ""])
    pages["commands.md"] = _write_commands()
    return pages


def _write_commands() -> str:
    """What `--help all` prints of each command, on lines of 100 columns."""
    lines = ["# Commands", "", "What `tallystick COMMAND --help all` prints.", ""]
    os.environ["COLUMNS"] = "102"
    for parser in _list_parsers(build_parser()):
        parser.whole = True
        lines += [f"## {parser.prog}", "", "```text", parser.format_help().rstrip(), "```", ""]
    return "\n".join(lines)


def _list_parsers(parser: argparse.ArgumentParser) -> Iterator[Any]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield command
                yield from _list_parsers(command)


def _find_kind(metric: type[Metric]) -> str:
    """The folder of a metric, or `formulas` for those of other metrics."""
    folder = metric.__module__.split(".")[2]
    return folder if folder in _TITLES else "formulas"


def _write_index(kinds: dict[str, list[type[Metric]]]) -> str:
    lines = [
        "# Metrics",
        "",
        "Every metric by the kind of data that it scores, with the name that `-m` takes.",
        "The page of a kind has formula, range, source and options of each, as `tallystick metrics "
        "NAME` prints them.",
    ]
    for kind, metrics in kinds.items():
        rows = [f"| `{metric.short}` | {describe(metric).summary} |" for metric in metrics]
        lines += ["", f"## [{_TITLES[kind]}](metrics/{kind}.md)", "", "| name | what it is |"]
        lines += ["|---|---|", *rows]
    lines += ["", "What their [options](metrics/options.md) mean is told once for all."]
    lines += ["", "```{toctree}", ":hidden:", ""]
    return "\n".join([*lines, *(f"metrics/{kind}" for kind in (*kinds, "options")), "```", ""])


def _write_metric(metric: type[Metric]) -> list[str]:
    told = describe(metric)
    options = ", ".join(f"`{name}={default}`" for name, default, _ in told.options)
    return [
        "",
        f"## {metric.__name__}",
        "",
        told.summary,
        *([told.details] if told.details else []),
        "",
        f"- formula: {told.formula}",
        f"- range: {told.bounds}",
        f"- undefined: {told.undefined}",
        f"- source: {told.source}",
        f"- options: {options or 'none'}",
    ]


if __name__ == "__main__":
    (DOCS / "metrics").mkdir(exist_ok=True)
    for path, page in write_pages().items():
        (DOCS / path).write_text(page, encoding="utf-8")
