"""`tallystick compare`: gold and several systems in, their differences out."""

import argparse
from itertools import combinations

from tallystick.cli.intervals import read_draws
from tallystick.cli.output import check_files, format_of, show, tell
from tallystick.cli.parser import refuse
from tallystick.cli.progress import show_progress
from tallystick.cli.reading import name_systems, read_columns, read_task, read_text_columns
from tallystick.cli.texts import OF_LABELS, OF_TEXTS, guess, open_tables, open_texts, wants_texts
from tallystick.comparison.settings import Testing
from tallystick.comparison.tables import compare_tables
from tallystick.comparison.text_files import compare_text_files, compare_text_tables
from tallystick.errors import UsageError
from tallystick.io.files import write_text
from tallystick.io.tables import Table, read_table
from tallystick.render.formats import render
from tallystick.results.comparison import Comparison
from tallystick.results.flips import document_flips

__all__ = ["run"]

_LEAST = 3


def run(options: argparse.Namespace) -> None:
    """Runs `tallystick compare` with parsed options."""
    check_files({"--flips": options.flips}, options.output)
    if options.format is None:
        format_of(options.output)
    if len(options.files) < _LEAST:
        raise UsageError("name a gold file, and then the files of two systems or more")
    if options.files.count("-") > 1:
        raise UsageError("standard input can be one file only")
    if not options.metrics:
        raise UsageError("name what to compare by with -m, such as -m macro_f1; files come before")
    with show_progress(options.files):
        compared = _compare(options)
    _write_flips(compared, options.flips)
    show(compared, options)


def _compare(options: argparse.Namespace) -> Comparison:
    names = name_systems(options.files[1:])
    testing = Testing(options.test, **read_draws(options))
    if not wants_texts(options):
        refuse(options, OF_TEXTS, "goes with metrics of texts, such as bleu")
        gold, *tables = (read_table(path, kind=options.input_format) for path in options.files)
        systems: dict[str, Table | None] = dict(zip(names, tables, strict=True))
        columns, task = read_columns(options), read_task(options)
        return compare_tables(gold, systems, options.metrics, testing, columns, task)
    refuse(options, OF_LABELS, "goes with metrics of labels, not of texts")
    if guess(options.files[0], options) == "lines":
        texts = open_texts(options, names)
        return compare_text_files(texts, options.metrics, testing)
    references, hypotheses = open_tables(options, names)
    return compare_text_tables(
        references, hypotheses, options.metrics, testing, read_text_columns(options)
    )


def _write_flips(compared: Comparison, path: str | None) -> None:
    """Writes the flips of all pairs."""
    if path is None:
        return
    systems = dict.fromkeys(name for one in compared.differences for name in (one.a, one.b))
    flips = {pair: compared.flips(*pair) for pair in combinations(systems, 2)}
    write_text(path, render(document_flips(flips), format_of(path)))
    tell(f"wrote {path}: {sum(map(len, flips.values()))} examples")
