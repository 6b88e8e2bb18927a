"""`tallystick view`: a saved result as a figure, or one or a folder of them as pages."""

import argparse
import os
import tempfile
import webbrowser
from pathlib import Path

from tallystick.cli.output import (
    check_figures,
    check_target,
    is_figure,
    promise,
    tell,
    write_figure,
)
from tallystick.errors import InputError, UsageError
from tallystick.io.files.opening import write_text
from tallystick.output.report.bundle import check_report, prepare_bundle
from tallystick.output.report.page import Origin, write_index, write_page
from tallystick.output.results.saved import guard_saved, read_result


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick view` with parsed options."""
    check_figures(options)
    if is_figure(options):
        _draw(options)
        return
    check_report()
    prepare_bundle()
    if os.path.isdir(options.path):
        target = _write_folder(options.path, options.output)
    else:
        target = options.output or os.path.join(tempfile.mkdtemp(), "report.html")
        check_target(target)
        _write(options.path, target)
    if options.output is None:
        webbrowser.open(Path(target).as_uri())


def _draw(options: argparse.Namespace) -> None:
    check_target(options.output)
    result = read_result(options.path)
    with guard_saved(options.path):
        note = write_figure(result, options)
    promise(options.output)
    if note is not None:
        tell(f"note: {note}")


def _write_folder(folder: str, output: str | None) -> str:
    """Writes a page for each saved result of a folder, and one that leads to them."""
    if output is not None:
        raise UsageError("-o writes a single page; leave it out to open the pages of a folder")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    if not names:
        raise InputError(f"{folder}: holds no saved results, which end with .json")
    target = tempfile.mkdtemp()
    pages = {name: f"{name.removesuffix('.json')}.html" for name in names}
    for name, page in pages.items():
        _write(os.path.join(folder, name), os.path.join(target, page))
    index = os.path.join(target, "index of results.html")
    write_text(index, write_index(folder, pages))
    promise(index)
    return index


def _write(path: str, target: str) -> None:
    result, origin = read_result(path), Origin(f"tallystick view {path}")
    with guard_saved(path):
        page = write_page(result.describe(origin))
    write_text(target, page)
    promise(target)
