"""Reads tables one block of rows at a time, so that memory never holds the whole file."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from tallystick.errors import InputError
from tallystick.io.files.datasets import find_pieces, list_files
from tallystick.io.files.opening import name_source
from tallystick.io.files.pieces import Asked, Piece
from tallystick.io.files.pipes import reading
from tallystick.io.files.progress import Progress, measure_input
from tallystick.io.tables.building import regroup
from tallystick.io.tables.formats import check_start, get_format, guess_by_ending, settle_format
from tallystick.io.tables.table import (
    Table,
    add_values,
    build_table,
    check_alike,
    join_tables,
    read_table,
)

_ROWS = 1 << 18


def iterate_tables(
    path: str,
    *,
    format: str | None = None,
    only: Collection[str] | None = None,
    rows: int = _ROWS,
    watch: Progress | None = None,
    pieces: Sequence[Piece] | None = None,
) -> Iterator[Table]:
    """Yields what `read_table` returns in blocks of `rows` rows; the last one may have fewer.

    Each block knows the number of its first row. CSV, JSON Lines, Parquet and lines are read as
    they are yielded; an array of JSON is read whole. An error comes once the block with the fault
    is reached. `pieces` are rows of files with the same columns; None reads all of the path.
    """
    with reading(path):
        chosen, sure = find_pieces(path) if pieces is None else pieces, format is not None
        format = settle_format(chosen, format)
        tables = (
            add_values(table, piece, only) if piece.values else table
            for piece in chosen
            for table in _iterate(Asked(piece.path, format, only, watch, piece.span), rows, sure)
        )
        count = 0
        for table in tables if len(chosen) == 1 else _fill(name_source(path), tables, rows):
            yield table
            count += len(table)
        if not count and pieces is None:
            read_table(path, format=format, only=only)  # says what is missing


def _fill(source: str, tables: Iterator[Table], rows: int) -> Iterator[Table]:
    """Yields blocks of exactly that many rows of several files, except perhaps the last one."""
    held: list[Table] = []
    first: Table | None = None
    done = count = 0
    for table in tables:
        first = table if first is None else first
        check_alike(first, table)
        origins = ((0, table.source, table.first),)
        own = replace(table, source=source, first=first.first + done, origins=origins)
        held, count, done = [*held, own], count + len(table), done + len(table)
        while count >= rows:
            whole, count = join_tables(source, held), count - rows
            yield whole.cut(0, rows)
            held = [whole.cut(rows, count)] if count else []
    if held:
        yield join_tables(source, held)


def _iterate(asked: Asked, rows: int, sure: bool) -> Iterator[Table]:
    blocks = get_format(asked).iterate(asked, rows)
    if blocks is None:
        whole = read_table(asked.path, format=asked.format, only=asked.only)
        yield from (whole.cut(start, rows) for start in range(0, len(whole), rows))
        return
    check_start(asked.path, format=asked.format, sure=sure)
    first = 0 if asked.span is None else asked.span.first
    for names, columns in regroup(blocks, rows):
        yield build_table(asked, names, columns, first)
        first += columns.num_rows


_GZIP = 16
"""By how much gzip shrinks tables of labels, or more."""


def measure_unpacked(path: str) -> int:
    """Returns how many bytes a path's Parquet or gzip has in memory, about; 0 of other formats."""
    if path.lower().endswith(".gz"):
        return _GZIP * measure_input([path])
    if guess_by_ending(path) not in (None, "parquet"):
        return 0
    from tallystick.io.tables.parquet import measure_file

    with suppress(InputError):
        files = [one.path for one in list_files(path)]
        return sum(measure_file(own) for own in files if guess_by_ending(own) == "parquet")
    return 0
