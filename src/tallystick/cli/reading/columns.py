"""What the options say of columns, labels, kinds and metrics, as all readers take it."""

import argparse
import os
from typing import TYPE_CHECKING

from tallystick.cli.options.shared_options import refuse
from tallystick.cli.reading.saved_inputs import are_reports, are_tallies
from tallystick.errors import InputError, UsageError
from tallystick.examples.columns import Columns
from tallystick.examples.reading import Reading
from tallystick.examples.task import Task
from tallystick.io.names import split_name
from tallystick.io.tables.blocks import iterate_tables
from tallystick.io.tables.formats import ROWS
from tallystick.kinds.index import find_layout
from tallystick.kinds.labels import LABELS
from tallystick.kinds.ratings import RATINGS
from tallystick.kinds.texts import TEXTS
from tallystick.scoring.given import (
    LOOKED_AT,
    WITHOUT_LABELS,
    check_corrected,
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
    from tallystick.tallies.metric import Metric

OF_ENGINES = ("workers", "scheduler")
"""Options of who counts."""
_OF_TEXTS = ("ref", "blank_is_missing", "segments")
"""Options that go with texts only."""
_OF_LABELS = (
    *("probability_column", "weight_column", "count_column", "round_scores", "delimiter", "labels"),
    *("positive", "threshold", "fold_case", "confusion"),
)
"""Options that go with labels only."""
_OF_JUDGEMENTS = ("labels", "fold_case")
"""Those of them that go with soft labels, and with the votes of annotators, too."""
_OF_NUMBERS = ("weight_column",)
"""Those that go with all metrics of numbers."""
_NAMED = (
    *("gold", "predicted", "probability", "id", "system_id", "weight", "count", "annotator"),
    "rated",
)
"""The columns that an option such as --gold-column names."""
_SAME = (
    *("clusters", "delimiter", "fold_case", "invalid", "where", "language", "language_column"),
    *("round_scores", "scheme", "majority", "label_probability"),
)
_SEVERAL = ("by", "annotators", "corrected_by", "tag_names")
"""What options and `Columns` call alike, and where these are several names."""


def read_reading(options: argparse.Namespace, *, tolerant: bool) -> Reading:
    """How columns are read, as the options say."""
    if options.round_scores is not None:
        from tallystick.kinds.probabilities.score_counter import check_digits

        check_digits(options.round_scores)
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
    columns = read_columns(options)
    if columns.corrected_by:
        refuse(options, OF_ENGINES, "does not go with --corrected-by")
        check_corrected(columns, kinds, numbers)
    if options.rows is not None and options.input_format not in (None, "jsonl"):
        raise UsageError("--rows names a list of a JSON object, and goes with no other format")
    return Reading(
        columns,
        read_task(options),
        kinds,
        tolerant,
        options.input_format if options.rows is None else f"{ROWS}{options.rows}",
        tuple(options.ref),
        options.blank_is_missing,
        numbers=numbers,
        tries=find_tries(options.metrics),
        beside=options.queries,
    )


def read_columns(options: argparse.Namespace) -> Columns:
    """The columns that were named, and how their values are read."""
    named = {name: getattr(options, f"{name}_column") for name in _NAMED}
    named |= {name: getattr(options, name) for name in _SAME}
    named |= {name: tuple(getattr(options, name)) for name in _SEVERAL}
    text = getattr(options, "text_column", None)
    columns = Columns(**named, text=text, missing=options.missing_outputs)
    return columns.by_annotator(options.systems)


def read_task(options: argparse.Namespace) -> Task:
    """The task, as far as it was named."""
    return Task(
        kind=None if options.task in WITHOUT_LABELS else options.task,
        labels=tuple(options.labels) if options.labels else None,
        positive=options.positive,
        threshold=options.threshold,
    )


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
