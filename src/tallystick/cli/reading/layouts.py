"""Opens what the options name, in every layout, and names its systems."""

import argparse
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tallystick.cli.options.shared_options import refuse
from tallystick.cli.reading.columns import read_columns
from tallystick.cli.reading.saved_inputs import are_reports, are_tallies
from tallystick.errors import InputError, UsageError
from tallystick.examples.columns import BOTH, NUMERIC
from tallystick.examples.reading import Kind, Reading
from tallystick.examples.sides import Side, find_output
from tallystick.examples.systems import Column, Systems
from tallystick.io.files.datasets import is_dataset
from tallystick.io.files.stores import is_remote
from tallystick.io.names import name_all, name_systems, split_name
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.formats import ROWS
from tallystick.io.tables.table import read_table
from tallystick.kinds.tries import TRIES
from tallystick.reading.layouts import read_files, read_long_file, read_submissions
from tallystick.reading.table_files import Place, read_tables
from tallystick.scoring.given import find_kinds, find_numbers, needs_gold

if TYPE_CHECKING:
    from tallystick.io.submissions import Submissions
    from tallystick.reading.joined_forms import Long, Tries


def check_files(options: argparse.Namespace) -> None:
    """Raises a UsageError where no files are named, or two are standard input."""
    if not options.files:
        hint = "; files come before -m" if options.metrics else ", or a folder with --pred-dir"
        raise UsageError(f"name a gold file and the systems' files{hint}")
    files = options.files[1:] if options.own_gold else options.files
    if [*files, *list_against(options)].count("-") > 1:
        raise UsageError("only one file can be read from standard input")


def place_gold(options: argparse.Namespace) -> None:
    """Puts the gold before the systems: `--gold`, or the first system where no metric needs gold.

    Raises:
        InputError: No metric needs gold, and the first file has no column for them.
        UsageError: `--gold` was given with systems that have no gold file.
    """
    gold, counted = options.gold, are_tallies(options.files) or are_reports(options.files)
    if gold is not None:
        kinds = find_kinds(options.metrics) or ()
        if counted or options.pred_dir or any(kind == TRIES or kind.in_rows for kind in kinds):
            raise UsageError("--gold goes with files of outputs, which these metrics or files lack")
        options.files, options.gold, options.own_gold = [gold, *options.files], None, False
    elif options.own_gold is None and not needs_gold(options.metrics):
        if not options.files and options.submissions:
            from tallystick.io.submissions import find_submissions

            options.files = [*find_submissions(options.submissions).found.values()][:1]
        one = (options.systems, options.system_column, options.submissions, options.annotators)
        several = len([*options.files, *list_against(options)]) > 1
        options.own_gold = several and not (any(one) or counted or options.logs)
        if options.own_gold:
            first = split_name(options.files[0])[1]
            options.own_gold = _is_system(first, options)
            options.files = [first, *options.files] if options.own_gold else options.files


def _is_system(path: str, options: argparse.Namespace) -> bool:
    """Whether the first of several files has numbers of a system; without columns it is gold.

    Raises:
        InputError: It lacks a column that a metric names.
    """
    kind = options.input_format if options.rows is None else f"{ROWS}{options.rows}"
    side = Side(next(iterate_tables(path, kind=kind, rows=1)))
    usual = (NUMERIC, BOTH if len(side.names) > 1 else ())
    needed = (column for one in find_numbers(options.metrics) for column in one.columns)
    for column in dict.fromkeys(needed):
        try:
            side.table.column(find_output(side, side, read_columns(options), column, usual))
        except InputError as error:
            if column is None:
                return False
            raise InputError(f"{error}; if {path} is the gold, pass --gold {path}") from None
    return True


def find_places(
    options: argparse.Namespace,
) -> tuple[str, dict[str, Place], tuple[str, ...]]:
    """The gold, where the outputs of each system lie, and notes on what was left out."""
    gold, *rest = options.files
    if options.systems:
        _check_single(options, rest)
        names = _name_columns(options)
        return gold, {name: Place(column=name) for name in names}, ()
    if options.submissions is not None:
        gold, found = find_folder(options)
        if found.refused:
            name, reason = found.refused[0]
            raise InputError(f"{name}: it {reason}")
        skipped = found.skipped
        notes = (f"not read as submissions: {', '.join(skipped)}.",) if skipped else ()
        return gold, {name: Place(path) for name, path in found.found.items()}, notes
    named = _name_files(options)
    return gold, {name: Place(path) for name, path in named.items()}, ()


def _name_files(options: argparse.Namespace) -> dict[str, str | None]:
    """The file of each system; the only one may stand in the gold's own table."""
    gold, *rest = options.files
    named = name_systems([*rest, *list_against(options)])
    if is_dataset(gold) and not is_remote(gold):
        from tallystick.reading.line_files import check_folders  # since most commands read files

        for path in filter(None, named.values()):
            if is_dataset(path):
                check_folders(gold, path, options.input_format)
    return named or dict.fromkeys(name_systems([gold]))


def open_layout(options: argparse.Namespace, reading: Reading) -> Iterator[Systems]:
    """Reads what the options name, block by block."""
    check_files(options)
    if reading.kinds == (TRIES,):
        return iter([_read_tries(options, reading)])
    if reading.of_rows is not None:
        return iter([_read_rows(reading.of_rows, options, reading)])
    if reading.columns.annotated:
        return iter([_read_annotated(options, reading)])
    if options.system_column is not None or options.systems:
        return _open_table(options, reading)
    if has_folder(options, reading):
        gold, found = find_folder(options)
        return read_submissions(gold, found, reading)
    return read_files(options.files[0], _name_files(options), reading)


