"""Writes results to a file, a terminal or plain standard output, and notes to standard error."""

import argparse
import ast
import os
import re
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tallystick.errors import InputError, UsageError, count_shown
from tallystick.io.files.datasets import is_page
from tallystick.io.files.opening import Progress, measure_input, write_bytes, write_text
from tallystick.io.files.outputs import find_outputs
from tallystick.io.files.stores import check_bucket, is_remote
from tallystick.output import MOST_EXAMPLES
from tallystick.output.tables.cells import escape_controls
from tallystick.output.tables.document import Document, Style
from tallystick.output.tables.formats import render
from tallystick.output.tables.text import wrap

if TYPE_CHECKING:
    from tallystick.output.report.page import Origin
    from tallystick.output.results.result import Result


_PATIENCE = 2.0
"""The bar appears where the work is expected to take longer than this many seconds."""

_TICK = 0.1


@contextmanager
def show_progress(paths: Sequence[str]) -> Iterator[Progress]:
    """Yields a counter of bytes read, shown on a terminal if all takes more than two seconds."""
    watch = Progress()
    total = measure_input(paths)
    if not sys.stderr.isatty():
        yield watch
        return
    ended = threading.Event()
    painter = threading.Thread(target=_paint, args=(watch, total, ended), daemon=True)
    painter.start()
    try:
        yield watch
    finally:
        ended.set()
        painter.join()


def _paint(watch: Progress, total: int, ended: threading.Event) -> None:
    start, wait = time.monotonic(), 0.5
    while not ended.wait(wait):
        spent, wait = time.monotonic() - start, _TICK
        share = _share(watch, total)
        if spent > _PATIENCE or (0 < share < 1 and spent / share > _PATIENCE):
            _draw(watch, total, ended)
            return


def _share(watch: Progress, total: int) -> float:
    if watch.parts:
        return watch.done_parts / watch.parts
    return min(watch.done_bytes / total, 1) if total else 1


def _draw(watch: Progress, total: int, ended: threading.Event) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TimeRemainingColumn(),
    )
    start = time.monotonic()
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0, left="")
        while not ended.wait(_TICK):
            share = _share(watch, total)
            rate = watch.done_bytes / 1e6 / (time.monotonic() - start)
            doing = f"reading {total / 1e6:,.0f} MB"
            if watch.parts:
                doing = f"counted {watch.done_parts:,} of {watch.parts:,} parts, {rate:,.0f} MB/s"
            if share < 1:
                bar.update(task, description=doing, completed=share, left="left:")
            else:
                bar.update(task, description="computing", total=None, left="")


@contextmanager
def watch_progress() -> Iterator[Callable[[str, float], None]]:
    """Yields a callback that shows on a terminal what is being done, and which share is done."""
    if not sys.stderr.isatty():
        yield lambda doing, share: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=1)
        yield lambda doing, share: progress.update(bar, description=doing, completed=share)


NAMED = ("gold", "predicted", "probability", "id", "count", "rated")
"""The columns that an option such as --gold-column names."""
OTHERS = {
    "weights": "weight_column",
    "missing": "missing_outputs",
    "references": "ref",
    "beside": "queries",
    "text": "text_column",
}
"""What layouts call otherwise."""
_OPTIONS = {
    **OTHERS,
    "header": "no_header",
    "label": "model_label",
    "missing": "missing",
    "kind": "task",
    "annotator": "annotators",
    "system_id": "id_column GOLD=SYSTEM",
    "language_column": "language",
    "unicode": "normalize",
    "sides": "systems",
}
_ARGUMENT = re.compile(r"`(\w+)=([^`]*)`")


def name_options(message: str) -> str:
    """Returns a message with options in place of the arguments of Python."""
    return _ARGUMENT.sub(_spell, message)


