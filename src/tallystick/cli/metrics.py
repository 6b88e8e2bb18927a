"""`tallystick metrics`: lists the metrics, or explains one."""

import argparse
import shutil
import sys
import textwrap

from tallystick.kinds.metrics.names import look_up, parse
from tallystick.kinds.metrics.reference import describe
from tallystick.metrics import METRICS

_WIDTH = 100
"""How wide a page is at most."""


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick metrics` with parsed options."""
    print(_explain(options.name) if options.name else _list_all())


def _measure() -> int:
    """The width of the terminal, where that is narrower than a page."""
    return min(shutil.get_terminal_size().columns, _WIDTH) if sys.stdout.isatty() else _WIDTH


def _list_all() -> str:
    width = max(len(metric.short) for metric in METRICS) + 2
    rows = [f"{metric.short:<{width}}{describe(metric).summary}" for metric in METRICS]
    if sys.stdout.isatty():  # elsewhere one line each, for those who search
        rows = [_wrap(metric.short, describe(metric).summary, width) for metric in METRICS]
    return "\n".join([*rows, "", "`tallystick metrics NAME` explains one."])


def _wrap(name: str, text: str, indent: int) -> str:
    """A name, and beside it a text whose lines stand below each other."""
    return textwrap.fill(
        text,
        _measure(),
        initial_indent=f"{name:<{indent}}",
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
    )


def _explain(name: str) -> str:
    metric, options = look_up(name)
    full = repr(parse(name)) if options else name.strip()
    meant = "" if full == name.strip() else f"{name.strip()} stands for {full}.\n\n"
    told = describe(metric)
    rows = [
        ("formula", told.formula),
        ("range", told.bounds),
        ("undefined", told.undefined),
        ("source", told.source),
        *((f"{name}={default}", meaning) for name, default, meaning in told.options),
    ]
    width = max(len(name) for name, _ in rows) + 2
    lines = [f"{metric.__name__} ({metric.short}): {metric.title}", ""]
    lines += textwrap.wrap(" ".join([told.summary, told.details]).strip(), _measure())
    lines.append("")
    return meant + "\n".join([*lines, *(_wrap(name, text, width) for name, text in rows)])
