"""Reads the inputs that options name, in every layout, alike for all commands."""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tallystick.cli.options.shared_options import refuse
from tallystick.cli.reading.reports import are_reports, count_reports
from tallystick.cli.reading.tallies import add_tallies, are_tallies
from tallystick.errors import InputError, UsageError
from tallystick.examples.columns import Columns
from tallystick.examples.reading import Kind, Reading, relay
from tallystick.examples.systems import Column, Systems
from tallystick.examples.task import Task
from tallystick.io.files.opening import name_source
from tallystick.io.files.progress import Progress, measure_input
from tallystick.io.names import name_all, name_systems, split_name
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.formats import ROWS
from tallystick.io.tables.table import read_table
from tallystick.kinds.index import find_layout
from tallystick.kinds.labels import LABELS
from tallystick.kinds.ratings import RATINGS
from tallystick.kinds.texts import TEXTS
from tallystick.kinds.tries import TRIES
from tallystick.reading.layouts import read_files, read_long_file, read_submissions
from tallystick.reading.table_files import Place, read_tables
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count, count_accepted
from tallystick.scoring.given import (
    LOOKED_AT,
    WITHOUT_LABELS,
    check_corrected,
    find_kinds,
    find_numbers,
    find_tries,
    find_usual,
    name_kinds,
    plan_kinds,
    set_option,
    suggest,
    translate,
)

if TYPE_CHECKING:
    from tallystick.io.submissions import Submissions
    from tallystick.reading.joined_forms import Long
    from tallystick.reading.joined_parts import Join
    from tallystick.scoring.run import Run
    from tallystick.tallies.metric import Metric


_OF_RUNS = ("run_tag", "languages", "dump_errors", "errors_dir")
_OF_FILES = (
    *("annotators", "annotator_column", "majority", "by", "delimiter", "input_format", "rows"),
    *("system_column", "systems", "submissions", "ref", "blank_is_missing", "segments", "bins"),
    *("corrected_by", "language", "language_column", "normalize"),
)
_OF_EXAMPLES = ("segments", "flips", "json", "summary", "sequential")
"""Options that look at single examples after they were counted."""
_MOST_KEPT = 1 << 28
"""A report of more bytes than this shows examples only where it is asked for all of them."""
_OF_ENGINES = ("workers", "scheduler", "resume")
"""Options of who counts."""
_OF_WHOLE = ("segments", "flips", "flaky")
"""Options that need all examples in one process."""
_OF_TEXTS = ("ref", "blank_is_missing", "segments")
"""Options that go with texts only."""
_OF_LABELS = (
    *("probability_column", "weight_column", "count_column", "bins", "delimiter", "labels"),
    *("positive", "threshold", "fold_case", "confusion"),
)
"""Options that go with labels only."""
_OF_JUDGEMENTS = ("labels", "fold_case")
"""Those of them that go with soft labels, and with the votes of annotators, too."""
_OF_NUMBERS = ("weight_column",)
"""Those that go with all metrics of numbers."""
_NAMED = ("gold", "predicted", "probability", "id", "weight", "count", "annotator", "rated")
"""The columns that an option such as --gold-column names."""
_SAME = (
    *("clusters", "delimiter", "fold_case", "invalid", "where", "language", "language_column"),
    *("bins", "scheme", "majority", "label_probability"),
)
_SEVERAL = ("by", "annotators", "corrected_by")
"""What options and `Columns` call alike, and where these are several names."""