def _spell(argument: re.Match[str]) -> str:
    name, value = argument.groups()
    if name == "gold_files":
        return shlex.join([f"GOLD/{ast.literal_eval(value)}"])
    name = _OPTIONS.get(name, f"{name}_column" if name in NAMED else name)
    option = f"--{name.replace('_', '-')}"
    if value in ("", "True", "False"):
        return option
    given = ast.literal_eval(value)
    return shlex.join([option, *map(str, given if isinstance(given, list) else [given])])


_ENDINGS = {
    ".eee.json": "eee",
    ".csv": "csv",
    ".htm": "html",
    ".html": "html",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".pdf": "pdf",
    ".png": "png",
    ".svg": "svg",
    ".tex": "latex",
    ".txt": "table",
}

FIGURES = ("svg", "pdf", "png")
"""The formats of figures, which endings of files choose."""

_written: list[str] = []
"""Messages about the files that a command writes, printed once they are in place."""


def tell(message: str) -> None:
    """Says something to the person at the terminal, wrapped to its width."""
    message = name_options(escape_controls(message))
    if sys.stderr.isatty():
        lead, colon, rest = message.partition(": ") if message.startswith("note: ") else ("",) * 3
        width = shutil.get_terminal_size().columns
        message = wrap(lead + colon, rest, width=width) if lead else wrap(message, width=width)
    print(message, file=sys.stderr)


def promise(path: str, rest: str = "") -> None:
    """Notes that a file is written, which is printed once it is in place."""
    _written.append(f"wrote {path}{rest}")


def tell_written() -> None:
    """Prints which files have been written."""
    for message in _written:
        tell(message)
    _written.clear()


def check_files(extra: Mapping[str, str | None], output: str | None) -> None:
    """Checks the output, further .csv or .json files by their options, and what a report needs."""
    if output is not None and is_page(output):
        from tallystick.output.figures.drawing import check_report, prepare_bundle

        check_report()
        prepare_bundle()
    for option, path in extra.items():
        if path is not None and _find_ending(path) not in ("csv", "json"):
            raise UsageError(f"{option} writes .csv or .json, not {path}")
    for path in (output, *extra.values()):
        if path is not None and path != "-":
            check_target(path)


def show(scored: "Result", options: argparse.Namespace) -> None:
    """Writes results to a file or to standard output, and then the notes to standard error."""
    path = None if options.output == "-" else options.output
    format = options.format or format_of(path)
    note = None
    if getattr(options, "sentence", False):
        write_result(path, f"{scored.to_sentence(read_style(options))}\n")
    elif format == "html":
        note = _write_report(scored, options, path)
    elif format in FIGURES:
        note = write_figure(scored, options)
    else:
        _write_document(scored, path, format, read_style(options))
    sys.stdout.flush()
    methods = scored.methods_in_full if options.verbose else ()
    tell_notes((*scored.notes, *methods), verbose=options.verbose)
    if path is not None:
        promise(path)
    if note is not None:
        tell(f"note: {note}")


def _write_report(scored: "Result", options: argparse.Namespace, path: str | None) -> str | None:
    from tallystick.output.report.page import write_page

    most = getattr(options, "examples", MOST_EXAMPLES)
    page = write_page(scored.describe(_find_origin(options), read_style(options), examples=most))
    write_result(path, page)
    if most is not None:
        return None
    return (
        f"the report contains all examples ({len(page.encode()) / 1e6:.1f} MB); consider who "
        "may see them."
    )


def _write_document(scored: "Result", path: str | None, format: str, style: Style) -> None:
    if format == "markdown":
        write_result(path, replace(scored, notes=()).to_markdown(style))
        return
    document = scored.document()
    own = (note for note in document.notes if note not in scored.notes)
    document = replace(document, notes=tuple(own))
    if format == "table" and path is None and sys.stdout.isatty():
        from tallystick.output.tables.text import print_rich

        print_rich(document, style)
    else:
        write_result(path, render(document, format, style))


def check_figures(options: argparse.Namespace) -> None:
    """Checks the options of figures, and that what draws them is installed."""
    if is_figure(options):
        from tallystick.output.figures.drawing import check_drawing

        check_drawing()
        return
    if getattr(options, "figure", None):
        raise UsageError("--figure can only be used with -o FILE.svg, .pdf or .png")


