"""Counts the inputs that options name, alike for all commands."""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tallystick.cli.options.shared_options import refuse
from tallystick.cli.output import tell
from tallystick.cli.reading.columns import OF_ENGINES, read_columns, read_reading, read_task
from tallystick.cli.reading.layouts import (
    check_files,
    check_known,
    find_folder,
    find_places,
    has_folder,
    list_against,
    list_paths,
    name_annotated,
    name_long,
    name_tries,
    open_layout,
    put_last,
)
from tallystick.cli.reading.saved_inputs import add_tallies, are_reports, are_tallies, count_reports
from tallystick.errors import UsageError
from tallystick.examples.reading import Reading
from tallystick.examples.systems import Systems
from tallystick.io.files.opening import name_source
from tallystick.io.files.pieces import Piece
from tallystick.io.files.progress import Progress, measure_input
from tallystick.io.tables.formats import find_kind
from tallystick.kinds.index import find_layout
from tallystick.kinds.tries import TRIES
from tallystick.reading.layouts import read_submissions
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count, count_accepted
from tallystick.scoring.given import find_kinds

if TYPE_CHECKING:
    from tallystick.engines.jobs import Counting
    from tallystick.engines.joins import Plan
    from tallystick.scoring.run import Run

_OF_RUNS = ("run_tag", "languages", "dump_errors", "errors_dir")
_OF_FILES = (
    *("annotators", "annotator_column", "majority", "by", "delimiter", "input_format", "rows"),
    *("system_column", "systems", "submissions", "ref", "blank_is_missing", "segments"),
    *("round_scores", "corrected_by", "language", "language_column", "normalize", "gold"),
)
_OF_EXAMPLES = ("segments", "flips", "json", "summary", "sequential")
"""Options that look at single examples after they were counted."""
_MOST_KEPT = 1 << 28
"""A report of more bytes than this shows examples only where it is asked for all of them."""
_OF_WHOLE = ("segments", "flips", "flaky")
"""Options that need all examples in one process."""


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

        reading = read_reading(options, tolerant=tolerant)
        return count_logs(options, reading, keep=_keeps_examples(options))
    if are_reports(options.files):
        return count_reports(options)
    if are_tallies(options.files):
        from tallystick.comparison.comparable import keep_systems

        refuse(options, OF_ENGINES, "goes with files to count: a saved tally has been counted")
        counted = add_tallies(options, watch=watch)
        names = [*(options.systems or counted.systems), *list_against(options)]
        check_known(names, counted.systems, "these tallies")
        return keep_systems(counted, put_last(names, options))
    if options.pred_dir:
        refuse(options, OF_ENGINES, "does not go with --pred-dir")
        return open_runs(options).count(options.metrics)
    return _count_files(options, replace(read_reading(options, tolerant=tolerant), watch=watch))


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
        return count(
            blocks, options.metrics, heading=heading, keep=keep, round_scores=columns.round_scores
        )

    if reading.tolerant and has_folder(options, reading):
        gold, found = find_folder(options)
        return count_accepted(
            [*found.found],
            lambda names: count_blocks(read_submissions(gold, found.keep(names), reading)),
        )
    return count_blocks(open_layout(options, reading))


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
        put_last(options.run_tag, options),
        languages=options.languages or (read_languages(config) if config else ()),
        columns=read_columns(options),
        task=read_task(options),
        whole=getattr(options, "dump_errors", False),
    )


def _count_parts(options: argparse.Namespace, reading: Reading, heading: str | None) -> Counted:
    """Counts parts of the files, wherever the options say."""
    from tallystick.engines.files import count_blocks
    from tallystick.engines.jobs import Counting

    refuse(options, _OF_WHOLE, "needs all examples in one process; leave out --workers")
    check_files(options)
    metrics = None if options.metrics is None else tuple(options.metrics)
    watch, reading = reading.watch, replace(reading, watch=None, tolerant=False)
    counting = Counting(metrics, reading, heading)
    counted = _count_apart(options, counting, watch)
    if counted is not None:
        return counted
    blocks = open_layout(options, replace(reading, watch=watch))
    return count_blocks(blocks, counting, options.engine)


def _count_apart(
    options: argparse.Namespace, counting: "Counting", watch: Progress | None
) -> Counted | None:
    """Counts parts that workers read themselves; None where one process must read all."""
    from tallystick.engines.files import count_files
    from tallystick.engines.joins import count_joined
    from tallystick.reading.joined_parts import plan_join
    from tallystick.reading.parts import plan_parts

    reading, engine = counting.reading, options.engine
    if reading.of_rows is not None or find_layout(options.files[0], reading.kinds) is not None:
        return None
    annotated = reading.columns.annotated
    if options.system_column is not None or annotated or reading.kinds == (TRIES,):
        return count_joined(partial(_plan_rows, options), counting, engine, watch)
    gold, places, notes = find_places(options)
    parts = plan_parts(gold, places, reading)
    if len(parts) == 1 and options.workers != 1:
        _note_single(parts[0].gold.pieces or (), reading)
    plan = partial(plan_join, gold, places)
    counted = (
        count_files(parts, counting, engine, watch)
        if len(parts) > 1
        else count_joined(plan, counting, engine, watch)
    )
    return None if counted is None else counted.add_facts(*notes)


def _note_single(pieces: Sequence[Piece], reading: Reading) -> None:
    """Says that workers gain little where a single file is read that has no parts."""
    if len(pieces) == 1 and find_kind(pieces, reading.input_format) != "parquet":
        tell(
            f"note: {name_source(pieces[0].path)} is read by one process, so more workers gain "
            "nothing but for slow metrics; write Parquet or several files, which all of them read"
        )


def _plan_rows(options: argparse.Namespace, reading: Reading) -> "Plan | None":
    """How workers join a table with several systems, tries, or ratings of annotators."""
    from tallystick.reading.joined_parts import plan_long, plan_tries

    if reading.kinds == (TRIES,):
        return plan_tries(*name_tries(options), reading)
    if reading.columns.annotated:
        from tallystick.reading.rated_parts import plan_ratings

        return plan_ratings(*name_annotated(options), reading)
    return plan_long(options.files[0], name_long(options), reading)


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