def count_inputs(
    options: argparse.Namespace, *, tolerant: bool = False, watch: Progress | None = None
) -> Counted:
    """Reads what the options name, and counts it for their metrics.

    The system that a gate holds others against comes last. Where it is tolerant, a system that is
    wrong is set aside and stops no other.
    """
    if options.logs:
        # Imported here because most commands read no logs.
        from tallystick.cli.reading.log_inputs import count_logs

        reading = _read_reading(options, tolerant=tolerant)
        return count_logs(options, reading, keep=_keeps_examples(options))
    if are_reports(options.files):
        return count_reports(options)
    if are_tallies(options.files):
        from tallystick.comparison.comparable import keep_systems

        refuse(options, _OF_ENGINES, "goes with files to count: a saved tally has been counted")
        counted = add_tallies(options, watch=watch)
        names = [*(options.systems or counted.systems), *list_against(options)]
        _check_known(names, counted.systems, "these tallies")
        return keep_systems(counted, _put_last(names, options))
    if options.pred_dir:
        refuse(options, _OF_ENGINES, "does not go with --pred-dir")
        return open_runs(options).count(options.metrics)
    return _count_files(options, replace(_read_reading(options, tolerant=tolerant), watch=watch))


def _count_files(options: argparse.Namespace, reading: Reading) -> Counted:
    refuse(options, _OF_RUNS, "goes with --pred-dir")
    if options.count_column is not None:
        refuse(options, ("segments", "flips"), "needs a row for each example, not counts of them")
    columns = reading.columns
    heading = "/".join(columns.by) if columns.by else None
    if heading is not None and os.path.isfile(heading):
        heading = name_source(heading)
    if options.engine is not None:
        return _count_parts(options, reading, heading)
    keep = _keeps_examples(options)

    def count_blocks(blocks: Iterator[Systems]) -> Counted:
        return count(blocks, options.metrics, heading=heading, keep=keep, bins=columns.bins)

    if reading.tolerant and _has_folder(options, reading):
        gold, found = _find_folder(options)
        return count_accepted(
            [*found.found],
            lambda names: count_blocks(read_submissions(gold, found.keep(names), reading)),
        )
    return count_blocks(_open(options, reading))


def _keeps_examples(options: argparse.Namespace) -> bool:
    """Whether something looks at single examples after they were counted."""
    test = getattr(options, "test", None) or ""
    wanted = any(getattr(options, name, None) for name in _OF_EXAMPLES)
    size = measure_input(list_paths(options))
    report = getattr(options, "format", None) == "html"
    if report and (size <= _MOST_KEPT or getattr(options, "examples", 0) is None):
        return True
    # The JSON of a gate shows on which examples the new system is worse.
    gate = bool(list_against(options)) and options.format == "json"
    return wanted or gate or test.startswith("sacrebleu")


def _read_reading(options: argparse.Namespace, *, tolerant: bool) -> Reading:
    """How columns are read, as the options say."""
    if options.bins is not None:
        from tallystick.kinds.probabilities.score_counter import check_bins

        check_bins(options.bins)
    if options.where is not None:
        from tallystick.examples.where import Condition

        Condition(options.where)
    if options.files and not options.pred_dir:
        options.metrics = translate(options.files[0], options.metrics, options.kind or options.task)
    if options.kind is not None and options.metrics is None:
        options.metrics = find_usual(options.kind)
    options.metrics = options.metrics or suggest_metrics(options)
    for name in ("level", "normalize"):
        if getattr(options, name) is not None:
            options.metrics = set_option(options.metrics, name, getattr(options, name))
    kinds = plan_kinds(options.task, options.metrics, options.kind)
    numbers = find_numbers(options.metrics)
    of = RATINGS.said if options.annotators else name_kinds(options.metrics) or options.task
    if kinds is not None and TEXTS not in kinds:
        texts = ("ref", "blank_is_missing") if kinds[0].single else _OF_TEXTS
        refuse(options, texts, f"goes with metrics of texts, such as bleu, not of {of}")
    if kinds is not None and LABELS not in kinds:
        judged = any(one.form != "number" for one in numbers)
        weighed = all(kind.numeric for kind in kinds)
        taken = (*(_OF_JUDGEMENTS if judged else ()), *(_OF_NUMBERS if weighed else ()))
        refused = [name for name in _OF_LABELS if name not in taken]
        refuse(options, refused, f"goes with metrics of labels, such as f1, not of {of}")
    if not options.files or find_layout(options.files[0], kinds) is None:
        refuse(options, ("queries",), "goes with qrels and runs; tables have columns of their own")
    columns = _read_columns(options)
    if columns.corrected_by:
        refuse(options, _OF_ENGINES, "does not go with --corrected-by")
        check_corrected(columns, kinds, numbers)
    if options.rows is not None and options.input_format not in (None, "jsonl"):
        raise UsageError("--rows names a list of a JSON object, and goes with no other format")
    return Reading(
        columns,
        _read_task(options),
        kinds,
        tolerant,
        options.input_format if options.rows is None else f"{ROWS}{options.rows}",
        tuple(options.ref),
        options.blank_is_missing,
        numbers=numbers,
        tries=find_tries(options.metrics),
        beside=options.queries,
    )