def _read_tries(options: argparse.Namespace, reading: Reading) -> Systems:
    """Repeated tries: files of one name are of one system, and gold is only where it is needed."""
    paths, tries = name_tries(options)
    tables = [read_table(path, kind=reading.input_format, watch=reading.watch) for path in paths]
    return tries.read(tables, reading)


def name_tries(options: argparse.Namespace) -> "tuple[list[str], Tries]":
    """The files of tries, and whose they are."""
    from tallystick.reading.joined_forms import Tries

    refuse(options, ("systems", "submissions"), "does not go with repeated tries")
    told = options.system_column is not None
    named = name_all([*options.files, *([] if told else list_against(options))])
    long = name_long(options) if told else None
    return [path for _, path in named], Tries(tuple(name for name, _ in named), long)


def name_long(options: argparse.Namespace) -> "Long":
    """Which systems are meant of those that a column of the only table tells apart."""
    from tallystick.reading.joined_forms import Long

    _check_single(options, options.files[1:])
    return Long(options.system_column, tuple(options.systems), tuple(list_against(options)))


def _read_rows(kind: Kind[Column], options: argparse.Namespace, reading: Reading) -> Systems:
    refuse(options, ("system_column", "submissions"), f"does not go with {kind.said}")
    named = next((one for one in options.files if split_name(one)[0] is not None), None)
    if named is not None:
        raise UsageError(f"{named}: the rows of {kind.said} name the systems; leave out the name")
    paths = list(options.files)
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise UsageError(f"{twice} is named twice, and its rows would count twice")
    tables = {
        path: read_table(path, kind=reading.input_format, watch=reading.watch) for path in paths
    }
    systems = kind.read_rows(tables, reading)
    systems = systems.choose(_name_columns(options) if options.systems else (), "these files")
    check_known(list_against(options), systems.names, "these files")
    return systems.of(*put_last(systems.names, options))


def _read_annotated(options: argparse.Namespace, reading: Reading) -> Systems:
    """One table with the ratings of annotators, and perhaps the systems' columns beside them."""
    from tallystick.reading.annotators import read_annotated

    path, names = name_annotated(options)
    table = read_table(path, kind=reading.input_format, watch=reading.watch)
    return read_annotated(table, names, reading)


def name_annotated(options: argparse.Namespace) -> tuple[str, list[str]]:
    """The table with the ratings of annotators, and the systems that have columns beside them."""
    refuse(options, ("system_column",), "does not go with annotators; give each system a column")
    if options.files[1:] or options.submissions:
        raise UsageError(
            "ratings of annotators are in one table, with a column for each of --systems; "
            "join the files by their ids first"
        )
    return options.files[0], _name_columns(options)


def has_folder(options: argparse.Namespace, reading: Reading) -> bool:
    """Whether the systems are the submissions of a folder."""
    table = options.system_column is not None or options.systems or reading.columns.annotated
    several = reading.kinds == (TRIES,) or reading.of_rows is not None
    return options.submissions is not None and not table and not several


def find_folder(options: argparse.Namespace) -> "tuple[str, Submissions]":
    """The gold and the submissions of a folder; the one that others are held against is last."""
    from tallystick.io.submissions import find_submissions

    check_files(options)
    gold, *rest = options.files
    if rest:
        raise UsageError("--submissions takes a gold file and nothing else")
    found = find_submissions(options.submissions)
    names = list(found.found)
    check_known(list_against(options), names, options.submissions)
    return gold, found.keep(put_last(names, options))


def _check_single(options: argparse.Namespace, rest: Sequence[str]) -> None:
    if rest or options.submissions:
        raise UsageError("--systems and --system-column take one table with gold and all systems")


def _open_table(options: argparse.Namespace, reading: Reading) -> Iterator[Systems]:
    """One table with gold and all systems: in a column each, or told apart by a column."""
    if options.system_column is not None:
        long = name_long(options)
        yield long.choose(read_long_file(options.files[0], long.column, reading))
    else:
        path, places, _ = find_places(options)
        yield from read_tables(path, places, reading)


def list_against(options: argparse.Namespace) -> list[str]:
    """The system that the others are held against, which only a gate may have."""
    against = getattr(options, "against", None)
    return [] if against is None else [against]


def _name_columns(options: argparse.Namespace) -> list[str]:
    """The systems whose columns in one table are named, the one they are held against last."""
    return [*options.systems, *list_against(options)]


def put_last(names: Sequence[str], options: argparse.Namespace) -> list[str]:
    """The names of systems; the one that the others are held against comes last."""
    last = list_against(options)
    return [*(name for name in names if name not in last), *last]


def check_known(names: Sequence[str], known: Sequence[str], where: str) -> None:
    """Raises a UsageError where there is no system of some name."""
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise UsageError(f"there is no system {unknown!r} in {where}, only {', '.join(known)}")


def list_paths(options: argparse.Namespace) -> list[str]:
    """All files that the options name, by which the size of the work is known."""
    paths = [split_name(argument)[1] for argument in options.files]
    for folder in (options.pred_dir, options.submissions):
        if folder and os.path.isdir(folder):
            paths += [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    return paths
