"""Plans and counts the inputs that options name, alike for all commands."""

import argparse
import os
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tallystick.cli.options.shared_options import refuse
from tallystick.cli.output import NAMED, OTHERS, tell
from tallystick.cli.reading.saved_inputs import add_tallies, are_reports, are_tallies, count_reports
from tallystick.errors import InputError, UsageError
from tallystick.io.files.datasets import split_name
from tallystick.io.files.opening import Progress, measure_input, name_source
from tallystick.io.files.stores import is_remote
from tallystick.io.submissions import find_submissions
from tallystick.io.tables.formats import ROWS, settle_format
from tallystick.io.tables.table import iterate_tables
from tallystick.kinds.index import find_layout
from tallystick.kinds.metrics.names import Metrics, name_metrics, read_metrics
from tallystick.kinds.metrics.requirements import find_kinds, find_numbers, name_kinds, needs_gold
from tallystick.kinds.ratings import RATINGS
from tallystick.limits import LIMITS
from tallystick.model.columns import BOTH, NUMERIC
from tallystick.model.sides import Side, find_output
from tallystick.model.tallies.metric import ComputedName
from tallystick.reading.input_plan import Files, InputPlan, Layout, Source, plan_input, read_columns
from tallystick.reading.layouts import (
    are_lines,
    check_known,
    find_part,
    iterate_blocks,
    name_long,
    name_tries,
    put_last,
)
from tallystick.reading.tables import list_cells
from tallystick.reading.used_options import LOGS, check_used
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import checking_use, count_logs, count_plan

if TYPE_CHECKING:
    from tallystick.distributed.jobs import Counting
    from tallystick.scoring.score import Run


_SAME = (
    *("by", "clusters", "delimiter", "fold_case", "invalid", "where", "ignore_identical_ids"),
    *("round_scores", "scheme", "majority", "label_probability", "annotators", "corrected_by"),
    *("tag_names", "systems", "system_column", "labels", "positive", "threshold", "outcomes"),
    *("blank_is_missing", "num_refs", "per_file", "order"),
)
"""What options and layouts call alike."""


def fill_layout(options: argparse.Namespace) -> Layout:
    """How the files are laid out, as the options say."""
    if options.round_scores is not None:
        from tallystick.kinds.probabilities.areas import check_digits

        check_digits(options.round_scores)
    if options.where is not None:
        from tallystick.model.filter_expression import Condition

        Condition(options.where)
    if options.rows is not None and options.input_format not in (None, "jsonl"):
        raise UsageError(
            "--rows names a list of a JSON object, and can be used with no other format"
        )
    found = {name: getattr(options, f"{name}_column") for name in NAMED}
    found |= {name: getattr(options, name) for name in _SAME}
    found |= {name: getattr(options, own, None) for name, own in OTHERS.items()}
    found["input_format"] = options.input_format if options.rows is None else ROWS + options.rows
    if len(options.annotators) == 1 and not options.systems:
        found["annotators"], found["annotator"] = (), options.annotators[0]
    found["task" if isinstance(options.task, str) else "kind"] = options.task
    if any("=" in name for name in found["id"]):
        pairs = [name.partition("=") for name in found["id"]]
        found["id"] = [gold for gold, _, _ in pairs]
        found["system_id"] = [own or gold for gold, _, own in pairs]
    if options.normalize is not None and not options.normalize.startswith("whisper"):
        found["unicode"] = options.normalize
    if options.language is not None:
        found["language_column" if _is_column(options) else "language"] = options.language
    if options.patterns:
        found["gold_files"], *systems = options.patterns
        if len({*systems}) > 1:
            raise UsageError("name the files of all systems alike, as in a/{id}.txt b/{id}.txt")
        found["system_files"] = "".join({*systems}) or None
    battles = find_kinds(options.metrics) or ()
    in_rows = len(options.systems) == 2 and any(kind.in_rows for kind in battles)
    if in_rows and {*options.systems} <= {*list_columns(options)}:
        found["sides"], found["systems"] = options.systems, ()
    return {  # type: ignore[return-value]
        name: own for name, own in found.items() if own not in (None, [], ())
    }