def _read_columns(options: argparse.Namespace) -> Columns:
    """The columns that were named, and how their values are read."""
    named = {name: getattr(options, f"{name}_column") for name in _NAMED}
    named |= {name: getattr(options, name) for name in _SAME}
    named |= {name: tuple(getattr(options, name)) for name in _SEVERAL}
    text = getattr(options, "text_column", None)
    columns = Columns(**named, text=text, missing=options.missing_outputs)
    return columns.by_annotator(options.systems)


def _read_task(options: argparse.Namespace) -> Task:
    return Task(
        kind=None if options.task in WITHOUT_LABELS else options.task,
        labels=tuple(options.labels) if options.labels else None,
        positive=options.positive,
        threshold=options.threshold,
    )


def open_runs(options: argparse.Namespace) -> "Run":
    """The runs of one file per language that the options name, and last a further one."""
    from tallystick.io.config import read_languages
    from tallystick.scoring.run import open_run

    if options.files:
        raise UsageError("--pred-dir cannot be combined with files")
    refuse(options, _OF_FILES, "does not go with --pred-dir")
    if options.task not in (None, "binary"):
        raise UsageError(f"--pred-dir is for binary tasks, not for a {options.task} one")
    if not options.run_tag:
        raise UsageError("--pred-dir needs --run-tag: what the names of the files begin with")
    config = getattr(options, "config", None)
    return open_run(
        options.pred_dir,
        _put_last(options.run_tag, options),
        languages=options.languages or (read_languages(config) if config else ()),
        columns=_read_columns(options),
        task=_read_task(options),
        whole=getattr(options, "dump_errors", False),
    )


def _count_parts(options: argparse.Namespace, reading: Reading, heading: str | None) -> Counted:
    """Counts parts of the files, wherever the options say."""
    from tallystick.engines.files import count_blocks, count_files, plan_files
    from tallystick.engines.jobs import Counting
    from tallystick.engines.joins import count_joined
    from tallystick.reading.joined_parts import plan_join

    refuse(options, _OF_WHOLE, "needs all examples in one process; leave out --workers")
    _check_files(options)
    metrics = None if options.metrics is None else tuple(options.metrics)
    watch, reading = reading.watch, replace(reading, watch=None, tolerant=False)
    counting = Counting(metrics, reading, heading)
    kept = getattr(options, "kept", None)
    counted, notes = None, tuple[str, ...]()
    columns, engine = reading.columns, options.engine
    if find_layout(options.files[0], reading.kinds) or reading.of_rows or columns.annotated:
        pass  # one process reads these
    elif options.system_column is not None or reading.kinds == (TRIES,):
        plan = partial(_plan_rows, options)
        counted = count_joined(plan, counting, engine, kept=kept, watch=watch)
    else:
        gold, places, notes = _find_places(options)
        parts = plan_files(gold, places, reading)
        counted = (
            count_files(parts, counting, engine, kept=kept, watch=watch)
            if len(parts) > 1
            else count_joined(
                partial(plan_join, gold, places), counting, engine, kept=kept, watch=watch
            )
        )
    if counted is not None:
        return replace(counted, notes=(*counted.notes, *notes))
    blocks, last = _open(options, replace(reading, watch=watch)), list_against(options)
    beside = (*reading.references, *columns.by, columns.clusters, *last)
    paths = [*list_paths(options), *(path for path in beside if path and os.path.exists(path))]
    layout = (options.files, options.system_column, options.systems, options.submissions)
    return count_blocks(blocks, counting, engine, paths=paths, layout=layout, kept=kept)