def is_figure(options: argparse.Namespace) -> bool:
    """Whether a figure is asked for."""
    return (getattr(options, "format", None) or _find_ending(options.output)) in FIGURES


def split_figure(options: argparse.Namespace) -> tuple[str, str, bool]:
    """The kind of the figure that is asked for, its system, and whether it is wide."""
    words = (getattr(options, "figure", None) or "").split(",")
    kind, _, system = next((word for word in words if word != "wide"), "").partition("=")
    return kind, system, "wide" in words


def write_figure(scored: "Result", options: argparse.Namespace) -> str | None:
    """Writes the figure that is asked for; returns what there is to tell of it."""
    from tallystick.output.figures.drawing import draw, has_foreign_letters

    # A command without these options has results without figures, which say so.
    kind, system, wide = split_figure(options)
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


def write_result(path: str | None, text: str) -> None:
    """Writes to a file, or to standard output where there is none."""
    if path is not None:
        write_text(path, text)
        return
    at_once = 1 << 20
    for start in range(0, len(text), at_once):  # so that no second copy is held as bytes
        sys.stdout.write(text[start : start + at_once])


def write_table(path: str, document: Document, rest: str = "") -> None:
    """Writes a document to a .csv or .json file."""
    write_text(path, render(document, format_of(path)))
    promise(path, rest)


def _find_origin(options: argparse.Namespace) -> "Origin":
    import hashlib

    from tallystick.output.report.page import InputFile, Origin

    outputs = find_outputs()
    inputs = []
    for path in () if outputs is None else outputs.inputs:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            inputs.append(InputFile(path, os.path.getsize(path), digest))
    return Origin(getattr(options, "command", ""), tuple(inputs))


def read_style(options: argparse.Namespace) -> Style:
    """How parsed options show numbers."""
    digits = dict(options.digits)
    return Style(
        digits=digits.pop("", None),
        decimals=digits,
        percent=options.percent,
        columns=tuple(options.columns),
        intervals=bool(getattr(options, "intervals", False)),
        notes=None,
        rename=dict(getattr(options, "rename", ())),
        caption=getattr(options, "caption", None),
        label=_name_label(options),
    )


def _name_label(options: argparse.Namespace) -> str | None:
    """The label of a LaTeX table, which is the name of its file."""
    format = getattr(options, "format", None) or _find_ending(options.output)
    if format not in ("latex", "tex") or options.output in (None, "-"):
        return None
    return os.path.splitext(os.path.basename(str(options.output)))[0]


def tell_notes(notes: Sequence[str], *, verbose: bool) -> None:
    """Prints the first notes, and how many more there are; all of them if `verbose`."""
    shown = notes[: count_shown(notes, None if verbose else 3)]
    for note in shown:
        tell(f"note: {note}")
    hidden = len(notes) - len(shown)
    if hidden:
        tell(f"{hidden} more {'note' if hidden == 1 else 'notes'} with --verbose")


def check_target(path: str) -> None:
    """Raises an error where a file cannot be written."""
    if path == "-":
        raise UsageError("standard output (-) contains the results, so name a file for this")
    if is_remote(path):
        check_bucket(path)
        return
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        raise InputError(f"{path}: cannot be written: it is a directory")
    if os.path.exists(path) and not os.path.isfile(path):
        return  # a device or a pipe, such as /dev/stdout, is not replaced in its folder
    if not os.path.isdir(folder):
        raise InputError(f"{path}: cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path}: cannot be written: the folder {folder} is read-only")


def format_of(path: str | None) -> str:
    """The format that the ending of a file represents; that of no file is a table."""
    if path is None or path == "-":
        return "table"
    for ending, format in _ENDINGS.items():
        if path.lower().endswith(ending):
            return format
    raise UsageError(
        f"{path} has an unknown extension ({', '.join(_ENDINGS)}); choose one with --format"
    )
