"""The options of figures, and the files that they are written to."""

import argparse
import os
from typing import TYPE_CHECKING

from tallystick.cli.options.option_tables import add_options
from tallystick.errors import UsageError
from tallystick.io.files.opening import write_bytes

if TYPE_CHECKING:
    from tallystick.results.result import Result

FORMATS = ("svg", "pdf", "png")
"""The formats of figures, which endings of files choose."""


def add_figures(group: argparse._ActionsContainer, kinds: str) -> None:
    """Adds which figure `-o figure.svg` draws; `kinds` lists some."""
    table = {
        "--figure KIND": f"the figure for -o FILE.svg, .pdf or .png: {kinds}; KIND=SYSTEM is of "
        "one system",
        "--wide": "make the figure 170 mm wide, for two columns of a paper, and not 85 mm for one",
    }
    add_options(group, table)


def check_figures(options: argparse.Namespace) -> None:
    """Checks the options of figures, and that what draws them is installed."""
    if is_figure(options):
        from tallystick.figures.drawing import check_drawing

        check_drawing()
        return
    for name in ("figure", "wide"):
        if getattr(options, name, None):
            raise UsageError(f"--{name} goes with -o FILE.svg, .pdf or .png")


def is_figure(options: argparse.Namespace) -> bool:
    """Whether a figure is asked for."""
    return (getattr(options, "format", None) or _find_ending(options.output)) in FORMATS


def write_figure(scored: "Result", options: argparse.Namespace) -> str | None:
    """Writes the figure that is asked for; returns what there is to tell of it."""
    from tallystick.figures.drawing import draw, has_foreign_letters

    # A command without these options has results without figures, which say so.
    kind, _, system = (getattr(options, "figure", None) or "").partition("=")
    wide = getattr(options, "wide", False)
    figure = scored.figure(kind or None, system=system or None, wide=wide)
    ending = _find_ending(options.output)
    write_bytes(options.output, draw(figure.spec, f".{ending}"))
    if ending == "svg" or not has_foreign_letters(figure.spec):
        return None
    return (
        f"{options.output} has letters that are not in its font, and are drawn with one of this "
        "machine; look at them, or write .svg, which every browser draws with its own fonts."
    )


def _find_ending(path: str | None) -> str:
    return os.path.splitext(path or "")[1].lower().removeprefix(".")