def _plan_rows(options: argparse.Namespace, reading: Reading) -> "Join | None":
    """How workers join a table with several systems, or tries."""
    from tallystick.reading.joined_forms import Tries
    from tallystick.reading.joined_parts import plan_long, plan_tries

    if reading.kinds == (TRIES,):
        files, long = _find_tries(options)
        return plan_tries(
            [path for _, path in files], Tries(tuple(name for name, _ in files), long), reading
        )
    return plan_long(options.files[0], _find_long(options), reading)


def _check_files(options: argparse.Namespace) -> None:
    if not options.files:
        hint = "; files come before -m" if options.metrics else ", or a folder with --pred-dir"
        raise UsageError(f"name a gold file and the systems' files{hint}")
    if [*options.files, *list_against(options)].count("-") > 1:
        raise UsageError("only one file can be read from standard input")


def _find_places(
    options: argparse.Namespace,
) -> tuple[str, dict[str, Place], tuple[str, ...]]:
    """The gold, where the outputs of each system lie, and notes on what was left out."""
    gold, *rest = options.files
    if options.systems:
        _check_single(options, rest)
        names = _name_columns(options)
        return gold, {name: Place(column=name) for name in names}, ()
    if options.submissions is not None:
        gold, found = _find_folder(options)
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
    return named or dict.fromkeys(name_systems([gold]))


def _open(options: argparse.Namespace, reading: Reading) -> Iterator[Systems]:
    _check_files(options)
    if reading.kinds == (TRIES,):
        return iter([_read_tries(options, reading)])
    if reading.of_rows is not None:
        return iter([_read_rows(reading.of_rows, options, reading)])
    if reading.columns.annotated:
        return iter([_read_annotated(options, reading)])
    if options.system_column is not None or options.systems:
        return _open_table(options, reading)
    if _has_folder(options, reading):
        gold, found = _find_folder(options)
        return read_submissions(gold, found, reading)
    return read_files(options.files[0], _name_files(options), reading)


def _read_tries(options: argparse.Namespace, reading: Reading) -> Systems:
    """Repeated tries: files of one name are of one system, and gold is only where it is needed."""
    from tallystick.kinds.tries.tries import read_try_files

    files, long = _find_tries(options)
    if long is None:
        return read_try_files(files, reading)
    return long.choose(read_try_files(files, reading, system_column=long.column))


def _find_tries(options: argparse.Namespace) -> "tuple[list[tuple[str, str]], Long | None]":
    """The files of tries, each with the name of its system, and the column that tells more."""
    refuse(options, ("systems", "submissions"), "does not go with repeated tries")
    if options.system_column is None:
        return name_all([*options.files, *list_against(options)]), None
    return name_all(options.files), _find_long(options)


def _find_long(options: argparse.Namespace) -> "Long":
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
    _check_known(list_against(options), systems.names, "these files")
    return systems.of(*_put_last(systems.names, options))


def _read_annotated(options: argparse.Namespace, reading: Reading) -> Systems:
    """One table with the ratings of annotators, and perhaps the systems' columns beside them."""
    from tallystick.reading.annotators import read_annotated

    refuse(options, ("system_column",), "does not go with annotators; give each system a column")
    if options.files[1:] or options.submissions:
        raise UsageError(
            "ratings of annotators are in one table, with a column for each of --systems; "
            "join the files by their ids first"
        )
    table = read_table(options.files[0], kind=reading.input_format, watch=reading.watch)
    return read_annotated(table, _name_columns(options), reading)