def _is_column(options: argparse.Namespace) -> bool:
    """Whether --language names a column of the files, and not a language."""
    from tallystick.tokens.tokenizers import is_language, names_languages

    name = options.language
    return (names_languages(name) or not is_language(name)) and name in list_columns(options)


def list_columns(options: argparse.Namespace) -> dict[str, None]:
    """The columns of the files, or the scores of logs; none of saved counts and reports."""
    logs = [log for system in getattr(options, "logs", ()) for log in system.logs]
    if logs:
        return dict.fromkeys(score for log in logs for score in log.scores)
    if are_tallies(options.files) or are_reports(options.files):
        return {}
    paths = [path for path in list_paths(options) if os.path.exists(path) or is_remote(path)]
    tables = (iterate_tables(path, format=options.input_format, rows=1) for path in paths)
    return dict.fromkeys(name for table in tables for name in next(iter(table)).names())


def check_files(options: argparse.Namespace) -> None:
    """Raises a UsageError where no files are named, or two are standard input."""
    if not options.files:
        hint = "; put files before -m" if options.metrics else ", or a folder with --pred-dir"
        raise UsageError(f"name a gold file and the systems' files{hint}")
    files = options.files[1:] if options.own_gold else options.files
    if [*files, *list_against(options)].count("-") > 1:
        raise UsageError("only one file can be read from standard input")


def place_gold(options: argparse.Namespace) -> None:
    """Puts gold before the systems: `--gold`, or the first system if no metric needs gold."""
    gold, counted = options.gold, are_tallies(options.files) or are_reports(options.files)
    if gold is not None:
        kinds = find_kinds(options.metrics) or ()
        if counted or options.pred_dir or any(kind.repeated or kind.in_rows for kind in kinds):
            raise UsageError(
                "--gold can only be used with files of outputs, which these "
                "metrics or files do not have"
            )
        options.files, options.gold, options.own_gold = [gold, *options.files], None, False
    elif options.own_gold is None and not needs_gold(options.metrics):
        if not options.files and options.submissions:
            options.files = [*find_submissions(options.submissions).found.values()][:1]
        one = (options.systems, options.system_column, options.submissions, options.annotators)
        several = len([*options.files, *list_against(options)]) > 1
        options.own_gold = several and not (any(one) or counted or options.logs)
        if options.own_gold:
            first = split_name(options.files[0])[1]
            options.own_gold = _is_system(first, options)
            options.files = [first, *options.files] if options.own_gold else options.files


def _is_system(path: str, options: argparse.Namespace) -> bool:
    """Whether the first of several files has numbers of a system; without columns it is gold."""
    layout = fill_layout(options)
    side = Side(next(iterate_tables(path, format=layout.get("input_format"), rows=1)))
    usual = (NUMERIC, BOTH if len(side.names) > 1 else ())
    columns = read_columns(Source(path, Files()), layout)
    needed = (column for one in find_numbers(options.metrics) for column in one.columns)
    for column in dict.fromkeys(needed):
        if isinstance(column, ComputedName):  # which gold alone has not what it takes to compute
            row = {name: list_cells(side.table, name)[0] for name in side.names}
            with suppress(InputError):
                column.compute(row, "")
                continue
            return False
        try:
            side.table.column(find_output(side, side, columns, column, usual))
        except InputError as error:
            if column is None:
                return False
            raise InputError(f"{error}; if {path} is the gold, pass --gold {path}") from None
    return True


def list_against(options: argparse.Namespace) -> list[str]:
    """The system that the others are compared with, which only a gate may have."""
    against = getattr(options, "against", None)
    return [] if against is None else [against]


def list_paths(options: argparse.Namespace) -> list[str]:
    """All files that the options name, by which the size of the work is known."""
    paths = [split_name(argument)[1] for argument in options.files]
    for folder in (options.pred_dir, options.submissions):
        if folder and os.path.isdir(folder):
            paths += [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    return paths


_OF_RUNS = ("run_tag", "languages", "dump_errors", "errors_dir")
_OF_FILES = (
    *("annotators", "majority", "by", "delimiter", "no_header"),
    *("input_format", "rows", "per_file"),
    *("system_column", "systems", "submissions", "ref", "blank_is_missing", "num_refs", "segments"),
    *("round_scores", "corrected_by", "language", "normalize", "gold"),
)
_OF_EXAMPLES = ("segments", "flips", "json", "summary", "sequential")
"""Options that look at single examples after they were counted."""
_OF_WHOLE = ("segments", "flips")
"""Options that need all examples in one process."""


def _set(plan: InputPlan, field: str, usual: object, value: str, whose: str) -> InputPlan:
    """Sets a field of all metrics that have its usual value; an error says whose it is."""
    metrics = read_metrics(name_metrics(plan.metrics) or ())
    own: Any = {field: value}
    settable = [one for one in metrics if getattr(one, field, ...) == usual]
    if not settable:
        raise UsageError(whose)
    changed = [replace(one, **own) if one in settable else one for one in metrics]
    return replace(plan, metrics=changed)


def plan_files(options: argparse.Namespace, *, tolerant: bool = False) -> InputPlan:
    """Plans how to read the files that the options name, whose metrics become the options' own."""
    gold, *rest = options.files or [""]
    folder = None if options.submissions is None else find_submissions(options.submissions)
    files = Files(tuple(rest), tuple(list_against(options)), folder)
    plan = plan_input(Source(gold, files), fill_layout(options), options.metrics, tolerant=tolerant)
    if options.normalize in ("whisper", "whisper-en"):
        whose = f"--normalize {options.normalize} can only be used with error rates, such as wer"
        plan = _set(plan, "normalize", None, options.normalize, whose)
    if options.sentence_separator is not None:
        whose = "--sentence-separator can only be used with ROUGE"
        plan = _set(plan, "sentences", "newline", options.sentence_separator, whose)
    options.metrics = plan.metrics
    kinds = plan.reading.kinds
    if kinds is not None and not any(kind.single for kind in kinds):
        of = RATINGS.said if plan.reading.columns.annotated else name_kinds(plan.metrics)
        refuse(
            options,
            ("segments",),
            f"can only be used with metrics of texts, such as bleu, not of {of}",
        )
    if plan.reading.columns.corrected_by:
        refuse(options, ("workers",), "cannot be used with --corrected-by")
    return plan


def suggest_metrics(options: argparse.Namespace) -> Metrics:
    """The metrics of what the first file holds, if that shows which."""
    if options.pred_dir or are_tallies(options.files) or are_reports(options.files):
        return None
    return plan_files(options).metrics


def count_inputs(
    options: argparse.Namespace, *, tolerant: bool = False, watch: Progress | None = None
) -> Counted:
    """Reads what the options name, and counts it; what a gate compares with comes last."""
    if options.logs:
        plan = plan_files(options, tolerant=tolerant)
        check_used(plan, (), layout=LOGS)
        return count_logs(options.logs, plan, keep=_keeps_examples(options))
    if are_reports(options.files):
        return count_reports(options)
    if are_tallies(options.files):
        from tallystick.comparison.comparable import keep_systems

        refuse(
            options,
            ("workers", "where"),
            "can only be used with files to count: a saved tally has been counted",
        )
        counted, last = add_tallies(options, watch=watch), list_against(options)
        names = [*(options.systems or counted.systems), *last]
        check_known(names, counted.systems, "these tallies")
        return keep_systems(counted, put_last(names, last))
    if options.pred_dir:
        refuse(options, ("workers",), "cannot be used with --pred-dir")
        return open_runs(options).count(options.metrics)
    refuse(options, _OF_RUNS, "can only be used with --pred-dir")
    if options.count_column is not None:
        refuse(options, ("segments", "flips"), "needs a row for each example, not counts of them")
    check_files(options)
    plan = plan_files(options, tolerant=tolerant)
    if options.engine is not None:
        counted = _count_parts(options, plan, watch)
        named = tuple(read_metrics(name_metrics(plan.metrics) or ()))
        return replace(counted, metrics=named) if named == counted.metrics else counted
    watched = replace(plan, reading=replace(plan.reading, watch=watch))
    return count_plan(watched, keep=_keeps_examples(options))


def _keeps_examples(options: argparse.Namespace) -> bool:
    test = getattr(options, "test", None) or ""
    wanted = any(getattr(options, name, None) for name in _OF_EXAMPLES)
    size = measure_input(list_paths(options))
    report = getattr(options, "format", None) == "html"
    if report and (size <= LIMITS.reported_input or getattr(options, "examples", 0) is None):
        return True
    # The JSON of a gate shows on which examples the new system is worse.
    gate = bool(list_against(options)) and options.format == "json"
    return wanted or gate or test.startswith("sacrebleu")


def open_runs(options: argparse.Namespace) -> "Run":
    """The runs of one file per language that the options name, and last a further one."""
    from tallystick.io.config import read_languages
    from tallystick.scoring.score import open_run

    if options.files:
        raise UsageError("--pred-dir cannot be combined with files")
    refuse(options, _OF_FILES, "cannot be used with --pred-dir")
    if options.task not in (None, "binary"):
        task = getattr(options.task, "name", options.task)
        raise UsageError(f"--pred-dir is for binary tasks, not for a {task} one")
    if not options.run_tag:
        raise UsageError("--pred-dir needs --run-tag: what the names of the files begin with")
    config = getattr(options, "config", None)
    reading = plan_files(options).reading
    return open_run(
        options.pred_dir,
        put_last(options.run_tag, list_against(options)),
        languages=options.languages or (read_languages(config) if config else ()),
        columns=reading.columns,
        task=reading.task,
        whole=getattr(options, "dump_errors", None) is not None,
    )


def _count_parts(options: argparse.Namespace, plan: InputPlan, watch: Progress | None) -> Counted:
    from tallystick.distributed.count import count_blocks
    from tallystick.distributed.jobs import Counting

    refuse(options, _OF_WHOLE, "needs all examples in one process; leave out --workers")
    metrics = None if options.metrics is None else tuple(options.metrics)
    plan = replace(plan, reading=replace(plan.reading, tolerant=False))
    counting = Counting(metrics, plan.reading, plan.heading)

    def count() -> Counted:
        counted = _count_apart(options, plan, counting, watch)
        if counted is not None:
            return counted
        watched = replace(plan, reading=replace(plan.reading, watch=watch))
        return count_blocks(iterate_blocks(watched), counting, options.engine)

    return checking_use(plan, count)


def _count_apart(
    options: argparse.Namespace, plan: InputPlan, counting: "Counting", watch: Progress | None
) -> Counted | None:
    """Counts parts that workers read themselves; None where one process must read all."""
    from tallystick.distributed.count import count_joined
    from tallystick.distributed.jobs import count_sources
    from tallystick.reading.joined_parts import plan_join, plan_long, plan_tries
    from tallystick.reading.table_files import plan_parts, settle_rows

    reading, files, engine = plan.reading, plan.source.files or Files(), options.engine
    if (
        reading.per_file is not None
        or reading.of_rows is not None
        or find_layout(plan.source.gold, reading.kinds) is not None
    ):
        return None
    if reading.columns.annotated:
        return None
    if reading.repeated:
        tries = partial(plan_tries, *name_tries(plan, files))
        return count_joined(tries, counting, engine, watch)
    if plan.system_column:
        long = partial(plan_long, str(plan.source.gold), name_long(plan, files))
        return count_joined(long, counting, engine, watch)
    part, notes = find_part(plan, files)
    parts = () if are_lines(part.gold, reading) else plan_parts(part, reading)
    single = parts[0].pieces or () if len(parts) == 1 and options.workers != 1 else ()
    if len(single) == 1 and settle_format(single, reading.input_format) != "parquet":
        tell(
            f"note: {name_source(single[0].path)} is read by one process, so more workers gain "
            "nothing but for slow metrics; write Parquet or several files, which all of them read"
        )
    if len(parts) > 1:
        settled = settle_rows(replace(parts[0], pieces=None), reading, whole=False)
        counting = replace(counting, reading=settled)
        return count_sources(parts, counting, engine, watch).add_facts(*notes)
    counted = count_joined(partial(plan_join, part), counting, engine, watch)
    return None if counted is None else counted.add_facts(*notes)


def need_systems(options: argparse.Namespace) -> None:
    """Raises a UsageError where there is gold, and nothing says where the systems are."""
    said = (options.systems, options.system_column, options.submissions, options.pred_dir)
    kinds = find_kinds(options.metrics) or ()
    several = any(kind.repeated or kind.in_rows for kind in kinds)
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