def _has_folder(options: argparse.Namespace, reading: Reading) -> bool:
    """Whether the systems are the submissions of a folder."""
    table = options.system_column is not None or options.systems or reading.columns.annotated
    several = reading.kinds == (TRIES,) or reading.of_rows is not None
    return options.submissions is not None and not table and not several


def _find_folder(options: argparse.Namespace) -> "tuple[str, Submissions]":
    """The gold and the submissions of a folder; the one that others are held against is last."""
    from tallystick.io.submissions import find_submissions

    _check_files(options)
    gold, *rest = options.files
    if rest:
        raise UsageError("--submissions takes a gold file and nothing else")
    found = find_submissions(options.submissions)
    names = list(found.found)
    _check_known(list_against(options), names, options.submissions)
    return gold, found.keep(_put_last(names, options))


def _check_single(options: argparse.Namespace, rest: Sequence[str]) -> None:
    if rest or options.submissions:
        raise UsageError("--systems and --system-column take one table with gold and all systems")


def _open_table(options: argparse.Namespace, reading: Reading) -> Iterator[Systems]:
    """One table with gold and all systems: in a column each, or told apart by a column."""
    path, *rest = options.files
    if options.system_column is not None:
        long = _find_long(options)
        yield from relay(read_long_file(path, long.column, reading), long.choose)
        return
    _check_single(options, rest)
    places = {name: Place(column=name) for name in _name_columns(options)}
    yield from read_tables(path, places, reading)


def list_against(options: argparse.Namespace) -> list[str]:
    """The system that the others are held against, which only a gate may have."""
    against = getattr(options, "against", None)
    return [] if against is None else [against]


def _name_columns(options: argparse.Namespace) -> list[str]:
    """The systems whose columns in one table are named, the one they are held against last."""
    return [*options.systems, *list_against(options)]


def _put_last(names: Sequence[str], options: argparse.Namespace) -> list[str]:
    """The names of systems; the one that the others are held against comes last."""
    last = list_against(options)
    return [*(name for name in names if name not in last), *last]


def _check_known(names: Sequence[str], known: Sequence[str], where: str) -> None:
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise UsageError(f"there is no system {unknown!r} in {where}, only {', '.join(known)}")


def suggest_metrics(options: argparse.Namespace) -> "list[Metric | str] | None":
    """The usual metrics of the first file if it holds qrels, trees or battles; None of others."""
    path = split_name(options.files[0])[1] if options.files else ""
    told = (options.gold_column, options.annotators, options.task, options.kind, options.pred_dir)
    if any(told) or not os.path.isfile(path):
        return None
    if are_tallies(options.files) or are_reports(options.files):
        return None
    try:
        first = next(iterate_tables(path, kind=options.input_format, rows=LOOKED_AT))
    except InputError:
        return translate(path, None)
    return suggest(first) or translate(path, None)


def need_systems(options: argparse.Namespace) -> None:
    """Raises a UsageError where there is gold, and nothing says where the systems are."""
    said = (options.systems, options.system_column, options.submissions, options.pred_dir)
    kinds = find_kinds(options.metrics) or ()
    several = TRIES in kinds or any(kind.in_rows for kind in kinds)
    alone = len(options.files) == 1 and not options.logs and not several
    if alone and not any(said) and not are_tallies(options.files):
        if options.annotators:
            raise UsageError(
                "ratings of annotators are scored by score; name the columns of systems beside "
                "them with --systems"
            )
        raise UsageError(
            "list the systems' files after the gold, or their columns in the same table with "
            "--systems, or the column that names the system of each row with --system-column"
        )


def list_paths(options: argparse.Namespace) -> list[str]:
    """All files that the options name, by which the size of the work is known."""
    paths = [split_name(argument)[1] for argument in options.files]
    for folder in (options.pred_dir, options.submissions):
        if folder and os.path.isdir(folder):
            paths += [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    return paths
